/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/parts/files.h"
#include "ui/i18n.h"
#include "ui/window/preferences.h"
#include <pteris/chat.h>

#define ACTION(name) \
  static void name (GSimpleAction *action, GVariant *parameter, gpointer user_data)

static void
set_enabled (PterisWindow *self, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), name);

  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

static gboolean
is_shown (PterisWindow *self, const char *page)
{
  return g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), page) == 0;
}

void
_pteris_window_update_actions (PterisWindow *self)
{
  gboolean answering = pteris_chat_session_is_busy (self->session);
  gboolean reading = pteris_reader_is_reading (self->reader);

  set_enabled (self, "stop",
               reading || (is_shown (self, "chat")
                               ? answering
                               : is_shown (self, "transcribe") || is_shown (self, "inspect") ||
                                     is_shown (self, "pictures")));
  set_enabled (self, "copy-last", pteris_chat_session_get_last_answer (self->session) != NULL);
  set_enabled (self, "unload",
               pteris_engine_client_get_state (_pteris_window_get_shown_client (self)) ==
                   PTERIS_MODEL_READY);
}

/* ---- opening ---- */

static void
on_open_response (GtkNativeDialog *dialog, int response, PterisWindow *self)
{
  g_autoptr (GListModel) chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
  guint n = response == GTK_RESPONSE_ACCEPT ? g_list_model_get_n_items (chosen) : 0;
  GSList *files = NULL;

  for (guint i = 0; i < n; i++)
    files = g_slist_append (files, g_list_model_get_item (chosen, i));
  /* A folder of models that is opened explicitly is added even if it is empty now. */
  for (GSList *l = files; l != NULL && g_object_get_data (G_OBJECT (dialog), "models"); l = l->next)
    _pteris_window_add_model (self, l->data, FALSE);
  if (g_object_get_data (G_OBJECT (dialog), "models") == NULL)
    pteris_window_open_files (self, files);
  g_slist_free_full (files, g_object_unref);
  g_object_unref (dialog);
}

static GtkFileFilter *
recordings_filter (void)
{
  GtkFileFilter *filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Recordings"));
  for (const char *const *suffix = pteris_recording_suffixes (); *suffix != NULL; suffix++)
    gtk_file_filter_add_suffix (filter, *suffix);
  return filter;
}

static GtkFileFilter *
models_filter (void)
{
  GtkFileFilter *filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Models"));
  gtk_file_filter_add_suffix (filter, "pte");
  gtk_file_filter_add_suffix (filter, "ptd");
  return filter;
}

static GtkFileFilter *
all_filter (void)
{
  GtkFileFilter *filter = models_filter ();

  gtk_file_filter_set_name (filter, _ ("Models and Recordings"));
  for (const char *const *suffix = pteris_recording_suffixes (); *suffix != NULL; suffix++)
    gtk_file_filter_add_suffix (filter, *suffix);
  return filter;
}

static void
add_pictures (GtkFileFilter *filter)
{
  for (const char *const *suffix = pteris_picture_suffixes (); *suffix != NULL; suffix++)
    gtk_file_filter_add_suffix (filter, *suffix);
}

/* Only the Pictures page opens pictures. */
static GtkFileFilter *
pictures_filter (gboolean all)
{
  GtkFileFilter *filter = all ? all_filter () : gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, all ? _ ("Pictures, Models and Recordings") : _ ("Pictures"));
  add_pictures (filter);
  return filter;
}

static GtkFileChooserNative *
show_open_dialog (PterisWindow *self, const char *title, GtkFileChooserAction action,
                  GtkFileFilter *const *filters, guint n_filters)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (title, GTK_WINDOW (self), action, _ ("_Open"), _ ("_Cancel"));

  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (dialog), TRUE);
  for (guint i = 0; i < n_filters; i++) {
    g_autoptr (GtkFileFilter) filter = filters[i];

    gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  }
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_open_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
  return dialog;
}

ACTION (open_any)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  GtkFileFilter *filters[] = { all_filter (), models_filter (), recordings_filter (), NULL };

  if (is_shown (self, "pictures")) {
    g_object_unref (filters[0]);
    filters[0] = pictures_filter (TRUE);
    filters[3] = pictures_filter (FALSE);
  }
  show_open_dialog (self, _ ("Open"), GTK_FILE_CHOOSER_ACTION_OPEN, filters,
                    filters[3] != NULL ? 4 : 3);
}

ACTION (open_recordings)
{
  GtkFileFilter *filters[] = { recordings_filter () };

  show_open_dialog (user_data, _ ("Open Recordings"), GTK_FILE_CHOOSER_ACTION_OPEN, filters, 1);
}

ACTION (open_recordings_folder)
{
  show_open_dialog (user_data, _ ("Open a Folder of Recordings"),
                    GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, 0);
}

ACTION (add_folder)
{
  GtkFileChooserNative *dialog = show_open_dialog (user_data, _ ("Add Model Folder"),
                                                   GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, NULL, 0);

  g_object_set_data (G_OBJECT (dialog), "models", dialog);
}

/* ---- models ---- */

ACTION (pick_model)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  const char *path = g_variant_get_string (parameter, NULL);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->library));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (self->library), i);

    if (g_strcmp0 (pteris_model_get_info (model)->path, path) == 0) {
      pteris_window_pick_model (self, model);
      return;
    }
  }
}

