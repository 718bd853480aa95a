/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hostile/hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <glib/gstdio.h>
#include <pteris/engine.h>

#include "engine/program/program-file.h"
#include "engine/text/tokenizer.h"

/* Work, not time, so that a busy machine does not matter; a sanitizer's own cost is not ours, nor
 * that of code which is not optimised. */
#ifndef HOSTILE_SLOW
#define MAX_SECONDS 10.0
#define MAX_GROWTH ((gint64) 200 * 1000 * 1000)
#else
#ifdef __OPTIMIZE__
#define MAX_SECONDS 20.0
#else
#define MAX_SECONDS 200.0
#endif
#define MAX_GROWTH G_MAXINT64
#endif

static char *folder;
static clock_t work_before;
static gint64 memory_before;

/* ---- files ---- */

char *
hostile_path (const char *name)
{
  if (folder == NULL) {
    folder = g_dir_make_tmp ("pteris-hostile-XXXXXX", NULL);
    g_assert_nonnull (folder);
  }
  return g_build_filename (folder, name, NULL);
}

/* Does not follow links. */
static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *inside = g_build_filename (path, name, NULL);

    remove_tree (inside);
  }
  g_remove (path);
}

void
hostile_clean_up (void)
{
  if (folder != NULL)
    remove_tree (folder);
  g_clear_pointer (&folder, g_free);
}

char *
hostile_file (const char *name, gconstpointer data, gsize size)
{
  char *path = hostile_path (name);
  FILE *file = g_fopen (path, "wb");

  g_assert_nonnull (file);
  g_assert_true (size == 0 || fwrite (data, 1, size, file) == size);
  g_assert_cmpint (fclose (file), ==, 0);
  return path;
}

char *
hostile_data_path (const char *path)
{
  return g_test_build_filename (G_TEST_DIST, "data", path, NULL);
}

guint8 *
hostile_data (const char *path, gsize *size)
{
  g_autofree char *full = hostile_data_path (path);
  char *data;
  GError *error = NULL;

  g_file_get_contents (full, &data, size, &error);
  g_assert_no_error (error);
  return (guint8 *) data;
}

/* ---- limits ---- */

/* The most memory since the last reset, in bytes; 0 where the system does not tell. */
static gint64
peak_memory (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  line = strstr (status, "VmHWM:");
  return line != NULL ? g_ascii_strtoll (line + strlen ("VmHWM:"), NULL, 10) * 1024 : 0;
}

void
hostile_begin (void)
{
  FILE *reset = g_fopen ("/proc/self/clear_refs", "w");

  if (reset != NULL) {
    fputs ("5", reset);
    fclose (reset);
  }
  memory_before = peak_memory ();
  work_before = clock ();
}

void
hostile_end (const char *what)
{
  double seconds = (double) (clock () - work_before) / CLOCKS_PER_SEC;
  gint64 growth = peak_memory () - memory_before;

  if (seconds > MAX_SECONDS)
    g_error ("%s took %.1f seconds", what, seconds);
  if (growth > MAX_GROWTH)
    g_error ("%s took %.0f MB", what, (double) growth / 1e6);
}

void
hostile_check_error (GError *error, const char *what)
{
  if (error == NULL)
    g_error ("%s failed without an error", what);
  if (error->domain != PT_ERROR || error->code == PT_ERROR_INTERNAL)
    g_error ("%s: not an error for a person: %s", what, error->message);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_test_message ("%s: %s", what, error->message);
  g_error_free (error);
}

/* ---- tokenizers ---- */

gboolean
hostile_tokenizer (const char *path, const char *what)
{
  g_autofree char *long_run = g_strnfill (20000, 'a');
  g_autofree char *text =
      g_strconcat ("Hello <|im_start|> wor\xff\xfeld ", long_run, "! 12345 ", long_run, NULL);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (PtTokenizer) tokenizer = NULL;
  GError *error = NULL;
  gboolean ok = FALSE;

  hostile_begin ();
  tokenizer = pt_tokenizer_open (path, &error);
  if (tokenizer != NULL)
    ok = pt_tokenizer_encode (tokenizer, text, -1, PT_ENCODE_SPECIAL | PT_ENCODE_ADD, ids, &error);
  if (ok)
    g_string_free (
        pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, FALSE),
        TRUE);
  hostile_end (what);
  if (error != NULL)
    hostile_check_error (error, what);
  return ok;
}

/* ---- jobs ---- */

typedef struct {
  gboolean has_ended;
  PtEventKind how;
  PtError code;
  char *text;
} Outcome;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Outcome *outcome = user_data;

  if (event->text != NULL)
    g_assert_true (g_utf8_validate (event->text, -1, NULL));
  if (event->kind != PT_EVENT_DONE && event->kind != PT_EVENT_FAILED &&
      event->kind != PT_EVENT_STOPPED)
    return;
  outcome->has_ended = TRUE;
  outcome->how = event->kind;
  outcome->code = event->code;
  g_free (outcome->text);
  outcome->text = g_strdup (event->text);
}

