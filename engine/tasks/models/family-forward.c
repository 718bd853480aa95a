/* SPDX-License-Identifier: BSD-3-Clause */

/* Tells the family of a program with methods called "forward…", by what they take and return. */

#include <string.h>

#include "engine/tasks/models/family-private.h"
#include "engine/tasks/models/plan-shapes.h"

/* Most bands of a spectrogram: usually 80 or 128, at most 201. Wider inputs are encoded sound. */
#define MAX_BANDS 201
/* Samples of a frame of FSMN's detector, and columns of the spectrum that older encoders take. */
#define FSMN_FRAME 512
#define STFT_COLUMNS 256
/* Vectors have more numbers than classifiers of texts have classes. */
#define MIN_VECTOR 32
/* A vocabulary has more tokens than vectors have numbers. */
#define MIN_VOCABULARY 4097
/* Channels of the latent picture of a diffusion model; its decoder makes 8 by 8 pixels of one. */
#define LATENTS 4
#define LATENT_PIXELS (8 * 8 * 3)

const PtPlan *
pt_family_forward (const PtProgram *program)
{
  const PtPlan *found = pt_program_find_plan (program, "forward");

  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    if (!pt_plan_computes (plan))
      continue;
    if (!g_str_has_prefix (plan->name, "forward"))
      return pt_program_find_plan (program, "forward");
    if (found == NULL)
      found = plan;
  }
  return found;
}

/* ---- text ---- */

static gboolean
is_mask (const PtTensorSpec *mask, const PtTensorSpec *ids)
{
  return mask != NULL && pt_spec_is_alike (mask, ids) &&
         (pt_spec_is_index (mask, 2) || mask->dtype == PT_DTYPE_BOOL);
}

/* Whether the method has a table with a row for each of @n tokens; @other: set, if one with another
 * number of rows. */
static gboolean
has_table (const PtPlan *plan, gint32 n, gboolean *other)
{
  *other = FALSE;
  for (guint i = 0; i < plan->n_values; i++) {
    const PtTensorSpec *table =
        plan->values[i].kind == PT_VALUE_TENSOR ? plan->values[i].as_tensor : NULL;

    if (table == NULL || table->rank != 2 ||
        (table->storage != PT_STORAGE_CONSTANT && table->storage != PT_STORAGE_EXTERNAL_CONSTANT))
      continue;
    if (table->sizes[0] == n)
      return TRUE;
    *other = TRUE;
  }
  return FALSE;
}

/* A row for each token: of a vocabulary, of classes, or a vector. */
static PtFamily
family_of_rows (const PtProgram *program, const PtPlan *plan)
{
  static const PtFamilyHint HINTS[] = {
    { PT_FAMILY_TEXT_TO_IMAGE, PT_CAN_GENERATE_IMAGE, "text_encoder" },
    { PT_FAMILY_TOKEN_EMBEDDING, PT_CAN_EMBED_TEXT, "colbert" },
    { PT_FAMILY_TOKEN_CLASSIFIER, PT_CAN_CLASSIFY, "privacy" },
    { PT_FAMILY_TOKEN_CLASSIFIER, 0, "ner" },
    { PT_FAMILY_TOKEN_CLASSIFIER, 0, "pii" },
    { PT_FAMILY_TOKEN_EMBEDDING, 0, "embedding" },
    { PT_FAMILY_MASKED_LM, 0, "mlm" },
    { PT_FAMILY_MASKED_LM, 0, "masked" },
    { PT_FAMILY_MASKED_LM, 0, "bert" },
  };
  const PtTensorSpec *rows = pt_plan_output (plan, 0);
  gint32 width = rows->sizes[2];
  gboolean other;
  PtFamily family;

  if (has_table (plan, width, &other))
    return PT_FAMILY_MASKED_LM;
  family = pt_family_hint (program, HINTS, G_N_ELEMENTS (HINTS));
  if (family != PT_FAMILY_UNKNOWN)
    return family;
  if (!other || width >= MIN_VOCABULARY)
    return PT_FAMILY_MASKED_LM;
  /* Labels are "outside", and begin, inside, end and single for each kind. */
  if (width < MIN_VECTOR || width % 4 == 1)
    return PT_FAMILY_TOKEN_CLASSIFIER;
  return PT_FAMILY_TOKEN_EMBEDDING;
}

