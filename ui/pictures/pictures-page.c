/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/pictures-page-private.h"

#include <glib/gstdio.h>
#include <string.h>

#include "engine/base/folder.h"
#include "ui/i18n.h"
#include "ui/models/model-text.h"
#include "ui/parts/files.h"
#include "ui/pictures/finding.h"
#include "ui/pictures/picture-paste.h"
#include "ui/pictures/picture-save.h"
#include "ui/pictures/picture-strip.h"
#include "ui/pictures/pictures-layout.h"
#include "ui/settings.h"

/* After the slider has moved, before the model looks again. */
#define WAIT_MS 400

G_DEFINE_FINAL_TYPE (PterisPicturesPage, pteris_pictures_page, GTK_TYPE_WIDGET)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
say (PterisPicturesPage *self, const char *text)
{
  GtkWidget *overlay = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  if (overlay != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (overlay), adw_toast_new (escaped));
}

/* ---- the model ---- */

PterisModel *
pteris_pictures_page_get_model (PterisPicturesPage *self)
{
  PterisModel *model =
      self->model != NULL ? pteris_library_find (self->library, self->model) : NULL;
  g_autofree char *last = NULL;

  if (model != NULL)
    return model;
  last = pteris_settings_get_string (PTERIS_SETTING_LAST_PICTURES);
  return pteris_library_pick (self->library, PTERIS_TASK_LOOK, last);
}

const char *
pteris_pictures_page_get_state (PterisPicturesPage *self)
{
  PterisModel *model = pteris_pictures_page_get_model (self);
  const PtFamilyChoice *families;
  guint n;

  if (self->job != 0)
    return _ ("Looking…");
  families = pt_library_families (&n);
  for (guint i = 0; model != NULL && i < n; i++)
    if (g_strcmp0 (families[i].id, pteris_model_get_info (model)->family) == 0)
      return pteris_family_name (&families[i]);
  return pteris_task_name (PTERIS_TASK_LOOK);
}

/* ---- what is shown ---- */

static const PtLookResult *
get_result (PterisPicturesPage *self)
{
  return self->shown != NULL ? pteris_picture_get_result (self->shown) : NULL;
}

/* The least score of shown findings. */
static double
get_least (PterisPicturesPage *self)
{
  const PtLookResult *result = get_result (self);

  return self->least > 0 || result == NULL ? self->least : result->threshold;
}

static guint
count_shown (PterisPicturesPage *self)
{
  const PtLookResult *result = get_result (self);

  return result != NULL
             ? pteris_findings_count (&result->pictures[0], result->kind, get_least (self))
             : 0;
}

static void
enable (PterisPicturesPage *self, const char *action, gboolean enabled)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), action, enabled);
}

static void
update_actions (PterisPicturesPage *self)
{
  gboolean found = get_result (self) != NULL;
  gboolean decoded = self->shown != NULL && pteris_picture_get_texture (self->shown) != NULL;
  double zoom = pteris_picture_canvas_get_zoom (self->canvas);

  enable (self, "pictures.save", found);
  enable (self, "pictures.save-json", found);
  enable (self, "pictures.copy-json", found);
  enable (self, "pictures.stop", self->job != 0);
  enable (self, "pictures.remove", self->shown != NULL);
  enable (self, "pictures.zoom-in", decoded);
  enable (self, "pictures.zoom-out", decoded);
  enable (self, "pictures.fit", decoded && zoom > 0);
  gtk_widget_set_visible (self->again, decoded && !found && !self->wants && self->job == 0);
}

