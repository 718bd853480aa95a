/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/engine/model-notes.h"
#include "ui/i18n.h"
#include "ui/speech/dictation.h"
#include "ui/parts/leftovers.h"
#include "ui/parts/files.h"
#include "ui/settings.h"
#include "ui/window/welcome.h"
#include "ui/history/history-store.h"

/* Longer than the animation of a toast. */
#define COMES_UP_MS 600

G_DEFINE_FINAL_TYPE (PterisWindow, pteris_window, ADW_TYPE_APPLICATION_WINDOW)

void
_pteris_window_add_toast (PterisWindow *self, AdwToast *toast)
{
  if (g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "chat") == 0)
    pteris_chat_page_add_toast (self->chat_page, toast);
  else
    adw_toast_overlay_add_toast (self->toasts, toast);
}

AdwToast *
_pteris_window_make_toast (const char *text)
{
  AdwToast *toast = adw_toast_new ("");
  GtkWidget *label = gtk_label_new (text);

  /* A toast's own title is ellipsized in a narrow window. */
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  adw_toast_set_custom_title (toast, label);
  return toast;
}

static gboolean
dismiss_now (gpointer toast)
{
  adw_toast_dismiss (toast);
  return G_SOURCE_REMOVE;
}

/* libadwaita 1.2 has a use-after-free if a toast is dismissed during its animation. */
void
_pteris_window_dismiss_toast (AdwToast *toast)
{
  if (gtk_widget_get_mapped (adw_toast_get_custom_title (toast)))
    g_timeout_add_full (G_PRIORITY_DEFAULT, COMES_UP_MS, dismiss_now, g_object_ref (toast),
                        g_object_unref);
  else
    adw_toast_dismiss (toast);
}

static AdwToast *
say (PterisWindow *self, const char *text, guint seconds)
{
  AdwToast *toast = _pteris_window_make_toast (text);

  adw_toast_set_timeout (toast, seconds);
  _pteris_window_add_toast (self, toast);
  return toast;
}

/* A toast waits until the previous one has gone, so the newest message replaces the last one. */
void
pteris_window_say (PterisWindow *self, const char *text)
{
  if (self->said != NULL)
    _pteris_window_dismiss_toast (self->said);
  g_set_weak_pointer (&self->said, say (self, text, 5));
}

/* Messages on the history stay until they are dismissed. */
static void
on_store_said (const char *sentence, gpointer self)
{
  say (self, sentence, 0);
}

static void
update_error (PterisWindow *self)
{
  const char *page = gtk_stack_get_visible_child_name (self->pages);
  gboolean here = self->error_page != NULL &&
                  (self->error_page[0] == '\0' || g_strcmp0 (self->error_page, page) == 0);

  gtk_revealer_set_reveal_child (self->load_error, here);
}

void
_pteris_window_show_error (PterisWindow *self, gboolean every_page)
{
  self->error_page =
      every_page ? "" : g_intern_string (gtk_stack_get_visible_child_name (self->pages));
  update_error (self);
}

void
_pteris_window_hide_error (PterisWindow *self)
{
  self->error_page = NULL;
  update_error (self);
}

/* Shows an error that belongs to no page. */
static void
show_error (PterisWindow *self, PtError code, const char *sentence, const char *retry,
            const char *subject)
{
  pteris_error_card_set (self->load_error_card, code, sentence, retry, subject);
  _pteris_window_show_error (self, FALSE);
}

void
_pteris_window_fold (PterisWindow *self)
{
  if (adw_flap_get_folded (self->flap))
    adw_flap_set_reveal_flap (self->flap, FALSE);
}

/* The header shows the model of the Pictures page there, which is not the loaded one. */
static void
show_model_of_page (PterisWindow *self)
{
  const char *page = gtk_stack_get_visible_child_name (self->pages);
  PterisModel *model = NULL;

  if (self->pictures_page != NULL && g_strcmp0 (page, "pictures") == 0)
    model = pteris_pictures_page_get_model (self->pictures_page);
  pteris_model_button_show (self->model_button, model,
                            model != NULL ? pteris_pictures_page_get_state (self->pictures_page)
                                          : NULL);
  _pteris_window_update_actions (self);
}

static void
on_downloaded (PterisWindow *self, PterisDownload *download)
{
  g_autofree char *text =
      g_strdup_printf (_ ("%s is ready to use."), pteris_download_get_title (download));

  pteris_library_rescan (self->library);
  pteris_window_say (self, text);
}