static PtFamily
family_of_vector (const PtProgram *program, gint32 width)
{
  static const PtFamilyHint HINTS[] = {
    { PT_FAMILY_TEXT_EMBEDDING, PT_CAN_EMBED_TEXT, "embedding" },
    { PT_FAMILY_TEXT_EMBEDDING, 0, "minilm" },
    { PT_FAMILY_TEXT_EMBEDDING, 0, "mpnet" },
    { PT_FAMILY_TEXT_EMBEDDING, 0, "distiluse" },
    { PT_FAMILY_TEXT_EMBEDDING, 0, "clip" },
    { PT_FAMILY_TEXT_CLASSIFIER, PT_CAN_CLASSIFY, "classifier" },
    { PT_FAMILY_TEXT_CLASSIFIER, 0, "sentiment" },
  };
  PtFamily family = pt_family_hint (program, HINTS, G_N_ELEMENTS (HINTS));

  if (family != PT_FAMILY_UNKNOWN)
    return family;
  return width >= MIN_VECTOR ? PT_FAMILY_TEXT_EMBEDDING : PT_FAMILY_TEXT_CLASSIFIER;
}

static PtFamily
family_of_masked_text (const PtProgram *program, const PtPlan *plan)
{
  const PtTensorSpec *ids = pt_plan_input (plan, 0), *out = pt_plan_output (plan, 0);

  if (plan->n_inputs != 2 || plan->n_outputs != 1 || !pt_spec_is_index (ids, 2) ||
      !is_mask (pt_plan_input (plan, 1), ids))
    return PT_FAMILY_UNKNOWN;
  if (pt_spec_is_real (out, 2) && out->sizes[0] == ids->sizes[0])
    return family_of_vector (program, out->sizes[1]);
  if (!pt_spec_is_real (out, 3))
    return PT_FAMILY_UNKNOWN;
  return out->sizes[1] == 1 && ids->sizes[1] > 1 ? family_of_vector (program, out->sizes[2])
                                                 : family_of_rows (program, plan);
}

/* ---- sound ---- */

static gboolean
is_dynamic (const PtTensorSpec *tensor)
{
  return tensor->dynamism == PT_DYNAMISM_BOUND;
}

static gboolean
is_preprocessor (const PtPlan *plan)
{
  const PtTensorSpec *sound = pt_plan_input (plan, 0), *mel = pt_plan_output (plan, 0);

  return plan->n_inputs == 1 && plan->n_outputs == 1 && pt_spec_is_real (sound, 1) &&
         is_dynamic (sound) && pt_spec_is_real (mel, 3) && mel->sizes[1] <= MAX_BANDS;
}

/* A detector of voice takes samples and a state, and returns a probability and the next state. */
static gboolean
is_vad (const PtPlan *plan)
{
  const PtTensorSpec *state = pt_plan_input (plan, 1), *next = pt_plan_output (plan, 1);

  return plan->n_inputs == 2 && plan->n_outputs == 2 &&
         pt_spec_is_real (pt_plan_input (plan, 0), 2) && pt_spec_is_real (state, 3) &&
         pt_spec_is_real (next, 3) && pt_plan_output (plan, 0) != NULL &&
         pt_plan_output (plan, 0)->numel == 1 && state->numel == next->numel;
}

/* FSMN's takes frames of samples, any number of them, and returns probabilities for each. */
static gboolean
is_fsmn (const PtPlan *plan)
{
  const PtTensorSpec *frames = pt_plan_input (plan, 0), *out = pt_plan_output (plan, 0);

  return plan->n_inputs == 1 && plan->n_outputs == 1 && pt_spec_is_real (frames, 2) &&
         frames->sizes[1] == FSMN_FRAME && pt_spec_is_real (out, 3) &&
         out->sizes[1] == frames->sizes[0];
}

/* An encoder of sound: samples or a spectrum to frames of embeddings. */
static gboolean
is_sound_encoder (const PtPlan *plan)
{
  const PtTensorSpec *sound = pt_plan_input (plan, 0), *frames = pt_plan_output (plan, 0);

  if (plan->n_inputs != 1 || plan->n_outputs != 1 || frames == NULL ||
      (!pt_spec_is_real (frames, 3) && !pt_spec_is_real (frames, 2)))
    return FALSE;
  if (pt_spec_is_real (sound, 2) && sound->sizes[1] == STFT_COLUMNS)
    return TRUE;
  return pt_spec_is_real (frames, 3) &&
         (pt_spec_is_real (sound, 1) ||
          (pt_spec_is_real (sound, 2) && sound->sizes[0] == 1 && is_dynamic (sound)));
}

/* Its decoder: token ids and these embeddings to logits, or to the next id. */
static gboolean
is_sound_decoder (const PtPlan *plan)
{
  const PtTensorSpec *sound = pt_plan_input (plan, 1), *out = pt_plan_output (plan, 0);

  return plan->n_inputs == 2 && pt_spec_is_index (pt_plan_input (plan, 0), 2) &&
         (pt_spec_is_real (sound, 3) || pt_spec_is_real (sound, 2)) &&
         (pt_spec_is_real (out, 3) || (out != NULL && pt_spec_is_index (out, out->rank)));
}