void
_pteris_pictures_page_update (PterisPicturesPage *self)
{
  PterisModel *model = pteris_pictures_page_get_model (self);
  gboolean no_model = model == NULL && pteris_library_is_ready (self->library);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->pictures));
  g_autofree char *held =
      no_model ? pteris_library_explain_held (self->library, PTERIS_TASK_LOOK) : NULL;

  if (held != NULL)
    adw_status_page_set_description (self->no_model, held);
  gtk_stack_set_visible_child_name (self->stack, no_model ? "no-model"
                                                 : n > 0  ? "pictures"
                                                          : "empty");
  gtk_widget_set_visible (self->strip_box, n > 1);
  pteris_picture_canvas_show (self->canvas, self->shown, count_shown (self));
  pteris_pictures_panel_show (self->panel, get_result (self), count_shown (self), get_least (self));
  pteris_pictures_panel_ask_texts (self->panel, _pteris_pictures_page_compares_texts (model));
  update_actions (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
on_picture_changed (PterisPicturesPage *self)
{
  const GError *error = pteris_picture_get_error (self->shown);

  if (error != NULL) {
    self->wants = FALSE;
    _pteris_pictures_page_fail (self, PT_ERROR_FILE, error->message);
  }
  if (self->wants && pteris_picture_get_texture (self->shown) != NULL)
    _pteris_pictures_page_look (self);
  else
    _pteris_pictures_page_update (self);
}

void
pteris_pictures_page_stop (PterisPicturesPage *self)
{
  _pteris_pictures_page_cancel (self);
  _pteris_pictures_page_update (self);
}

void
pteris_pictures_page_set_model (PterisPicturesPage *self, PterisModel *model)
{
  const char *path = pteris_model_get_info (model)->path;

  g_free (self->model);
  self->model = g_strdup (path);
  self->least = 0;
  g_clear_pointer (&self->trust, g_free);
  pteris_settings_set_string (PTERIS_SETTING_LAST_PICTURES, path);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->pictures)); i++) {
    g_autoptr (PterisPicture) picture = g_list_model_get_item (G_LIST_MODEL (self->pictures), i);

    pteris_picture_set_result (picture, NULL);
  }
  _pteris_pictures_page_look (self);
}

/* ---- pictures ---- */

static void
show (PterisPicturesPage *self, PterisPicture *picture)
{
  if (picture == self->shown)
    return;
  _pteris_pictures_page_cancel (self);
  _pteris_pictures_page_clear_error (self);
  if (self->shown != NULL) {
    g_signal_handlers_disconnect_by_func (self->shown, on_picture_changed, self);
    pteris_picture_free_memory (self->shown);
  }
  g_set_object (&self->shown, picture);
  if (picture == NULL) {
    _pteris_pictures_page_update (self);
    return;
  }
  g_signal_connect_object (picture, "changed", G_CALLBACK (on_picture_changed), self,
                           G_CONNECT_SWAPPED);
  pteris_picture_open (picture);
  if (pteris_picture_get_result (picture) == NULL)
    _pteris_pictures_page_look (self);
  else
    _pteris_pictures_page_update (self);
}

static void
on_selected (PterisPicturesPage *self)
{
  show (self, gtk_single_selection_get_selected_item (self->selection));
}

/* Thumbnails are made of whole pictures: only the shown one is kept. */
static void
on_thumbnail (PterisPicture *picture, PterisPicturesPage *self)
{
  if (picture != self->shown)
    pteris_picture_free_memory (picture);
}

static guint
find_picture (PterisPicturesPage *self, const char *path)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->pictures)); i++) {
    g_autoptr (PterisPicture) picture = g_list_model_get_item (G_LIST_MODEL (self->pictures), i);

    if (strcmp (pteris_picture_get_path (picture), path) == 0)
      return i;
  }
  return GTK_INVALID_LIST_POSITION;
}

/* The position of the picture in @file, which is added if it is new. */
static guint
add (PterisPicturesPage *self, GFile *file)
{
  const char *path = g_file_peek_path (file);
  guint position = find_picture (self, path);
  g_autoptr (PterisPicture) picture = NULL;

  if (position != GTK_INVALID_LIST_POSITION)
    return position;
  picture = pteris_picture_new (path);
  g_signal_connect_object (picture, "changed", G_CALLBACK (on_thumbnail), self, 0);
  g_list_store_append (self->pictures, picture);
  return g_list_model_get_n_items (G_LIST_MODEL (self->pictures)) - 1;
}

gboolean
pteris_pictures_page_takes (PterisPicturesPage *self, GFile *file)
{
  return g_file_peek_path (file) != NULL && pteris_file_is_picture (file) &&
         pteris_pictures_page_get_model (self) != NULL;
}

void
pteris_pictures_page_open (PterisPicturesPage *self, GSList *files)
{
  guint first = GTK_INVALID_LIST_POSITION;

  for (GSList *l = files; l != NULL; l = l->next) {
    guint position = g_file_peek_path (l->data) != NULL && pteris_file_is_picture (l->data)
                         ? add (self, l->data)
                         : GTK_INVALID_LIST_POSITION;

    first = MIN (first, position);
  }
  if (first == GTK_INVALID_LIST_POSITION) {
    if (files != NULL)
      say (self, _ ("None of these files is a picture."));
    return;
  }
  gtk_single_selection_set_selected (self->selection, first);
  on_selected (self);
  _pteris_pictures_page_update (self);
}

