/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/speech-test.h"

#include "ui/chat/message.h"
#include "ui/i18n.h"

/* Chat and transcription at the same time: with memory for both models, and without. */

static const char *const LONG[] = { "/recordings/long.mp3", NULL };

/* A window in which a recording is transcribed that does not end by itself. */
static PterisWindow *
open_transcribing (PterisSideBySide side_by_side)
{
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 100000;
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, (int) side_by_side);
  window = open_window ();
  open_paths (window, LONG);
  wait_until (count (window->queue) == 1 && n_segments (in_line (window, 0)) > 2);
  return window;
}

static gboolean
is_ready (PterisEngineClient *client)
{
  return pteris_engine_client_get_state (client) == PTERIS_MODEL_READY;
}

static void
test_both (void)
{
  PterisWindow *window = open_transcribing (PTERIS_SIDE_BY_SIDE_AUTO);
  PterisTranscript *transcript = in_line (window, 0);
  guint before;

  g_assert_true (says (window->model_button, "Whisper base"));
  pteris_window_show_page (window, "chat");
  g_assert_false (says (window->model_button, "Whisper base"));
  pteris_chat_session_send (window->session, "Hello");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_true (says (window->chat_page, "The capital of France is"));
  g_assert_true (says (window->model_button, "SmolLM2"));
  g_assert_true (is_ready (chat_engine (window)));
  g_assert_true (is_ready (speech_engine (window)));

  /* It still goes on, and its model is shown on its page. */
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_RUNNING);
  before = n_segments (transcript);
  wait_until (n_segments (transcript) > before);
  pteris_window_show_page (window, "transcribe");
  g_assert_true (says (window->model_button, "Whisper base"));

  /* Each model is unloaded for itself. */
  pteris_transcript_queue_stop (window->queue, transcript);
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
  act (window, "unload", NULL);
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
  g_assert_true (is_ready (chat_engine (window)));
  g_assert_false (is_ready (speech_engine (window)));
  close_window (window);
}

static PterisWindow *
open_waiting (PterisSideBySide side_by_side)
{
  PterisWindow *window = open_transcribing (side_by_side);

  pteris_window_show_page (window, "chat");
  pteris_chat_session_send (window->session, "Hello");
  g_assert_true (pteris_engine_client_is_waiting (chat_engine (window)));
  wait_until (says (window->chat_page, "Waiting for the transcription to finish"));
  wait_until (says (window->model_button, "Waiting for memory"));
  return window;
}

/* The visible button of an answer that waits; NULL: there is none. */
static GtkWidget *
find_answer_now (PterisWindow *window)
{
  GtkWidget *found;

  for (guint i = 0; (found = nth (window->chat_page, GTK_TYPE_BUTTON, i)) != NULL; i++) {
    const char *name = gtk_actionable_get_action_name (GTK_ACTIONABLE (found));

    if (g_strcmp0 (name, "win.answer-now") == 0 && gtk_widget_get_visible (found))
      return found;
  }
  return NULL;
}

static void
on_stats (PterisEngineClient *client, guint kind, const PtStats *stats, double *least)
{
  if (kind == PT_JOB_TRANSCRIBE)
    *least = MIN (*least, stats->audio_s);
}

/* The answer goes first with one click, and then the transcription goes on. */
static void
test_answer_now (void)
{
  PterisWindow *window = open_waiting (PTERIS_SIDE_BY_SIDE_NEVER);
  PterisTranscript *transcript = in_line (window, 0);
  GtkWidget *button = find_answer_now (window);
  double least = G_MAXDOUBLE;
  guint before;

  g_signal_emit_by_name (button, "clicked");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_null (find_answer_now (window));
  g_assert_true (says (window->chat_page, "The capital of France is"));
  before = n_segments (transcript);
  /* Figures of the continued job are without what was done before. */
  g_signal_connect (speech_engine (window), "stats", G_CALLBACK (on_stats), &least);
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_RUNNING &&
              n_segments (transcript) > before);
  g_assert_cmpuint (before, >, 2);
  g_assert_cmpfloat (least, <, 5.0 * before);
  g_assert_true (is_ready (speech_engine (window)));
  g_assert_false (is_ready (chat_engine (window)));
  close_window (window);
}

/* Without a click, the answer comes after the transcription. */
static void
test_answer_later (void)
{
  PterisWindow *window = open_waiting (PTERIS_SIDE_BY_SIDE_NEVER);

  fake.n_segments = 3;
  wait_until (pteris_transcript_get_state (in_line (window, 0)) == PTERIS_TRANSCRIPT_DONE);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_true (says (window->chat_page, "The capital of France is"));
  close_window (window);
}

/* What waits can be stopped, and the model can be unloaded; the engine works afterwards. */
static void
test_stop_waiting (void)
{
  PterisWindow *window = open_waiting (PTERIS_SIDE_BY_SIDE_NEVER);

  pteris_chat_session_stop (window->session);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_false (pteris_engine_client_is_waiting (chat_engine (window)));
  g_assert_cmpuint (fake.n_chats, ==, 0);
  pteris_transcript_queue_stop (window->queue, in_line (window, 0));
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
  pteris_chat_session_send (window->session, "Hello again");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpuint (fake.n_chats, ==, 1);
  close_window (window);
}

/* By the figures of the machine. */
static void
test_memory (void)
{
  PtMachineStats small;
  PterisWindow *window;

  forget_everything ();
  small = *fake.stats;
  small.memory_total = 400000000;
  small.memory_available = 60000000;
  fake.stats = &small;
  fake.n_segments = 100000;
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, PTERIS_SIDE_BY_SIDE_AUTO);
  window = open_window ();
  wait_until (pteris_machine_get_memory (window->machine)->ram_total == 400000000);
  open_paths (window, LONG);
  wait_until (count (window->queue) == 1 && n_segments (in_line (window, 0)) > 2);
  pteris_chat_session_send (window->session, "Hello");
  g_assert_true (pteris_engine_client_is_waiting (chat_engine (window)));
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, PTERIS_SIDE_BY_SIDE_ALWAYS);
  pteris_engine_client_retry (chat_engine (window));
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_true (is_ready (chat_engine (window)));
  g_assert_true (is_ready (speech_engine (window)));
  close_window (window);
  forget_everything ();
}

static void
add_tests (void)
{
  g_test_add_func ("/engines/both", test_both);
  g_test_add_func ("/engines/answer-now", test_answer_now);
  g_test_add_func ("/engines/answer-later", test_answer_later);
  g_test_add_func ("/engines/stop-waiting", test_stop_waiting);
  g_test_add_func ("/engines/memory", test_memory);
}

int
main (int argc, char **argv)
{
  return run_speech_tests ("pteris-engines-XXXXXX", add_tests, argc, argv);
}
