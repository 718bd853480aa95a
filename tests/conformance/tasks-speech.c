/* SPDX-License-Identifier: BSD-3-Clause */

/* Speech: what PtTranscriber writes down, and what says where somebody speaks. */

#include "tests/conformance/tasks.h"

#include <math.h>
#include <string.h>
#include <pteris/speech.h>

#include "engine/tasks/speech/transcribe-job.h"
#include "engine/tasks/speech/vad.h"
#include "engine/tasks/speech/whisper-features.h"
#include "engine/tasks/speech/whisper-model.h"

#define RATE 16000
#define MAX_SECONDS 600

static void
take_token (gint32 id, gpointer user_data)
{
  g_array_append_val ((GArray *) user_data, id);
}

static void
ignore_segment (const PtSegment *segment, gpointer user_data)
{
}

static const json_t *
generate_of (const TaskCase *c)
{
  return json_object_get (c->root, "generate");
}

static char *
sound_of (const TaskCase *c)
{
  const json_t *audio = json_object_get (generate_of (c), "audio");

  return task_path (c, audio != NULL ? audio : json_object_get (c->root, "audio"));
}

/* The recording through the task, with the preprocessor of the case where it has one. */
static gboolean
run (TaskCase *c, GArray *ids)
{
  PtTranscribeOptions options = { .token = take_token };
  g_autofree char *path = sound_of (c);
  g_autofree char *preprocessor = task_path (c, json_object_get (c->root, "preprocessor"));
  g_autoptr (PtModule) helper = NULL;
  g_autoptr (PtTranscriber) transcriber = NULL;
  g_autoptr (GError) error = NULL;
  PtTranscribeResult result;

  if (preprocessor != NULL)
    helper = pt_module_open (preprocessor, NULL, NULL, &error);
  if (error == NULL)
    transcriber = pt_transcriber_new (c->module, c->tokenizer, helper, &error);
  if (transcriber != NULL && path != NULL)
    pt_transcriber_run (transcriber, &options, path, ignore_segment, NULL, ids, NULL, &result,
                        &error);
  if (path == NULL)
    return task_fail (c, "there is no recording");
  return error == NULL || task_fail (c, "%s", error->message);
}

static gboolean
compare (TaskCase *c, const GArray *ids)
{
  return task_same_ids (c, "ids", ids, json_object_get (generate_of (c), "generated_ids"));
}

/* Steps behind the last sound: the task takes as many as the delay, the case may have others. */
static gboolean
compare_realtime (TaskCase *c, GArray *ids)
{
  const json_t *generate = generate_of (c);
  json_t *want = json_copy (json_object_get (generate, "generated_ids"));
  json_int_t frames = json_integer_value (json_object_get (generate, "audio_frames"));
  gboolean same;

  for (gsize n = json_array_size (want); frames > 0 && n > ids->len && n > (gsize) frames; n--)
    json_array_remove (want, n - 1);
  if (frames > 0 && ids->len > json_array_size (want))
    g_array_set_size (ids, (guint) json_array_size (want));
  same = task_same_ids (c, "ids", ids, want);
  json_decref (want);
  return same;
}

gboolean
task_realtime (TaskCase *c)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  return run (c, ids) && compare_realtime (c, ids);
}

gboolean
task_transducer (TaskCase *c)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  return run (c, ids) && compare (c, ids);
}

/* ---- Whisper ---- */

/* The steps without Whisper's rules, which would suppress the tokens that random weights choose. */

static float *
read_sound (TaskCase *c, gsize *n)
{
  g_autofree char *path = sound_of (c);
  const json_t *audio = json_object_get (c->root, "audio");
  g_autofree char *other = task_path (c, json_object_get (audio, "file"));
  g_autoptr (GError) error = NULL;
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path != NULL    ? path
                                                           : other != NULL ? other
                                                                           : "",
                                                           RATE, NULL, &error);
  g_autofree float *samples = g_new (float, MAX_SECONDS *RATE);
  gssize got = reader != NULL
                   ? pt_audio_reader_read (reader, samples, MAX_SECONDS * RATE, NULL, &error)
                   : -1;

  *n = got > 0 ? (gsize) got : 0;
  if (got < 0)
    task_fail (c, "%s", error->message);
  return got >= 0 ? g_steal_pointer (&samples) : NULL;
}