void
pteris_pictures_page_focus (PterisPicturesPage *self)
{
  if (gtk_widget_get_mapped (self->open_first))
    gtk_widget_grab_focus (self->open_first);
  else
    gtk_widget_grab_focus (self->open);
}

/* ---- actions on pictures ---- */

static void
on_opened (GtkNativeDialog *dialog, int response, PterisPicturesPage *self)
{
  g_autoptr (GListModel) chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
  guint n = response == GTK_RESPONSE_ACCEPT ? g_list_model_get_n_items (chosen) : 0;
  GSList *files = NULL;

  for (guint i = 0; i < n; i++)
    files = g_slist_append (files, g_list_model_get_item (chosen, i));
  pteris_pictures_page_open (self, files);
  g_slist_free_full (files, g_object_unref);
  g_object_unref (dialog);
}

static void
open_pictures (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (widget);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Open Pictures"), GTK_WINDOW (gtk_widget_get_root (widget)),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Pictures"));
  for (const char *const *suffix = pteris_picture_suffixes (); *suffix != NULL; suffix++)
    gtk_file_filter_add_suffix (filter, *suffix);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_opened), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_pasted (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisPicturesPage) self = user_data;
  g_autoptr (GError) error = NULL;
  GSList *files = pteris_picture_paste_finish (result, &error);

  if (self->client == NULL) {
    g_slist_free_full (files, g_object_unref);
    return;
  }
  if (error != NULL)
    say (self, error->message);
  else
    pteris_pictures_page_open (self, files);
  g_slist_free_full (files, g_object_unref);
}

static void
paste (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (widget);
  g_autoptr (GError) error = NULL;

  if (self->folder == NULL)
    self->folder = g_dir_make_tmp ("pteris-pictures-XXXXXX", &error);
  if (self->folder != NULL)
    pteris_picture_paste_async (gtk_widget_get_clipboard (widget), self->folder, on_pasted,
                                g_object_ref (self));
  else
    say (self, error->message);
}

static void
remove_picture (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (widget);
  guint position = gtk_single_selection_get_selected (self->selection);

  if (position == GTK_INVALID_LIST_POSITION)
    return;
  g_list_store_remove (self->pictures, position);
  on_selected (self);
}

static void
move_by (PterisPicturesPage *self, int step)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->pictures));
  guint position = gtk_single_selection_get_selected (self->selection);

  if (position == GTK_INVALID_LIST_POSITION || (step < 0 && position == 0))
    return;
  gtk_single_selection_set_selected (self->selection, MIN (position + (guint) step, n - 1));
}

static void
previous (GtkWidget *widget, const char *action, GVariant *parameter)
{
  move_by (PTERIS_PICTURES_PAGE (widget), -1);
}

static void
next (GtkWidget *widget, const char *action, GVariant *parameter)
{
  move_by (PTERIS_PICTURES_PAGE (widget), 1);
}

static void
zoom_in (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_picture_canvas_zoom (PTERIS_PICTURES_PAGE (widget)->canvas, TRUE);
}

static void
zoom_out (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_picture_canvas_zoom (PTERIS_PICTURES_PAGE (widget)->canvas, FALSE);
}

static void
fit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_picture_canvas_fit (PTERIS_PICTURES_PAGE (widget)->canvas);
}

/* ---- actions on the model ---- */

static void
look_again (GtkWidget *widget, const char *action, GVariant *parameter)
{
  _pteris_pictures_page_look (PTERIS_PICTURES_PAGE (widget));
}

static void
stop (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_pictures_page_stop (PTERIS_PICTURES_PAGE (widget));
}

static void
trust (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (widget);
  PterisModel *model = pteris_pictures_page_get_model (self);

  g_free (self->trust);
  self->trust = g_strdup (self->asked);
  if (model != NULL)
    pteris_engine_client_load_trusted (self->client, model, self->trust);
  _pteris_pictures_page_look (self);
}

/* The program may be a variant of the model that failed, or beside it and not in the library. */
static void
use_alternative (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (widget);

  if (self->alternative != NULL)
    gtk_widget_activate_action (widget, "win.use-program", "^ay", self->alternative);
}

/* ---- saving ---- */

static void
on_saved (GObject *file, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisPicturesPage) self = user_data;
  g_autofree char *base = g_file_get_basename (G_FILE (file));
  g_autofree char *name = g_filename_display_name (base);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (self->client == NULL)
    return;
  if (pteris_picture_save_finish (result, &error)) {
    text = g_strdup_printf (_ ("“%s” saved"), name);
    say (self, text);
    return;
  }
  text = g_strdup_printf (_ ("“%s” could not be saved: %s"), name, error->message);
  pteris_pictures_panel_set_error (self->panel, PT_ERROR_FILE, text, NULL, NULL);
  pteris_pictures_panel_set_step (self->panel, _ ("_Save Elsewhere…"), "pictures.save");
}

