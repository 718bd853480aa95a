/* SPDX-License-Identifier: BSD-3-Clause */

/* Voxtral as a recogniser: the tokens that upstream's runtime chose behind the same prompt. */

#include <string.h>

#include "engine/init.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "tests/unit/tasks/fixtures.h"

#define HEADER 44
#define SAMPLES 30400

typedef struct {
  char *scratch;
  char *sound; /* as long as one stretch, or nearly */
  PtModule *module;
  PtTokenizer *tokenizer;
  json_t *root;
  GArray *ids;
  guint n_segments;
  double end;
} Fixture;

static char *
data_file (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "chat", "voxtral", name, NULL);
}

/* The case's tokenizer has no name for the order to write. */
static PtTokenizer *
open_tokenizer (const Fixture *f, gboolean writes)
{
  g_autofree char *from = data_file ("tekken.json"), *text = NULL;
  g_autofree char *path = g_build_filename (f->scratch, "tekken.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) changed = NULL;
  PtTokenizer *tokenizer;

  g_assert_true (g_file_get_contents (from, &text, NULL, NULL));
  changed = g_string_new (text);
  if (writes)
    g_assert_cmpuint (g_string_replace (changed, "<SPECIAL_34>", "[TRANSCRIBE]", 0), ==, 1);
  g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
  tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  return tokenizer;
}

static void
put_size (char *at, gsize size)
{
  for (guint i = 0; i < 4; i++)
    at[i] = (char) (guint8) (size >> (8 * i));
}

/* The beginning of the recording, @n samples. */
static char *
cut_sound (const Fixture *f, const char *name, gsize n)
{
  g_autofree char *from = data_file ("audio0.wav"), *bytes = NULL;
  char *path = g_build_filename (f->scratch, name, NULL);
  gsize length;

  g_assert_true (g_file_get_contents (from, &bytes, &length, NULL));
  g_assert_cmpuint (length, >=, HEADER + 2 * n);
  put_size (bytes + 4, HEADER - 8 + 2 * n);
  put_size (bytes + 40, 2 * n);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) (HEADER + 2 * n), NULL));
  return path;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autofree char *program = data_file ("model.pte"), *path = data_file ("case.json");
  g_autoptr (GError) error = NULL;

  f->scratch = g_dir_make_tmp ("pteris-voxtral-XXXXXX", NULL);
  f->root = pt_json_load (path, 1 << 20, &error);
  g_assert_no_error (error);
  f->module = pt_module_open (program, NULL, NULL, &error);
  g_assert_no_error (error);
  f->tokenizer = open_tokenizer (f, TRUE);
  f->sound = cut_sound (f, "short.wav", SAMPLES);
  f->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  remove_folder (f->scratch);
  g_array_unref (f->ids);
  pt_tokenizer_free (f->tokenizer);
  pt_module_free (f->module);
  json_decref (f->root);
  g_free (f->sound);
  g_free (f->scratch);
}

static void
on_token (gint32 id, gpointer user_data)
{
  g_array_append_val (((Fixture *) user_data)->ids, id);
}

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  Fixture *f = user_data;

  g_assert_true (g_utf8_validate (segment->text, -1, NULL));
  g_assert_cmpfloat (segment->start, >=, f->end);
  g_assert_cmpfloat (segment->end, >=, segment->start);
  f->end = segment->end;
  f->n_segments++;
}

static gboolean
transcribe (Fixture *f, const char *path, const PtTranscribeOptions *given, GError **error)
{
  PtTranscribeOptions options = *given;
  PtTranscribeResult result;
  g_autoptr (PtTranscriber) transcriber = pt_transcriber_new (f->module, f->tokenizer, NULL, error);

  options.token = on_token;
  g_array_set_size (f->ids, 0);
  f->n_segments = 0;
  f->end = 0;
  return transcriber != NULL && pt_transcriber_run (transcriber, &options, path, on_segment, NULL,
                                                    f, NULL, &result, error);
}

static void
test_greedy (Fixture *f, gconstpointer data)
{
  const json_t *runs = json_object_get (json_object_get (f->root, "transcribe"), "runs");

  g_assert_cmpuint (json_array_size (runs), ==, 2);
  for (gsize i = 0; i < json_array_size (runs); i++) {
    const json_t *run = json_array_get (runs, i), *ids = json_object_get (run, "ids");
    PtTranscribeOptions options = { .language =
                                        json_string_value (json_object_get (run, "language")) };
    g_autoptr (GError) error = NULL;

    transcribe (f, f->sound, &options, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (f->ids->len, ==, json_array_size (ids));
    for (guint k = 0; k < f->ids->len; k++)
      g_assert_cmpint (g_array_index (f->ids, gint32, k), ==,
                       json_integer_value (json_array_get (ids, k)));
    g_assert_cmpuint (f->n_segments, ==, 1);
    g_assert_cmpfloat_with_epsilon (f->end, SAMPLES / 16000.0, 0.01);
  }
}

/** More than one stretch is cut where it is quiet. */
static void
test_long (Fixture *f, gconstpointer data)
{
  const PtTranscribeOptions options = { 0 };
  g_autofree char *path = data_file ("audio0.wav");
  g_autoptr (GError) error = NULL;

  transcribe (f, path, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (f->n_segments, >=, 2);
  g_assert_cmpfloat_with_epsilon (f->end, 3.1, 0.01);
}

static void
test_refused (Fixture *f, gconstpointer data)
{
  const PtTranscribeOptions usual = { 0 }, translate = { .translate = TRUE };
  g_autofree char *none = cut_sound (f, "none.wav", 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (transcribe (f, f->sound, &translate, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  transcribe (f, none, &usual, &error);
  g_assert_cmpuint (f->n_segments, ==, 0);
  g_clear_error (&error);
  pt_tokenizer_free (f->tokenizer);
  f->tokenizer = open_tokenizer (f, FALSE);
  g_assert_false (transcribe (f, f->sound, &usual, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add ("/voxtral/greedy", Fixture, NULL, set_up, test_greedy, tear_down);
  g_test_add ("/voxtral/long", Fixture, NULL, set_up, test_long, tear_down);
  g_test_add ("/voxtral/refused", Fixture, NULL, set_up, test_refused, tear_down);
  return g_test_run ();
}
