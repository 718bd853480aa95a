/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Whisper with an encoder of samples (docs/formats/protocols.md, section 5.8): tiny programs with
 * random weights, and what upstream's runtime gives for them.
 */

#include <string.h>
#include <pteris/job.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/models/family.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "engine/tasks/speech/whisper-features.h"
#include "engine/tasks/speech/whisper-model.h"

#define RATE 16000
#define ENCODER "whisper_x_encoder_xnnpack.pte"
#define DECODER "whisper_x_decoder_xnnpack.pte"

typedef struct {
  const char *folder, *encoder, *decoder; /* @decoder: NULL: in the same program */
  guint n_positions;
} Layout;

static const Layout LAYOUTS[] = {
  { "whisper", "model.pte", NULL, 128 },
  { "whisper-short", "model.pte", NULL, 64 },
  { "whisper-split", ENCODER, DECODER, 128 },
  { "whisper-stft", ENCODER, DECODER, 128 },
};

static char *
data_path (const char *folder, const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "published", folder, name, NULL);
}

static PtModule *
open_module (const char *folder, const char *name)
{
  g_autofree char *path = name != NULL ? data_path (folder, name) : NULL;
  g_autoptr (GError) error = NULL;
  PtModule *module = path != NULL ? pt_module_open (path, NULL, NULL, &error) : NULL;

  g_assert_no_error (error);
  return module;
}

static PtTokenizer *
open_tokenizer (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "whisper-mini", "tokenizer.json", NULL);
  g_autoptr (GError) error = NULL;
  PtTokenizer *tokenizer = pt_tokenizer_open (path, &error);

  g_assert_no_error (error);
  return tokenizer;
}

static gint32
argmax (const float *x, guint n)
{
  guint best = 0;

  for (guint i = 1; i < n; i++)
    if (x[i] > x[best])
      best = i;
  return (gint32) best;
}

static void
encode (PtWhisperModel *model)
{
  g_autofree char *path = data_path ("whisper", "audio0.wav");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, RATE, NULL, &error);
  g_autoptr (PtWhisperFeatures) features =
      pt_whisper_features_new (&pt_whisper_model_layout (model)->input, NULL, &error);
  g_autofree float *samples = g_new (float, 2 * RATE);
  const float *values;
  gsize n_values;
  gssize n;

  g_assert_no_error (error);
  n = pt_audio_reader_read (reader, samples, 2 * RATE, NULL, &error);
  g_assert_cmpint (n, ==, RATE * 3 / 2);
  values = pt_whisper_features_compute (features, samples, (gsize) n, &n_values, NULL, &error);
  g_assert_no_error (error);
  pt_whisper_model_encode (model, values, n_values, NULL, &error);
  g_assert_no_error (error);
}

