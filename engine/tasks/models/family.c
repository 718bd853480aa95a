/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/family.h"

#include <string.h>

#include "engine/base/set-error.h"

static const PtFamilyInfo FAMILIES[PT_N_FAMILIES] = {
  [PT_FAMILY_UNKNOWN] = { "program", "program", PT_TASK_PROGRAM, FALSE, 0, 0, NULL },
  [PT_FAMILY_TEXT_LLM] = { "text-llm", "text model", PT_TASK_CHAT, FALSE, PT_MODEL_TOKENIZER, 0,
                           NULL },
  [PT_FAMILY_VISION_CHAT] = { "vision-chat", "vision language model", PT_TASK_CHAT, FALSE,
                              PT_MODEL_TOKENIZER, PT_MODEL_IMAGES, NULL },
  [PT_FAMILY_AUDIO_CHAT] = { "audio-chat", "audio language model", PT_TASK_CHAT, TRUE,
                             PT_MODEL_TOKENIZER, PT_MODEL_AUDIO, NULL },
  [PT_FAMILY_GEMMA4] = { "gemma4", "Gemma 4", PT_TASK_CHAT, FALSE, PT_MODEL_TOKENIZER,
                         PT_MODEL_IMAGES | PT_MODEL_AUDIO, NULL },
  [PT_FAMILY_MUSE] = { "muse", "Muse-Glimmer", PT_TASK_PROGRAM, FALSE, 0, 0,
                       "It takes embeddings as Muse-Glimmer does, which Pteris does not support." },
  [PT_FAMILY_WHISPER] = { "whisper", "Whisper", PT_TASK_TRANSCRIBE, FALSE, PT_MODEL_TOKENIZER, 0,
                          NULL },
  [PT_FAMILY_TEXT_TO_TEXT] = { "text-to-text", "encoder-decoder language model", PT_TASK_PROGRAM,
                               FALSE, 0, 0,
                               "It turns one text into another, as T5 does, which Pteris does not "
                               "support." },
  [PT_FAMILY_VOXTRAL_REALTIME] = { "voxtral-realtime", "Voxtral Realtime", PT_TASK_TRANSCRIBE,
                                   FALSE, PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_TRANSDUCER] = { "transducer", "transducer", PT_TASK_TRANSCRIBE, FALSE,
                             PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_DIARIZER] = { "diarizer", "speaker diarizer", PT_TASK_COMPANION, FALSE, 0, 0, NULL },
  [PT_FAMILY_VAD] = { "vad", "voice activity detector", PT_TASK_COMPANION, FALSE, 0, 0, NULL },
  [PT_FAMILY_CLASSIFIER] = { "classifier", "image classifier", PT_TASK_CLASSIFY, FALSE, 0, 0,
                             NULL },
  [PT_FAMILY_MASKED_LM] = { "masked-lm", "masked language model", PT_TASK_PROGRAM, FALSE, 0, 0,
                            NULL },
  [PT_FAMILY_PREPROCESSOR] = { "preprocessor", "audio preprocessor", PT_TASK_COMPANION, FALSE, 0, 0,
                               NULL },
};

/* A message lists at most this many methods. */
#define MAX_NAMED 6
/* The channels of a picture: red, green and blue. */
#define COLOURS 3

const PtFamilyInfo *
pt_family_info (PtFamily family)
{
  return &FAMILIES[family];
}

gboolean
pt_family_find (const char *id, PtFamily *out, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < PT_N_FAMILIES; i++) {
    if (strcmp (FAMILIES[i].id, id) == 0) {
      *out = (PtFamily) i;
      return TRUE;
    }
    g_string_append_printf (all, "%s%s",
                            i == 0                   ? ""
                            : i + 1 == PT_N_FAMILIES ? " and "
                                                     : ", ",
                            FAMILIES[i].id);
  }
  return pt_fail (error, PT_ERROR_ARGUMENT, "“%s” is not a model family. Use one of %s.", id,
                  all->str);
}

