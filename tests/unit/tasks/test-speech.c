/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Families of speech models behind the one interface, with tiny models of upstream's own layouts
 * and random weights. What they should say was computed by upstream's runtime.
 */

#include <math.h>
#include <string.h>
#include <pteris/speech.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/speech/diarizer.h"
#include "engine/tasks/speech/silence-gate.h"
#include "engine/tasks/speech/transcribe-job.h"

#define RATE 16000
#define PIECE 1280 /* samples in 80 ms */

typedef struct {
  PtModule *module, *preprocessor;
  PtTokenizer *tokenizer;
  PtTranscriber *transcriber;
} Model;

typedef struct {
  GArray *ids; /* gint32 */
  GString *text, *segments;
  GArray *starts, *ends; /* double: of tokens */
  double last_end;
  guint n_segments, n_labelled;
  gint n_ids; /* atomic, for another thread */
} Heard;

static char *
data_path (const char *folder, const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", folder, name, NULL);
}

static PtModule *
open_module (const char *folder, const char *name)
{
  g_autofree char *path = data_path (folder, name);
  g_autoptr (GError) error = NULL;
  PtModule *module = pt_module_open (path, NULL, NULL, &error);

  g_assert_no_error (error);
  return module;
}

static void
open_model (Model *model, const char *folder, const char *tokenizer_folder, const char *tokenizer,
            gboolean preprocessed)
{
  g_autofree char *path = data_path (tokenizer_folder, tokenizer);
  g_autoptr (GError) error = NULL;

  pt_init ();
  memset (model, 0, sizeof *model);
  model->module = open_module (folder, "model.pte");
  if (preprocessed)
    model->preprocessor = open_module (folder, "preprocessor.pte");
  model->tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  model->transcriber =
      pt_transcriber_new (model->module, model->tokenizer, model->preprocessor, &error);
  g_assert_no_error (error);
}

static void
close_model (Model *model)
{
  pt_transcriber_free (model->transcriber);
  pt_tokenizer_free (model->tokenizer);
  g_clear_pointer (&model->preprocessor, pt_module_free);
  pt_module_free (model->module);
}

static void
heard_init (Heard *heard)
{
  memset (heard, 0, sizeof *heard);
  heard->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  heard->starts = g_array_new (FALSE, FALSE, sizeof (double));
  heard->ends = g_array_new (FALSE, FALSE, sizeof (double));
  heard->text = g_string_new (NULL);
  heard->segments = g_string_new (NULL);
}

static void
heard_clear (Heard *heard)
{
  g_array_unref (heard->ids);
  g_array_unref (heard->starts);
  g_array_unref (heard->ends);
  g_string_free (heard->text, TRUE);
  g_string_free (heard->segments, TRUE);
}

static void
on_token (gint32 id, gpointer user_data)
{
  Heard *heard = user_data;

  g_array_append_val (heard->ids, id);
  g_atomic_int_inc (&heard->n_ids);
}

static void
on_text (const char *text, gpointer user_data)
{
  g_string_append (((Heard *) user_data)->text, text);
}

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  Heard *heard = user_data;
  guint reach = 0;

  g_assert_cmpfloat (segment->start, >=, heard->last_end);
  g_assert_cmpfloat (segment->end, >=, segment->start);
  heard->last_end = segment->end;
  heard->n_segments++;
  heard->n_labelled += segment->speaker > 0;
  g_string_append_printf (heard->segments, "%s%s", heard->segments->len > 0 ? " " : "",
                          segment->text);
  for (guint i = 0; i < segment->n_tokens; i++) {
    const PtWord *token = &segment->tokens[i];

    g_assert_cmpuint (token->start, ==, reach);
    reach += token->length;
    g_array_append_val (heard->starts, token->from);
    g_array_append_val (heard->ends, token->to);
  }
  if (segment->n_tokens > 0)
    g_assert_cmpuint (reach, ==, strlen (segment->text));
  for (guint i = 0; i < segment->n_words; i++) {
    const PtWord *word = &segment->words[i];

    g_assert_cmpuint (word->start + word->length, <=, strlen (segment->text));
    g_assert_cmpfloat (word->to, >=, word->from);
    g_assert_cmpfloat (word->probability, >=, 0);
    g_assert_cmpfloat (word->probability, <=, 1.0001f);
  }
}