void
_pteris_window_make_pages (PterisWindow *self)
{
  if (self->transcribe_page != NULL)
    return;
  self->transcribe_page = g_object_new (PTERIS_TYPE_TRANSCRIBE_PAGE, NULL);
  self->pictures_page = g_object_new (PTERIS_TYPE_PICTURES_PAGE, NULL);
  self->models_page = g_object_new (PTERIS_TYPE_MODELS_PAGE, NULL);
  self->discover_page = g_object_new (PTERIS_TYPE_DISCOVER_PAGE, NULL);
  self->inspect_page = g_object_new (PTERIS_TYPE_INSPECT_PAGE, NULL);
  self->catalogue = pteris_catalogue_new ();
  self->downloads = pteris_downloads_new (self->catalogue);
  g_signal_connect_object (self->downloads, "installed", G_CALLBACK (on_downloaded), self,
                           G_CONNECT_SWAPPED);
  _pteris_window_add_taskbar_downloads (self);
  pteris_discover_page_bind (self->discover_page, self->catalogue, self->downloads, self->machine);
  self->gpu_page = g_object_new (PTERIS_TYPE_GPU_PAGE, NULL);
  g_signal_connect_object (self->transcribe_page, "shown",
                           G_CALLBACK (pteris_history_list_set_current),
                           pteris_sidebar_get_transcripts (self->sidebar), G_CONNECT_SWAPPED);
  pteris_transcribe_page_bind (self->transcribe_page,
                               pteris_engines_get (self->engines, PTERIS_ENGINE_SPEECH),
                               self->queue, self->library, self->starter);
  pteris_pictures_page_bind (self->pictures_page,
                             pteris_engines_get (self->engines, PTERIS_ENGINE_PICTURES),
                             self->library);
  g_signal_connect_object (self->pictures_page, "changed", G_CALLBACK (show_model_of_page), self,
                           G_CONNECT_SWAPPED);
  pteris_models_page_bind (self->models_page, self->engines, self->library, self->machine,
                           self->starter);
  pteris_inspect_page_bind (self->inspect_page,
                            pteris_engines_get (self->engines, PTERIS_ENGINE_CHAT), self->library);
  pteris_gpu_page_bind (self->gpu_page, self->machine, self->activity);
  adw_bin_set_child (self->transcribe_bin, GTK_WIDGET (self->transcribe_page));
  adw_bin_set_child (self->pictures_bin, GTK_WIDGET (self->pictures_page));
  adw_bin_set_child (self->models_bin, GTK_WIDGET (self->models_page));
  adw_bin_set_child (self->discover_bin, GTK_WIDGET (self->discover_page));
  adw_bin_set_child (self->inspect_bin, GTK_WIDGET (self->inspect_page));
  adw_bin_set_child (self->gpu_bin, GTK_WIDGET (self->gpu_page));
  if (!pteris_sharing_is_possible ())
    return;
  self->server_page = g_object_new (PTERIS_TYPE_SERVER_PAGE, NULL);
  pteris_server_page_bind (self->server_page, self->sharing);
  adw_bin_set_child (self->server_bin, GTK_WIDGET (self->server_page));
}

void
pteris_window_show_page (PterisWindow *self, const char *page)
{
  GtkWidget *child = gtk_stack_get_child_by_name (self->pages, page);

  if (child == NULL)
    return;
  if (ADW_IS_BIN (child))
    _pteris_window_make_pages (self);
  gtk_stack_set_visible_child_name (self->pages, page);
  if (g_str_equal (page, "chat"))
    pteris_chat_page_focus (self->chat_page);
  else if (g_str_equal (page, "pictures"))
    pteris_pictures_page_focus (self->pictures_page);
  else if (g_str_equal (page, "models"))
    pteris_models_page_focus (self->models_page);
  else if (g_str_equal (page, "discover"))
    pteris_discover_page_focus (self->discover_page);
  else if (g_str_equal (page, "inspect"))
    pteris_inspect_page_focus (self->inspect_page);
  _pteris_window_update_actions (self);
}

/* ---- models ---- */

/* A model that is never loaded is tried again when the user chooses it. */
static void
forget_crash (PterisModel *model)
{
  if (!pteris_model_is_held (model))
    return;
  pteris_notes_set_held (pteris_model_get_info (model)->path, FALSE);
  pteris_notes_save ();
  pteris_model_set_held (model, FALSE);
}

