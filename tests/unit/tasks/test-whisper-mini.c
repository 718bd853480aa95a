/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/job.h>

#include "engine/init.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "engine/tasks/speech/whisper-features.h"
#include "engine/tasks/speech/whisper-model.h"

/*
 * A tiny model of upstream's own layout, with random weights: the encoder returns hidden states,
 * the decoder takes one id at a time. What it should say was computed by upstream's runtime.
 */

typedef struct {
  PtModule *module;
  PtTokenizer *tokenizer;
} Fixture;

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "whisper-mini", name, NULL);
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autofree char *program = data_path ("model.pte");
  g_autofree char *tokenizer = data_path ("tokenizer.json");
  g_autoptr (GError) error = NULL;

  pt_init ();
  f->module = pt_module_open (program, NULL, NULL, &error);
  g_assert_no_error (error);
  f->tokenizer = pt_tokenizer_open (tokenizer, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  pt_tokenizer_free (f->tokenizer);
  pt_module_free (f->module);
}

static gint32
argmax (const float *x, guint n)
{
  guint best = 0, i;

  for (i = 1; i < n; i++) {
    if (x[i] > x[best])
      best = i;
  }
  return (gint32) best;
}

static void
test_greedy (Fixture *f, gconstpointer unused)
{
  static const gint32 prompt[] = { 501, 502, 508, 512 };
  static const gint32 want[] = { 562, 562, 562, 601, 562, 562, 562, 601, 601, 562, 601, 601,
                                 601, 293, 562, 562, 443, 601, 601, 601, 601, 601, 601, 601 };
  g_autofree char *path = data_path ("mel.bin");
  g_autofree char *bytes = NULL;
  g_autoptr (PtWhisperModel) model = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  guint round, i;

  model = pt_whisper_model_new (f->module, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_whisper_model_layout (model)->input.n_bands, ==, 80);
  g_assert_cmpuint (pt_whisper_model_layout (model)->input.n_frames, ==, 200);
  g_assert_cmpuint (pt_whisper_model_n_ids (model), ==, 614);
  g_assert_cmpuint (pt_whisper_model_n_positions (model), ==, 64);
  g_file_get_contents (path, &bytes, &size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (size, ==, 80 * 200 * sizeof (float));
  /* Twice: a second window must know nothing of the first. */
  for (round = 0; round < 2; round++) {
    pt_whisper_model_encode (model, (const float *) (gpointer) bytes, 80 * 200, NULL, &error);
    g_assert_no_error (error);
    pt_whisper_model_feed (model, prompt, G_N_ELEMENTS (prompt), 0, NULL, &error);
    g_assert_no_error (error);
    for (i = 0; i < G_N_ELEMENTS (want); i++) {
      g_assert_cmpint (argmax (pt_whisper_model_logits (model), 614), ==, want[i]);
      pt_whisper_model_feed (model, &want[i], 1, G_N_ELEMENTS (prompt) + i, NULL, &error);
      g_assert_no_error (error);
    }
  }
  /* There are 64 positions and no more. */
  g_assert_false (pt_whisper_model_feed (model, prompt, 4, 61, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
}

static void
test_features (Fixture *f, gconstpointer unused)
{
  g_autofree char *mel_path = data_path ("mel.bin");
  g_autofree char *audio_path = data_path ("audio.wav");
  g_autofree char *bytes = NULL;
  g_autofree float *samples = g_new (float, 32000);
  g_autoptr (PtWhisperFeatures) features = NULL;
  g_autoptr (PtAudioReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  const PtWhisperInput input = {
    .sound = PT_WHISPER_MEL, .n_bands = 80, .n_frames = 200, .n_samples = 32000
  };
  const float *want, *got;
  gssize n;
  gsize i;

  g_file_get_contents (mel_path, &bytes, NULL, &error);
  g_assert_no_error (error);
  reader = pt_audio_reader_open (audio_path, 16000, NULL, &error);
  g_assert_no_error (error);
  n = pt_audio_reader_read (reader, samples, 32000, NULL, &error);
  g_assert_cmpint (n, ==, 24800);
  features = pt_whisper_features_new (&input, NULL, &error);
  g_assert_no_error (error);
  got = pt_whisper_features_compute (features, samples, (gsize) n, &i, NULL, &error);
  g_assert_cmpuint (i, ==, 80 * 200);
  want = (const float *) (gpointer) bytes;
  for (i = 0; i < 80 * 200; i++)
    g_assert_cmpfloat (fabsf (got[i] - want[i]), <, 2e-4f);
}

typedef struct {
  guint n_segments, n_windows;
  double last;
  GCancellable *cancellable;
} Log;

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  Log *log = user_data;

  g_assert_cmpfloat (segment->start, >=, log->last);
  g_assert_cmpfloat (segment->end, >=, segment->start);
  g_assert_true (g_utf8_validate (segment->text, -1, NULL));
  log->last = segment->end;
  log->n_segments++;
  for (guint i = 0; i < segment->n_words; i++) {
    const PtWord *word = &segment->words[i];

    g_assert_cmpuint (word->length, >, 0);
    g_assert_cmpuint (word->start + word->length, <=, strlen (segment->text));
    g_assert_cmpfloat (word->probability, >, 0);
    g_assert_cmpfloat (word->probability, <=, 1);
    if (i > 0)
      g_assert_cmpuint (word->start, >, word[-1].start + word[-1].length);
  }
  g_assert_cmpuint (segment->n_words, >, 0);
}

static void
on_progress (const PtStats *stats, gpointer user_data)
{
  Log *log = user_data;

  log->n_windows++;
  g_assert_cmpfloat (stats->audio_s, <=, stats->audio_total_s + 0.01);
  if (log->cancellable != NULL && log->n_windows == 3)
    g_cancellable_cancel (log->cancellable);
}

/* Going on in the middle: nothing from before comes again, and times are those of the recording. */
static void
test_start (Fixture *f, gconstpointer unused)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  g_autoptr (PtTranscriber) transcriber = pt_transcriber_new (f->module, f->tokenizer, NULL, NULL);
  g_autoptr (GError) error = NULL;
  PtTranscribeOptions options = { .start = 7.5 };
  PtTranscribeResult result;
  Log log = { .last = 7.5 };

  pt_transcriber_run (transcriber, &options, path, on_segment, on_progress, &log, NULL, &result,
                      &error);
  g_assert_no_error (error);
  g_assert_cmpuint (log.n_segments, >, 0);
  g_assert_cmpfloat (fabs (result.stats.audio_s - 11), <, 0.01);
  g_assert_cmpfloat (fabs (result.stats.audio_total_s - 11), <, 0.01);
  /* Behind the end there is nothing, which is no error. */
  options.start = 600;
  log = (Log){ .last = 0 };
  pt_transcriber_run (transcriber, &options, path, on_segment, NULL, &log, NULL, &result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (log.n_segments, ==, 0);
}

/* For any logits the transcription ends, times increase, and a second run gives the same text. */
static void
test_nonsense (Fixture *f, gconstpointer unused)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  g_autoptr (PtTranscriber) transcriber = NULL;
  g_autoptr (GError) error = NULL;
  PtTranscribeOptions german = { .language = "de", .translate = TRUE };
  PtTranscribeResult first, second;
  Log a = { 0 }, b = { 0 }, c = { 0 };

  transcriber = pt_transcriber_new (f->module, f->tokenizer, NULL, &error);
  g_assert_no_error (error);
  pt_transcriber_run (transcriber, NULL, path, on_segment, on_progress, &a, NULL, &first, &error);
  g_assert_no_error (error);
  pt_transcriber_run (transcriber, NULL, path, on_segment, on_progress, &b, NULL, &second, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fabs (first.stats.audio_s - 11), <, 0.01);
  g_assert_cmpuint (a.n_windows, >=, 6);
  g_assert_cmpuint (a.n_segments, ==, b.n_segments);
  g_assert_cmpfloat (a.last, ==, b.last);
  g_assert_cmpuint (first.stats.new_tokens, ==, second.stats.new_tokens);
  g_assert_cmpuint (first.n_segments, ==, a.n_segments);
  g_assert_cmpint (first.no_speech, ==, a.n_segments == 0);
  pt_transcriber_run (transcriber, &german, path, on_segment, on_progress, &c, NULL, &first,
                      &error);
  g_assert_no_error (error);
  g_assert_cmpstr (first.stats.language, ==, "de");
}

static void
test_cancel (Fixture *f, gconstpointer unused)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  g_autoptr (PtTranscriber) transcriber = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  PtTranscribeResult result;
  Log log = { .cancellable = cancellable };

  transcriber = pt_transcriber_new (f->module, f->tokenizer, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (pt_transcriber_run (transcriber, NULL, path, on_segment, on_progress, &log,
                                      cancellable, &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_assert_cmpuint (log.n_windows, ==, 3);
}

/* Files of other models: an error, never more. */
static void
test_wrong_files (Fixture *f, gconstpointer unused)
{
  g_autofree char *mel = g_test_build_filename (G_TEST_DIST, "..", "resources", "starter",
                                                "whisper-base", "preprocessor.pte", NULL);
  g_autofree char *chat = g_test_build_filename (G_TEST_DIST, "..", "resources", "starter",
                                                 "smollm2-135m-instruct", "tokenizer.json", NULL);
  g_autoptr (PtTokenizer) other = NULL;
  g_autoptr (PtModule) preprocessor = NULL;
  g_autoptr (GError) error = NULL;

  preprocessor = pt_module_open (mel, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (pt_transcriber_new (preprocessor, f->tokenizer, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_null (pt_transcriber_new (f->module, f->tokenizer, f->module, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  other = pt_tokenizer_open (chat, &error);
  g_assert_no_error (error);
  g_assert_null (pt_transcriber_new (f->module, other, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_TOKENIZER);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/tasks/whisper-mini/greedy", Fixture, NULL, set_up, test_greedy, tear_down);
  g_test_add ("/tasks/whisper-mini/features", Fixture, NULL, set_up, test_features, tear_down);
  g_test_add ("/tasks/whisper-mini/nonsense", Fixture, NULL, set_up, test_nonsense, tear_down);
  g_test_add ("/tasks/whisper-mini/start", Fixture, NULL, set_up, test_start, tear_down);
  g_test_add ("/tasks/whisper-mini/cancel", Fixture, NULL, set_up, test_cancel, tear_down);
  g_test_add ("/tasks/whisper-mini/wrong-files", Fixture, NULL, set_up, test_wrong_files,
              tear_down);
  return g_test_run ();
}