/* The ids that upstream's host chooses, step by step. */
static void
check_greedy (PtWhisperModel *model, const char *folder)
{
  g_autofree char *path = data_path (folder, "case.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  const json_t *generate = json_object_get (root, "generate");
  const json_t *prompt = json_object_get (generate, "prompt_ids");
  const json_t *want = json_object_get (generate, "generated_ids");
  gint32 ids[8];
  guint n = (guint) json_array_size (prompt);

  g_assert_no_error (error);
  g_assert_cmpuint (n, <=, G_N_ELEMENTS (ids));
  for (guint i = 0; i < n; i++)
    ids[i] = (gint32) json_integer_value (json_array_get (prompt, i));
  pt_whisper_model_feed (model, ids, n, 0, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < json_array_size (want); i++) {
    gint32 id = argmax (pt_whisper_model_logits (model), pt_whisper_model_n_ids (model));

    g_assert_cmpint (id, ==, json_integer_value (json_array_get (want, i)));
    pt_whisper_model_feed (model, &id, 1, n + i, NULL, &error);
    g_assert_no_error (error);
  }
}

static void
test_greedy (gconstpointer data)
{
  const Layout *layout = data;
  PtModule *encoder = open_module (layout->folder, layout->encoder);
  PtModule *decoder = open_module (layout->folder, layout->decoder);
  g_autoptr (GError) error = NULL;
  PtWhisperModel *model = pt_whisper_model_new (encoder, decoder, &error);
  const gint32 id = 1;

  g_assert_no_error (error);
  g_assert_cmpuint (pt_whisper_model_n_positions (model), ==, layout->n_positions);
  g_assert_true (pt_whisper_model_layout (model)->begins_at_zero);
  /* Twice: a second window must know nothing of the first. */
  for (guint round = 0; round < 2; round++) {
    encode (model);
    check_greedy (model, layout->folder);
  }
  g_assert_false (pt_whisper_model_feed (model, &id, 1, layout->n_positions, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
  pt_whisper_model_free (model);
  pt_module_free (encoder);
  g_clear_pointer (&decoder, pt_module_free);
}

static void
test_windows (void)
{
  static const struct {
    const char *folder, *encoder, *decoder;
    PtWhisperSound sound;
    gsize n_samples, least;
  } CASES[] = {
    /* 30 s declared, and 29 used. */
    { "whisper", "model.pte", NULL, PT_WHISPER_SAMPLES, 464000, 16000 },
    { "whisper-short", "model.pte", NULL, PT_WHISPER_SAMPLES, 160000, 16000 },
    { "whisper-stft", ENCODER, DECODER, PT_WHISPER_MAGNITUDES, 464000, 16000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    PtModule *encoder = open_module (CASES[i].folder, CASES[i].encoder);
    PtModule *decoder = open_module (CASES[i].folder, CASES[i].decoder);
    PtWhisperLayout layout;

    g_assert_true (pt_whisper_layout_find (encoder, decoder, &layout, NULL));
    g_assert_cmpint (layout.input.sound, ==, CASES[i].sound);
    g_assert_cmpuint (layout.input.n_samples, ==, CASES[i].n_samples);
    g_assert_cmpuint (layout.input.least, ==, CASES[i].least);
    pt_module_free (encoder);
    g_clear_pointer (&decoder, pt_module_free);
  }
}

/* ---- whole recordings ---- */

typedef struct {
  GString *text;
  GArray *ids;
  double last;
} Log;

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  Log *log = user_data;

  g_assert_cmpfloat (segment->start, >=, log->last);
  g_assert_cmpfloat (segment->end, >=, segment->start);
  g_assert_cmpuint (segment->n_words, >, 0);
  log->last = segment->end;
  g_string_append_printf (log->text, "%.2f %.2f %s\n", segment->start, segment->end, segment->text);
}

static void
on_token (gint32 id, gpointer user_data)
{
  g_array_append_val (((Log *) user_data)->ids, id);
}

static void
transcribe (PtTranscriber *transcriber, Log *log)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  g_autoptr (GError) error = NULL;
  PtTranscribeOptions options = { .language = "en", .token = on_token };
  PtTranscribeResult result;

  *log = (Log){ g_string_new (NULL), g_array_new (FALSE, FALSE, sizeof (gint32)), 0 };
  pt_transcriber_run (transcriber, &options, path, on_segment, NULL, log, NULL, &result, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (result.stats.audio_s, >, 10.9);
}

/* Whatever a model says, the work ends, the first token is 0.00, a second run gives the same. */
static void
test_recording (void)
{
  PtModule *module = open_module ("whisper-short", "model.pte");
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ();
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new (module, tokenizer, NULL, &error);
  Log a, b;

  g_assert_no_error (error);
  transcribe (transcriber, &a);
  transcribe (transcriber, &b);
  g_assert_cmpstr (a.text->str, ==, b.text->str);
  g_assert_cmpuint (a.ids->len, >, 0);
  g_assert_cmpint (g_array_index (a.ids, gint32, 0), ==, pt_tokenizer_find (tokenizer, "<|0.00|>"));
  g_string_free (a.text, TRUE);
  g_string_free (b.text, TRUE);
  g_array_unref (a.ids);
  g_array_unref (b.ids);
  pt_transcriber_free (transcriber);
  pt_module_free (module);
}

/* An encoder and a decoder in two programs, through the same task. */
static void
test_two_programs (void)
{
  g_autofree char *path = data_path ("whisper", "audio0.wav");
  PtModule *encoder = open_module ("whisper-stft", ENCODER);
  PtModule *decoder = open_module ("whisper-stft", DECODER);
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ();
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  PtTranscribeOptions options = { .token = on_token };
  PtTranscribeResult result;
  Log log = { g_string_new (NULL), g_array_new (FALSE, FALSE, sizeof (gint32)), 0 };

  g_assert_no_error (error);
  pt_transcriber_run (transcriber, &options, path, on_segment, NULL, &log, NULL, &result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result.stats.new_tokens, >, 0);
  pt_transcriber_free (transcriber);
  /* The wrong way round. */
  g_assert_null (pt_transcriber_new_of_two (decoder, encoder, tokenizer, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_string_free (log.text, TRUE);
  g_array_unref (log.ids);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* ---- decoders that choose ids ---- */

typedef struct {
  const char *folder, *encoder, *decoder;
  const char *tokenizer; /* NULL: that of whisper-mini */
} Chooser;

static const Chooser CHOOSERS[] = {
  { "whisper-ids", "whisper_x_xnnpack_encoder.pte", "whisper_x_xnnpack_decoder.pte", NULL },
  { "moonshine", "moonshine_x_xnnpack_encoder.pte", "moonshine_x_xnnpack_decoder.pte",
    "moonshine_x_tokenizer.json" },
};

static PtTokenizer *
chooser_tokenizer (const Chooser *chooser)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  PtTokenizer *tokenizer;

  if (chooser->tokenizer == NULL)
    return open_tokenizer ();
  path = data_path (chooser->folder, chooser->tokenizer);
  tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  return tokenizer;
}

/* The ids that PyTorch chose, with the text that they say. */
static GString *
wanted_ids (const Chooser *chooser, const PtTokenizer *tokenizer, gint32 end, GArray *ids)
{
  g_autofree char *path = data_path (chooser->folder, "case.json");
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  const json_t *list = json_object_get (json_object_get (root, "generate"), "generated_ids");
  GString *text;

  g_assert_no_error (error);
  for (guint i = 0; i < json_array_size (list); i++) {
    gint32 id = (gint32) json_integer_value (json_array_get (list, i));

    if (id != end)
      g_array_append_val (ids, id);
  }
  g_assert_cmpuint (ids->len, >, 5);
  text = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, TRUE);
  g_strstrip (text->str);
  return text;
}

static void
on_piece (const PtSegment *segment, gpointer user_data)
{
  Log *log = user_data;

  g_assert_cmpfloat (segment->start, >=, log->last);
  log->last = segment->end;
  g_string_append_printf (log->text, "%.2f %.2f %s\n", segment->start, segment->end, segment->text);
}

static void
hear (PtTranscriber *transcriber, const char *audio, const char *language, Log *log)
{
  g_autoptr (GError) error = NULL;
  PtTranscribeOptions options = { .language = language, .token = on_token };
  PtTranscribeResult result;

  *log = (Log){ g_string_new (NULL), g_array_new (FALSE, FALSE, sizeof (gint32)), 0 };
  pt_transcriber_run (transcriber, &options, audio, on_piece, NULL, log, NULL, &result, &error);
  g_assert_no_error (error);
}

static void
log_clear (Log *log)
{
  g_string_free (log->text, TRUE);
  g_array_unref (log->ids);
}

/* The ids of PyTorch, as one segment that is as long as the recording; twice. */
static void
test_chosen (gconstpointer data)
{
  const Chooser *chooser = data;
  g_autofree char *audio = data_path ("whisper", "audio0.wav");
  PtModule *encoder = open_module (chooser->folder, chooser->encoder);
  PtModule *decoder = open_module (chooser->folder, chooser->decoder);
  g_autoptr (PtTokenizer) tokenizer = chooser_tokenizer (chooser);
  g_autoptr (GArray) want = g_array_new (FALSE, FALSE, sizeof (gint32));
  gint32 end = pt_tokenizer_find (tokenizer, chooser->tokenizer != NULL ? "</s>" : "<|endoftext|>");
  g_autoptr (GString) text = wanted_ids (chooser, tokenizer, end, want);
  g_autofree char *line = g_strdup_printf ("0.00 1.50 %s\n", text->str);
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  Log log;

  g_assert_no_error (error);
  g_assert_true (pt_whisper_layout_chooses_ids (pt_module_program (decoder)));
  g_assert_cmpint (pt_family_of (pt_module_program (encoder), NULL), ==, PT_FAMILY_SPLIT_WHISPER);
  g_assert_cmpint (pt_family_of (pt_module_program (decoder), NULL), ==, PT_FAMILY_SPLIT_WHISPER);
  g_assert_cmpstr (pt_family_role (pt_module_program (encoder), PT_FAMILY_SPLIT_WHISPER), ==,
                   "encoder");
  g_assert_cmpstr (pt_family_role (pt_module_program (decoder), PT_FAMILY_SPLIT_WHISPER), ==,
                   "decoder");
  for (guint round = 0; round < 2; round++) {
    hear (transcriber, audio, "en", &log);
    g_assert_cmpuint (log.ids->len, >=, want->len);
    for (guint i = 0; i < want->len; i++)
      g_assert_cmpint (g_array_index (log.ids, gint32, i), ==, g_array_index (want, gint32, i));
    if (chooser->tokenizer != NULL)
      g_assert_cmpstr (log.text->str, ==, line);
    log_clear (&log);
  }
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* Languages that a model cannot have are refused before the work. */
static void
test_chosen_language (void)
{
  g_autofree char *audio = data_path ("whisper", "audio0.wav");
  PtModule *encoder = open_module (CHOOSERS[1].folder, CHOOSERS[1].encoder);
  PtModule *decoder = open_module (CHOOSERS[1].folder, CHOOSERS[1].decoder);
  g_autoptr (PtTokenizer) tokenizer = chooser_tokenizer (&CHOOSERS[1]);
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  PtTranscribeOptions german = { .language = "de" }, translated = { .translate = TRUE };
  PtTranscribeResult result;

  g_assert_no_error (error);
  g_assert_false (pt_transcriber_run (transcriber, &german, audio, on_piece, NULL, NULL, NULL,
                                      &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (pt_transcriber_run (transcriber, &translated, audio, on_piece, NULL, NULL, NULL,
                                      &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* Whisper's programs with Moonshine's tokenizer. */
static void
test_chosen_misfit (void)
{
  g_autofree char *audio = data_path ("whisper", "audio0.wav");
  PtModule *encoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].encoder);
  PtModule *decoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].decoder);
  g_autoptr (PtTokenizer) tokenizer = chooser_tokenizer (&CHOOSERS[1]);
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  PtTranscribeOptions options = { 0 };
  PtTranscribeResult result;
  Log log = { g_string_new (NULL), g_array_new (FALSE, FALSE, sizeof (gint32)), 0 };

  g_assert_no_error (error);
  g_assert_false (pt_transcriber_run (transcriber, &options, audio, on_piece, NULL, &log, NULL,
                                      &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_TOKENIZER);
  g_test_message ("%s", error->message);
  log_clear (&log);
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* The random program chooses no language behind the start, so the user is asked for one. */
static void
test_chosen_no_language (void)
{
  g_autofree char *audio = data_path ("whisper", "audio0.wav");
  PtModule *encoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].encoder);
  PtModule *decoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].decoder);
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ();
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  PtTranscribeResult result;

  g_assert_no_error (error);
  g_assert_false (
      pt_transcriber_run (transcriber, NULL, audio, on_piece, NULL, NULL, NULL, &result, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "--language"));
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

static char told[8]; /* the language that a transcription told */

static void
keep_language (const PtStats *stats, gpointer user_data)
{
  g_strlcpy (told, stats->language, sizeof told);
}

/* A decoder that chooses <|de|> behind the start: the recording is German without being told so,
 * and the ids are those that PyTorch chose behind a German prompt. */
static void
test_chosen_tells_language (void)
{
  g_autofree char *audio = data_path ("whisper", "audio0.wav");
  g_autofree char *path = data_path ("whisper-ids", "case.json");
  PtModule *encoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].encoder);
  PtModule *decoder = open_module (CHOOSERS[0].folder, "tells-german.pte");
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ();
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  const json_t *want = json_object_get (json_object_get (root, "tells"), "generated_ids");
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  PtTranscribeOptions options = { .token = on_token };
  PtTranscribeResult result;
  Log log = { g_string_new (NULL), g_array_new (FALSE, FALSE, sizeof (gint32)), 0 };

  g_assert_no_error (error);
  pt_transcriber_run (transcriber, &options, audio, on_piece, keep_language, &log, NULL, &result,
                      &error);
  g_assert_no_error (error);
  g_assert_cmpstr (told, ==, "de");
  g_assert_cmpuint (json_array_size (want), ==, 6);
  g_assert_cmpuint (log.ids->len, >=, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (g_array_index (log.ids, gint32, i), ==,
                     json_integer_value (json_array_get (want, i)));
  log_clear (&log);
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* A decoder that wants 32 ids in every call and chooses one behind each. */
static void
test_chosen_fixed (void)
{
  g_autofree char *path = data_path ("whisper-ids", "case.json");
  PtModule *encoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].encoder);
  PtModule *decoder = open_module (CHOOSERS[0].folder, "fixed-each.pte");
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  const json_t *want = json_object_get (json_object_get (root, "fixed"), "generated_ids");
  const gint32 prompt[] = { 501, 502, 508, 512 };
  PtWhisperModel *model = pt_whisper_model_new (encoder, decoder, &error);
  gint32 id;

  g_assert_no_error (error);
  g_assert_true (pt_whisper_model_layout (model)->fixed_ids);
  encode (model);
  pt_whisper_model_feed (model, prompt, 4, 0, NULL, &error);
  for (guint i = 0; i < json_array_size (want); i++) {
    g_assert_no_error (error);
    id = pt_whisper_model_chosen (model);
    g_assert_cmpint (id, ==, json_integer_value (json_array_get (want, i)));
    pt_whisper_model_feed (model, &id, 1, 4 + i, NULL, &error);
  }
  g_assert_cmpuint (json_array_size (want), ==, 12);
  pt_whisper_model_free (model);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* One id of a call of 32, and an id below 0. */
static void
test_chosen_damaged (void)
{
  PtModule *encoder = open_module (CHOOSERS[0].folder, CHOOSERS[0].encoder);
  PtModule *last = open_module (CHOOSERS[0].folder, "fixed-last.pte");
  PtModule *none = open_module (CHOOSERS[0].folder, "fixed-none.pte");
  g_autoptr (GError) error = NULL;
  PtWhisperModel *model = pt_whisper_model_new (encoder, last, &error);
  const gint32 id = 501;

  g_assert_null (model);
  g_assert_nonnull (strstr (error->message, "fixed-last.pte"));
  g_assert_nonnull (strstr (error->message, "wants 32 ids in every call"));
  g_clear_error (&error);
  model = pt_whisper_model_new (encoder, none, &error);
  g_assert_no_error (error);
  encode (model);
  g_assert_false (pt_whisper_model_feed (model, &id, 1, 0, NULL, &error));
  g_assert_nonnull (strstr (error->message, "no id of a token"));
  pt_whisper_model_free (model);
  pt_module_free (encoder);
  pt_module_free (last);
  pt_module_free (none);
}

/* 11 s of speech: the work ends, whatever the models say. */
static void
test_chosen_recording (gconstpointer data)
{
  const Chooser *chooser = data;
  g_autofree char *audio =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  PtModule *encoder = open_module (chooser->folder, chooser->encoder);
  PtModule *decoder = open_module (chooser->folder, chooser->decoder);
  g_autoptr (PtTokenizer) tokenizer = chooser_tokenizer (chooser);
  g_autoptr (GError) error = NULL;
  PtTranscriber *transcriber = pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error);
  Log a, b;

  g_assert_no_error (error);
  hear (transcriber, audio, "en", &a);
  hear (transcriber, audio, "en", &b);
  g_assert_cmpstr (a.text->str, ==, b.text->str);
  log_clear (&a);
  log_clear (&b);
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  pt_module_free (decoder);
}

/* ---- programs that do not fit together ---- */

static void
test_damaged (void)
{
  static const struct {
    const char *file, *why;
  } CASES[] = {
    { "sound-of-other-width.pte",
      "gives float32 [1, 20, 16], and its decoder takes float32 [1, 20, 8]" },
    { "sound-of-other-length.pte", "[1, 20, 16], and its decoder takes float32 [1, 21, 16]" },
    { "position-of-rank-0.pte", "positions of rank 0" },
    { "positions-none.pte", "with room for 0" },
    { "few-ids.pte", "400" },
    { "no-samples.pte", "at most 0 samples" },
    { "few-samples.pte", "at most 1000 samples" },
    { "chooses-ids.pte", "chooses ids by itself" },
  };
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ();

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    PtModule *module = open_module ("whisper-damaged", CASES[i].file);
    g_autoptr (GError) error = NULL;

    g_assert_null (pt_transcriber_new (module, tokenizer, NULL, &error));
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, CASES[i].file));
    g_assert_nonnull (strstr (error->message, CASES[i].why));
    pt_module_free (module);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (guint i = 0; i < G_N_ELEMENTS (LAYOUTS); i++) {
    g_autofree char *path = g_strconcat ("/tasks/whisper-samples/greedy/", LAYOUTS[i].folder, NULL);

    g_test_add_data_func (path, &LAYOUTS[i], test_greedy);
  }
  g_test_add_func ("/tasks/whisper-samples/windows", test_windows);
  g_test_add_func ("/tasks/whisper-samples/recording", test_recording);
  g_test_add_func ("/tasks/whisper-samples/two-programs", test_two_programs);
  for (guint i = 0; i < G_N_ELEMENTS (CHOOSERS); i++) {
    g_autofree char *name = g_strconcat ("/tasks/whisper-samples/ids/", CHOOSERS[i].folder, NULL);
    g_autofree char *whole = g_strconcat (name, "/recording", NULL);

    g_test_add_data_func (name, &CHOOSERS[i], test_chosen);
    g_test_add_data_func (whole, &CHOOSERS[i], test_chosen_recording);
  }
  g_test_add_func ("/tasks/whisper-samples/ids/languages", test_chosen_language);
  g_test_add_func ("/tasks/whisper-samples/ids/misfit", test_chosen_misfit);
  g_test_add_func ("/tasks/whisper-samples/ids/fixed", test_chosen_fixed);
  g_test_add_func ("/tasks/whisper-samples/ids/damaged", test_chosen_damaged);
  g_test_add_func ("/tasks/whisper-samples/ids/no-language", test_chosen_no_language);
  g_test_add_func ("/tasks/whisper-samples/ids/tells-language", test_chosen_tells_language);
  g_test_add_func ("/tasks/whisper-samples/damaged", test_damaged);
  return g_test_run ();
}