void
pteris_window_pick_model (PterisWindow *self, PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);
  PterisTask task = pteris_model_get_task (model);

  _pteris_window_fold (self);
  if (info->missing != NULL) {
    show_error (self, PT_ERROR_MISSING_FILE, info->missing, NULL, info->path);
    pteris_error_card_set_step (self->load_error_card, _ ("_All Models"), "win.models");
    return;
  }
  if (!pteris_task_loads (task))
    forget_crash (model);
  if (task == PTERIS_TASK_OTHER) {
    gtk_widget_activate_action (GTK_WIDGET (self), "win.run-model", "^ay", info->path);
    return;
  }
  if (task == PTERIS_TASK_LOOK) {
    _pteris_window_make_pages (self);
    pteris_pictures_page_set_model (self->pictures_page, model);
    pteris_window_show_page (self, "pictures");
    return;
  }
  g_set_object (&self->picked, model);
  pteris_engine_client_load (pteris_engines_get_for (self->engines, model), model);
  pteris_window_show_page (self, task == PTERIS_TASK_CHAT ? "chat" : "transcribe");
}

/* A job that waited for the model reports the error, too; actions that only the window has are
   shown here. */
static void
show_load_failure (PterisWindow *self, PterisEngineClient *client)
{
  PterisModel *model = pteris_engine_client_get_model (client);
  PtError code = pteris_engine_client_get_error_code (client);
  gboolean picked = self->picked != NULL && pteris_model_equal (self->picked, model);
  gboolean has_alternative = pteris_engine_client_get_alternative (client) != NULL;
  gboolean asks = code == PT_ERROR_UNTRUSTED;

  if (picked || has_alternative)
    show_error (self, code, pteris_engine_client_get_error (client),
                picked && !asks ? "win.retry-load" : NULL, pteris_model_get_info (model)->path);
  else
    _pteris_window_hide_error (self);
  if (asks)
    _pteris_window_ask_for_trust (self, client);
  else if (has_alternative)
    pteris_error_card_set_step (self->load_error_card, _ ("_Use CPU Version"),
                                "win.use-alternative");
}

static void
on_client_changed (PterisEngineClient *client, PterisWindow *self)
{
  PterisEngineClient *pictures = pteris_engines_get (self->engines, PTERIS_ENGINE_PICTURES);

  if (pteris_engine_client_get_state (client) == PTERIS_MODEL_FAILED &&
      (client != pictures || client == _pteris_window_get_failed_client (self)))
    show_load_failure (self, client);
  else if (_pteris_window_get_failed_client (self) == NULL)
    _pteris_window_hide_error (self);
  _pteris_window_update_actions (self);
}

/* A file that is being added to the library. */
typedef struct {
  PterisWindow *window;
  gboolean load;
} Adding;

static void
on_model_added (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Adding *adding = user_data;
  g_autoptr (PterisWindow) self = adding->window;
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisModel) model =
      pteris_library_add_finish (PTERIS_LIBRARY (source), result, &error);

  if (model == NULL)
    show_error (self, error->domain == PT_ERROR ? (PtError) error->code : PT_ERROR_FILE,
                error->message, NULL, NULL);
  else if (adding->load && self->engines != NULL)
    pteris_window_pick_model (self, model);
  g_free (adding);
}

void
_pteris_window_add_model (PterisWindow *self, GFile *file, gboolean load)
{
  Adding *adding = g_new0 (Adding, 1);

  adding->window = g_object_ref (self);
  adding->load = load;
  pteris_library_add_async (self->library, file, NULL, on_model_added, adding);
}

/* ---- files ---- */

gboolean
_pteris_window_page_takes (PterisWindow *self, GFile *file)
{
  PterisFileKind kind = pteris_file_kind (file);
  const char *page = gtk_stack_get_visible_child_name (self->pages);

  if (kind != PTERIS_FILE_RECORDING && kind != PTERIS_FILE_OTHER)
    return FALSE;
  return (g_strcmp0 (page, "chat") == 0 && pteris_chat_page_takes (self->chat_page, file)) ||
         (g_strcmp0 (page, "pictures") == 0 &&
          pteris_pictures_page_takes (self->pictures_page, file));
}

gboolean
_pteris_window_shows_picture (PterisWindow *self, GFile *file)
{
  return pteris_file_kind (file) == PTERIS_FILE_OTHER && g_file_peek_path (file) != NULL &&
         pteris_file_is_picture (file);
}

