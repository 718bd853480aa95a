/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * killed-window ACTIVITY FOLDER [--with-chat] [--flush]
 *
 * The window over the real engine, each model in a process of its own, for kill-window.py, which
 * kills it or the processes of its models. It does one thing without end: "chat", "transcribe",
 * "record", "export", "settings" or "library"; "end" closes the window at once. --with-chat: it
 * also chats. FOLDER has sound.wav, and models m0, m1, …; PTERIS_MODELS has the models.
 *
 * Lines on standard output: READY; SAFE WHAT KEY NUMBER, which was on the screen one second ago;
 * CRASHED WHAT, if a model's process ended and the message and the text so far are there. --flush:
 * waits for the history's thread before SAFE, for machines on which it may not run for a second.
 */
#include <stdio.h>
#include <string.h>

#include <pteris/engine.h>

#include "engine/init.h"
#include "tests/ui/window-test.h"
#include "ui/chat/chat-export.h"
#include "ui/speech/recorder-bar.h"
#include "ui/speech/transcript-export.h"
#include "ui/window/application.h"

/* How long something is on the screen before it must survive a kill. */
#define SAFE_MS 1000

typedef struct {
  const char *name;
  void (*begin) (void);
} Activity;

static PterisWindow *window;
static const char *folder;
static gboolean flushes;

/* ---- what was seen ---- */

static gboolean
on_safe (gpointer line)
{
  if (flushes)
    pteris_store_flush ();
  printf ("SAFE %s\n", (const char *) line);
  fflush (stdout);
  return G_SOURCE_REMOVE;
}

/* @key: without blanks. */
static void
show (const char *what, const char *key, gint64 number)
{
  g_timeout_add_full (G_PRIORITY_DEFAULT, SAFE_MS, on_safe,
                      g_strdup_printf ("%s %s %" G_GINT64_FORMAT, what, key, number), g_free);
}

static void
say_crashed (const char *what)
{
  printf ("CRASHED %s\n", what);
  fflush (stdout);
}

/* ---- chat ---- */

static gsize
shown_bytes (void)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (window->session));
  gsize bytes = 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (window->session), i);

    bytes += strlen (pteris_message_get_text (message));
  }
  return bytes;
}

static void
show_chat (void)
{
  static gint64 last_id;
  static gsize last_bytes;
  PterisConversation *conversation = pteris_chat_session_get_conversation (window->session);
  gsize bytes = shown_bytes ();
  g_autofree char *key = NULL;
  gint64 id;

  if (conversation == NULL)
    return;
  id = pteris_conversation_get_id (conversation);
  if (id == last_id && bytes == last_bytes)
    return;
  last_id = id;
  last_bytes = bytes;
  key = g_strdup_printf ("%" G_GINT64_FORMAT, id);
  show ("chat", key, (gint64) bytes);
}

static PterisMessage *
last_message (void)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (window->session));
  g_autoptr (PterisMessage) message =
      n > 0 ? g_list_model_get_item (G_LIST_MODEL (window->session), n - 1) : NULL;

  return message; /* the session holds it */
}

static gboolean
ask (gpointer unused)
{
  static guint number;
  PterisMessage *last = last_message ();
  PtError code = 0;

  if (pteris_chat_session_is_busy (window->session))
    return G_SOURCE_CONTINUE;
  if (last != NULL && pteris_message_get_error (last, &code) != NULL && code == PT_ERROR_HOST) {
    say_crashed ("chat");
    pteris_chat_session_regenerate (window->session);
    return G_SOURCE_CONTINUE;
  }
  if (number % 3 == 0)
    pteris_chat_session_open (window->session, NULL);
  else {
    g_autofree char *text = g_strdup_printf ("Tell me story %u.", number);

    pteris_chat_session_send (window->session, text);
  }
  number++;
  return G_SOURCE_CONTINUE;
}

static void
on_painted (GdkFrameClock *clock)
{
  show_chat ();
}

static void
begin_chat (void)
{
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint",
                    G_CALLBACK (on_painted), NULL);
  g_timeout_add (20, ask, NULL);
}

/* ---- transcription ---- */

static PterisTranscript *
newest (void)
{
  g_autoptr (PterisTranscript) transcript =
      g_list_model_get_n_items (G_LIST_MODEL (window->queue)) > 0
          ? g_list_model_get_item (G_LIST_MODEL (window->queue), 0)
          : NULL;

  return transcript; /* the queue holds it */
}

static void
show_segments (PterisTranscript *transcript)
{
  g_autofree char *key =
      g_strdup_printf ("%" G_GINT64_FORMAT, pteris_transcript_get_id (transcript));
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (transcript));

  if (n > 0)
    show (pteris_transcript_is_live (transcript) ? "live" : "segments", key,
          pteris_transcript_is_live (transcript) ? 1 : n);
}

static void
on_segments (GListModel *segments, guint position, guint removed, guint added,
             PterisTranscript *transcript)
{
  show_segments (transcript);
}

