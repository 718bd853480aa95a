/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/engine/crash-guard.h"
#include "ui/i18n.h"
#include "ui/models/model-text.h"
#include "ui/parts/show-file.h"

/*
 * The "win." actions on models. Their target is the path of a program, as a byte string, because
 * file names may be invalid UTF-8.
 */

#define ACTION(name) \
  static void name (GSimpleAction *action, GVariant *parameter, gpointer user_data)

/* A borrowed reference; NULL: it is no longer in the library. */
static PterisModel *
find (PterisWindow *self, GVariant *parameter)
{
  return pteris_library_find (self->library, g_variant_get_bytestring (parameter));
}

static void
load_on (PterisWindow *self, PterisModel *model, PtBackendChoice backend)
{
  if (model == NULL)
    return;
  _pteris_window_hide_error (self);
  if (!pteris_task_loads (pteris_model_get_task (model))) {
    pteris_window_pick_model (self, model);
    return;
  }
  g_set_object (&self->picked, model);
  if (backend == PT_BACKEND_AUTO)
    pteris_engine_client_load (pteris_engines_get_for (self->engines, model), model);
  else
    pteris_engine_client_load_on (pteris_engines_get_for (self->engines, model), model, backend);
}

/* Loads the model and shows the page where it is used. */
ACTION (use_model)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisModel *model = find (self, parameter);

  if (model != NULL)
    pteris_window_pick_model (self, model);
}

ACTION (load_model)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  load_on (self, find (self, parameter), PT_BACKEND_AUTO);
}

ACTION (load_model_cpu)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  load_on (self, find (self, parameter), PT_BACKEND_CPU);
}

/* Loads the current model again: the engine unloads it first. */
ACTION (reload_cpu)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisEngineClient *client = _pteris_window_get_shown_client (self);
  g_autoptr (PterisModel) model = NULL;

  g_set_object (&model, pteris_engine_client_get_model (client));
  if (model == NULL)
    g_set_object (&model, self->picked);
  if (model == NULL)
    return;
  pteris_engine_client_unload (pteris_engines_get_for (self->engines, model));
  load_on (self, model, PT_BACKEND_CPU);
}

/* Unloads the model, or stops loading it. */
ACTION (unload_model)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisModel *model = find (self, parameter);
  PterisEngineClient *client = pteris_engines_get_for (self->engines, model);

  if (model != NULL && pteris_model_equal (pteris_engine_client_get_model (client), model))
    pteris_engine_client_unload (client);
}

/* ---- inspect ---- */

static void
inspect (PterisWindow *self, GVariant *parameter, gboolean runs)
{
  pteris_inspect_page_open (self->inspect_page, g_variant_get_bytestring (parameter), runs);
  pteris_window_show_page (self, "inspect");
  _pteris_window_fold (self);
}

ACTION (inspect_model)
{
  inspect (PTERIS_WINDOW (user_data), parameter, FALSE);
}

ACTION (run_model)
{
  inspect (PTERIS_WINDOW (user_data), parameter, TRUE);
}

/* A program that the library may not have yet. */
ACTION (use_program)
{
  g_autoptr (GFile) file = g_file_new_for_path (g_variant_get_bytestring (parameter));

  _pteris_window_add_model (PTERIS_WINDOW (user_data), file, TRUE);
}

/* ---- files ---- */

ACTION (show_model)
{
  pteris_show_in_folder (GTK_WINDOW (user_data), g_variant_get_bytestring (parameter));
}

ACTION (show_license)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisModel *model = find (self, parameter);

  if (model != NULL && pteris_model_get_info (model)->license_file != NULL)
    pteris_show_file (GTK_WINDOW (self), pteris_model_get_info (model)->license_file);
}

static gboolean
restore_model (PterisWindow *self, gpointer model)
{
  pteris_library_put_back (self->library, model);
  return TRUE;
}