const char *
pt_model_task_name (PtModelTask task)
{
  static const char *const names[] = {
    [PT_TASK_PROGRAM] = "program",       [PT_TASK_CHAT] = "chat",
    [PT_TASK_TRANSCRIBE] = "transcribe", [PT_TASK_CLASSIFY] = "classify",
    [PT_TASK_COMPANION] = "companion",
  };

  return names[task];
}

const PtFamilyChoice *
pt_library_families (guint *n)
{
  static PtFamilyChoice choices[PT_N_FAMILIES];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    for (guint i = 0; i < PT_N_FAMILIES; i++)
      choices[i] = (PtFamilyChoice){ FAMILIES[i].id, FAMILIES[i].name,
                                     pt_model_task_name (FAMILIES[i].task) };
    g_once_init_leave (&once, 1);
  }
  *n = PT_N_FAMILIES;
  return choices;
}

/* --- inputs and outputs of methods --- */

static const PtTensorSpec *
tensor_of (const PtPlan *plan, const gint32 *indices, guint n, guint i)
{
  const PtValueSpec *value;

  if (i >= n)
    return NULL;
  value = &plan->values[indices[i]];
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static const PtTensorSpec *
input_of (const PtPlan *plan, guint i)
{
  return tensor_of (plan, plan->inputs, plan->n_inputs, i);
}

static const PtTensorSpec *
output_of (const PtPlan *plan, guint i)
{
  return tensor_of (plan, plan->outputs, plan->n_outputs, i);
}

static gboolean
is_index (const PtTensorSpec *tensor, guint rank)
{
  return tensor != NULL && tensor->rank == rank &&
         (tensor->dtype == PT_DTYPE_I64 || tensor->dtype == PT_DTYPE_I32);
}

static gboolean
is_real (const PtTensorSpec *tensor, guint rank)
{
  return tensor != NULL && tensor->rank == rank &&
         (tensor->dtype == PT_DTYPE_F32 || tensor->dtype == PT_DTYPE_F16 ||
          tensor->dtype == PT_DTYPE_BF16);
}

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
  const PtTensorSpec *answer = output_of (plan, 0), *temperature = input_of (plan, 2);

  if (plan->n_outputs != 1 || answer == NULL)
    return FALSE;
  if (plan->n_inputs < 3)
    return is_real (answer, 2) || is_real (answer, 3);
  return answer->numel == 1 && temperature != NULL && temperature->dtype == PT_DTYPE_F32 &&
         temperature->numel == 1;
}

gboolean
pt_plan_reads_ids (const PtPlan *plan)
{
  return plan->n_inputs >= 1 && plan->n_inputs <= 3 && gives_answer (plan) &&
         is_index (input_of (plan, 0), 2) && input_of (plan, 0)->sizes[0] == 1 &&
         (plan->n_inputs == 1 || is_index (input_of (plan, 1), 1));
}

/* --- families --- */

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

static gboolean
is_masked_lm (const PtPlan *plan)
{
  const PtTensorSpec *ids = input_of (plan, 0), *mask = input_of (plan, 1);

  return plan->n_inputs == 2 && is_index (ids, 2) && is_index (mask, 2) &&
         ids->sizes[0] == mask->sizes[0] && ids->sizes[1] == mask->sizes[1] &&
         is_real (output_of (plan, 0), 3);
}

static gboolean
is_preprocessor (const PtPlan *plan)
{
  const PtTensorSpec *sound = input_of (plan, 0);

  return plan->n_inputs == 1 && plan->n_outputs == 1 && is_real (sound, 1) &&
         sound->dynamism == PT_DYNAMISM_BOUND && is_real (output_of (plan, 0), 3);
}

/* A detector of voice takes samples and a state, and returns a probability and the next state. */
static gboolean
is_vad (const PtPlan *plan)
{
  const PtTensorSpec *state = input_of (plan, 1), *next = output_of (plan, 1);

  return plan->n_inputs == 2 && plan->n_outputs == 2 && is_real (input_of (plan, 0), 2) &&
         is_real (state, 3) && is_real (next, 3) && output_of (plan, 0) != NULL &&
         output_of (plan, 0)->numel == 1 && state->numel == next->numel;
}