static gboolean
is_over (PterisTranscript *transcript)
{
  return transcript == NULL || !pteris_transcript_is_open (transcript);
}

/* TRUE: @transcript was paused by the end of its model's process, and goes on. */
static gboolean
take_crash (PterisTranscript *transcript)
{
  PtError code = 0;

  if (transcript == NULL || pteris_transcript_get_state (transcript) != PTERIS_TRANSCRIPT_PAUSED ||
      pteris_transcript_get_error (transcript, &code) == NULL || code != PT_ERROR_HOST)
    return FALSE;
  say_crashed ("transcribe");
  pteris_transcript_queue_enqueue (window->queue, transcript);
  return TRUE;
}

static gboolean
transcribe_more (gpointer unused)
{
  static PterisTranscript *current;
  g_autofree char *path = g_build_filename (folder, "sound.wav", NULL);

  if (take_crash (current) || !is_over (current))
    return G_SOURCE_CONTINUE;
  current = pteris_transcript_queue_add (window->queue, path, "en", FALSE);
  g_signal_connect (pteris_transcript_get_segments (current), "items-changed",
                    G_CALLBACK (on_segments), current);
  return G_SOURCE_CONTINUE;
}

static void
begin_transcribe (void)
{
  pteris_window_show_page (window, "transcribe");
  g_timeout_add (20, transcribe_more, NULL);
}

/* ---- recording ---- */

static PterisRecorderBar *
bar (void)
{
  return PTERIS_RECORDER_BAR (nth (window->transcribe_page, PTERIS_TYPE_RECORDER_BAR, 0));
}

/* The bar says the seconds: "Recording · 0:07". */
static int
shown_seconds (void)
{
  GtkWidget *label = find_label (bar (), " · ");
  const char *clock = label != NULL ? strstr (gtk_label_get_text (GTK_LABEL (label)), "·") : NULL;
  int minutes = 0, seconds = 0;

  if (clock == NULL || sscanf (clock, "· %d:%d", &minutes, &seconds) != 2)
    return 0;
  return 60 * minutes + seconds;
}

static void
show_recording (PterisTranscript *transcript)
{
  static int last;
  int seconds = shown_seconds ();
  g_autofree char *name = g_path_get_basename (pteris_transcript_get_path (transcript));

  if (seconds > 0 && seconds != last)
    show ("sound", g_strdelimit (name, " ", '?'), seconds);
  last = seconds;
}

/* A recording without a model goes on; it is stopped, and its text goes on then. */
static gboolean
record_more (gpointer unused)
{
  static PterisTranscript *current;

  if (current != NULL && pteris_transcript_is_live (current)) {
    show_recording (current);
    if (says (bar (), "Recording without transcription"))
      g_signal_emit_by_name (nth (bar (), GTK_TYPE_BUTTON, 1), "clicked");
    return G_SOURCE_CONTINUE;
  }
  if (take_crash (current) || !is_over (current))
    return G_SOURCE_CONTINUE;
  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
  current = newest ();
  g_signal_connect (pteris_transcript_get_segments (current), "items-changed",
                    G_CALLBACK (on_segments), current);
  return G_SOURCE_CONTINUE;
}

static void
begin_record (void)
{
  pteris_window_show_page (window, "transcribe");
  g_timeout_add (50, record_more, NULL);
}

/* ---- export ---- */

static GFile *
export_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, "export", name, NULL);

  return g_file_new_for_path (path);
}

static void export_chats (void);

/* The long conversation of the script (1, its transcript is 4), in a new list. */
static GPtrArray *
conversations (void)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (list, g_object_ref (pteris_chat_history_find (window->history, 1)));
  return list;
}

static void
on_all_exported (GObject *source, GAsyncResult *result, gpointer unused)
{
  g_autoptr (GError) error = NULL;

  pteris_transcripts_export_finish (result, &error);
  g_assert_no_error (error);
  export_chats ();
}

static void
on_transcript_exported (GObject *source, GAsyncResult *result, gpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) all = export_file ("all");

  pteris_transcript_export_finish (PTERIS_TRANSCRIPT (source), result, &error);
  g_assert_no_error (error);
  show ("export", "long.srt", 1);
  pteris_transcripts_export_async (G_LIST_MODEL (window->queue), all, PT_SUBTITLE_SRT, NULL,
                                   on_all_exported, NULL);
}

static void
on_chat_exported (GObject *source, GAsyncResult *result, gpointer name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GFile) transcript = export_file ("long.srt");

  pteris_chat_export_finish (result, &error);
  g_assert_no_error (error);
  show ("export", name, 1);
  if (g_str_equal (name, "chat.json")) {
    g_autoptr (GFile) file = export_file ("chat.md");
    g_autoptr (GPtrArray) list = conversations ();

    pteris_chat_export_async (list, file, on_chat_exported, (gpointer) "chat.md");
  } else {
    pteris_transcript_export_async (pteris_transcript_queue_find (window->queue, 4), transcript,
                                    PT_SUBTITLE_SRT, on_transcript_exported, NULL);
  }
}