static void
transcribe (const Model *model, const char *path, const PtTranscribeOptions *wanted, Heard *heard,
            PtTranscribeResult *result)
{
  PtTranscribeOptions options = wanted != NULL ? *wanted : (PtTranscribeOptions){ 0 };
  g_autoptr (GError) error = NULL;

  options.token = on_token;
  options.text = on_text;
  pt_transcriber_run (model->transcriber, &options, path, on_segment, NULL, heard, NULL, result,
                      &error);
  g_assert_no_error (error);
}

static void
expect_ids (const Heard *heard, const gint32 *want, guint n)
{
  g_assert_cmpmem (heard->ids->data, heard->ids->len * sizeof (gint32), want, n * sizeof (gint32));
}

/* ---- Voxtral Realtime ---- */

static const gint32 REALTIME_IDS[] = { 626, 626, 626, 626, 626, 626, 626, 420, 420, 253, 465, 590,
                                       205, 426, 420, 253, 17,  4,   4,   4,   4,   4,   4 };

static void
test_realtime (void)
{
  g_autofree char *path = data_path ("speech/realtime", "audio0.wav");
  PtTranscribeResult result;
  Heard first, second;
  Model model;

  open_model (&model, "speech/realtime", "chat/voxtral", "tekken.json", TRUE);
  heard_init (&first);
  heard_init (&second);
  g_assert_true (pt_transcriber_streams (model.transcriber));
  transcribe (&model, path, NULL, &first, &result);
  expect_ids (&first, REALTIME_IDS, G_N_ELEMENTS (REALTIME_IDS));
  g_assert_true (
      g_str_has_prefix (first.text->str, ".com.com.com.com.com.com.com backend backend"));
  g_assert_false (result.no_speech);
  g_assert_cmpfloat (fabs (result.stats.audio_s - 1.3), <, 0.2);
  g_assert_cmpuint (result.stats.new_tokens, ==, G_N_ELEMENTS (REALTIME_IDS));
  /* No state of the first recording is left in the model. */
  transcribe (&model, path, NULL, &second, &result);
  expect_ids (&second, REALTIME_IDS, G_N_ELEMENTS (REALTIME_IDS));
  g_assert_cmpstr (first.segments->str, ==, second.segments->str);
  heard_clear (&first);
  heard_clear (&second);
  close_model (&model);
}

/* Somebody speaks: a file that grows by 80 ms whenever what was there has been heard. */
typedef struct {
  const char *from, *to;
  Heard *heard;
  GCancellable *finish;
  guint n_pieces;
} Speaker;

static void
wait_for_ids (Heard *heard, gint n)
{
  for (guint i = 0; i < 60000 && g_atomic_int_get (&heard->n_ids) < n; i++)
    g_usleep (5000);
  g_assert_cmpint (g_atomic_int_get (&heard->n_ids), >=, n);
}

static gpointer
speak (gpointer data)
{
  Speaker *speaker = data;
  g_autofree char *bytes = NULL;
  gsize size, at = 44 + 2 * PIECE;
  FILE *file;

  g_assert_true (g_file_get_contents (speaker->from, &bytes, &size, NULL));
  file = g_fopen (speaker->to, "ab");
  g_assert_nonnull (file);
  while (at < size) {
    gsize n = MIN (size - at, 2 * PIECE);

    g_assert_cmpuint (fwrite (bytes + at, 1, n, file), ==, n);
    g_assert_cmpint (fflush (file), ==, 0);
    at += n;
    speaker->n_pieces++;
    /* One piece is looked ahead; all before must have been written down by now. */
    if (at < size)
      wait_for_ids (speaker->heard, (gint) speaker->n_pieces);
  }
  fclose (file);
  g_cancellable_cancel (speaker->finish);
  return NULL;
}

