/* SPDX-License-Identifier: BSD-3-Clause */

/* Tells the family of a program by its methods. */

#include <string.h>

#include "engine/tasks/models/family-private.h"
#include "engine/tasks/models/plan-shapes.h"

/* A message lists at most this many methods. */
#define MAX_NAMED 6

static gboolean
has (const PtProgram *program, const char *name)
{
  return pt_program_find_plan (program, name) != NULL;
}

gboolean
pt_plan_computes (const PtPlan *plan)
{
  return plan->n_inputs > 0;
}

/* Whether @plan returns logits or, if it takes a temperature, the token that it chose. */
static gboolean
gives_answer (const PtPlan *plan)
{
  const PtTensorSpec *answer = pt_plan_output (plan, 0), *temperature = pt_plan_input (plan, 2);

  if (plan->n_outputs != 1 || answer == NULL)
    return FALSE;
  if (plan->n_inputs < 3)
    return pt_spec_is_real (answer, 2) || pt_spec_is_real (answer, 3);
  return answer->numel == 1 && temperature != NULL && temperature->dtype == PT_DTYPE_F32 &&
         temperature->numel == 1;
}

gboolean
pt_plan_reads_ids (const PtPlan *plan)
{
  return plan->n_inputs >= 1 && plan->n_inputs <= 3 && gives_answer (plan) &&
         pt_spec_is_index (pt_plan_input (plan, 0), 2) && pt_plan_input (plan, 0)->sizes[0] == 1 &&
         (plan->n_inputs == 1 || pt_spec_is_index (pt_plan_input (plan, 1), 1));
}

/* ---- families ---- */

/* Whether the metadata describe a text model: classifiers of text take ids as well, but say neither
 * how many tokens they hold nor how many they know. */
static gboolean
describes_text_model (const PtProgram *program)
{
  static const char *const NAMES[] = { "get_max_seq_len", "get_max_context_len", "get_vocab_size",
                                       "use_kv_cache" };

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (has (program, NAMES[i]))
      return TRUE;
  return FALSE;
}

/* A text model has one method for everything, or one for the prompt and one for the steps, or
 * several that all read ids (LoRA). */
static gboolean
is_text_llm (const PtProgram *program)
{
  static const char *const NAMES[] = { "forward", "prefill", "decode" };
  guint n = 0, n_alike = 0;

  if (!describes_text_model (program))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (has (program, NAMES[i]))
      return pt_plan_reads_ids (pt_program_find_plan (program, NAMES[i]));
  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    n += pt_plan_computes (plan);
    n_alike += pt_plan_reads_ids (plan);
  }
  return n > 0 && n_alike == n;
}

/*
 * Exports of react-native-executorch's LFM2-VL have the methods of other models that see, and no
 * metadata of pictures: theirs are scaled within the program.
 */
static gboolean
is_lfm2_vl (const PtProgram *program)
{
  static const char *const OTHERS[] = { "vision_token_id", "modality", "image_mean", "do_rescale",
                                        "image_seq_length" };
  const PtTensorSpec *positions = pt_plan_input (pt_program_find_plan (program, "text_decoder"), 1);

  for (gsize i = 0; i < G_N_ELEMENTS (OTHERS); i++)
    if (has (program, OTHERS[i]))
      return FALSE;
  return has (program, "get_eos_ids") && has (program, "enable_dynamic_shape") &&
         pt_spec_is_index (positions, 1) && positions->sizes[0] > 1;
}

/* The family of a program with a decoder of embeddings, by the methods that make these. */
static PtFamily
family_of_embeddings (const PtProgram *program)
{
  gboolean embeds = has (program, "token_embedding");

  if (!has (program, "text_decoder"))
    return PT_FAMILY_UNKNOWN;
  if (embeds && has (program, "encode_audio_chunk"))
    return PT_FAMILY_VOXTRAL_REALTIME;
  if (embeds && pt_program_find_plan (program, "token_embedding")->n_outputs == 2 &&
      pt_program_find_plan (program, "text_decoder")->n_inputs == 3)
    return PT_FAMILY_GEMMA4_LAYERS;
  if (embeds && has (program, "audio_encoder"))
    return has (program, "delay_tokens") && has (program, "num_mel_bins") &&
                   has (program, "downsample_factor")
               ? PT_FAMILY_VOXTRAL_REALTIME
               : PT_FAMILY_AUDIO_CHAT;
  if (embeds && has (program, "vision_encoder"))
    return is_lfm2_vl (program) ? PT_FAMILY_LFM2_VL : PT_FAMILY_VISION_CHAT;
  if (embeds)
    return PT_FAMILY_UNKNOWN;
  return pt_program_find_plan (program, "text_decoder")->n_inputs == 3 &&
                 (has (program, "audio_encoder") || has (program, "vision_encoder") ||
                  has (program, "speech_transform"))
             ? PT_FAMILY_GEMMA4
             : PT_FAMILY_UNKNOWN;
}

