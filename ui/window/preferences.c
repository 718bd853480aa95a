/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/preferences.h"

#include <pteris/trust.h>

#include "ui/aloud/voice-choice.h"
#include "ui/discover/access-token.h"
#include "ui/machine/machine-device.h"
#include "ui/sharing/sharing.h"
#include "ui/sound/sound-chooser.h"
#include "ui/i18n.h"
#include "ui/settings.h"

struct _PterisPreferences {
  AdwPreferencesWindow parent_instance;

  AdwComboRow *theme;
  GtkSpinButton *text_size;
  AdwActionRow *meaning_row;
  GtkSwitch *search_by_meaning;
  GtkSwitch *keep_history;
  GtkSwitch *send_with_enter;
  AdwComboRow *record_from;
  AdwComboRow *play_on;
  AdwComboRow *voice;
  GtkSpinButton *voice_speed;
  AdwPreferencesGroup *folders;
  AdwComboRow *device;
  AdwActionRow *serve_row;
  GtkSwitch *serve;
  AdwComboRow *side_by_side;
  AdwComboRow *isolation;
  GtkSpinButton *threads;
  AdwPreferencesGroup *trusted;
  AdwPreferencesGroup *tokens;
  GtkSwitch *safe_graphics;
  AdwPreferencesGroup *updates_group;
  AdwActionRow *look_row;
  GtkSwitch *look_for_updates;
  AdwActionRow *found_row;
  GtkButton *look_now;
  GtkButton *download_page;

  PterisLibrary *library;
  PterisMeaning *meaning;
  PterisUpdates *updates;
  GPtrArray *folder_rows;  /* widgets that were added to @folders */
  GPtrArray *trusted_rows; /* widgets that were added to @trusted */
  GPtrArray *token_rows;   /* widgets that were added to @tokens */
  GPtrArray *devices;      /* char *: the setting for each choice of @device */
};

G_DEFINE_FINAL_TYPE (PterisPreferences, pteris_preferences, ADW_TYPE_PREFERENCES_WINDOW)

/* ---- lists ---- */

static void
clear_rows (AdwPreferencesGroup *group, GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    adw_preferences_group_remove (group, rows->pdata[i]);
  g_ptr_array_set_size (rows, 0);
}

static GtkWidget *
add_row (AdwPreferencesGroup *group, GPtrArray *rows, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_preferences_row_set_title_selectable (ADW_PREFERENCES_ROW (row), TRUE);
  if (subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_preferences_group_add (group, row);
  g_ptr_array_add (rows, row);
  return row;
}

/* Adds a button to @row that calls @func with it; @value: the item of the row. */
static void
add_remove_button (PterisPreferences *self, GtkWidget *row, const char *label, const char *value,
                   void (*func) (GtkButton *button, PterisPreferences *self))
{
  GtkWidget *button = gtk_button_new_from_icon_name ("edit-delete-symbolic");
  const char *title = adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row));
  g_autofree char *name = g_strdup_printf ("%s: %s", label, title);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, label);
  gtk_widget_add_css_class (button, "flat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_object_set_data_full (G_OBJECT (button), "value", g_strdup (value), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (func), self);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
}

static void
say (PterisPreferences *self, const char *text)
{
  adw_preferences_window_add_toast (ADW_PREFERENCES_WINDOW (self), adw_toast_new (text));
}

/* ---- folders ---- */

static void
on_remove_folder (GtkButton *button, PterisPreferences *self)
{
  pteris_settings_remove_from_list (PTERIS_SETTING_FOLDERS,
                                    g_object_get_data (G_OBJECT (button), "value"));
  pteris_library_rescan (self->library);
  say (self, _ ("Folder removed; its files are kept."));
}

static void
update_folders (PterisPreferences *self)
{
  g_auto (GStrv) folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  g_autofree char *starter = g_filename_display_name (pt_library_default_folder ());

  clear_rows (self->folders, self->folder_rows);
  add_row (self->folders, self->folder_rows, starter, _ ("Starter models; always searched"));
  for (guint i = 0; folders[i] != NULL; i++) {
    g_autofree char *name = g_filename_display_name (folders[i]);
    GtkWidget *row = add_row (self->folders, self->folder_rows, name,
                              g_file_test (folders[i], G_FILE_TEST_IS_DIR)
                                  ? NULL
                                  : _ ("Not available; is its drive connected?"));

    add_remove_button (self, row, _ ("Remove Folder"), folders[i], on_remove_folder);
  }
}