static void
test_follow (void)
{
  g_autofree char *path = data_path ("speech/realtime", "audio0.wav");
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *growing = g_build_filename (folder, "growing.wav", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (GCancellable) finish = g_cancellable_new ();
  PtTranscribeOptions options = { .follow = TRUE, .finish = finish };
  Heard heard;
  Speaker speaker = { path, growing, &heard, finish, 0 };
  PtTranscribeResult result;
  GThread *thread;
  Model model;

  open_model (&model, "speech/realtime", "chat/voxtral", "tekken.json", TRUE);
  heard_init (&heard);
  /* The header and the first piece; the header knows nothing of the rest. */
  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  memset (bytes + 40, 0, 4);
  g_assert_true (g_file_set_contents (growing, bytes, 44 + 2 * PIECE, NULL));
  thread = g_thread_new ("speaker", speak, &speaker);
  transcribe (&model, growing, &options, &heard, &result);
  g_thread_join (thread);
  expect_ids (&heard, REALTIME_IDS, G_N_ELEMENTS (REALTIME_IDS));
  g_assert_cmpuint (speaker.n_pieces, >, 10);
  heard_clear (&heard);
  close_model (&model);
  g_unlink (growing);
  g_rmdir (folder);
}

/* @seconds of tones that come and go. */
static char *
make_sound (const char *folder, guint seconds)
{
  char *path = g_build_filename (folder, "tones.wav", NULL);
  guint32 n = seconds * RATE, rate = GUINT32_TO_LE (RATE), bytes = GUINT32_TO_LE (2 * RATE);
  guint32 size = GUINT32_TO_LE (2 * n), all = GUINT32_TO_LE (36 + 2 * n);
  g_autofree guint8 *file = g_malloc0 (44 + 2 * (gsize) n);

  memcpy (file, "RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\1\0", 24);
  memcpy (file + 4, &all, 4);
  memcpy (file + 24, &rate, 4);
  memcpy (file + 28, &bytes, 4);
  memcpy (file + 32, "\2\0\20\0data", 8);
  memcpy (file + 40, &size, 4);
  for (guint32 i = 0; i < n; i++) {
    double t = (double) i / RATE;
    double x = fmod (t, 5) < 3 ? 8000 * sin (2 * G_PI * (300 + 40 * floor (t)) * t) : 0;
    gint16 sample = GINT16_TO_LE ((gint16) x);

    memcpy (file + 44 + 2 * (gsize) i, &sample, 2);
  }
  g_assert_true (g_file_set_contents (path, (const char *) file, 44 + 2 * (gssize) n, NULL));
  return path;
}

/* Longer than the table of positions, which holds 10 seconds: several sessions. */
static void
test_long (gconstpointer preprocessed)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = make_sound (folder, 60);
  PtTranscribeResult result;
  Heard heard;
  Model model;

  open_model (&model, "speech/realtime", "chat/voxtral", "tekken.json", preprocessed != NULL);
  heard_init (&heard);
  transcribe (&model, path, NULL, &heard, &result);
  g_assert_cmpuint (heard.ids->len, >=, 60 * RATE / PIECE);
  g_assert_cmpfloat (fabs (result.stats.audio_s - 60), <, 0.01);
  g_assert_cmpfloat (heard.last_end, <=, 60);
  heard_clear (&heard);
  close_model (&model);
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- Parakeet ---- */

static const gint32 TRANSDUCER_IDS[] = { 220, 220, 220, 83, 83, 83,  83, 83, 83,
                                         83,  83,  220, 83, 83, 107, 83, 83 };
static const guint TRANSDUCER_FRAMES[] = { 0,  2,  4,  6,  8,  10, 12, 14, 16,
                                           18, 20, 22, 24, 26, 30, 34, 36 };

static void
test_transducer (void)
{
  g_autofree char *path = data_path ("speech/transducer", "audio0.wav");
  PtTranscribeResult result;
  Heard heard;
  Model model;

  open_model (&model, "speech/transducer", "speech/transducer", "tokenizer.model", FALSE);
  heard_init (&heard);
  g_assert_false (pt_transcriber_streams (model.transcriber));
  transcribe (&model, path, NULL, &heard, &result);
  expect_ids (&heard, TRANSDUCER_IDS, G_N_ELEMENTS (TRANSDUCER_IDS));
  g_assert_cmpstr (heard.segments->str, ==, "sionsionsion((((((((sion((un((");
  g_assert_cmpuint (heard.starts->len, ==, G_N_ELEMENTS (TRANSDUCER_FRAMES));
  for (guint i = 0; i < heard.starts->len; i++) {
    double start = g_array_index (heard.starts, double, i);
    double end = g_array_index (heard.ends, double, i);

    /* A bracket takes no time: it is where the token before it ends. */
    if (TRANSDUCER_IDS[i] == 83)
      g_assert_cmpfloat (start, ==, end);
    else
      g_assert_cmpfloat (fabs (start - 0.08 * TRANSDUCER_FRAMES[i]), <, 1e-6);
    g_assert_cmpfloat (end, <=, 0.08 * (TRANSDUCER_FRAMES[i] + 2) + 1e-6);
  }
  heard_clear (&heard);
  close_model (&model);
}

/* More than the 5 seconds that it takes at once. */
static void
test_transducer_long (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = make_sound (folder, 23);
  PtTranscribeResult result;
  Heard heard;
  Model model;

  open_model (&model, "speech/transducer", "speech/transducer", "tokenizer.model", FALSE);
  heard_init (&heard);
  transcribe (&model, path, NULL, &heard, &result);
  g_assert_cmpfloat (fabs (result.stats.audio_s - 23), <, 0.01);
  g_assert_cmpfloat (heard.last_end, <=, 23);
  heard_clear (&heard);
  close_model (&model);
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- silence ---- */

static const float PROBABILITIES[] = { 0.594678f, 0.484446f, 0.555466f, 0.516466f, 0.629070f,
                                       0.543521f, 0.563237f, 0.502447f, 0.476447f, 0.498036f,
                                       0.529056f, 0.688776f, 0.612894f, 0.695243f, 0.591094f,
                                       0.573103f, 0.507483f, 0.520293f };

static void
test_vad (void)
{
  g_autofree char *path = data_path ("speech/vad", "audio0.wav");
  g_autoptr (PtAudioReader) reader = NULL;
  g_autoptr (PtVad) vad = NULL;
  g_autoptr (GError) error = NULL;
  PtModule *module;
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));
  float window[512];

  pt_init ();
  module = open_module ("speech/vad", "model.pte");
  vad = pt_vad_new (module, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_vad_window (vad), ==, 512);
  for (guint round = 0; round < 2; round++) {
    reader = pt_audio_reader_open (path, RATE, NULL, &error);
    g_assert_no_error (error);
    pt_vad_reset (vad, FALSE);
    g_array_set_size (got, 0);
    for (guint i = 0; i < G_N_ELEMENTS (PROBABILITIES); i++) {
      g_assert_cmpint (pt_audio_reader_read (reader, window, 512, NULL, NULL), ==, 512);
      pt_vad_hear (vad, window, 512, got, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (got->len, ==, i + 1);
      g_assert_cmpfloat (fabsf (g_array_index (got, float, i) - PROBABILITIES[i]), <, 1e-4f);
    }
    g_clear_pointer (&reader, pt_audio_reader_free);
  }
  g_clear_pointer (&vad, pt_vad_free);
  pt_module_free (module);
}

/* The changes of the VAD for a row of probabilities, a digit for each window of 32 ms. */
static char *
changes (const char *digits)
{
  PtVadRules rules = pt_vad_silero_rules (RATE);
  GString *out = g_string_new (NULL);
  PtVadState state;

  pt_vad_state_init (&state, &rules);
  for (guint i = 0; digits[i] != '\0'; i++) {
    PtVadChange change = pt_vad_state_push (&state, (float) (digits[i] - '0') / 10, 512);

    if (change == PT_VAD_BEGINS)
      g_string_append_printf (out, "+%u", (guint) (state.begun / 512));
    else if (change == PT_VAD_ENDS)
      g_string_append_printf (out, "-%u", (guint) (state.heard / 512));
  }
  return g_string_free (out, FALSE);
}

static void
test_vad_rules (void)
{
  static const struct {
    const char *digits, *want;
  } CASES[] = {
    { "0000000000000", "" },
    { "009999999990000", "+2-11" },
    /* Too short for a word. */
    { "0099900000099999999990000", "+11-21" },
    /* Between the thresholds speech goes on, but does not begin. */
    { "004444449444444449000000", "+8-18" },
    /* A gap of less than 100 ms is none. */
    { "0099999990009999999900000", "+2-20" },
    { "00999999999", "+2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autofree char *got = changes (CASES[i].digits);

    g_assert_cmpstr (got, ==, CASES[i].want);
  }
}

/* ---- FSMN: frames and no state ---- */

static void
hear_all (PtVad *vad, gboolean live, GArray *got)
{
  g_autofree char *path = data_path ("published/fsmn-vad", "audio0.flac");
  g_autoptr (PtAudioReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree float *window = g_new (float, pt_vad_window (vad));
  gssize n;

  reader = pt_audio_reader_open (path, RATE, NULL, &error);
  g_assert_no_error (error);
  g_array_set_size (got, 0);
  pt_vad_reset (vad, live);
  while ((n = pt_audio_reader_read (reader, window, pt_vad_window (vad), NULL, NULL)) > 0) {
    guint before = got->len;

    pt_vad_hear (vad, window, (guint) n, got, NULL, &error);
    g_assert_no_error (error);
    if (live)
      g_assert_cmpuint (got->len - before, <=, 25);
  }
  pt_vad_finish (vad, got, NULL, &error);
  g_assert_no_error (error);
}

static void
test_fsmn (void)
{
  g_autofree char *path = data_path ("published/fsmn-vad", "case.json");
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GArray) live = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  const json_t *want = json_object_get (json_object_get (root, "stream"), "probabilities");
  PtModule *module;
  PtVad *vad;
  guint same = 0;

  pt_init ();
  module = open_module ("published/fsmn-vad", "model.pte");
  vad = pt_vad_new (module, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_vad_rate (vad), ==, RATE);
  g_assert_cmpuint (pt_vad_step (vad), ==, 160);
  /* Twice: the second time starts from the initial state. */
  for (guint round = 0; round < 2; round++) {
    hear_all (vad, FALSE, got);
    g_assert_cmpuint (got->len, ==, json_array_size (want));
    for (guint i = 0; i < got->len; i++)
      g_assert_cmpfloat (fabs ((double) g_array_index (got, float, i) -
                               json_number_value (json_array_get (want, i))),
                         <, 1e-4);
  }
  /* Live, only the last two frames of each call lack the frames behind them. */
  hear_all (vad, TRUE, live);
  g_assert_cmpuint (live->len, ==, got->len);
  for (guint i = 0; i < live->len; i++)
    same += fabsf (g_array_index (got, float, i) - g_array_index (live, float, i)) < 1e-4f;
  g_assert_cmpuint (same * 10, >, live->len * 8);
  pt_vad_free (vad);
  pt_module_free (module);
}

/* The changes that frames of 10 ms with and without speech make. */
static void
test_fsmn_rules (void)
{
  static const struct {
    guint speech, gap, more;
    const char *want;
  } CASES[] = {
    { 25, 0, 0, "" },
    { 26, 0, 0, "+10-36" },
    { 20, 1, 20, "" },
    { 20, 1, 26, "+31-57" },
    { 30, 10, 5, "+10-55" },
    { 30, 11, 5, "+10-40" },
    { 30, 11, 26, "+10-40+51-77" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    PtVadRules rules = pt_vad_fsmn_rules ();
    g_autoptr (GString) out = g_string_new (NULL);
    guint parts[] = { 10, CASES[i].speech, CASES[i].gap, CASES[i].more, 20 };
    PtVadState state;

    pt_vad_state_init (&state, &rules);
    for (guint part = 0; part < G_N_ELEMENTS (parts); part++)
      for (guint k = 0; k < parts[part]; k++) {
        PtVadChange change = pt_vad_state_push (&state, part % 2 == 1 ? 0.9f : 0.5f, 160);

        if (change == PT_VAD_BEGINS)
          g_string_append_printf (out, "+%u", (guint) (state.begun / 160));
        else if (change == PT_VAD_ENDS)
          g_string_append_printf (out, "-%u", (guint) (state.heard / 160));
      }
    g_assert_cmpstr (out->str, ==, CASES[i].want);
  }
}

/* The gate gives the speech and removes the long silence. */
static void
test_fsmn_gate (void)
{
  g_autofree char *path = data_path ("published/fsmn-vad", "audio0.flac");

  pt_init ();
  for (guint live = 0; live < 2; live++) {
    g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, RATE, NULL, NULL);
    PtModule *module = open_module ("published/fsmn-vad", "model.pte");
    PtVad *vad = pt_vad_new (module, NULL);
    PtSilenceGate *gate = pt_silence_gate_new (reader, vad, live != 0, NULL);
    float given[1000];
    guint64 n = 0;
    gssize got;

    while ((got = pt_silence_gate_read (gate, given, 1000, NULL, NULL)) > 0)
      n += (guint64) got;
    g_assert_cmpint (got, ==, 0);
    g_assert_cmpuint (pt_silence_gate_n_read (gate), ==, 195200);
    /* Speech from 1.99 to 4.51 s and from 9.3 to 12 s, of 12.2 s. */
    g_assert_cmpuint (n, >, 7 * RATE);
    g_assert_cmpuint (n, <, 8 * RATE);
    g_assert_cmpuint (pt_silence_gate_origin (gate, 0, FALSE), >, RATE * 3 / 2);
    g_assert_cmpuint (pt_silence_gate_origin (gate, 0, FALSE), <, RATE * 19 / 10);
    pt_silence_gate_free (gate);
    pt_vad_free (vad);
    pt_module_free (module);
  }
}

/* All samples that the gate returns equal those of the recording. */
static void
test_gate (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = make_sound (folder, 30);
  g_autofree float *all = g_new (float, 30 * RATE), *given = g_new (float, 30 * RATE);
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, RATE, NULL, NULL);
  g_autoptr (PtVad) vad = NULL;
  g_autoptr (PtSilenceGate) gate = NULL;
  gssize n = 0, got;
  PtModule *module;

  pt_init ();
  module = open_module ("speech/vad", "model.pte");
  vad = pt_vad_new (module, NULL);
  g_assert_cmpint (pt_audio_reader_read (reader, all, 30 * RATE, NULL, NULL), ==, 30 * RATE);
  g_clear_pointer (&reader, pt_audio_reader_free);
  reader = pt_audio_reader_open (path, RATE, NULL, NULL);
  gate = pt_silence_gate_new (reader, vad, FALSE, NULL);
  while ((got = pt_silence_gate_read (gate, given + n, 1000, NULL, NULL)) > 0)
    n += got;
  g_assert_cmpint (got, ==, 0);
  g_assert_cmpuint (pt_silence_gate_n_read (gate), ==, 30 * RATE);
  for (gssize i = 0; i < n; i += 37)
    g_assert_true (given[i] == all[pt_silence_gate_origin (gate, (guint64) i, FALSE)]);
  for (gssize i = 1; i <= n; i += 37)
    g_assert_cmpuint (pt_silence_gate_origin (gate, (guint64) i, TRUE), <=,
                      pt_silence_gate_origin (gate, (guint64) i, FALSE));
  g_clear_pointer (&gate, pt_silence_gate_free);
  g_clear_pointer (&vad, pt_vad_free);
  pt_module_free (module);
  g_unlink (path);
  g_rmdir (folder);
}

/* ---- speakers ---- */

/* Turns of two to four voices, as a driver in Python over upstream's runtime found them. */
static void
test_diarizer (void)
{
  g_autofree char *path = data_path ("speech/diarizer", "audio0.flac");
  g_autofree char *turns_path = data_path ("speech/diarizer", "turns.json");
  g_autoptr (PtDiarizer) diarizer = NULL;
  g_autoptr (GError) error = NULL;
  json_t *root = json_load_file (turns_path, 0, NULL);
  json_t *want = json_object_get (root, "turns");
  const GArray *turns;
  PtModule *module;
  guint speaker;

  pt_init ();
  module = open_module ("speech/diarizer", "diarizer.pte");
  diarizer = pt_diarizer_new (module, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 2; round++) {
    pt_diarizer_open (diarizer, path, 0, NULL, &error);
    g_assert_no_error (error);
    turns = pt_diarizer_listen (diarizer, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (turns->len, ==, json_array_size (want));
    for (guint i = 0; i < turns->len; i++) {
      const PtTurn *turn = &g_array_index (turns, PtTurn, i);
      json_t *row = json_array_get (want, i);

      g_assert_cmpuint (turn->begin, ==, json_integer_value (json_array_get (row, 0)));
      g_assert_cmpuint (turn->end, ==, json_integer_value (json_array_get (row, 1)));
      g_assert_cmpuint (turn->speaker, ==, json_integer_value (json_array_get (row, 2)));
    }
  }
  /* Asked in the order of time, it gives the same names; it listens no further than it must. */
  g_assert_true (pt_diarizer_open (diarizer, path, 0, NULL, NULL));
  for (double t = 0; t < 30; t += 2) {
    pt_diarizer_find (diarizer, t + 0.2, t + 1.4, &speaker, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (speaker, <=, 4);
  }
  pt_diarizer_find (diarizer, 1000, 1001, &speaker, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (speaker, ==, 0);
  json_decref (root);
  g_clear_pointer (&diarizer, pt_diarizer_free);
  pt_module_free (module);
}

/* Both companions at once: every segment says who speaks, where anybody does. */
static void
test_companions (void)
{
  g_autofree char *path = data_path ("speech/diarizer", "audio0.flac");
  PtTranscribeResult result;
  PtModule *vad, *diarizer;
  g_autoptr (GError) error = NULL;
  Heard heard;
  Model model;

  open_model (&model, "speech/transducer", "speech/transducer", "tokenizer.model", FALSE);
  vad = open_module ("speech/vad", "model.pte");
  diarizer = open_module ("speech/diarizer", "diarizer.pte");
  heard_init (&heard);
  g_assert_true (pt_transcriber_use_vad (model.transcriber, vad, &error));
  g_assert_true (pt_transcriber_use_diarizer (model.transcriber, diarizer, &error));
  transcribe (&model, path, NULL, &heard, &result);
  g_assert_cmpfloat (fabs (result.stats.audio_s - 34), <, 0.1);
  g_assert_cmpuint (heard.n_segments, >, 0);
  g_assert_cmpuint (heard.n_labelled, >, 0);
  /* A program of another kind is refused with a sentence. */
  g_assert_false (pt_transcriber_use_vad (model.transcriber, diarizer, NULL));
  g_assert_false (pt_transcriber_use_diarizer (model.transcriber, vad, NULL));
  heard_clear (&heard);
  close_model (&model);
  pt_module_free (vad);
  pt_module_free (diarizer);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/speech/realtime/ids", test_realtime);
  g_test_add_func ("/speech/realtime/follow", test_follow);
  g_test_add_data_func ("/speech/realtime/long", NULL, test_long);
  g_test_add_data_func ("/speech/realtime/long-preprocessed", "", test_long);
  g_test_add_func ("/speech/transducer/ids", test_transducer);
  g_test_add_func ("/speech/transducer/long", test_transducer_long);
  g_test_add_func ("/speech/vad/probabilities", test_vad);
  g_test_add_func ("/speech/vad/rules", test_vad_rules);
  g_test_add_func ("/speech/vad/fsmn", test_fsmn);
  g_test_add_func ("/speech/vad/fsmn-rules", test_fsmn_rules);
  g_test_add_func ("/speech/vad/fsmn-gate", test_fsmn_gate);
  g_test_add_func ("/speech/gate", test_gate);
  g_test_add_func ("/speech/diarizer", test_diarizer);
  g_test_add_func ("/speech/companions", test_companions);
  return g_test_run ();
}