static void
export_chats (void)
{
  g_autoptr (GFile) file = export_file ("chat.json");
  g_autoptr (GPtrArray) list = conversations ();

  pteris_chat_export_async (list, file, on_chat_exported, (gpointer) "chat.json");
}

static void
begin_export (void)
{
  PterisTranscript *transcript;

  wait_until (pteris_transcript_queue_find (window->queue, 4) != NULL &&
              pteris_chat_history_find (window->history, 1) != NULL);
  transcript = pteris_transcript_queue_find (window->queue, 4);
  pteris_transcript_load (transcript);
  wait_until (pteris_transcript_is_loaded (transcript));
  export_chats ();
}

/* ---- settings ---- */

static gboolean
change_settings (gpointer unused)
{
  static int number;
  g_autofree char *value = NULL;

  if (number == 0)
    number = pteris_settings_get_int (PTERIS_SETTING_WIDTH);
  number++;
  value = g_strdup_printf ("%d", number);
  pteris_settings_set_int (PTERIS_SETTING_WIDTH, number);
  pteris_settings_set_string (PTERIS_SETTING_LAST_EXPORT, value);
  show ("setting", "width", number);
  return G_SOURCE_CONTINUE;
}

static void
begin_settings (void)
{
  g_timeout_add (15, change_settings, NULL);
}

/* ---- the library ---- */

#define N_MODELS 30

static void add_model (void);

static gboolean
on_next_model (gpointer unused)
{
  add_model ();
  return G_SOURCE_REMOVE;
}

static void
on_added (GObject *source, GAsyncResult *result, gpointer name)
{
  g_autofree char *key = name;
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisModel) model =
      pteris_library_add_finish (PTERIS_LIBRARY (source), result, &error);

  g_assert_no_error (error);
  pteris_library_set_family (PTERIS_LIBRARY (source), model, "text-llm");
  show ("library", key, 1);
  g_timeout_add (10, on_next_model, NULL);
}

/* Adds the models one after the other. */
static void
add_model (void)
{
  static guint number;
  g_autofree char *name = g_strdup_printf ("m%u", number++ % N_MODELS);
  g_autofree char *path = g_build_filename (folder, name, "model.pte", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  pteris_library_add_async (window->library, file, NULL, on_added, g_steal_pointer (&name));
}

/* Removes what the runs before have added. */
static void
empty_library (void)
{
  for (guint i = 0; i < N_MODELS; i++) {
    g_autofree char *name = g_strdup_printf ("m%u", i);
    g_autofree char *path = g_build_filename (folder, name, "model.pte", NULL);
    PterisModel *model = pteris_library_find (window->library, path);

    if (model != NULL)
      pteris_library_forget (window->library, model);
  }
}

static void
begin_library (void)
{
  empty_library ();
  add_model ();
}

static void
begin_nothing (void)
{
}

static const Activity ACTIVITIES[] = {
  { "chat", begin_chat },     { "transcribe", begin_transcribe }, { "record", begin_record },
  { "export", begin_export }, { "settings", begin_settings },     { "library", begin_library },
  { "end", begin_nothing },
};

static const Activity *
find_activity (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (ACTIVITIES); i++)
    if (g_str_equal (ACTIVITIES[i].name, name))
      return &ACTIVITIES[i];
  return NULL;
}

/* A model that was in use when the program was killed is held back until somebody picks it. */
static void
pick_models (void)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (window->library));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (window->library), i);

    if (pteris_model_is_held (model))
      pteris_window_pick_model (window, model);
  }
  wait_until (pteris_engines_count_jobs (window->engines) == 0);
}

static int
run (const Activity *activity, gboolean with_chat)
{
  window = open_window ();
  if (activity->begin == begin_nothing) {
    close_window (window);
    pteris_store_close ();
    return 0;
  }
  pick_models ();
  printf ("READY\n");
  fflush (stdout);
  activity->begin ();
  if (with_chat)
    begin_chat ();
  for (;;)
    g_main_context_iteration (NULL, TRUE);
}

int
main (int argc, char **argv)
{
  const Activity *activity = argc > 2 ? find_activity (argv[1]) : NULL;
  int status = pt_engine_host_main (argc, argv);
  gboolean with_chat = FALSE;

  if (status >= 0)
    return status;
  if (activity == NULL) {
    fputs ("Usage: killed-window ACTIVITY FOLDER [--with-chat] [--flush]\n", stderr);
    return 2;
  }
  folder = argv[2];
  for (int i = 3; i < argc; i++) {
    with_chat = with_chat || g_str_equal (argv[i], "--with-chat");
    flushes = flushes || g_str_equal (argv[i], "--flush");
  }
  gtk_init ();
  pt_init ();
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  pteris_settings_set_enum (PTERIS_SETTING_ISOLATION, PTERIS_ISOLATION_EVERY);
  status = run (activity, with_chat);
  g_object_unref (application);
  return status;
}