static gboolean
finish (PtEngine *engine, const PtJob *job, Outcome *outcome)
{
  outcome->has_ended = FALSE;
  pt_engine_submit (engine, job);
  while (!outcome->has_ended)
    g_main_context_iteration (NULL, TRUE);
  return outcome->how == PT_EVENT_DONE;
}

/* Looks at how the last job ended. */
static gboolean
judge (Outcome *outcome, const char *what, const char *must)
{
  gboolean ok = outcome->how == PT_EVENT_DONE;

  if (ok && must != NULL)
    g_error ("%s was accepted: %s", what, must);
  if (!ok)
    hostile_check_error (g_error_new_literal (PT_ERROR, (int) outcome->code, outcome->text), what);
  g_free (outcome->text);
  return ok;
}

gboolean
hostile_job (const PtJob *job, const char *must)
{
  Outcome outcome = { 0 };
  PtEngine *engine;

  hostile_begin ();
  engine = pt_engine_new (NULL, on_event, &outcome);
  finish (engine, job, &outcome);
  pt_engine_free (engine);
  hostile_end (must != NULL ? must : "a job");
  return judge (&outcome, "a job", must);
}

gboolean
hostile_chat (const PtJob *load, const char *must)
{
  static const PtMessage hello = { "user", "Hi" };
  PtJob chat = PT_JOB_INIT (PT_JOB_CHAT);
  Outcome outcome = { 0 };
  PtEngine *engine;

  chat.chat.messages = &hello;
  chat.chat.n_messages = 1;
  chat.chat.max_new_tokens = 4;
  chat.chat.sampling.temperature = 0;
  hostile_begin ();
  engine = pt_engine_new (NULL, on_event, &outcome);
  if (finish (engine, load, &outcome))
    finish (engine, &chat, &outcome);
  pt_engine_free (engine);
  hostile_end (must != NULL ? must : "a chat");
  return judge (&outcome, "a chat", must);
}

gboolean
hostile_transcribe (const PtJob *load, const char *audio, const char *must)
{
  PtJob transcribe = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  Outcome outcome = { 0 };
  PtEngine *engine;

  transcribe.speech.audio = audio;
  hostile_begin ();
  engine = pt_engine_new (NULL, on_event, &outcome);
  if (finish (engine, load, &outcome))
    finish (engine, &transcribe, &outcome);
  pt_engine_free (engine);
  hostile_end (must != NULL ? must : "a transcription");
  return judge (&outcome, "a transcription", must);
}

/* ---- metadata ---- */

/* Output @output of method @plan, when it is a number. */
static const gint64 *
number_of (const PtProgram *program, guint plan, guint output)
{
  const PtPlan *p = pt_program_plan (program, plan);
  const PtValueSpec *value = &p->values[p->outputs[output]];

  return value->kind == PT_VALUE_INT ? &value->as_int : NULL;
}

/* The offset of that number in the file, where a change takes effect; 0: not found. */
static gsize
find_number (guint8 *file, gsize size, guint plan, guint output, gint64 number)
{
  static const gint64 mark = 0x5eed5eed5eed;

  for (gsize at = 0; at + 8 <= size; at += 4) {
    g_autoptr (PtProgram) program = NULL;
    g_autoptr (GBytes) bytes = NULL;
    const gint64 *now;

    if (memcmp (file + at, &number, 8) != 0)
      continue;
    memcpy (file + at, &mark, 8);
    bytes = g_bytes_new (file, size);
    program = pt_program_new (bytes, "lie.pte", NULL);
    memcpy (file + at, &number, 8);
    now = program != NULL ? number_of (program, plan, output) : NULL;
    if (now != NULL && *now == mark)
      return at;
  }
  return 0;
}

guint
hostile_lies (guint8 *file, gsize size, HostileLie func, gpointer user_data)
{
  static const gint64 LIES[] = {
    0, -1, 1, 2, 7, G_MAXINT32, (gint64) G_MAXUINT32 + 1, (gint64) 1 << 62, G_MAXINT64, G_MININT64,
  };
  g_autoptr (GBytes) bytes = g_bytes_new (file, size);
  g_autoptr (PtProgram) program = pt_program_new (bytes, "model.pte", NULL);
  guint n = 0;

  for (guint p = 0; p < pt_program_n_plans (program); p++)
    for (guint o = 0; o < pt_program_plan (program, p)->n_outputs; o++) {
      const gint64 *truth = number_of (program, p, o);
      gsize at = truth != NULL ? find_number (file, size, p, o, *truth) : 0;

      n += truth != NULL;
      for (guint i = 0; at > 0 && i < G_N_ELEMENTS (LIES); i++) {
        memcpy (file + at, &LIES[i], 8);
        func (file, size, user_data);
        memcpy (file + at, truth, 8);
      }
    }
  return n;
}