static gint32
most_probable (PtWhisperModel *model)
{
  const float *logits = pt_whisper_model_logits (model);
  gint32 best = 0;

  if (pt_whisper_model_layout (model)->chooses_ids)
    return pt_whisper_model_chosen (model);
  for (guint i = 1; i < pt_whisper_model_n_ids (model); i++)
    best = logits[i] > logits[best] ? (gint32) i : best;
  return best;
}

static gboolean
greedy (TaskCase *c, PtWhisperModel *model, GArray *ids, GError **error)
{
  const json_t *generate = generate_of (c);
  g_autoptr (GArray) prompt = task_ids (json_object_get (generate, "prompt_ids"));
  gsize n = json_array_size (json_object_get (generate, "generated_ids"));
  const gint32 *next = (const gint32 *) (gpointer) prompt->data;
  guint count = prompt->len, position = 0;

  while (ids->len < n) {
    gint32 id;

    if (!pt_whisper_model_feed (model, next, count, position, NULL, error))
      return FALSE;
    id = most_probable (model);
    g_array_append_val (ids, id);
    position += count;
    next = &g_array_index (ids, gint32, ids->len - 1);
    count = 1;
  }
  return TRUE;
}

gboolean
task_whisper (TaskCase *c)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GError) error = NULL;
  const char *part = pt_model_set_part (c->set, "decoder");
  g_autoptr (PtModule) decoder = part != NULL ? pt_module_open (part, NULL, NULL, &error) : NULL;
  g_autoptr (PtWhisperModel) model =
      error == NULL ? pt_whisper_model_new (c->module, decoder, &error) : NULL;
  g_autoptr (PtWhisperFeatures) features = NULL;
  g_autofree float *samples = NULL;
  const PtWhisperInput *input;
  const float *values;
  gsize n, n_values;

  if (model == NULL)
    return task_fail (c, "%s", error->message);
  input = &pt_whisper_model_layout (model)->input;
  features = pt_whisper_features_new (input, NULL, &error);
  samples = read_sound (c, &n);
  if (samples == NULL)
    return FALSE;
  values = pt_whisper_features_compute (features, samples, MIN (n, input->n_samples), &n_values,
                                        NULL, &error);
  if (values == NULL || !pt_whisper_model_encode (model, values, n_values, NULL, &error) ||
      !greedy (c, model, ids, &error))
    return task_fail (c, "%s", error->message);
  return compare (c, ids);
}

/* ---- silence ---- */

gboolean
task_vad (TaskCase *c)
{
  const json_t *want = json_object_get (json_object_get (c->root, "stream"), "probabilities");
  const json_t *tolerance = json_object_get (c->root, "tolerance");
  double atol = json_number_value (json_object_get (tolerance, "atol"));
  double rtol = json_number_value (json_object_get (tolerance, "rtol"));
  g_autoptr (GError) error = NULL;
  g_autoptr (PtVad) vad = pt_vad_new (c->module, &error);
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (float));
  g_autofree float *samples = NULL;
  gsize n, window;

  if (vad == NULL)
    return task_fail (c, "%s", error->message);
  samples = read_sound (c, &n);
  if (samples == NULL)
    return FALSE;
  window = pt_vad_window (vad);
  pt_vad_reset (vad, FALSE);
  for (gsize i = 0; i < n; i += window)
    if (!pt_vad_hear (vad, samples + i, (guint) MIN (window, n - i), got, NULL, &error))
      return task_fail (c, "%s", error->message);
  if (!pt_vad_finish (vad, got, NULL, &error))
    return task_fail (c, "%s", error->message);
  for (gsize i = 0; i < json_array_size (want); i++) {
    double wanted = json_number_value (json_array_get (want, i));
    double value;

    if (i >= got->len)
      return task_fail (c, "the recording is too short");
    value = (double) g_array_index (got, float, i);
    if (fabs (value - wanted) > atol + rtol * fabs (wanted))
      return task_fail (c, "step %" G_GSIZE_FORMAT ": %g and not %g", i, value, wanted);
  }
  return TRUE;
}