/* @files: which the page takes. */
static void
open_on_page (PterisWindow *self, GSList *files)
{
  if (g_str_equal (gtk_stack_get_visible_child_name (self->pages), "pictures")) {
    if (files != NULL)
      pteris_pictures_page_open (self->pictures_page, files);
    return;
  }
  for (GSList *l = files; l != NULL; l = l->next)
    pteris_chat_page_attach (self->chat_page, l->data);
}

static void
refuse_foreign (PterisWindow *self, GFile *file)
{
  g_autofree char *sentence = pteris_file_explain_foreign (file);

  show_error (self, PT_ERROR_FORMAT, sentence, NULL, g_file_peek_path (file));
  pteris_error_card_set_step (self->load_error_card, _ ("_All Models"), "win.models");
}

/* Shows that @files, which are neither models nor recordings, were ignored. */
static void
refuse_others (PterisWindow *self, GSList *files)
{
  g_autofree char *base = files != NULL ? g_file_get_basename (files->data) : NULL;
  g_autofree char *name = base != NULL ? g_filename_display_name (base) : NULL;
  g_autofree char *text = NULL;
  guint n_more = g_slist_length (files) - 1;

  if (files == NULL)
    return;
  if (n_more == 0)
    text = g_strdup_printf (_ ("“%s” is neither a model nor a recording."), name);
  else
    text = g_strdup_printf (ngettext ("“%s” and %u other file are neither models nor recordings.",
                                      "“%s” and %u other files are neither models nor recordings.",
                                      n_more),
                            name, n_more);
  pteris_window_say (self, text);
}

void
pteris_window_open_files (PterisWindow *self, GSList *files)
{
  guint n_models = 0;
  g_autoptr (GSList) taken = NULL;
  g_autoptr (GSList) recordings = NULL;
  g_autoptr (GSList) pictures = NULL;
  g_autoptr (GSList) others = NULL;

  _pteris_window_make_pages (self);
  for (GSList *l = files; l != NULL; l = l->next)
    n_models += pteris_file_kind (l->data) == PTERIS_FILE_MODEL;
  for (GSList *l = files; l != NULL; l = l->next) {
    if (_pteris_window_page_takes (self, l->data)) {
      taken = g_slist_append (taken, l->data);
      continue;
    }
    if (_pteris_window_shows_picture (self, l->data)) {
      pictures = g_slist_append (pictures, l->data);
      continue;
    }
    switch (pteris_file_kind (l->data)) {
    case PTERIS_FILE_MODEL: _pteris_window_add_model (self, l->data, n_models == 1); break;
    case PTERIS_FILE_FOLDER:
    case PTERIS_FILE_RECORDING: recordings = g_slist_append (recordings, l->data); break;
    case PTERIS_FILE_FOREIGN: refuse_foreign (self, l->data); break;
    case PTERIS_FILE_OTHER: others = g_slist_append (others, l->data); break;
    }
  }
  open_on_page (self, taken);
  if (recordings != NULL)
    _pteris_window_find_recordings (self, recordings);
  if (recordings != NULL && pteris_file_kind (recordings->data) == PTERIS_FILE_RECORDING)
    pteris_window_show_page (self, "transcribe");
  if (pictures != NULL) {
    pteris_window_show_page (self, "pictures");
    pteris_pictures_page_open (self->pictures_page, pictures);
  }
  refuse_others (self, others);
}

/* ---- keys ---- */

/* On the chat page, an unhandled character begins a message. */
static gboolean
on_key (GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state,
        PterisWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  gboolean command = (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) != 0;

  if (command || !g_unichar_isprint (gdk_keyval_to_unicode (key)) ||
      g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "chat") != 0 ||
      (focus != NULL && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) != NULL))
    return GDK_EVENT_PROPAGATE;
  return pteris_chat_page_type (self->chat_page, keys);
}

static void
add_keys (PterisWindow *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
}

/* ---- the window ---- */

PterisLibrary *
pteris_window_get_library (PterisWindow *self)
{
  return self->library;
}

PterisChatSession *
pteris_window_get_session (PterisWindow *self)
{
  return self->session;
}

PterisTranscriptQueue *
pteris_window_get_queue (PterisWindow *self)
{
  return self->queue;
}

static gboolean
pteris_window_close_request (GtkWindow *window)
{
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  pteris_settings_set_int (PTERIS_SETTING_WIDTH, width);
  pteris_settings_set_int (PTERIS_SETTING_HEIGHT, height);
  return GTK_WINDOW_CLASS (pteris_window_parent_class)->close_request (window);
}