static gboolean
is_classifier (const PtPlan *plan)
{
  const PtTensorSpec *pixels = input_of (plan, 0), *classes = output_of (plan, 0);

  return plan->n_inputs == 1 && plan->n_outputs == 1 && is_real (pixels, 4) &&
         pixels->sizes[0] == 1 && pixels->sizes[1] == COLOURS && is_real (classes, 2) &&
         classes->sizes[0] == 1 && classes->sizes[1] > 1;
}

static PtFamily
family_of_forward (const PtPlan *plan)
{
  if (is_masked_lm (plan))
    return PT_FAMILY_MASKED_LM;
  if (is_preprocessor (plan))
    return PT_FAMILY_PREPROCESSOR;
  if (is_vad (plan))
    return PT_FAMILY_VAD;
  return is_classifier (plan) ? PT_FAMILY_CLASSIFIER : PT_FAMILY_UNKNOWN;
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
  if (embeds && has (program, "audio_encoder"))
    return has (program, "delay_tokens") && has (program, "num_mel_bins") &&
                   has (program, "downsample_factor")
               ? PT_FAMILY_VOXTRAL_REALTIME
               : PT_FAMILY_AUDIO_CHAT;
  if (embeds)
    return has (program, "vision_encoder") ? PT_FAMILY_VISION_CHAT : PT_FAMILY_UNKNOWN;
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
  if (is_index (input_of (encoder, 0), 2))
    return PT_FAMILY_TEXT_TO_TEXT;
  return is_real (input_of (encoder, 0), 3) ? PT_FAMILY_WHISPER : PT_FAMILY_UNKNOWN;
}

static PtFamily
recognise (const PtProgram *program)
{
  const PtPlan *forward = pt_program_find_plan (program, "forward");
  PtFamily family = family_of_embeddings (program);

  if (family == PT_FAMILY_UNKNOWN)
    family = family_of_encoder (program);
  if (family != PT_FAMILY_UNKNOWN)
    return family;
  if (has (program, "preprocessor") && has (program, "pre_encode") && has (program, "encode"))
    return PT_FAMILY_DIARIZER;
  if (has (program, "embed_text") && has (program, "forward_from_embeddings"))
    return PT_FAMILY_MUSE;
  if (is_text_llm (program))
    return PT_FAMILY_TEXT_LLM;
  return forward != NULL ? family_of_forward (forward) : PT_FAMILY_UNKNOWN;
}

/* --- why a program is of no family --- */

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
  if (!is_real (pixels, 4))
    return g_strdup_printf ("It seems to take images, but as %s instead of floating-point numbers.",
                            pt_dtype_name (pixels->dtype));
  return g_strdup ("It seems to take images, but does not return classes [1, n].");
}

static char *
explain (const PtProgram *program)
{
  const PtPlan *plan = pt_program_find_plan (program, "forward");
  g_autofree char *names = name_methods (program);

  if (*names == '\0')
    return g_strdup ("It has no method that computes anything, only metadata.");
  for (guint i = 0; plan == NULL && i < pt_program_n_plans (program); i++)
    if (is_index (input_of (pt_program_plan (program, i), 0), 2))
      plan = pt_program_plan (program, i);
  if (plan != NULL && is_index (input_of (plan, 0), 2))
    return explain_ids (program, plan);
  if (plan != NULL && plan->n_inputs == 1 && input_of (plan, 0) != NULL &&
      input_of (plan, 0)->rank == 4)
    return explain_picture (input_of (plan, 0));
  return g_strdup_printf ("Its methods (%s) match no kind of model that Pteris supports.", names);
}

PtFamily
pt_family_of (const PtProgram *program, char **why)
{
  PtFamily family = recognise (program);

  if (why != NULL)
    *why = family == PT_FAMILY_UNKNOWN ? explain (program) : g_strdup (FAMILIES[family].obstacle);
  return family;
}
