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

/* The preference concerns models that are loaded already; the one that works stays. */
static void
test_never (void)
{
  PterisWindow *window = open_transcribing (PTERIS_SIDE_BY_SIDE_AUTO);

  pteris_chat_session_send (window->session, "Hello");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_true (is_ready (chat_engine (window)));
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, PTERIS_SIDE_BY_SIDE_NEVER);
  wait_until (!is_ready (chat_engine (window)));
  g_assert_true (is_ready (speech_engine (window)));
  g_assert_cmpint (pteris_transcript_get_state (in_line (window, 0)), ==,
                   PTERIS_TRANSCRIPT_RUNNING);
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

/* ---- the end of a model's process ---- */

/* The visible button of @inside with @action; NULL: there is none. */
static GtkWidget *
find_step (gpointer inside, const char *action)
{
  GtkWidget *found;

  for (guint i = 0; (found = nth (inside, GTK_TYPE_BUTTON, i)) != NULL; i++) {
    const char *name = gtk_actionable_get_action_name (GTK_ACTIONABLE (found));

    if (g_strcmp0 (name, action) == 0 && gtk_widget_get_visible (found))
      return found;
  }
  return NULL;
}

static void
test_isolation (void)
{
  static const PtIsolation EXPECTED[] = { [PTERIS_ISOLATION_NATIVE] = PT_ISOLATION_NATIVE,
                                          [PTERIS_ISOLATION_EVERY] = PT_ISOLATION_ALL,
                                          [PTERIS_ISOLATION_NEVER] = PT_ISOLATION_NONE };
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  for (guint i = 0; i < G_N_ELEMENTS (EXPECTED); i++) {
    pteris_settings_set_enum (PTERIS_SETTING_ISOLATION, (int) i);
    pteris_chat_session_send (window->session, "Hello");
    wait_until (!pteris_chat_session_is_busy (window->session));
    g_assert_cmpint (fake.isolation, ==, EXPECTED[i]);
  }
  pteris_settings_set_enum (PTERIS_SETTING_ISOLATION, PTERIS_ISOLATION_NATIVE);
  close_window (window);
}

/* The answer so far stays, and nothing is loaded until the user asks. */
static void
test_crashed_chat (void)
{
  PterisWindow *window;
  guint n_loads;

  forget_everything ();
  fake.answer_error = "The process of “SmolLM2” crashed.";
  fake.answer_code = PT_ERROR_HOST;
  fake.crash_report = "/nowhere/crash.txt";
  fake.alternative = "/models/cpu.pte";
  window = open_window ();
  pteris_chat_session_send (window->session, "Hello");
  wait_until (says (window->chat_page, fake.answer_error));
  g_assert_false (pteris_chat_session_is_busy (window->session));
  g_assert_true (says (window->chat_page, "Hello"));
  g_assert_true (says (window->chat_page, "The capital of France is"));
  g_assert_true (says (window->chat_page, "Load Again"));
  g_assert_true (says (window->chat_page, "Copy Report"));
  g_assert_nonnull (find_step (window->chat_page, "chat.use-cpu"));
  g_assert_cmpint (pteris_engine_client_get_state (chat_engine (window)), ==,
                   PTERIS_MODEL_UNLOADED);
  n_loads = fake.n_loads;
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (fake.n_loads, ==, n_loads);

  /* One click goes on. */
  fake.answer_error = NULL;
  g_signal_emit_by_name (find_step (window->chat_page, "chat.regenerate"), "clicked");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_assert_cmpuint (fake.n_loads, ==, n_loads + 1);
  g_assert_true (is_ready (chat_engine (window)));
  close_window (window);
}