static void
pteris_window_dispose (GObject *object)
{
  PterisWindow *self = PTERIS_WINDOW (object);

  pteris_store_set_listener (NULL, NULL);
  if (self->starter != NULL)
    pteris_starter_stop (self->starter);
  if (self->meaning != NULL)
    g_object_run_dispose (G_OBJECT (self->meaning));
  g_clear_object (&self->meaning);
  if (self->sharing != NULL)
    g_object_run_dispose (G_OBJECT (self->sharing));
  g_clear_object (&self->sharing);
  if (self->updates != NULL)
    g_object_run_dispose (G_OBJECT (self->updates));
  g_clear_object (&self->updates);
  /* Cancels running jobs and frees the references of jobs to the session and the queue. */
  if (self->engines != NULL)
    g_object_run_dispose (G_OBJECT (self->engines));
  if (self->reader != NULL)
    g_object_run_dispose (G_OBJECT (self->reader));
  g_clear_object (&self->reader);
  g_clear_object (&self->aloud);
  g_clear_object (&self->engines);
  g_clear_object (&self->machine);
  g_clear_object (&self->activity);
  g_clear_object (&self->library);
  g_clear_object (&self->starter);
  g_clear_object (&self->downloads);
  g_clear_object (&self->catalogue);
  g_clear_object (&self->session);
  g_clear_object (&self->history);
  g_clear_object (&self->presets);
  g_clear_object (&self->queue);
  g_clear_weak_pointer (&self->said);
  g_clear_weak_pointer (&self->worked_on);
  g_clear_object (&self->picked);
  g_clear_object (&self->drop_hover);
  g_slist_free_full (g_steal_pointer (&self->drop_files), g_object_unref);
  g_clear_pointer (&self->crashed, g_strfreev);
  g_clear_pointer (&self->reload, g_free);
  g_clear_pointer (&self->undos, g_ptr_array_unref);
  G_OBJECT_CLASS (pteris_window_parent_class)->dispose (object);
  /* Signals of the history start it again until here. */
  g_clear_handle_id (&self->chats_settling, g_source_remove);
}

static void
ensure_types (void)
{
  g_type_ensure (PTERIS_TYPE_CHAT_PAGE);
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  g_type_ensure (PTERIS_TYPE_MODEL_BUTTON);
  g_type_ensure (PTERIS_TYPE_READER_BAR);
  g_type_ensure (PTERIS_TYPE_UPDATE_BAR);
  g_type_ensure (PTERIS_TYPE_SIDEBAR);
  g_type_ensure (PTERIS_TYPE_STATUS_BAR);
}

static void
pteris_window_class_init (PterisWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = pteris_window_close_request;
  ensure_types ();
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/window.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, drop_highlight);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, drop_label);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, model_button);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, load_error);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, load_error_card);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, chat_page);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, transcribe_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, pictures_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, models_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, discover_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, gpu_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, server_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, inspect_bin);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, reader_bar);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, update_bar);
  gtk_widget_class_bind_template_child (widget_class, PterisWindow, status_bar);
  /* Escape is handled here after popovers and dialogs. */
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "win.stop", NULL);
  /* Ctrl+Z is handled here after text fields and the transcript editor. */
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_z, GDK_CONTROL_MASK, "win.undo", NULL);
}

/* Shows the conversation that was shown last, unless another one was begun. */
static void
on_history_ready (PterisWindow *self)
{
  g_autoptr (PterisConversation) newest = g_list_model_get_item (G_LIST_MODEL (self->history), 0);

  if (self->wanted_chat != 0) {
    pteris_window_open_chat (self, self->wanted_chat);
    self->wanted_chat = 0;
  }
  if (newest != NULL && pteris_chat_session_get_conversation (self->session) == NULL)
    pteris_chat_session_open (self->session, newest);
}

static void
on_conversation (PterisWindow *self)
{
  pteris_history_list_set_current (pteris_sidebar_get_chats (self->sidebar),
                                   pteris_chat_session_get_conversation (self->session));
}