static void
on_folder_added (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisPreferences) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisModel) model =
      pteris_library_add_finish (PTERIS_LIBRARY (source), result, &error);

  if (model == NULL)
    say (self, error->message);
}

static void
on_folder_chosen (GtkNativeDialog *dialog, int response, PterisPreferences *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;

  if (file != NULL)
    pteris_library_add_async (self->library, file, NULL, on_folder_added, g_object_ref (self));
  g_object_unref (dialog);
}

static void
on_add_folder (PterisPreferences *self)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Add Model Folder"), GTK_WINDOW (self),
                                   GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Add"), NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_folder_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- consent ---- */

static void update_trusted (PterisPreferences *self);

/* Blocking: another process may lock the list. */
static void
revoke_in_thread (GTask *task, gpointer source, gpointer digest, GCancellable *cancellable)
{
  GError *error = NULL;

  if (pt_trusted_forget (digest, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_revoked (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisPreferences *self = PTERIS_PREFERENCES (source);
  g_autoptr (GError) error = NULL;
  gboolean revoked = g_task_propagate_boolean (G_TASK (result), &error);

  if (!gtk_widget_get_visible (GTK_WIDGET (self))) /* closed meanwhile */
    return;
  if (revoked)
    say (self, _ ("Pteris will ask again before it runs this file's native code."));
  else
    say (self, error->message);
  update_trusted (self);
}

static void
on_revoke (GtkButton *button, PterisPreferences *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_revoked, NULL);

  g_task_set_source_tag (task, on_revoke);
  g_task_set_task_data (task, g_strdup (g_object_get_data (G_OBJECT (button), "value")), g_free);
  g_task_run_in_thread (task, revoke_in_thread);
}

static void
update_trusted (PterisPreferences *self)
{
  g_autoptr (GPtrArray) files = pt_trusted_list ();

  clear_rows (self->trusted, self->trusted_rows);
  if (files->len == 0)
    add_row (self->trusted, self->trusted_rows, _ ("No files allowed"), NULL);
  for (guint i = 0; i < files->len; i++) {
    const PtTrustedFile *file = files->pdata[i];
    g_autofree char *digest = g_strdup_printf ("SHA-256 %s", file->digest);
    GtkWidget *row = add_row (self->trusted, self->trusted_rows, file->name, digest);

    add_remove_button (self, row, _ ("Revoke Permission"), file->digest, on_revoke);
  }
}

/* ---- access tokens ---- */

static void read_tokens (PterisPreferences *self);

/* Blocking: the secret store may ask a person. */
static void
forget_in_thread (GTask *task, gpointer source, gpointer origin, GCancellable *cancellable)
{
  GError *error = NULL;

  if (pteris_hub_token_forget (origin, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_forgotten (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisPreferences *self = PTERIS_PREFERENCES (source);
  g_autoptr (GError) error = NULL;
  gboolean forgotten = g_task_propagate_boolean (G_TASK (result), &error);

  if (!gtk_widget_get_visible (GTK_WIDGET (self))) /* closed meanwhile */
    return;
  say (self, forgotten ? _ ("The access token is forgotten.") : error->message);
  read_tokens (self);
}

static void
on_forget (GtkButton *button, PterisPreferences *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_forgotten, NULL);

  g_task_set_source_tag (task, on_forget);
  g_task_set_task_data (task, g_strdup (g_object_get_data (G_OBJECT (button), "value")), g_free);
  g_task_run_in_thread (task, forget_in_thread);
}

static void
show_tokens (PterisPreferences *self, char **origins)
{
  clear_rows (self->tokens, self->token_rows);
  if (origins == NULL || origins[0] == NULL)
    add_row (self->tokens, self->token_rows, _ ("No access tokens"), NULL);
  for (guint i = 0; origins != NULL && origins[i] != NULL; i++) {
    GtkWidget *row =
        add_row (self->tokens, self->token_rows, origins[i],
                 pteris_hub_token_is_temporary (origins[i]) ? _ ("Until Pteris closes") : NULL);

    add_remove_button (self, row, _ ("Forget Token"), origins[i], on_forget);
  }
}

static void
on_tokens_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisPreferences *self = PTERIS_PREFERENCES (source);
  g_auto (GStrv) origins = g_task_propagate_pointer (G_TASK (result), NULL);

  if (gtk_widget_get_visible (GTK_WIDGET (self))) /* else closed meanwhile */
    show_tokens (self, origins);
}

static void
list_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, pteris_hub_token_list (), (GDestroyNotify) g_strfreev);
}

static void
read_tokens (PterisPreferences *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_tokens_read, NULL);

  g_task_set_source_tag (task, read_tokens);
  g_task_run_in_thread (task, list_in_thread);
}