ACTION (retry_load)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (self->picked != NULL)
    pteris_engine_client_load (pteris_engines_get_for (self->engines, self->picked), self->picked);
}

ACTION (trust_model)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisEngineClient *client = _pteris_window_get_failed_client (self);

  if (client != NULL)
    _pteris_window_ask_for_trust (self, client);
}

ACTION (use_alternative)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisEngineClient *client = _pteris_window_get_failed_client (self);
  const char *path = client != NULL ? pteris_engine_client_get_alternative (client) : NULL;
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;

  if (file != NULL)
    _pteris_window_add_model (self, file, TRUE);
}

ACTION (dismiss_error)
{
  _pteris_window_hide_error (PTERIS_WINDOW (user_data));
}

ACTION (unload)
{
  pteris_engine_client_unload (_pteris_window_get_shown_client (PTERIS_WINDOW (user_data)));
}

ACTION (rescan)
{
  pteris_library_rescan (PTERIS_WINDOW (user_data)->library);
}

ACTION (use_starter)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (!pteris_starter_is_available (self->starter)) {
    pteris_window_say (
        self, _ ("To create the starter models, run “./dev run” in the Pteris source folder."));
    return;
  }
  pteris_starter_start (self->starter);
  /* Pages show this themselves if there are no models. */
  if (g_list_model_get_n_items (G_LIST_MODEL (self->library)) > 0)
    pteris_window_show_page (self, "models");
}

/* The target is the most bytes that the model may have. */
ACTION (get_chat)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  pteris_window_show_page (self, "discover");
  pteris_discover_page_get_chat (self->discover_page, g_variant_get_uint64 (parameter));
}

/* ---- pages ---- */

ACTION (show_page)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  pteris_window_show_page (self, g_variant_get_string (parameter, NULL));
  _pteris_window_fold (self);
}

ACTION (show_models)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  pteris_window_show_page (self, "models");
  _pteris_window_fold (self);
}

/* Pages with a search have an action for it. */
ACTION (find_in_page)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  GtkWidget *page = gtk_stack_get_visible_child (self->pages);

  if (ADW_IS_BIN (page))
    page = adw_bin_get_child (ADW_BIN (page));
  if (!gtk_widget_activate_action (page, "page.find", NULL))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.search", NULL);
}

ACTION (show_preferences)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisPreferences *preferences = pteris_preferences_new (
      GTK_WINDOW (self), self->library, self->machine, self->meaning, self->updates);

  gtk_window_present (GTK_WINDOW (preferences));
}

ACTION (toggle_sidebar)
{
  AdwFlap *flap = PTERIS_WINDOW (user_data)->flap;

  adw_flap_set_reveal_flap (flap, !adw_flap_get_reveal_flap (flap));
}

/* ---- chat ---- */

ACTION (copy_last)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisMessage *answer = pteris_chat_session_get_last_answer (self->session);

  if (answer == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          pt_thinking_split (pteris_message_get_text (answer)).answer);
  pteris_window_say (self, _ ("Answer copied"));
}

ACTION (stop)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (pteris_reader_is_reading (self->reader))
    pteris_reader_stop (self->reader);
  else if (is_shown (self, "chat"))
    pteris_chat_session_stop (self->session);
  else if (is_shown (self, "inspect"))
    pteris_inspect_page_stop (self->inspect_page);
  else if (is_shown (self, "pictures"))
    pteris_pictures_page_stop (self->pictures_page);
  else
    pteris_transcribe_page_stop (self->transcribe_page);
}

void
_pteris_window_add_actions (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = {
    { "open", open_any, NULL, NULL, NULL },
    { "open-recordings", open_recordings, NULL, NULL, NULL },
    { "open-recordings-folder", open_recordings_folder, NULL, NULL, NULL },
    { "add-folder", add_folder, NULL, NULL, NULL },
    { "pick-model", pick_model, "s", NULL, NULL },
    { "retry-load", retry_load, NULL, NULL, NULL },
    { "trust-model", trust_model, NULL, NULL, NULL },
    { "use-alternative", use_alternative, NULL, NULL, NULL },
    { "dismiss-error", dismiss_error, NULL, NULL, NULL },
    { "unload", unload, NULL, NULL, NULL },
    { "rescan", rescan, NULL, NULL, NULL },
    { "use-starter", use_starter, NULL, NULL, NULL },
    { "get-chat", get_chat, "t", NULL, NULL },
    { "show-page", show_page, "s", NULL, NULL },
    { "models", show_models, NULL, NULL, NULL },
    { "find", find_in_page, NULL, NULL, NULL },
    { "preferences", show_preferences, NULL, NULL, NULL },
    { "toggle-sidebar", toggle_sidebar, NULL, NULL, NULL },
    { "copy-last", copy_last, NULL, NULL, NULL },
    { "stop", stop, NULL, NULL, NULL },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
  _pteris_window_add_undo (self);
  _pteris_window_add_chat_actions (self);
  _pteris_window_add_model_actions (self);
  _pteris_window_add_privacy_actions (self);
  _pteris_window_add_transcript_actions (self);
  _pteris_window_add_aloud (self);
}