static void
bind_parts (PterisWindow *self)
{
  pteris_model_button_bind (self->model_button, self->engines, self->library);
  pteris_sidebar_set_stack (self->sidebar, self->pages);
  pteris_sidebar_bind (self->sidebar, self->history, self->queue);
  pteris_history_list_set_source (pteris_sidebar_get_chats (self->sidebar),
                                  PTERIS_QUERY_SOURCE (self->meaning));
  pteris_history_list_set_source (pteris_sidebar_get_transcripts (self->sidebar),
                                  PTERIS_QUERY_SOURCE (self->meaning));
  pteris_chat_page_bind (self->chat_page, self->session, self->library, self->starter,
                         self->presets);
  pteris_status_bar_bind (self->status_bar, self->machine, self->engines);
  pteris_update_bar_bind (self->update_bar, self->updates);
  pteris_error_card_set_dismiss (self->load_error_card, "win.dismiss-error");
  g_signal_connect_object (self->pages, "notify::visible-child", G_CALLBACK (update_error), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pages, "notify::visible-child", G_CALLBACK (show_model_of_page),
                           self, G_CONNECT_SWAPPED);
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    g_signal_connect_object (pteris_engines_get (self->engines, i), "changed",
                             G_CALLBACK (on_client_changed), self, 0);
  g_signal_connect_object (self->session, "notify::busy",
                           G_CALLBACK (_pteris_window_update_actions), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "deleted", G_CALLBACK (_pteris_window_on_deleted), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "notify::conversation", G_CALLBACK (on_conversation),
                           self, G_CONNECT_SWAPPED);
  pteris_store_set_listener (on_store_said, self);
  g_signal_connect_object (self->history, "ready", G_CALLBACK (on_history_ready), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->starter, "finished", G_CALLBACK (pteris_library_rescan),
                           self->library, G_CONNECT_SWAPPED);
}

/* Shows the welcome page at the first start. It is not in the sidebar. */
static void
welcome (PterisWindow *self)
{
  PterisWelcome *page = pteris_welcome_new (self->library);

  gtk_stack_add_named (self->pages, GTK_WIDGET (page), "welcome");
  pteris_settings_set_boolean (PTERIS_SETTING_WELCOMED, TRUE);
  pteris_window_show_page (self, "welcome");
}

static gboolean
begin_work (gpointer user_data)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (self->engines == NULL)
    return G_SOURCE_REMOVE;
  _pteris_window_make_pages (self);
  pteris_library_rescan (self->library);
  pteris_chat_history_load (self->history);
  pteris_dictation_repair ();
  pteris_leftovers_remove ();
  pteris_transcript_queue_restore (self->queue);
  pteris_meaning_start (self->meaning);
  pteris_updates_start (self->updates);
  return G_SOURCE_REMOVE;
}

/* Reading of files begins after the first frame is drawn. */
static gboolean
on_first_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  g_idle_add_full (G_PRIORITY_LOW, begin_work, g_object_ref (widget), g_object_unref);
  return G_SOURCE_REMOVE;
}

static void
pteris_window_init (PterisWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->sharing = pteris_sharing_new ();
  if (!pteris_sharing_is_possible ())
    gtk_stack_remove (self->pages, GTK_WIDGET (self->server_bin));
  gtk_window_set_default_size (GTK_WINDOW (self), pteris_settings_get_int (PTERIS_SETTING_WIDTH),
                               pteris_settings_get_int (PTERIS_SETTING_HEIGHT));
  self->updates = pteris_updates_new ();
  self->engines = pteris_engines_new ();
  self->machine = pteris_machine_new ();
  self->activity = pteris_activity_new (self->engines);
  self->library = pteris_library_new ();
  self->starter = pteris_starter_new ();
  self->history = pteris_chat_history_new ();
  self->presets = pteris_presets_new ();
  self->session = pteris_chat_session_new (pteris_engines_get (self->engines, PTERIS_ENGINE_CHAT),
                                           self->library, self->history);
  self->queue = pteris_transcript_queue_new (
      pteris_engines_get (self->engines, PTERIS_ENGINE_SPEECH), self->library);
  self->meaning = pteris_meaning_new (self->engines, self->library);
  _pteris_window_add_actions (self);
  _pteris_window_add_drop_target (self);
  add_keys (self);
  bind_parts (self);
  _pteris_window_add_notifications (self);
  _pteris_window_add_taskbar (self);
  _pteris_window_add_engines (self);
  gtk_widget_add_tick_callback (GTK_WIDGET (self), on_first_tick, NULL, NULL);
  if (pteris_settings_get_boolean (PTERIS_SETTING_WELCOMED))
    pteris_window_show_page (self, "chat");
  else
    welcome (self);
}

PterisWindow *
pteris_window_new (GtkApplication *application)
{
  return g_object_new (PTERIS_TYPE_WINDOW, "application", application, NULL);
}