/* The family of a program with an encoder: Whisper encodes a spectrogram, T5 encodes ids. */
static PtFamily
family_of_encoder (const PtProgram *program)
{
  const PtPlan *encoder = pt_program_find_plan (program, "encoder");

  if (encoder == NULL || has (program, "token_embedding"))
    return PT_FAMILY_UNKNOWN;
  if (has (program, "decoder_step") && has (program, "joint"))
    return PT_FAMILY_TRANSDUCER;
  if (!has (program, "text_decoder") && !has (program, "decoder"))
    return PT_FAMILY_UNKNOWN;
  if (pt_spec_is_index (pt_plan_input (encoder, 0), 2))
    return PT_FAMILY_TEXT_TO_TEXT;
  return pt_spec_is_real (pt_plan_input (encoder, 0), 3) ? PT_FAMILY_WHISPER : PT_FAMILY_UNKNOWN;
}

/* Whisper with an encoder of samples; its decoder takes a token, its position and the sound. */
static gboolean
is_whisper_of_samples (const PtProgram *program)
{
  const PtPlan *encode = pt_program_find_plan (program, "encode");
  const PtPlan *decode = pt_program_find_plan (program, "decode");

  return encode != NULL && decode != NULL && encode->n_inputs == 1 &&
         (pt_spec_is_real (pt_plan_input (encode, 0), 1) ||
          pt_spec_is_real (pt_plan_input (encode, 0), 2)) &&
         decode->n_inputs >= 2 && pt_spec_is_index (pt_plan_input (decode, 0), 2);
}

/* The family of a program whose methods have unknown names, by the names of its files. */
static PtFamily
family_of_names (const PtProgram *program)
{
  static const PtFamilyHint SPEAKS[] = { { PT_FAMILY_VOXTRAL_TTS, PT_CAN_SPEAK, "tts" } };
  static const PtFamilyHint VOXTRAL[] = { { PT_FAMILY_VOXTRAL_TTS, 0, "voxtral" } };

  return pt_family_hint (program, SPEAKS, 1) != PT_FAMILY_UNKNOWN
             ? pt_family_hint (program, VOXTRAL, 1)
             : PT_FAMILY_UNKNOWN;
}

PtFamily
pt_family_recognise (const PtProgram *program)
{
  const PtPlan *forward = pt_family_forward (program);
  PtFamily family = family_of_embeddings (program);

  if (family == PT_FAMILY_UNKNOWN)
    family = family_of_encoder (program);
  if (family != PT_FAMILY_UNKNOWN)
    return family;
  if (has (program, "preprocessor") && has (program, "pre_encode") && has (program, "encode"))
    return PT_FAMILY_DIARIZER;
  if (is_whisper_of_samples (program))
    return PT_FAMILY_WHISPER_SAMPLES;
  if (has (program, "embed_text") && has (program, "forward_from_embeddings"))
    return PT_FAMILY_MUSE;
  if (is_text_llm (program))
    return PT_FAMILY_TEXT_LLM;
  if (forward != NULL)
    family = pt_family_of_forward (program, forward);
  return family != PT_FAMILY_UNKNOWN ? family : family_of_names (program);
}

/* ---- why a program is of no family ---- */

static char *
name_methods (const PtProgram *program)
{
  GString *names = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    if (!pt_plan_computes (plan))
      continue;
    if (n < MAX_NAMED)
      g_string_append_printf (names, "%s“%.60s”", n > 0 ? ", " : "", plan->name);
    n++;
  }
  if (n > MAX_NAMED)
    g_string_append (names, " and more");
  return g_string_free (names, FALSE);
}

/* Says why @plan, which takes ids, is not the method of a text model. */
static char *
explain_ids (const PtProgram *program, const PtPlan *plan)
{
  if (plan->n_inputs > 3)
    return g_strdup_printf ("Its method “%.60s” takes %u inputs, such as caches and masks; only "
                            "tokens and positions are supported.",
                            plan->name, plan->n_inputs);
  if (plan->n_outputs != 1)
    return g_strdup_printf ("Its method “%.60s” returns %u values instead of logits only.",
                            plan->name, plan->n_outputs);
  if (pt_plan_reads_ids (plan) && !describes_text_model (program))
    return g_strdup (
        "It takes token ids, but lacks the metadata of a text model, such as “get_max_seq_len”.");
  return g_strdup_printf ("Its method “%.60s” takes token ids, but not as a text model does.",
                          plan->name);
}

static char *
explain_picture (const PtTensorSpec *pixels)
{
  if (!pt_spec_is_real (pixels, 4))
    return g_strdup_printf ("It seems to take images, but as %s instead of floating-point numbers.",
                            pt_dtype_name (pixels->dtype));
  return g_strdup ("It seems to take images, but does not return classes [1, n].");
}

char *
pt_family_explain (const PtProgram *program)
{
  const PtPlan *plan = pt_program_find_plan (program, "forward");
  g_autofree char *names = name_methods (program);

  if (*names == '\0')
    return g_strdup ("It has no method that computes anything, only metadata.");
  for (guint i = 0; plan == NULL && i < pt_program_n_plans (program); i++)
    if (pt_spec_is_index (pt_plan_input (pt_program_plan (program, i), 0), 2))
      plan = pt_program_plan (program, i);
  if (plan != NULL && pt_spec_is_index (pt_plan_input (plan, 0), 2))
    return explain_ids (program, plan);
  if (plan != NULL && plan->n_inputs == 1 && pt_plan_input (plan, 0) != NULL &&
      pt_plan_input (plan, 0)->rank == 4)
    return explain_picture (pt_plan_input (plan, 0));
  return g_strdup_printf ("Its methods (%s) match no kind of model that Pteris supports.", names);
}
