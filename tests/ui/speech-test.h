/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gstdio.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/window/application.h"
#include "ui/speech/transcript-edit.h"
#include "ui/speech/transcript-view.h"

/* Recordings are played, and a microphone is heard. */
#if defined PT_HAVE_GSTREAMER || defined G_OS_WIN32
#define HAS_SOUND
#endif

/* Helpers of the tests of the transcription page, included by one file each. */

static inline void
forget_everything (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);

  pteris_store_close ();
  g_unlink (path);
  fake_reset ();
}

static inline void
act (PterisWindow *window, const char *name, const char *target)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), name,
                                  target != NULL ? g_variant_new_string (target) : NULL);
}

static inline void
act_on (PterisWindow *window, const char *name, PterisTranscript *transcript)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), name,
                                  g_variant_new_int64 (pteris_transcript_get_id (transcript)));
}

static inline guint
count (gpointer list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (list));
}

/* The line, as it is worked off. Borrowed. */
static inline PterisTranscript *
in_line (PterisWindow *window, guint i)
{
  g_autoptr (PterisTranscript) transcript =
      g_list_model_get_item (pteris_transcript_queue_get_line (window->queue), i);

  return transcript;
}

static inline guint
n_segments (PterisTranscript *transcript)
{
  return count (pteris_transcript_get_segments (transcript));
}

static inline const char *
text_at (PterisTranscript *transcript, guint i)
{
  g_autoptr (PterisSegment) segment =
      g_list_model_get_item (pteris_transcript_get_segments (transcript), i);

  return pteris_segment_get_text (segment);
}

static inline void
open_paths (PterisWindow *window, const char *const *paths)
{
  GSList *files = NULL;

  for (guint i = 0; paths[i] != NULL; i++)
    files = g_slist_append (files, g_file_new_for_path (paths[i]));
  pteris_window_open_files (window, files);
  g_slist_free_full (files, g_object_unref);
}

/* One recording, transcribed. A new reference. */
static inline PterisTranscript *
transcribe_one (PterisWindow *window)
{
  const char *const paths[] = { "/recordings/kennedy.wav", NULL };
  PterisTranscript *transcript;
  guint n = count (window->queue);

  open_paths (window, paths);
  wait_until (count (window->queue) == n + 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE);
  settle (50);
  return transcript;
}

static inline void
do_in_view (PterisWindow *window, const char *action, const char *format, ...)
{
  va_list arguments;
  GVariant *target = NULL;

  va_start (arguments, format);
  if (format != NULL)
    target = g_variant_new_va (format, NULL, &arguments);
  va_end (arguments);
  g_assert_true (gtk_widget_activate_action_variant (
      nth (window->transcribe_page, PTERIS_TYPE_TRANSCRIPT_VIEW, 0), action, target));
}

static inline int
run_speech_tests (const char *name, void (*add) (void), int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp (name, NULL);
  g_autoptr (GError) error = NULL;
  int status;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  gtk_test_init (&argc, &argv, NULL);
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);
  add ();
  status = g_test_run ();
  g_object_unref (application);
  return status;
}