/* ---- choices ---- */

static void
add_device (PterisPreferences *self, GtkStringList *names, const char *value, const char *name)
{
  gtk_string_list_append (names, name);
  g_ptr_array_add (self->devices, g_strdup (value));
}

static void
on_device (PterisPreferences *self)
{
  guint chosen = adw_combo_row_get_selected (self->device);

  if (chosen < self->devices->len)
    pteris_settings_set_string (PTERIS_SETTING_DEVICE, self->devices->pdata[chosen]);
}

static void
fill_devices (PterisPreferences *self, PterisMachine *machine)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  g_autofree char *present = pteris_settings_get_string (PTERIS_SETTING_DEVICE);
  GListModel *gpus = pteris_machine_get_gpus (machine);
  guint chosen;

  add_device (self, names, "auto", _ ("Automatic"));
  add_device (self, names, "cpu", _ ("CPU Only"));
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++) {
    g_autoptr (PterisDevice) gpu = g_list_model_get_item (gpus, i);
    g_autofree char *value = g_strdup_printf ("%u", i);

    add_device (self, names, value, pteris_device_get_name (gpu));
  }
  if (present != NULL &&
      !g_ptr_array_find_with_equal_func (self->devices, present, g_str_equal, &chosen)) {
    /* Translators: %s is the number of a GPU that is not in this computer now. */
    g_autofree char *name = g_strdup_printf (_ ("GPU %s (not available)"), present);

    add_device (self, names, present, name);
  }
  adw_combo_row_set_model (self->device, G_LIST_MODEL (names));
  if (g_ptr_array_find_with_equal_func (self->devices, present, g_str_equal, &chosen))
    adw_combo_row_set_selected (self->device, chosen);
  g_signal_connect_object (self->device, "notify::selected", G_CALLBACK (on_device), self,
                           G_CONNECT_SWAPPED);
}

/* Says which model searches by meaning, and how far it is. */
static void
update_meaning (PterisPreferences *self)
{
  PterisModel *model = pteris_meaning_get_model (self->meaning);
  const char *error = pteris_meaning_get_error (self->meaning);
  double progress = pteris_meaning_get_progress (self->meaning);
  const char *title = model != NULL ? pteris_model_get_info (model)->title : NULL;
  g_autofree char *text = NULL;

  if (model == NULL)
    text = g_strdup (_ ("Finds chats and transcripts that say the same in other words. It needs a "
                        "text embedding model, such as all-MiniLM-L6-v2."));
  else if (error != NULL)
    text = g_strdup_printf (_ ("%s cannot be used: %s"), title, error);
  else if (progress >= 0 && progress < 1)
    /* Translators: the title of a model, and a percentage. */
    text = g_strdup_printf (_ ("%s reads your chats and transcripts while nothing else runs: "
                               "%.0f %%. Nothing leaves this computer."),
                            title, progress * 100);
  else
    text = g_strdup_printf (_ ("Finds chats and transcripts that say the same in other words, with "
                               "%s. Nothing leaves this computer."),
                            title);
  adw_action_row_set_subtitle (self->meaning_row, text);
}

/* ---- new versions ---- */

/* "2027-01-15", in the user's form; NULL: never. */
static char *
last_look (PterisUpdates *updates)
{
  gint64 seconds = pteris_updates_get_last_time (updates);
  g_autoptr (GDateTime) time = seconds > 0 ? g_date_time_new_from_unix_local (seconds) : NULL;

  return time != NULL ? g_date_time_format (time, "%x") : NULL;
}