void
pteris_pictures_page_save (PterisPicturesPage *self, GFile *file, gboolean json)
{
  const PtLookResult *result = get_result (self);

  if (result == NULL)
    return;
  _pteris_pictures_page_clear_error (self);
  pteris_picture_save_async (file, json ? PTERIS_SAVE_JSON : PTERIS_SAVE_PNG, result,
                             count_shown (self), get_least (self), on_saved, g_object_ref (self));
}

static void
on_save_response (GtkNativeDialog *dialog, int response, PterisPicturesPage *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    pteris_pictures_page_save (self, file, g_object_get_data (G_OBJECT (dialog), "json") != NULL);
  g_object_unref (dialog);
}

static void
ask_where (PterisPicturesPage *self, const char *title, const char *suffix, gboolean json)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (title, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
                                   GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  g_autofree char *stem = g_strdup (pteris_picture_get_title (self->shown));
  g_autofree char *name = NULL;
  char *dot = strrchr (stem, '.');

  if (dot != NULL && dot != stem)
    *dot = '\0';
  /* Translators: follows the name of a picture in the name of a file. */
  name = g_strdup_printf ("%s-%s.%s", stem, _ ("found"), suffix);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data (G_OBJECT (dialog), "json", GINT_TO_POINTER (json));
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
save_picture (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ask_where (PTERIS_PICTURES_PAGE (widget), _ ("Save Picture"), "png", FALSE);
}

static void
save_json (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ask_where (PTERIS_PICTURES_PAGE (widget), _ ("Save JSON"), "json", TRUE);
}

static void
copy_json (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (widget);
  const PtLookResult *result = get_result (self);
  g_autofree char *text =
      result != NULL ? pteris_picture_to_json (result, count_shown (self), get_least (self)) : NULL;

  if (text == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  say (self, _ ("JSON copied"));
}

/* ---- from the canvas and the panel ---- */

static void
on_pointed (PterisPicturesPage *self, int index)
{
  int selected = pteris_pictures_panel_get_selected (self->panel);

  pteris_picture_canvas_highlight (self->canvas, index >= 0 ? index : selected);
}

static void
on_clicked (PterisPicturesPage *self, int index)
{
  pteris_pictures_panel_select (self->panel, index);
}

static void
on_highlighted (PterisPicturesPage *self, int index)
{
  pteris_picture_canvas_highlight (self->canvas, index);
}

static gboolean
on_waited (gpointer user_data)
{
  PterisPicturesPage *self = user_data;

  self->waiting = 0;
  _pteris_pictures_page_look (self);
  return G_SOURCE_REMOVE;
}

/* Higher scores are a part of what was found; for lower ones the model has to look again. */
static void
on_least (PterisPicturesPage *self, double least)
{
  const PtLookResult *result = get_result (self);

  self->least = least;
  g_clear_handle_id (&self->waiting, g_source_remove);
  if (result != NULL && least < result->threshold)
    self->waiting = g_timeout_add (WAIT_MS, on_waited, self);
  _pteris_pictures_page_update (self);
}

/* ---- life ---- */

static void
on_library (PterisPicturesPage *self)
{
  _pteris_pictures_page_update (self);
}

/* A model that was held back is usable once it could be loaded. */
static void
on_client (PterisPicturesPage *self)
{
  if (pteris_engine_client_get_state (self->client) == PTERIS_MODEL_READY)
    _pteris_pictures_page_update (self);
}

void
pteris_pictures_page_bind (PterisPicturesPage *self, PterisEngineClient *client,
                           PterisLibrary *library)
{
  g_set_object (&self->client, client);
  g_set_object (&self->library, library);
  g_signal_connect_object (client, "changed", G_CALLBACK (on_client), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (on_library), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "scanned", G_CALLBACK (on_library), self, G_CONNECT_SWAPPED);
  _pteris_pictures_page_update (self);
}

static void
remove_folder (PterisPicturesPage *self)
{
  g_autofree char *folder = g_steal_pointer (&self->folder);
  g_autoptr (PtFolder) dir = folder != NULL ? pt_folder_open (folder) : NULL;
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  if (folder != NULL)
    g_rmdir (folder);
}

static void
pteris_pictures_page_dispose (GObject *object)
{
  PterisPicturesPage *self = PTERIS_PICTURES_PAGE (object);

  g_clear_handle_id (&self->waiting, g_source_remove);
  if (self->job != 0 && self->client != NULL)
    pteris_engine_client_cancel (self->client, self->job);
  self->job = 0;
  if (self->shown != NULL)
    g_signal_handlers_disconnect_by_func (self->shown, on_picture_changed, self);
  if (self->strip != NULL)
    gtk_list_view_set_model (self->strip, NULL);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_object (&self->shown);
  g_clear_object (&self->pictures);
  g_clear_object (&self->client);
  g_clear_object (&self->library);
  g_clear_pointer (&self->model, g_free);
  g_clear_pointer (&self->asked, g_free);
  g_clear_pointer (&self->trust, g_free);
  g_clear_pointer (&self->alternative, g_free);
  remove_folder (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_PICTURES_PAGE);
  G_OBJECT_CLASS (pteris_pictures_page_parent_class)->dispose (object);
}

static void
install_actions (GtkWidgetClass *widget_class)
{
  static const struct {
    const char *name;
    GtkWidgetActionActivateFunc run;
    guint keys[2];
    GdkModifierType state;
  } ACTIONS[] = {
    { "pictures.open", open_pictures, { 0 }, 0 },
    { "pictures.paste", paste, { GDK_KEY_v }, GDK_CONTROL_MASK },
    { "pictures.remove", remove_picture, { 0 }, 0 },
    { "pictures.previous", previous, { GDK_KEY_Left }, GDK_ALT_MASK },
    { "pictures.next", next, { GDK_KEY_Right }, GDK_ALT_MASK },
    { "pictures.zoom-in", zoom_in, { GDK_KEY_plus, GDK_KEY_KP_Add }, GDK_CONTROL_MASK },
    { "pictures.zoom-out", zoom_out, { GDK_KEY_minus, GDK_KEY_KP_Subtract }, GDK_CONTROL_MASK },
    { "pictures.fit", fit, { GDK_KEY_0, GDK_KEY_KP_0 }, GDK_CONTROL_MASK },
    { "pictures.look", look_again, { 0 }, 0 },
    { "pictures.stop", stop, { 0 }, 0 },
    { "pictures.trust", trust, { 0 }, 0 },
    { "pictures.use-alternative", use_alternative, { 0 }, 0 },
    { "pictures.save", save_picture, { GDK_KEY_s }, GDK_CONTROL_MASK },
    { "pictures.save-json", save_json, { 0 }, 0 },
    { "pictures.copy-json", copy_json, { 0 }, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (ACTIONS); i++) {
    gtk_widget_class_install_action (widget_class, ACTIONS[i].name, NULL, ACTIONS[i].run);
    for (guint k = 0; k < 2; k++)
      if (ACTIONS[i].keys[k] != 0)
        gtk_widget_class_add_binding_action (widget_class, ACTIONS[i].keys[k], ACTIONS[i].state,
                                             ACTIONS[i].name, NULL);
  }
}

static void
pteris_pictures_page_class_init (PterisPicturesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_pictures_page_dispose;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  g_type_ensure (PTERIS_TYPE_PICTURE_CANVAS);
  g_type_ensure (PTERIS_TYPE_PICTURES_LAYOUT);
  g_type_ensure (PTERIS_TYPE_PICTURES_PANEL);
  install_actions (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/pictures-page.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisPicturesPage, name)
  CHILD (stack);
  CHILD (no_model);
  CHILD (open_first);
  CHILD (open);
  CHILD (again);
  CHILD (strip_box);
  CHILD (strip);
  CHILD (canvas);
  CHILD (panel);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_pointed);
  gtk_widget_class_bind_template_callback (widget_class, on_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_highlighted);
  gtk_widget_class_bind_template_callback (widget_class, on_least);
  gtk_widget_class_bind_template_callback_full (widget_class, "on_compare",
                                                G_CALLBACK (_pteris_pictures_page_look));
  gtk_widget_class_bind_template_callback_full (widget_class, "on_zoom",
                                                G_CALLBACK (update_actions));
}

static void
pteris_pictures_page_init (PterisPicturesPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->pictures = g_list_store_new (PTERIS_TYPE_PICTURE);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (self->pictures)));
  g_signal_connect_swapped (self->selection, "notify::selected-item", G_CALLBACK (on_selected),
                            self);
  pteris_picture_strip_set_up (self->strip);
  gtk_list_view_set_model (self->strip, GTK_SELECTION_MODEL (self->selection));
}