ACTION (remove_model)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisModel *model = find (self, parameter);
  g_autofree char *text = NULL;

  if (model == NULL)
    return;
  text = g_strdup_printf (_ ("“%s” removed from the library; its files are kept"),
                          pteris_model_get_info (model)->title);
  g_object_ref (model);
  pteris_library_forget (self->library, model);
  _pteris_window_offer_undo (self, text, restore_model, model, g_object_unref);
}

/* ---- members ---- */

typedef struct {
  PterisWindow *window;
  char *path;
  PtModelPart part;
} Choice;

static void
on_chosen (GtkNativeDialog *dialog, int response, Choice *choice)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  PterisLibrary *library = choice->window->library;
  PterisModel *model = library != NULL ? pteris_library_find (library, choice->path) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && file != NULL && model != NULL &&
      g_file_peek_path (file) != NULL)
    pteris_library_choose (library, model, choice->part, g_file_peek_path (file));
  g_object_unref (choice->window);
  g_free (choice->path);
  g_free (choice);
  g_object_unref (dialog);
}

static GtkFileFilter *
part_filter (PtModelPart part)
{
  static const char *const TOKENIZERS[] = { "json", "model", "bin", "tiktoken" };
  GtkFileFilter *filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, pteris_part_name (part));
  if (part == PT_MODEL_DATA)
    gtk_file_filter_add_suffix (filter, "ptd");
  else if (part == PT_MODEL_PREPROCESSOR)
    gtk_file_filter_add_suffix (filter, "pte");
  else
    for (guint i = 0; i < G_N_ELEMENTS (TOKENIZERS); i++)
      gtk_file_filter_add_suffix (filter, TOKENIZERS[i]);
  return filter;
}

ACTION (choose_member)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  Choice *choice = g_new0 (Choice, 1);
  g_autofree char *title = NULL;
  g_autoptr (GFile) folder = NULL;
  g_autofree char *folder_path = NULL;
  g_autoptr (GtkFileFilter) filter = NULL;
  GtkFileChooserNative *dialog;

  g_variant_get (parameter, "(^ayu)", &choice->path, &choice->part);
  choice->window = g_object_ref (self);
  title = g_strdup_printf (_ ("Choose %s"), pteris_part_name (choice->part));
  dialog = gtk_file_chooser_native_new (title, GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_OPEN,
                                        _ ("_Choose"), _ ("_Cancel"));
  folder_path = g_path_get_dirname (choice->path);
  folder = g_file_new_for_path (folder_path);
  filter = part_filter (choice->part);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect (dialog, "response", G_CALLBACK (on_chosen), choice);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

ACTION (reset_members)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisModel *model = find (self, parameter);

  if (model != NULL)
    pteris_library_unchoose (self->library, model);
}

ACTION (set_family)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  g_autofree char *path = NULL, *family = NULL;
  PterisModel *model;

  g_variant_get (parameter, "(^ays)", &path, &family);
  model = pteris_library_find (self->library, path);
  if (model != NULL)
    pteris_library_set_family (self->library, model, family);
}

/* ---- variants ---- */

/* The target is the path of the program, and that of the variant; "": the best one. A loaded model
 * is loaded again when the library has found the variant. */
ACTION (choose_variant)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  g_autofree char *path = NULL, *variant = NULL;
  PterisEngineClient *client;
  PterisModel *model;

  g_variant_get (parameter, "(^ay^ay)", &path, &variant);
  model = pteris_library_find (self->library, path);
  if (model == NULL)
    return;
  client = pteris_engines_get_for (self->engines, model);
  if (pteris_model_equal (pteris_engine_client_get_model (client), model) &&
      pteris_engine_client_get_state (client) != PTERIS_MODEL_UNLOADED) {
    g_free (self->reload);
    self->reload = g_strdup (path);
  }
  pteris_library_set_variant (self->library, model, *variant != '\0' ? variant : NULL);
}

