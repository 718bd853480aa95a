/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/window/application.h"
#include "ui/chat/chat-store.h"
#include "ui/chat/composer.h"
#include "ui/chat/message-list.h"

/*
 * Measures a long conversation: 200 messages of 100,000 words are opened, then an answer arrives at
 * 100 tokens per second; then all of it is scrolled. Every frame of the frame clock is timed from
 * its first phase to its last. Over the scripted engine:
 *
 *     tests/ui/xvfb.sh build/tests/ui/bench-chat [SECONDS]
 */

#define N_MESSAGES 200
#define WORDS 500
#define BUDGET_MS (1000.0 / 60)

typedef struct {
  GArray *work; /* ms of each frame, from its first phase to its last */
  GArray *processor;
  gint64 begin;
  double processor_begin;
  gboolean painted;
} Frames;

static const char *const LINES[] = {
  "Ferns are **old**: they grew long before the first flower, and `Pteris` is one of them.",
  "A frond unrolls from its base to its tip, which is called *circinate vernation* by those who "
  "know, and a [fiddlehead](https://example.org) by those who eat it.",
  "- In the shade it is green all year,\n- in the sun it dries.",
  "| Genus | Species |\n|---|--:|\n| Pteris | 250 |\n| Cyathea | 640 |",
  "```c\nint\nmain (void)\n{\n  /* not a fern */\n  return 0;\n}\n```",
  "> What has no seeds has spores, and these are light enough for the wind to carry.",
};

static char *
make_text (guint words)
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; n < words; i++) {
    g_string_append_printf (text, "%s\n\n", LINES[i % G_N_ELEMENTS (LINES)]);
    n += 14;
  }
  return g_string_free (text, FALSE);
}

static PterisConversation *
write_conversation (PterisWindow *window)
{
  g_autoptr (PterisConversation) conversation =
      pteris_conversation_new (pteris_store_new_id (), "Ferns", g_get_real_time ());
  g_autofree char *text = make_text (WORDS);
  gint64 parent = 0;

  for (guint i = 0; i < N_MESSAGES; i++) {
    gboolean answer = i % 2 == 1;
    g_autoptr (PterisMessage) message = pteris_message_new (answer ? "SmolLM2" : NULL, text);

    if (answer)
      pteris_message_finish (message, PTERIS_MESSAGE_DONE, PT_REASON_STOP);
    pteris_message_set_ids (message, pteris_store_new_id (), parent);
    pteris_chat_store_add (conversation, message);
    if (answer)
      pteris_chat_store_end (conversation, message);
    parent = pteris_message_get_id (message);
  }
  pteris_chat_history_take (window->history, conversation);
  pteris_store_flush ();
  return g_list_model_get_item (G_LIST_MODEL (window->history), 0);
}

/* CPU time of the window's thread: on a busy machine elapsed time says little. */
static double
processor_ms (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1000 + (double) time.tv_nsec / 1e6;
}

static void
on_before (GdkFrameClock *clock, Frames *frames)
{
  frames->begin = g_get_monotonic_time ();
  frames->processor_begin = processor_ms ();
}

static void
on_paint (GdkFrameClock *clock, Frames *frames)
{
  frames->painted = TRUE;
}

static void
on_after (GdkFrameClock *clock, Frames *frames)
{
  double ms = (double) (g_get_monotonic_time () - frames->begin) / 1000;
  double processor = processor_ms () - frames->processor_begin;

  if (frames->painted) {
    g_array_append_val (frames->work, ms);
    g_array_append_val (frames->processor, processor);
  }
  frames->painted = FALSE;
}

static Frames *
watch (PterisWindow *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  Frames *frames = g_new0 (Frames, 1);

  frames->work = g_array_new (FALSE, FALSE, sizeof (double));
  frames->processor = g_array_new (FALSE, FALSE, sizeof (double));
  g_signal_connect (clock, "before-paint", G_CALLBACK (on_before), frames);
  g_signal_connect (clock, "paint", G_CALLBACK (on_paint), frames);
  g_signal_connect_after (clock, "after-paint", G_CALLBACK (on_after), frames);
  return frames;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
forget (Frames *frames)
{
  g_array_set_size (frames->work, 0);
  g_array_set_size (frames->processor, 0);
}

static void
report_times (GArray *times, const char *what)
{
  guint within = 0;

  if (times->len == 0)
    return;
  g_array_sort (times, compare);
  for (guint i = 0; i < times->len; i++)
    within += g_array_index (times, double, i) < BUDGET_MS;
  g_print ("%-18s %5u frames: median %5.2f ms, 99 %% within %5.2f ms, longest %5.2f ms; "
           "%.2f %% within 16.7 ms\n",
           what, times->len, g_array_index (times, double, times->len / 2),
           g_array_index (times, double, times->len * 99 / 100),
           g_array_index (times, double, times->len - 1), 100.0 * within / times->len);
}

static void
report (Frames *frames, const char *what)
{
  g_autofree char *processor = g_strdup_printf ("%s, processor", what);

  report_times (frames->work, what);
  report_times (frames->processor, processor);
  forget (frames);
}

static void
measure_opening (PterisWindow *window, Frames *frames)
{
  PterisConversation *conversation = write_conversation (window);
  GVariant *id = g_variant_new_int64 (pteris_conversation_get_id (conversation));
  gint64 begin;
  double processor;

  g_array_set_size (frames->work, 0);
  begin = g_get_monotonic_time ();
  processor = processor_ms ();
  g_action_group_activate_action (G_ACTION_GROUP (window), "open-chat", id);
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->session)) == N_MESSAGES);
  g_array_set_size (frames->work, 0);
  wait_until (frames->work->len > 0);
  g_print ("%-18s %5.1f ms from the click to the first frame with it (%.1f ms of processor)\n",
           "open", (double) (g_get_monotonic_time () - begin) / 1000, processor_ms () - processor);
  settle (1000);
  forget (frames);
  g_object_unref (conversation);
}

static void
measure_streaming (PterisWindow *window, Frames *frames, guint seconds)
{
  g_autofree char *answer = make_text (100 * seconds * 2);
  PterisComposer *composer = PTERIS_COMPOSER (nth (window, PTERIS_TYPE_COMPOSER, 0));

  fake.answer = answer;
  fake.step_ms = 10;
  g_signal_emit_by_name (composer, "send", "Go on");
  settle (seconds * 1000);
  report (frames, "stream");
  pteris_chat_session_stop (window->session);
  wait_until (!pteris_chat_session_is_busy (window->session));
  settle (300);
  forget (frames);
}

static void
measure_scrolling (PterisWindow *window, Frames *frames)
{
  GtkWidget *list = nth (window->chat_page, PTERIS_TYPE_MESSAGE_LIST, 0);
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (list));

  for (guint i = 0; i < 300; i++) {
    guint n = frames->work->len;

    gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) - 120);
    wait_until (frames->work->len > n);
  }
  report (frames, "scroll");
}

int
main (int argc, char **argv)
{
  guint seconds = argc > 1 ? (guint) CLAMP (atoi (argv[1]), 1, 600) : 20;
  g_autofree char *home = g_dir_make_tmp ("pteris-bench-XXXXXX", NULL);
  PterisWindow *window;
  Frames *frames;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  fake_reset ();
  gtk_init ();
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  window = open_window ();
  frames = watch (window);
  measure_opening (window, frames);
  measure_streaming (window, frames, seconds);
  measure_scrolling (window, frames);
  close_window (window);
  g_object_unref (application);
  return 0;
}