/* Moonshine's decoder has a second method, which is the one that is called. */
static gboolean
has_sound_decoder (const PtProgram *program, const PtPlan *plan)
{
  const PtPlan *cached = pt_program_find_plan (program, "forward_cached");

  return is_sound_decoder (plan) || (cached != NULL && is_sound_decoder (cached));
}

/* ---- speech from text ---- */

/* Both programs of Kokoro take token ids and a mask of bools first. */
static gboolean
is_kokoro (const PtPlan *plan)
{
  const PtTensorSpec *ids = pt_plan_input (plan, 0), *mask = pt_plan_input (plan, 1);

  if (!pt_spec_is_index (ids, 2) || mask == NULL || mask->dtype != PT_DTYPE_BOOL ||
      !pt_spec_is_alike (mask, ids))
    return FALSE;
  if (plan->n_inputs == 4)
    return plan->n_outputs == 2 && pt_spec_is_real (pt_plan_input (plan, 2), 2) &&
           pt_plan_input (plan, 3) != NULL && pt_plan_input (plan, 3)->numel == 1 &&
           pt_spec_is_real (pt_plan_output (plan, 1), 3);
  return plan->n_inputs == 5 && pt_spec_is_index (pt_plan_input (plan, 2), 1) &&
         pt_spec_is_real (pt_plan_input (plan, 3), 3) &&
         pt_spec_is_real (pt_plan_input (plan, 4), 2);
}

/* ---- pictures from text ---- */

static gboolean
is_unet (const PtPlan *plan)
{
  const PtTensorSpec *latents = pt_plan_input (plan, 0), *out = pt_plan_output (plan, 0);

  return plan->n_inputs == 3 && plan->n_outputs == 1 && pt_spec_is_real (latents, 4) &&
         latents->sizes[1] == LATENTS && pt_spec_is_real (pt_plan_input (plan, 2), 3) &&
         pt_spec_is_real (out, 4) && pt_spec_is_alike (latents, out);
}

static gboolean
is_vae (const PtPlan *plan)
{
  const PtTensorSpec *latents = pt_plan_input (plan, 0), *pixels = pt_plan_output (plan, 0);

  return plan->n_inputs == 1 && plan->n_outputs == 1 && pt_spec_is_real (latents, 4) &&
         latents->sizes[1] == LATENTS && pixels != NULL &&
         pixels->numel / LATENT_PIXELS == latents->numel / LATENTS;
}

/* ---- families ---- */

PtFamily
pt_family_of_forward (const PtProgram *program, const PtPlan *plan)
{
  PtFamily family = family_of_masked_text (program, plan);

  if (family != PT_FAMILY_UNKNOWN)
    return family;
  if (is_preprocessor (plan))
    return PT_FAMILY_PREPROCESSOR;
  if (is_vad (plan))
    return PT_FAMILY_VAD;
  if (is_fsmn (plan))
    return PT_FAMILY_FSMN_VAD;
  if (is_kokoro (plan))
    return PT_FAMILY_KOKORO;
  if (is_sound_encoder (plan) || has_sound_decoder (program, plan))
    return PT_FAMILY_SPLIT_WHISPER;
  if (is_unet (plan) || is_vae (plan))
    return PT_FAMILY_TEXT_TO_IMAGE;
  return pt_family_of_pictures (program, plan);
}

const char *
pt_family_role (const PtProgram *program, PtFamily family)
{
  const PtPlan *plan = pt_family_forward (program);

  switch (family) {
  case PT_FAMILY_SPLIT_WHISPER:
    return plan != NULL && has_sound_decoder (program, plan) ? "decoder" : "encoder";
  case PT_FAMILY_KOKORO:
    return plan != NULL && plan->n_inputs == 5 ? "synthesizer" : "duration_predictor";
  case PT_FAMILY_TEXT_TO_IMAGE:
    return plan != NULL && is_unet (plan)  ? "unet"
           : plan != NULL && is_vae (plan) ? "vae"
                                           : "text_encoder";
  case PT_FAMILY_VOXTRAL_TTS: {
    g_autofree char *name = g_path_get_basename (pt_program_path (program));

    return strstr (name, "codec") != NULL ? "codec_decoder" : "model";
  }
  case PT_FAMILY_TEXT_EMBEDDING: return "text";
  case PT_FAMILY_IMAGE_EMBEDDING: return "image";
  case PT_FAMILY_TEXT_DETECTOR: return "detector";
  case PT_FAMILY_TEXT_RECOGNIZER: return "recognizer";
  default: return NULL;
  }
}