static char *
describe_found (PterisPreferences *self)
{
  const PtUpdate *found = pteris_updates_get_found (self->updates);
  const char *error = pteris_updates_get_error (self->updates);
  g_autofree char *last = last_look (self->updates);

  if (pteris_updates_is_busy (self->updates))
    return g_strdup (_ ("Checking…"));
  if (error != NULL)
    return g_strdup (error);
  if (found != NULL && found->is_newer)
    /* Translators: a version such as 0.3.0, and its day. */
    return g_strdup_printf (_ ("Pteris %s of %s is available."), found->newest, found->date);
  if (found != NULL && last != NULL)
    /* Translators: the day of the last check. */
    return g_strdup_printf (_ ("Up to date when last checked, on %s"), last);
  return g_strdup (_ ("Not checked yet"));
}

static void
update_found (PterisPreferences *self)
{
  const PtUpdate *found = pteris_updates_get_found (self->updates);
  g_autofree char *text = describe_found (self);

  adw_action_row_set_subtitle (self->found_row, text);
  gtk_widget_set_sensitive (GTK_WIDGET (self->look_now), !pteris_updates_is_busy (self->updates));
  gtk_widget_set_visible (GTK_WIDGET (self->download_page), found != NULL && found->is_newer);
}

static void
on_look_now (PterisPreferences *self)
{
  pteris_updates_look (self->updates);
}

static void
on_download_page (PterisPreferences *self)
{
  const PtUpdate *found = pteris_updates_get_found (self->updates);

  if (found != NULL)
    gtk_show_uri (GTK_WINDOW (self), found->page, GDK_CURRENT_TIME);
}

static void
bind_updates (PterisPreferences *self)
{
  g_autofree char *host = pt_update_host ();
  g_autofree char *title = g_strdup_printf ("Pteris %s", PTERIS_VERSION);
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->updates_group), host != NULL);
  if (host == NULL)
    return;
  /* Translators: %s is the name of a server. */
  text = g_strdup_printf (_ ("Once a day, Pteris asks %s for a list of versions. The request says "
                             "nothing about you or this computer, and nothing is installed."),
                          host);
  adw_action_row_set_subtitle (self->look_row, text);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->found_row), title);
  pteris_settings_bind (PTERIS_SETTING_LOOK_FOR_UPDATES, self->look_for_updates, "active");
  g_signal_connect_object (self->updates, "changed", G_CALLBACK (update_found), self,
                           G_CONNECT_SWAPPED);
  update_found (self);
}

/* ---- choices that are lists ---- */

static void
on_theme (PterisPreferences *self)
{
  pteris_settings_set_enum (PTERIS_SETTING_THEME, (int) adw_combo_row_get_selected (self->theme));
}

static void
on_side_by_side (PterisPreferences *self)
{
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE,
                            (int) adw_combo_row_get_selected (self->side_by_side));
}

static void
on_isolation (PterisPreferences *self)
{
  pteris_settings_set_enum (PTERIS_SETTING_ISOLATION,
                            (int) adw_combo_row_get_selected (self->isolation));
}

void
pteris_preferences_show (PterisPreferences *self, const char *page)
{
  adw_preferences_window_set_visible_page_name (ADW_PREFERENCES_WINDOW (self), page);
}

/* ---- life ---- */

/* The task of a thread may keep the closed window longer than its parent lives, which GTK would
 * touch at the end. */
static void
pteris_preferences_unrealize (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (pteris_preferences_parent_class)->unrealize (widget);
  gtk_window_set_transient_for (GTK_WINDOW (widget), NULL);
}

static void
pteris_preferences_finalize (GObject *object)
{
  PterisPreferences *self = PTERIS_PREFERENCES (object);

  g_clear_object (&self->library);
  g_clear_object (&self->meaning);
  g_clear_object (&self->updates);
  g_ptr_array_unref (self->folder_rows);
  g_ptr_array_unref (self->trusted_rows);
  g_ptr_array_unref (self->token_rows);
  g_ptr_array_unref (self->devices);
  G_OBJECT_CLASS (pteris_preferences_parent_class)->finalize (object);
}