/* Loads the variant that took the place of the loaded one. */
static void
reload_variant (PterisWindow *self)
{
  g_autofree char *path = g_steal_pointer (&self->reload);
  PterisModel *model = path != NULL ? pteris_library_find (self->library, path) : NULL;

  if (model != NULL &&
      !pteris_model_equal (
          model, pteris_engine_client_get_model (pteris_engines_get_for (self->engines, model))))
    load_on (self, model, PT_BACKEND_AUTO);
}

/* ---- after a crash ---- */

/* The title of the model at @path. Free with g_free(). */
static char *
title_of (PterisWindow *self, const char *path)
{
  PterisModel *model = pteris_library_find (self->library, path);

  return model != NULL ? g_strdup (pteris_model_get_info (model)->title)
                       : g_filename_display_basename (path);
}

/* The message of a crash while the models at @paths were in use: one in each engine at most. Free
 * with g_free(). */
static char *
describe_crash (PterisWindow *self, char **paths)
{
  g_autofree char *first = title_of (self, paths[0]);
  g_autofree char *second = paths[1] != NULL ? title_of (self, paths[1]) : NULL;

  if (second == NULL)
    return g_strdup_printf (
        _ ("Pteris quit unexpectedly while “%s” was in use. Chats and "
           "transcripts are kept; the model is no longer loaded automatically."),
        first);
  return g_strdup_printf (_ ("Pteris quit unexpectedly while “%s” and “%s” were in use. Chats and "
                             "transcripts are kept; these models are no longer loaded "
                             "automatically."),
                          first, second);
}

/* Of several models it is not known which one was at fault: the user chooses on the page. */
static void
say_crash (PterisWindow *self, char **paths)
{
  PterisModel *model = pteris_library_find (self->library, paths[0]);
  gboolean one = paths[1] == NULL && model != NULL;
  g_autofree char *text = describe_crash (self, paths);

  for (guint i = 0; paths[i] != NULL; i++) {
    PterisModel *used = pteris_library_find (self->library, paths[i]);

    if (used != NULL)
      pteris_model_set_held (used, TRUE);
  }
  g_set_object (&self->picked, model);
  pteris_error_card_set (self->load_error_card, PT_ERROR_INTERNAL, text,
                         one ? "win.retry-load" : NULL, paths[0]);
  if (one)
    pteris_error_card_set_step (self->load_error_card, _ ("Load on the _CPU"), "win.reload-cpu");
  else if (paths[1] != NULL)
    pteris_error_card_set_step (self->load_error_card, _ ("_All Models"), "win.models");
  _pteris_window_show_error (self, TRUE);
}

static void
on_scanned (PterisLibrary *library, PterisWindow *self)
{
  g_auto (GStrv) paths = g_steal_pointer (&self->crashed);

  if (paths != NULL)
    say_crash (self, paths);
  reload_variant (self);
}

void
_pteris_window_add_model_actions (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = {
    { "use-model", use_model, "ay", NULL, NULL },
    { "load-model", load_model, "ay", NULL, NULL },
    { "load-model-cpu", load_model_cpu, "ay", NULL, NULL },
    { "reload-cpu", reload_cpu, NULL, NULL, NULL },
    { "unload-model", unload_model, "ay", NULL, NULL },
    { "inspect-model", inspect_model, "ay", NULL, NULL },
    { "run-model", run_model, "ay", NULL, NULL },
    { "use-program", use_program, "ay", NULL, NULL },
    { "show-model", show_model, "ay", NULL, NULL },
    { "show-license", show_license, "ay", NULL, NULL },
    { "remove-model", remove_model, "ay", NULL, NULL },
    { "choose-member", choose_member, "(ayu)", NULL, NULL },
    { "reset-members", reset_members, "ay", NULL, NULL },
    { "set-family", set_family, "(ays)", NULL, NULL },
    { "choose-variant", choose_variant, "(ayay)", NULL, NULL },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
  /* Before any model can be loaded. */
  self->crashed = pteris_crash_guard_take ();
  g_signal_connect_object (self->library, "scanned", G_CALLBACK (on_scanned), self, 0);
}
