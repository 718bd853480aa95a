/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/espeak.h"

#include <string.h>

#include "engine/base/pipe-signal.h"
#include "engine/base/set-error.h"
#include "engine/base/stop-call.h"
#include "engine/tasks/speak/phonemes.h"

/* It is killed after this time, and when it writes more than any clause needs. */
#define MAX_MS 1800
#define MAX_OUTPUT (256 * 1024)

typedef struct {
  const char *from, *to;
} Rule;

/* Sounds of two characters that are one phoneme in every language. */
static const Rule TIED[] = {
  { "a^ɪ", "I" }, { "a^ʊ", "W" }, { "d^z", "ʣ" }, { "d^ʒ", "ʤ" }, { "e^ɪ", "A" }, { "s^s", "S" },
  { "t^s", "ʦ" }, { "t^ʃ", "ʧ" }, { "ɔ^ɪ", "Y" }, { "o^ʊ", "O" }, { "ə^ʊ", "Q" }, { NULL, NULL },
};

/* English, the longer ones first. */
static const Rule ENGLISH[] = {
  { "ʔˌn\u0329", "tᵊn" }, { "ʔn\u0329", "tᵊn" }, { "ə^l", "ᵊl" }, { "ʔn", "tᵊn" }, { "ʲo", "jo" },
  { "ʲə", "jə" },         { "ʲ", "" },           { "ʔ", "t" },    { "e", "A" },    { "ɚ", "əɹ" },
  { "r", "ɹ" },           { "x", "k" },          { "ç", "k" },    { "ɐ", "ə" },    { "ɬ", "l" },
  { "\u0303", "" },       { NULL, NULL },
};

static const Rule BRITISH[] = { { "e^ə", "ɛː" }, { "iə", "ɪə" }, { NULL, NULL } };

static const Rule AMERICAN[] = {
  { "ɜːɹ", "ɜɹ" }, { "ɜː", "ɜɹ" }, { "ɪə", "iə" }, { "ː", "" }, { NULL, NULL },
};

static const Rule SPELLING[] = { { "g", "ɡ" }, { "ɫ", "l" }, { "ˑ", "ː" }, { NULL, NULL } };

char *
pt_espeak_find (void)
{
  char *path = g_find_program_in_path ("espeak-ng");

#ifdef G_OS_WIN32
  /* Its installer does not change PATH. */
  if (path == NULL && g_getenv ("ProgramFiles") != NULL) {
    path = g_build_filename (g_getenv ("ProgramFiles"), "eSpeak NG", "espeak-ng.exe", NULL);
    if (!g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
      g_clear_pointer (&path, g_free);
  }
#endif
  return path != NULL ? path : g_find_program_in_path ("espeak");
}

static void
apply (GString *text, const Rule *rules)
{
  for (; rules->from != NULL; rules++)
    g_string_replace (text, rules->from, rules->to, 0);
}

/* Removes marks of other languages: "(^e^n)". */
static void
remove_languages (GString *text)
{
  for (;;) {
    const char *open = strchr (text->str, '(');
    const char *close = open != NULL ? strchr (open, ')') : NULL;

    if (close == NULL)
      return;
    g_string_erase (text, open - text->str, close + 1 - open);
  }
}

/* A consonant that is a syllable by itself gets a vowel in front: n̩ is ᵊn. */
static void
move_syllables (GString *text)
{
  const char *sign;

  while ((sign = strstr (text->str, "\u0329")) != NULL) {
    const char *before = g_utf8_find_prev_char (text->str, sign);
    gssize at = sign - text->str;

    g_string_erase (text, at, (gssize) strlen ("\u0329"));
    if (before != NULL && *before != ' ')
      g_string_insert (text, before - text->str, "ᵊ");
  }
}

/* Only phonemes that Kokoro knows, with single spaces between words. */
static char *
clean (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (g_unichar_isspace (c))
      c = ' ';
    if (c == ' ' ? out->len > 0 && out->str[out->len - 1] != ' ' : pt_phoneme_token (c) != 0)
      g_string_append_unichar (out, c);
  }
  if (out->len > 0 && out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

char *
pt_espeak_to_phonemes (const char *written, const PtLanguage *language)
{
  g_autoptr (GString) text = g_string_new (written);
  gboolean british = strcmp (language->id, "en-gb") == 0;

  remove_languages (text);
  if (british)
    g_string_replace (text, "e^ə", "ɛː", 0);
  apply (text, TIED);
  if (g_str_has_prefix (language->id, "en")) {
    apply (text, ENGLISH);
    move_syllables (text);
    apply (text, british ? BRITISH : AMERICAN);
  } else {
    move_syllables (text);
  }
  g_string_replace (text, "^", "", 0);
  apply (text, SPELLING);
  return clean (text->str);
}

static gboolean
fail_to_run (const char *program, const char *why, GError **error)
{
  return pt_fail (error, PT_ERROR_FILE,
                  "The phonemes could not be found: “%s” %.200s. Check that it is espeak-ng, and "
                  "install it again.",
                  program, why);
}

/* One run of the program. Its callbacks are called by the thread of the run. */
typedef struct {
  GSubprocess *process;
  GCancellable *cancellable; /* of the run */
  GString *out;
  char block[4096];
  guint n_open; /* what has not ended: reading, writing, the process */
  gboolean late, too_long, stopped;
} Run;

static void
end_run (Run *run)
{
  g_cancellable_cancel (run->cancellable);
}

static gboolean
on_late (gpointer data)
{
  Run *run = data;

  run->late = TRUE;
  end_run (run);
  return G_SOURCE_REMOVE;
}

static gboolean
on_stopped (gpointer data)
{
  Run *run = data;

  run->stopped = TRUE;
  end_run (run);
  return G_SOURCE_REMOVE;
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  Run *run = data;

  /* A program that does not read its input fails otherwise. */
  g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, NULL);
  g_output_stream_close (G_OUTPUT_STREAM (source), NULL, NULL);
  run->n_open--;
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  Run *run = data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (source), result, NULL);

  if (n > 0)
    g_string_append_len (run->out, run->block, n);
  if (run->out->len > MAX_OUTPUT) {
    run->too_long = TRUE;
    end_run (run);
  }
  if (n <= 0 || run->too_long)
    run->n_open--;
  else
    g_input_stream_read_async (G_INPUT_STREAM (source), run->block, sizeof run->block,
                               G_PRIORITY_DEFAULT, run->cancellable, on_read, run);
}

