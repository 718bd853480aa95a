/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/scenes-speech.h"

#include "tests/ui/fake-engine.h"
#include "ui/sound/player-bar.h"
#include "ui/speech/recordings.h"
#include "ui/speech/segment-row.h"
#include "ui/speech/transcript-search.h"
#include "ui/speech/transcript-view.h"
#include "ui/sound/waveform-view.h"

static GtkWidget *
find (GtkWidget *root, GType type, guint *n)
{
  if (g_type_is_a (G_OBJECT_TYPE (root), type) && (*n)-- == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find (child, type, n);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static GtkWidget *
nth (PterisWindow *window, GType type, guint n)
{
  return find (GTK_WIDGET (window->transcribe_page), type, &n);
}

static void
add (PterisWindow *window, const char *path)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  PterisRecording recording = { (char *) path, 1000000 };

  g_ptr_array_add (list, &recording);
  pteris_transcribe_page_add (window->transcribe_page, list);
  pteris_window_show_page (window, "transcribe");
}

static gboolean
listen (gpointer user_data)
{
  PterisWindow *window = user_data;
  GtkWidget *view = nth (window, PTERIS_TYPE_TRANSCRIPT_VIEW, 0);
  GtkWidget *row = nth (window, PTERIS_TYPE_SEGMENT_ROW, 1);

  pteris_transcript_queue_clear_done (window->queue);
  gtk_widget_activate_action (view, "transcript.marks", "b", TRUE);
  g_signal_emit_by_name (nth (window, PTERIS_TYPE_WAVEFORM_VIEW, 0), "seek", 11.0);
  gtk_widget_activate_action (row, "segment.edit", NULL);
  return G_SOURCE_REMOVE;
}

void
show_transcript (PterisWindow *window)
{
  fake.n_segments = 12;
  fake.step_ms = 2;
  add (window, "/recordings/Interview with the gardener.mp3");
  g_timeout_add (1500, listen, window);
}

static gboolean
look_for (gpointer user_data)
{
  PterisWindow *window = user_data;
  GtkWidget *search = nth (window, PTERIS_TYPE_TRANSCRIPT_SEARCH, 0);
  guint n = 0;

  gtk_widget_activate_action (nth (window, PTERIS_TYPE_TRANSCRIPT_VIEW, 0), "transcript.find",
                              NULL);
  gtk_editable_set_text (GTK_EDITABLE (find (search, GTK_TYPE_SEARCH_ENTRY, &n)), "country");
  return G_SOURCE_REMOVE;
}

void
show_find (PterisWindow *window)
{
  show_transcript (window);
  g_timeout_add (1800, look_for, window);
}

void
show_record (PterisWindow *window)
{
  g_setenv ("PTERIS_AUDIO_SOURCE", "audiotestsrc is-live=true wave=pink-noise volume=0.3", TRUE);
  fake.live = TRUE;
  pteris_window_show_page (window, "transcribe");
  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
}
