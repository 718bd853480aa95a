/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/models.h>
#include <pteris/speech.h>

#include <glib/gstdio.h>
#include <sndfile.h>

#include "engine/base/system-usage.h"
#include "engine/init.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "engine/tasks/speech/whisper-decoder.h"
#include "engine/tasks/speech/whisper-features.h"
#include "tests/unit/tasks/fixtures.h"

/*
 * The starter speech model on real and made speech. Needs the model in the library (or in
 * $PTERIS_MODELS), and espeak-ng for made speech; skipped without. Slow: minutes.
 */

#define RATE 16000

typedef struct {
  PtModule *module;
  PtTokenizer *tokenizer;
  PtTranscriber *transcriber;
} Model;

static Model model;
static char *folder;

/* The result of a transcription. */
typedef struct {
  GString *text;
  guint n_segments;
  double last_end;
  GCancellable *stop_after_first;
  PtTranscribeResult result;
} Transcript;

static gboolean
open_model (void)
{
  g_autofree char *path = g_build_filename (pt_library_default_folder (), "whisper-base", NULL);
  g_autofree char *program = g_build_filename (path, "model.pte", NULL);
  g_autofree char *data = g_build_filename (path, "model.ptd", NULL);
  const char *data_paths[] = { data, NULL };
  g_autoptr (GError) error = NULL;

  if (!g_file_test (data, G_FILE_TEST_EXISTS))
    return FALSE;
  pt_init ();
  model.module = pt_module_open (program, data_paths, NULL, &error);
  g_assert_no_error (error);
  model.tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  model.transcriber = pt_transcriber_new (model.module, model.tokenizer, NULL, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
close_model (void)
{
  pt_transcriber_free (model.transcriber);
  pt_tokenizer_free (model.tokenizer);
  pt_module_free (model.module);
}

static char *
jfk_path (void)
{
  return g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
}

static char *
temp_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  Transcript *self = user_data;

  g_assert_cmpfloat (segment->start, >=, self->last_end);
  g_assert_cmpfloat (segment->end, >=, segment->start);
  g_assert_true (g_utf8_validate (segment->text, -1, NULL));
  self->last_end = segment->end;
  self->n_segments++;
  g_string_append_printf (self->text, "%s ", segment->text);
  g_test_message ("[%.2f - %.2f] %s", segment->start, segment->end, segment->text);
  if (self->stop_after_first != NULL)
    g_cancellable_cancel (self->stop_after_first);
}

static void
clear_transcript (Transcript *self)
{
  g_string_free (self->text, TRUE);
}

static void
transcribe (const char *path, const PtTranscribeOptions *options, Transcript *out)
{
  g_autoptr (GError) error = NULL;

  memset (out, 0, sizeof *out);
  out->text = g_string_new (NULL);
  pt_transcriber_run (model.transcriber, options, path, on_segment, NULL, out, NULL, &out->result,
                      &error);
  g_assert_no_error (error);
  g_test_message ("%.1f s in %.2f s: encoder %.2f s, decoder %.2f s for %u ids; language %s",
                  out->result.stats.audio_s, out->result.stats.elapsed_s,
                  out->result.stats.prefill_s, out->result.stats.decode_s,
                  out->result.stats.new_tokens, out->result.stats.language);
}

/* Lower-case words with one space between: spelling counts, punctuation does not. */
static char *
words_of (const char *text)
{
  GString *out = g_string_new (NULL);
  const char *p;

  for (p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (g_unichar_isalnum (c))
      g_string_append_unichar (out, g_unichar_tolower (c));
    else if (c != '\'' && out->len > 0 && out->str[out->len - 1] != ' ')
      g_string_append_c (out, ' ');
  }
  g_strchomp (out->str);
  return g_string_free (out, FALSE);
}

#define JFK_WORDS                                                                                \
  "and so my fellow americans ask not what your country can do for you ask what you can do for " \
  "your country"

static void
expect_jfk (const char *path, const PtTranscribeOptions *options)
{
  Transcript transcript;
  g_autofree char *words = NULL;

  transcribe (path, options, &transcript);
  words = words_of (transcript.text->str);
  g_assert_cmpstr (words, ==, JFK_WORDS);
  g_assert_cmpstr (transcript.result.stats.language, ==, "en");
  g_assert_cmpfloat (fabs (transcript.last_end - 10.5), <, 1.0);
  clear_transcript (&transcript);
}

/* ---- the numbers that upstream's runtime gives for the same files ---- */

static const PtWhisperInput MEL_80 = {
  .sound = PT_WHISPER_MEL, .n_bands = 80, .n_frames = 3000, .n_samples = 30 * RATE
};

static float *
jfk_features (PtWhisperFeatures *features)
{
  g_autofree char *path = jfk_path ();
  g_autofree float *samples = g_new0 (float, 30 * RATE);
  g_autoptr (PtAudioReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  const float *mel;
  gsize n_values;
  gssize n;

  reader = pt_audio_reader_open (path, RATE, NULL, &error);
  g_assert_no_error (error);
  n = pt_audio_reader_read (reader, samples, 30 * RATE, NULL, &error);
  g_assert_cmpint (n, ==, 11 * RATE);
  mel = pt_whisper_features_compute (features, samples, (gsize) n, &n_values, NULL, &error);
  g_assert_no_error (error);
  return (float *) mel;
}

static void
check_encoder (void)
{
  /* Behind its own preprocessor, whose numbers ours are. A last bit more or less there moves them
   * by 0.02 on average. */
  static const double first[8] = { 0.16382,  0.56076, -0.71475, 0.24052,
                                   -0.04887, 0.00969, 0.28241,  -0.07958 };
  g_autoptr (GError) error = NULL;
  PtMethod *encoder = pt_module_method (model.module, "encoder", &error);
  const PtTensor *out = pt_method_output (encoder, 0)->as_tensor;
  const float *x = out->data;
  double sum = 0, squares = 0, mean, deviation;
  gsize i;

  g_assert_cmpuint (out->numel, ==, 12 * 1500 * 512);
  for (i = 0; i < out->numel; i++) {
    sum += (double) x[i];
    squares += (double) x[i] * (double) x[i];
  }
  mean = sum / (double) out->numel;
  deviation = sqrt (squares / (double) out->numel - mean * mean);
  g_test_message ("encoder: mean %.6f, deviation %.6f, first %.5f", mean, deviation, (double) x[0]);
  g_assert_cmpfloat (fabs (mean + 0.000672), <, 5e-4);
  g_assert_cmpfloat (fabs (deviation - 0.902856), <, 2e-3);
  for (i = 0; i < 8; i++)
    g_assert_cmpfloat (fabs ((double) x[i] - first[i]), <, 0.08);
}

typedef struct {
  guint n_prompt;
  gint32 prompt[4];
  guint n_ids;
  gint32 ids[28];
  double margins[28]; /* between the best and the second logit */
} Greedy;

static const Greedy greedy[] = {
  { 4,
    { 50258, 50259, 50359, 50363 },
    26,
    { 400, 370, 452, 7177, 6280, 11,  1029, 406, 437, 428, 1941, 393, 360,
      337, 291, 11,  1029, 437,  291, 393,  360, 337, 428, 1941, 13,  50257 },
    { 1.418, 5.494, 1.074, 6.026, 3.427, 0.804, 4.318, 1.615, 3.034, 4.73,  8.459, 6.211, 6.45,
      5.922, 7.267, 1.296, 3.82,  3.379, 5.371, 6.702, 6.206, 7.435, 7.012, 8.775, 2.904, 4.344 } },
  { 3,
    { 50258, 50259, 50359 },
    27,
    { 50363, 400, 370, 452,  7177, 6280, 11,  1029, 406, 437, 428,  1941, 393,  360,
      337,   291, 11,  1029, 437,  291,  393, 360,  337, 428, 1941, 13,   50257 },
    { 0.483, 1.46,  5.318, 1.515, 6.002, 3.514, 0.366, 4.335, 1.585,
      3.376, 4.514, 8.377, 6.052, 6.48,  5.949, 7.261, 1.189, 3.768,
      3.385, 5.58,  6.643, 6.23,  7.541, 7.002, 8.706, 2.881, 4.53 } },
};

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
check_greedy (PtWhisperModel *whisper, const Greedy *run)
{
  const float *logits = pt_whisper_model_logits (whisper);
  g_autoptr (GError) error = NULL;
  guint i;

  pt_whisper_model_feed (whisper, run->prompt, run->n_prompt, 0, NULL, &error);
  g_assert_no_error (error);
  for (i = 0; i < run->n_ids; i++) {
    if (run->margins[i] >= 0.05)
      g_assert_cmpint (argmax (logits, pt_whisper_model_n_ids (whisper)), ==, run->ids[i]);
    pt_whisper_model_feed (whisper, &run->ids[i], 1, run->n_prompt + i, NULL, &error);
    g_assert_no_error (error);
  }
}

static void
test_upstream (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtWhisperModel) whisper = pt_whisper_model_new (model.module, NULL, &error);
  g_autoptr (PtWhisperFeatures) features = pt_whisper_features_new (&MEL_80, NULL, &error);
  g_autoptr (PtWhisperTokens) tokens = NULL;
  g_autoptr (PtWhisperDecoder) decoder = NULL;
  double probability;
  int language;

  g_assert_no_error (error);
  tokens =
      pt_whisper_tokens_new (model.tokenizer, pt_whisper_model_n_ids (whisper), 1500, NULL, &error);
  g_assert_no_error (error);
  pt_whisper_model_encode (whisper, jfk_features (features), 80 * 3000, NULL, &error);
  g_assert_no_error (error);
  check_encoder ();
  check_greedy (whisper, &greedy[0]);
  check_greedy (whisper, &greedy[1]);
  decoder = pt_whisper_decoder_new (whisper, tokens, model.tokenizer, NULL);
  pt_whisper_decoder_detect (decoder, &language, &probability, NULL, &error);
  g_assert_no_error (error);
  g_test_message ("language %d: %.4f", language, probability);
  g_assert_cmpint (language, ==, 0);
  g_assert_cmpfloat (fabs (probability - 0.9599), <, 0.02);
}

/* ---- recordings ---- */

static void
test_jfk (void)
{
  g_autofree char *path = jfk_path ();
  PtTranscribeOptions english = { .language = "en" };

  expect_jfk (path, NULL);
  expect_jfk (path, &english);
}

/* The same speech as another file. */
static void
convert (const char *path, int format, int repeat)
{
  g_autofree char *from = jfk_path ();
  g_autofree float *samples = g_new (float, 11 * RATE);
  SF_INFO in = { 0 };
  SF_INFO out = { .samplerate = RATE, .channels = 2, .format = format };
  SNDFILE *file = sf_open (from, SFM_READ, &in);
  sf_count_t n = sf_readf_float (file, samples, 11 * RATE), i;
  int k;

  sf_close (file);
  file = sf_open (path, SFM_WRITE, &out);
  g_assert_nonnull (file);
  for (k = 0; k < repeat; k++) {
    for (i = 0; i < n; i++) {
      float frame[2] = { samples[i], samples[i] };

      sf_writef_float (file, frame, 1);
    }
  }
  sf_close (file);
}

static void
test_formats (void)
{
  static const struct {
    const char *name;
    int format;
  } cases[] = {
    { "jfk.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III },
    { "jfk.opus", SF_FORMAT_OGG | SF_FORMAT_OPUS },
    { "jfk.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS },
    { "jfk.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = temp_path (cases[i].name);
    SF_INFO info = { .samplerate = RATE, .channels = 2, .format = cases[i].format };

    if (!sf_format_check (&info))
      continue;
    convert (path, cases[i].format, 1);
    expect_jfk (path, NULL);
  }
}

/* The model's own preprocessor gives the same text. */
static void
test_preprocessor (void)
{
  g_autofree char *jfk = jfk_path ();
  g_autofree char *path =
      g_build_filename (pt_library_default_folder (), "whisper-base", "preprocessor.pte", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) preprocessor = NULL;
  g_autoptr (PtWhisperFeatures) own = pt_whisper_features_new (&MEL_80, NULL, &error);
  g_autoptr (PtWhisperFeatures) theirs = NULL;
  const float *a, *b;
  double largest = 0;
  gsize i;

  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_test_skip ("no preprocessor");
    return;
  }
  preprocessor = pt_module_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  theirs = pt_whisper_features_new (&MEL_80, preprocessor, &error);
  g_assert_no_error (error);
  a = jfk_features (own);
  b = jfk_features (theirs);
  for (i = 0; i < 80 * 3000; i++)
    largest = MAX (largest, fabs ((double) (a[i] - b[i])));
  g_test_message ("largest difference %.2g", largest);
  g_assert_cmpfloat (largest, <, 2e-4);
}

static void
test_cancel (void)
{
  g_autofree char *path = temp_path ("twelve.wav");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Transcript transcript = { .text = g_string_new (NULL), .stop_after_first = cancellable };

  convert (path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, 12);
  g_assert_false (pt_transcriber_run (model.transcriber, NULL, path, on_segment, NULL, &transcript,
                                      cancellable, &transcript.result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_assert_cmpuint (transcript.n_segments, <, 8);
  clear_transcript (&transcript);
}

typedef enum { SILENCE, HISS, HUM, CLICKS } Noise;

static void
write_noise (const char *path, Noise kind, float level)
{
  SF_INFO info = { .samplerate = RATE, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16 };
  SNDFILE *file = sf_open (path, SFM_WRITE, &info);
  guint32 random = 1;
  int i;

  for (i = 0; i < 45 * RATE; i++) {
    float value = 0;

    random = random * 1664525 + 1013904223;
    if (kind == HISS)
      value = (float) (random >> 8) / 8388608.0f - 1;
    else if (kind == HUM)
      value = sinf ((float) (i % (RATE / 50)) * (float) (2 * G_PI * 50 / RATE));
    else if (kind == CLICKS)
      value = i % (3 * RATE) < 20 ? 1 : 0;
    value *= level;
    sf_write_float (file, &value, 1);
  }
  sf_close (file);
}

/* Without speech there is no text. */
static void
test_no_speech (void)
{
  static const struct {
    Noise kind;
    float level;
  } cases[] = {
    { SILENCE, 0 }, { HISS, 2e-4f }, { HISS, 0.005f }, { HISS, 0.05f },
    { HISS, 0.4f }, { HUM, 0.2f },   { CLICKS, 0.5f },
  };
  g_autofree char *path = temp_path ("noise.wav");
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    Transcript transcript;

    write_noise (path, cases[i].kind, cases[i].level);
    transcribe (path, NULL, &transcript);
    g_test_message ("noise %d at %g: \"%s\"", (int) cases[i].kind, (double) cases[i].level,
                    transcript.text->str);
    g_assert_cmpstr (transcript.text->str, ==, "");
    g_assert_true (transcript.result.no_speech);
    clear_transcript (&transcript);
  }
}

/* ---- made speech ---- */

static gboolean
speak (const char *path, const char *voice, const char *speed, const char *text)
{
  const char *argv[] = { "espeak-ng", "-v", voice, "-s", speed, "-w", path, text, NULL };
  g_autoptr (GError) error = NULL;

  return g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                       NULL, &error);
}

/* The share of words of @want that @got has, in order (longest common subsequence). */
static double
recall (const char *want, const char *got)
{
  g_auto (GStrv) a = g_strsplit (want, " ", -1);
  g_auto (GStrv) b = g_strsplit (got, " ", -1);
  guint n = g_strv_length (a), m = g_strv_length (b), i, k;
  g_autofree guint *row = g_new0 (guint, m + 1);

  for (i = 0; i < n; i++) {
    guint diagonal = 0;

    for (k = 0; k < m; k++) {
      guint above = row[k + 1];

      row[k + 1] = strcmp (a[i], b[k]) == 0 ? diagonal + 1 : MAX (above, row[k]);
      diagonal = above;
    }
  }
  return n > 0 ? (double) row[m] / n : 1;
}

/* The count of the most frequent sequence of 6 words. */
static guint
repetitions (const char *words)
{
  g_auto (GStrv) list = g_strsplit (words, " ", -1);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = g_strv_length (list), most = 0, i;

  for (i = 0; i + 6 <= n; i++) {
    char *run = g_strjoin (" ", list[i], list[i + 1], list[i + 2], list[i + 3], list[i + 4],
                           list[i + 5], NULL);
    guint count = GPOINTER_TO_UINT (g_hash_table_lookup (seen, run)) + 1;

    most = MAX (most, count);
    g_hash_table_insert (seen, run, GUINT_TO_POINTER (count));
  }
  return most;
}

static guint64
peak_bytes (void)
{
  guint64 resident, peak;

  return pt_process_memory (&resident, &peak) ? peak : 0;
}

/* Sentences that are all different. */
static char *
make_sentences (guint first, guint n)
{
  static const char *const who[] = { "The old captain",    "My neighbour",  "A young engineer",
                                     "The committee",      "Our teacher",   "The gardener",
                                     "A small dog",        "The librarian", "An experienced pilot",
                                     "The tall carpenter", "Every visitor" };
  static const char *const did[] = { "described", "repaired",   "discovered",   "ignored",
                                     "painted",   "remembered", "examined",     "carried",
                                     "measured",  "borrowed",   "photographed", "sold",
                                     "admired" };
  static const char *const what[] = {
    "a wooden bridge",     "the broken clock",     "seven green bottles", "an ancient map",
    "the railway station", "a letter from Boston", "two heavy boxes",     "a collection of stamps",
    "the entire garden",   "a very long report",   "the new telescope",   "a basket of apples",
    "the silver coin",     "an empty theatre",     "the frozen river",    "a red bicycle",
    "the village church"
  };
  static const char *const how[] = { "before the storm arrived",
                                     "on the third of October",
                                     "without telling anyone",
                                     "while the children were sleeping",
                                     "near the harbour",
                                     "because the road was closed",
                                     "after a long discussion",
                                     "in less than twenty minutes",
                                     "for the first time in years",
                                     "with great care",
                                     "at the end of the street",
                                     "although it was raining",
                                     "and then went home",
                                     "under the bright moonlight",
                                     "during the cold winter",
                                     "as quickly as possible",
                                     "for no good reason",
                                     "in the middle of the night",
                                     "just before dinner" };
  GString *out = g_string_new (NULL);
  guint i;

  for (i = first; i < first + n; i++)
    g_string_append_printf (out, "%s %s %s %s. ", who[i * 7 % G_N_ELEMENTS (who)],
                            did[i * 5 % G_N_ELEMENTS (did)], what[i * 3 % G_N_ELEMENTS (what)],
                            how[i % G_N_ELEMENTS (how)]);
  return g_string_free (out, FALSE);
}

static void
append_file (SNDFILE *to, const char *path, int *rate)
{
  SF_INFO info = { 0 };
  SNDFILE *from = sf_open (path, SFM_READ, &info);
  short block[4096];
  sf_count_t n;

  g_assert_nonnull (from);
  g_assert_cmpint (info.samplerate, ==, *rate);
  while ((n = sf_read_short (from, block, G_N_ELEMENTS (block))) > 0)
    sf_write_short (to, block, n);
  memset (block, 0, sizeof block);
  for (n = 0; n < *rate; n += 2048)
    sf_write_short (to, block, 2048);
  sf_close (from);
}

/* Ten minutes of several voices: all of it, nothing twice, and no more memory than for one. */
static void
test_long (void)
{
  static const char *const voices[] = { "en-us", "en-gb", "en-us+f3", "en-gb+m3", "en-us+m7" };
  static const char *const speeds[] = { "140", "160", "150", "170" };
  g_autofree char *path = temp_path ("long.wav");
  g_autofree char *part = temp_path ("part.wav");
  g_autoptr (GString) said = g_string_new (NULL);
  g_autofree char *want = NULL, *got = NULL;
  int rate = 22050;
  SF_INFO info = { .samplerate = rate, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16 };
  Transcript transcript;
  guint64 before;
  SNDFILE *file;
  guint i;

  if (!speak (part, voices[0], speeds[0], "One.")) {
    g_test_skip ("espeak-ng is not there");
    return;
  }
  transcribe (part, NULL, &transcript);
  clear_transcript (&transcript);
  file = sf_open (path, SFM_WRITE, &info);
  for (i = 0; i < 24; i++) {
    g_autofree char *text = make_sentences (6 * i, 6);

    g_assert_true (
        speak (part, voices[i % G_N_ELEMENTS (voices)], speeds[i % G_N_ELEMENTS (speeds)], text));
    append_file (file, part, &rate);
    g_string_append (said, text);
  }
  sf_close (file);
  before = peak_bytes ();
  transcribe (path, NULL, &transcript);
  want = words_of (said->str);
  got = words_of (transcript.text->str);
  g_test_message (
      "%.0f s; %.1f %% of the words; runs of 6 words at most %u times (said: %u); real-time "
      "factor %.4f; memory +%.1f MB",
      transcript.result.stats.audio_s, 100 * recall (want, got), repetitions (got),
      repetitions (want), transcript.result.stats.elapsed_s / transcript.result.stats.audio_s,
      (double) (peak_bytes () - before) / 1e6);
  g_assert_cmpfloat (transcript.result.stats.audio_s, >, 540);
  g_assert_cmpfloat (recall (want, got), >, 0.85);
  g_assert_cmpfloat (recall (got, want), >, 0.85);
  g_assert_cmpuint (repetitions (got), <=, repetitions (want) + 1);
  g_assert_cmpuint (peak_bytes () - before, <, 64 * 1000 * 1000);
  clear_transcript (&transcript);
}

static void
test_german (void)
{
  g_autofree char *path = temp_path ("german.wav");
  g_autofree char *words = NULL, *english = NULL;
  PtTranscribeOptions translate = { .translate = TRUE };
  Transcript transcript;

  if (!speak (
          path, "de", "140",
          "Guten Tag. Heute ist das Wetter sehr schön. Wir gehen mit den Kindern in den Park und "
          "essen danach ein Eis. Am Abend lesen wir zusammen ein Buch über die Geschichte der "
          "Stadt.")) {
    g_test_skip ("espeak-ng is not there");
    return;
  }
  transcribe (path, NULL, &transcript);
  words = words_of (transcript.text->str);
  g_assert_cmpstr (transcript.result.stats.language, ==, "de");
  g_assert_cmpfloat (
      recall ("heute ist das sehr schön wir gehen mit den kindern in den und essen ein "
              "eis am abend wir zusammen ein buch über die geschichte der stadt",
              words),
      >, 0.7);
  clear_transcript (&transcript);
  transcribe (path, &translate, &transcript);
  english = words_of (transcript.text->str);
  g_assert_nonnull (strstr (english, "children"));
  g_assert_nonnull (strstr (english, "park"));
  clear_transcript (&transcript);
}

static void
test_bad_job (void)
{
  g_autofree char *path = jfk_path ();
  PtTranscribeOptions klingon = { .language = "tlh" };
  PtTranscribeResult result;
  g_autoptr (GError) error = NULL;

  g_assert_false (pt_transcriber_run (model.transcriber, &klingon, path, on_segment, NULL, NULL,
                                      NULL, &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (pt_transcriber_run (model.transcriber, NULL, "/no/such/file.wav", on_segment,
                                      NULL, NULL, NULL, &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!open_model ()) {
    g_print ("1..0 # SKIP the starter speech model is not in %s\n", pt_library_default_folder ());
    return 0;
  }
  folder = g_dir_make_tmp ("pteris-transcribe-XXXXXX", NULL);
  g_test_add_func ("/transcribe/upstream", test_upstream);
  g_test_add_func ("/transcribe/jfk", test_jfk);
  g_test_add_func ("/transcribe/bad-job", test_bad_job);
  g_test_add_func ("/transcribe/formats", test_formats);
  g_test_add_func ("/transcribe/preprocessor", test_preprocessor);
  g_test_add_func ("/transcribe/cancel", test_cancel);
  g_test_add_func ("/transcribe/no-speech", test_no_speech);
  g_test_add_func ("/transcribe/german", test_german);
  g_test_add_func ("/transcribe/long", test_long);
  status = g_test_run ();
  close_model ();
  remove_folder (folder);
  g_free (folder);
  return status;
}