static void
on_exited (GObject *source, GAsyncResult *result, gpointer data)
{
  Run *run = data;

  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  run->n_open--;
}

/* Runs until the program has ended, or one of the limits is reached. */
static void
communicate (Run *run, const char *clause, GCancellable *cancellable, GMainContext *context)
{
  GSource *late = g_timeout_source_new (MAX_MS);
  gulong stopped = pt_stop_call (cancellable, context, on_stopped, run);
  PtSignalMask before;

  g_source_set_callback (late, on_late, run, NULL);
  g_source_attach (late, context);
  pt_pipe_signal_block (&before);
  run->n_open = 3;
  g_output_stream_write_all_async (g_subprocess_get_stdin_pipe (run->process), clause,
                                   strlen (clause), G_PRIORITY_DEFAULT, run->cancellable,
                                   on_written, run);
  g_input_stream_read_async (g_subprocess_get_stdout_pipe (run->process), run->block,
                             sizeof run->block, G_PRIORITY_DEFAULT, run->cancellable, on_read, run);
  g_subprocess_wait_async (run->process, run->cancellable, on_exited, run);
  while (run->n_open > 0)
    g_main_context_iteration (context, TRUE);
  pt_pipe_signal_restore (&before);
  g_cancellable_disconnect (cancellable, stopped);
  g_source_destroy (late);
  g_source_unref (late);
}

static gboolean
has_words (const char *clause)
{
  for (; *clause != '\0'; clause = g_utf8_next_char (clause))
    if (g_unichar_isalnum (g_utf8_get_char (clause)))
      return TRUE;
  return FALSE;
}

/* FALSE: says why it failed. */
static gboolean
check_run (const Run *run, const char *program, const char *clause, GError **error)
{
  if (run->stopped)
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  if (run->late)
    return fail_to_run (program, "did not answer in time", error);
  if (run->too_long)
    return fail_to_run (program, "wrote far more than the text", error);
  if (!g_subprocess_get_if_exited (run->process))
    return fail_to_run (program, "was ended by the system", error);
  if (g_subprocess_get_exit_status (run->process) != 0)
    return fail_to_run (program, "failed", error);
  if (!g_utf8_validate (run->out->str, (gssize) run->out->len, NULL))
    return fail_to_run (program, "wrote something else than UTF-8", error);
  if (*g_strchug (run->out->str) == '\0' && has_words (clause))
    return fail_to_run (program, "wrote nothing", error);
  return TRUE;
}

static void
clear_run (Run *run)
{
  g_clear_object (&run->process);
  g_object_unref (run->cancellable);
  g_string_free (run->out, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, clear_run)

gboolean
pt_espeak_run (const char *program, const PtLanguage *language, const char *clause, GString *out,
               GCancellable *cancellable, GError **error)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_auto (Run) run = { .cancellable = g_cancellable_new (), .out = g_string_new (NULL) };
  g_autofree char *phonemes = NULL;
  g_autoptr (GError) reason = NULL;
  gboolean good;

  g_main_context_push_thread_default (context);
  run.process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                      G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                                  &reason, program, "-q", "--ipa", "--tie=^", "-b", "1", "-v",
                                  language->espeak, "--stdin", NULL);
  if (run.process != NULL) {
    communicate (&run, clause, cancellable, context);
    if (g_cancellable_is_cancelled (run.cancellable)) {
      g_subprocess_force_exit (run.process);
      g_subprocess_wait (run.process, NULL, NULL);
    }
  }
  good = run.process != NULL ? check_run (&run, program, clause, error)
                             : fail_to_run (program, reason->message, error);
  g_main_context_pop_thread_default (context);
  if (!good)
    return FALSE;
  phonemes = pt_espeak_to_phonemes (run.out->str, language);
  g_string_append (out, phonemes);
  return TRUE;
}
