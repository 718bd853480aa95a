/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/aloud/voice-choice.h"

#include <pteris/speak.h>

#include "ui/aloud/aloud-reader.h"
#include "ui/i18n.h"
#include "ui/settings.h"

/* A voice of a model. */
typedef struct {
  char *model; /* path; NULL: whatever model and voice there is */
  char *voice; /* NULL: the usual one */
} Choice;

/* The voices that the thread lists. */
typedef struct {
  GPtrArray *models; /* of PterisModel */
  GPtrArray *choices;
  GtkStringList *names;
} Listing;

static void
choice_free (gpointer data)
{
  Choice *choice = data;

  g_free (choice->model);
  g_free (choice->voice);
  g_free (choice);
}

static void
listing_free (gpointer data)
{
  Listing *listing = data;

  g_ptr_array_unref (listing->models);
  g_ptr_array_unref (listing->choices);
  g_object_unref (listing->names);
  g_free (listing);
}

static void
add (Listing *listing, const char *name, const char *model, const char *voice)
{
  Choice *choice = g_new0 (Choice, 1);

  choice->model = g_strdup (model);
  choice->voice = g_strdup (voice);
  g_ptr_array_add (listing->choices, choice);
  gtk_string_list_append (listing->names, name);
}

static void
list_in_thread (GTask *task, gpointer row, gpointer data, GCancellable *cancellable)
{
  Listing *listing = data;

  for (guint i = 0; i < listing->models->len; i++) {
    const PtModelInfo *info = pteris_model_get_info (listing->models->pdata[i]);
    g_auto (GStrv) voices = pt_speech_voices (info->path, NULL);

    for (guint k = 0; voices != NULL && voices[k] != NULL; k++) {
      g_autofree char *name = listing->models->len > 1
                                  ? g_strdup_printf ("%s · %s", voices[k], info->title)
                                  : g_filename_display_name (voices[k]);

      add (listing, name, info->path, voices[k]);
    }
  }
  g_task_return_boolean (task, TRUE);
}

static void
on_selected (AdwComboRow *row, GParamSpec *pspec, Listing *listing)
{
  guint selected = adw_combo_row_get_selected (row);
  const Choice *choice;

  if (selected >= listing->choices->len)
    return;
  choice = listing->choices->pdata[selected];
  pteris_settings_set_string (PTERIS_SETTING_VOICE_MODEL, choice->model);
  pteris_settings_set_string (PTERIS_SETTING_VOICE, choice->voice);
}

static void
on_listed (GObject *object, GAsyncResult *result, gpointer user_data)
{
  AdwComboRow *row = ADW_COMBO_ROW (object);
  Listing *listing = user_data;
  g_autofree char *model = pteris_settings_get_string (PTERIS_SETTING_VOICE_MODEL);
  g_autofree char *voice = pteris_settings_get_string (PTERIS_SETTING_VOICE);
  guint selected = 0;

  for (guint i = 1; i < listing->choices->len; i++) {
    const Choice *choice = listing->choices->pdata[i];

    if (g_strcmp0 (choice->model, model) == 0 && g_strcmp0 (choice->voice, voice) == 0)
      selected = i;
  }
  adw_combo_row_set_model (row, G_LIST_MODEL (listing->names));
  adw_combo_row_set_selected (row, selected);
  gtk_widget_set_sensitive (GTK_WIDGET (row), listing->choices->len > 1);
  g_signal_connect_data (row, "notify::selected", G_CALLBACK (on_selected), listing,
                         (GClosureNotify) (void (*) (void)) listing_free, 0);
}

void
pteris_voice_choice_bind (AdwComboRow *row, PterisLibrary *library)
{
  g_autoptr (GTask) task = NULL;
  Listing *listing = g_new0 (Listing, 1);

  listing->models = pteris_reader_list_models (library);
  listing->choices = g_ptr_array_new_with_free_func (choice_free);
  listing->names = gtk_string_list_new (NULL);
  add (listing, _ ("Automatic"), NULL, NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (row), FALSE);
  task = g_task_new (row, NULL, on_listed, listing);
  g_task_set_source_tag (task, pteris_voice_choice_bind);
  g_task_set_task_data (task, listing, NULL);
  g_task_run_in_thread (task, list_in_thread);
}