static void
pteris_preferences_class_init (PterisPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = pteris_preferences_finalize;
  widget_class->unrealize = pteris_preferences_unrealize;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, theme);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, text_size);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, keep_history);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, send_with_enter);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, record_from);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, play_on);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, voice);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, voice_speed);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, meaning_row);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, search_by_meaning);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, folders);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, device);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, threads);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, serve_row);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, serve);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, side_by_side);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, isolation);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, trusted);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, tokens);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, safe_graphics);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, updates_group);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, look_row);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, look_for_updates);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, found_row);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, look_now);
  gtk_widget_class_bind_template_child (widget_class, PterisPreferences, download_page);
  gtk_widget_class_bind_template_callback (widget_class, on_add_folder);
  gtk_widget_class_bind_template_callback (widget_class, on_look_now);
  gtk_widget_class_bind_template_callback (widget_class, on_download_page);
}

static void
pteris_preferences_init (PterisPreferences *self)
{
  self->folder_rows = g_ptr_array_new ();
  self->trusted_rows = g_ptr_array_new ();
  self->token_rows = g_ptr_array_new ();
  self->devices = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  pteris_settings_bind (PTERIS_SETTING_TEXT_SIZE, self->text_size, "value");
  pteris_settings_bind (PTERIS_SETTING_THREADS, self->threads, "value");
  pteris_settings_bind (PTERIS_SETTING_KEEP_HISTORY, self->keep_history, "active");
  pteris_settings_bind (PTERIS_SETTING_SEND_WITH_ENTER, self->send_with_enter, "active");
  pteris_settings_bind (PTERIS_SETTING_VOICE_SPEED, self->voice_speed, "value");
  pteris_settings_bind (PTERIS_SETTING_SEARCH_BY_MEANING, self->search_by_meaning, "active");
  pteris_settings_bind (PTERIS_SETTING_SERVE, self->serve, "active");
  gtk_widget_set_visible (GTK_WIDGET (self->serve_row), pteris_sharing_is_possible ());
  pteris_settings_bind (PTERIS_SETTING_SAFE_GRAPHICS, self->safe_graphics, "active");
  adw_combo_row_set_selected (self->theme, (guint) pteris_settings_get_enum (PTERIS_SETTING_THEME));
  g_signal_connect_object (self->theme, "notify::selected", G_CALLBACK (on_theme), self,
                           G_CONNECT_SWAPPED);
  adw_combo_row_set_selected (self->side_by_side,
                              (guint) pteris_settings_get_enum (PTERIS_SETTING_SIDE_BY_SIDE));
  g_signal_connect_object (self->side_by_side, "notify::selected", G_CALLBACK (on_side_by_side),
                           self, G_CONNECT_SWAPPED);
  adw_combo_row_set_selected (self->isolation,
                              (guint) pteris_settings_get_enum (PTERIS_SETTING_ISOLATION));
  g_signal_connect_object (self->isolation, "notify::selected", G_CALLBACK (on_isolation), self,
                           G_CONNECT_SWAPPED);
  pteris_settings_watch (PTERIS_SETTING_FOLDERS, (void (*) (gpointer)) update_folders, self);
  update_folders (self);
  update_trusted (self);
  read_tokens (self);
}

PterisPreferences *
pteris_preferences_new (GtkWindow *parent, PterisLibrary *library, PterisMachine *machine,
                        PterisMeaning *meaning, PterisUpdates *updates)
{
  PterisPreferences *self = g_object_new (PTERIS_TYPE_PREFERENCES, "transient-for", parent,
                                          "destroy-with-parent", TRUE, NULL);

  self->library = g_object_ref (library);
  fill_devices (self, machine);
  pteris_voice_choice_bind (self->voice, library);
  pteris_sound_chooser_bind_row (self->record_from, PTERIS_SOUND_RECORDS);
  pteris_sound_chooser_bind_row (self->play_on, PTERIS_SOUND_PLAYS);
  self->meaning = g_object_ref (meaning);
  g_signal_connect_object (meaning, "changed", G_CALLBACK (update_meaning), self,
                           G_CONNECT_SWAPPED);
  update_meaning (self);
  self->updates = g_object_ref (updates);
  bind_updates (self);
  return self;
}