/* Segments stay, the recordings behind it wait, and one click goes on where it ended. */
static void
test_crashed_transcription (void)
{
  static const char *const TWO[] = { "/recordings/a.wav", "/recordings/b.wav", NULL };
  PterisTranscript *first, *second;
  PterisWindow *window;
  GtkWidget *again;
  guint n_loads;

  forget_everything ();
  fake.n_segments = 8;
  fake.crash_at = 5;
  window = open_window ();
  open_paths (window, TWO);
  wait_until (count (window->queue) == 2);
  first = in_line (window, 0);
  second = in_line (window, 1);
  wait_until (pteris_transcript_get_error (first, NULL) != NULL);
  n_loads = fake.n_loads;
  for (guint i = 0; i < 50; i++)
    g_main_context_iteration (NULL, FALSE);
  g_assert_cmpuint (fake.n_loads, ==, n_loads);
  g_assert_cmpuint (n_segments (first), ==, 4);
  g_assert_cmpint (pteris_transcript_get_state (first), ==, PTERIS_TRANSCRIPT_PAUSED);
  g_assert_cmpint (pteris_transcript_get_state (second), ==, PTERIS_TRANSCRIPT_QUEUED);
  g_assert_cmpint (pteris_engine_client_get_state (speech_engine (window)), ==,
                   PTERIS_MODEL_UNLOADED);

  fake.crash_at = 0;
  wait_until ((again = find_step (window->transcribe_page, "transcript.retry")) != NULL);
  g_assert_true (says (window->transcribe_page, "Load Again"));
  g_signal_emit_by_name (again, "clicked");
  wait_until (pteris_transcript_get_state (second) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpint (pteris_transcript_get_state (first), ==, PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (first), ==, 8);
  g_assert_cmpuint (fake.n_loads, ==, n_loads + 1);
  close_window (window);
}

/* Which model was unloaded first. */
typedef struct {
  PterisEngines *engines;
  int first; /* PterisEngineRole; -1: none */
} Order;

static void
note_unloaded (Order *order)
{
  for (int i = PTERIS_ENGINE_CHAT; i <= PTERIS_ENGINE_SPEECH && order->first < 0; i++)
    if (!is_ready (pteris_engines_get (order->engines, (PterisEngineRole) i)))
      order->first = i;
}

static void
load_for (PterisWindow *window, PterisTask task)
{
  PterisModel *model = pteris_library_pick (window->library, task, NULL);
  PterisEngineClient *client;

  g_assert_nonnull (model);
  client = pteris_engines_get_for (window->engines, model);
  pteris_engine_client_load (client, model);
  wait_until (is_ready (client) && pteris_engines_count_jobs (window->engines) == 0);
}

/* A model for pictures makes room: the model that was not used for the longest time goes first. */
static void
test_oldest (gconstpointer data)
{
  PterisTask first = GPOINTER_TO_INT (data);
  PterisTask second = first == PTERIS_TASK_CHAT ? PTERIS_TASK_TRANSCRIBE : PTERIS_TASK_CHAT;
  PterisWindow *window;
  Order order;

  forget_everything ();
  fake.with_pictures = TRUE;
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, PTERIS_SIDE_BY_SIDE_ALWAYS);
  window = open_window ();
  load_for (window, first);
  load_for (window, second);
  g_assert_true (is_ready (chat_engine (window)) && is_ready (speech_engine (window)));
  order = (Order){ window->engines, -1 };
  g_signal_connect_swapped (window->engines, "changed", G_CALLBACK (note_unloaded), &order);
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, PTERIS_SIDE_BY_SIDE_NEVER);
  load_for (window, PTERIS_TASK_LOOK);
  g_signal_handlers_disconnect_by_data (window->engines, &order);
  g_assert_cmpint (order.first, ==,
                   first == PTERIS_TASK_CHAT ? PTERIS_ENGINE_CHAT : PTERIS_ENGINE_SPEECH);
  g_assert_false (is_ready (chat_engine (window)) || is_ready (speech_engine (window)));
  /* The model for pictures makes room, too. */
  load_for (window, PTERIS_TASK_CHAT);
  g_assert_false (is_ready (pteris_engines_get (window->engines, PTERIS_ENGINE_PICTURES)));
  close_window (window);
  pteris_settings_set_enum (PTERIS_SETTING_SIDE_BY_SIDE, PTERIS_SIDE_BY_SIDE_AUTO);
}

static void
add_tests (void)
{
  g_test_add_func ("/engines/both", test_both);
  g_test_add_func ("/engines/never", test_never);
  g_test_add_func ("/engines/answer-now", test_answer_now);
  g_test_add_func ("/engines/answer-later", test_answer_later);
  g_test_add_func ("/engines/stop-waiting", test_stop_waiting);
  g_test_add_func ("/engines/memory", test_memory);
  g_test_add_func ("/engines/isolation", test_isolation);
  g_test_add_func ("/engines/crashed/chat", test_crashed_chat);
  g_test_add_func ("/engines/crashed/transcription", test_crashed_transcription);
  g_test_add_data_func ("/engines/oldest/chat", GINT_TO_POINTER (PTERIS_TASK_CHAT), test_oldest);
  g_test_add_data_func ("/engines/oldest/speech", GINT_TO_POINTER (PTERIS_TASK_TRANSCRIBE),
                        test_oldest);
}

int
main (int argc, char **argv)
{
  return run_speech_tests ("pteris-engines-XXXXXX", add_tests, argc, argv);
}
