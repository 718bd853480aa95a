/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-text.h"

#include "ui/i18n.h"

static void
append (GString *out, const char *part)
{
  g_string_append_printf (out, "%s%s", out->len > 0 ? " · " : "", part);
}

static void
append_details (GString *out, PterisModel *model, const PtModelDetails *details)
{
  if (details->weight_bits > 0) {
    g_autofree char *bits = g_strdup_printf (_ ("%u-bit weights"), details->weight_bits);

    append (out, bits);
  }
  if (details->context > 0 && pteris_model_get_task (model) == PTERIS_TASK_CHAT) {
    g_autofree char *context = g_strdup_printf (
        ngettext ("%'u token of context", "%'u tokens of context", details->context),
        details->context);

    append (out, context);
  }
  append (out, details->backends);
  if (details->target != NULL)
    append (out, details->target);
}

/* "Chat"; of a model that no page of the window is for, what it is: "Text embedding". */
static const char *
say_kind (PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);
  PterisTask task = pteris_model_get_task (model);
  guint n = 0;
  const PtFamilyChoice *families = pt_library_families (&n);

  for (guint i = 0; i < n && task == PTERIS_TASK_OTHER; i++)
    if (g_strcmp0 (families[i].id, info->family) == 0)
      return pteris_family_name (&families[i]);
  return pteris_task_name (task);
}

char *
pteris_model_facts (PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);
  const PtModelDetails *details = pteris_model_get_details (model);
  GString *out = g_string_new (say_kind (model));

  if (details != NULL && details->family != NULL)
    append (out, details->family);
  if (info->bytes > 0) {
    g_autofree char *size = g_format_size (info->bytes);

    append (out, size);
  }
  if (details != NULL)
    append_details (out, model, details);
  return g_string_free (out, FALSE);
}

/* ---- the verdict ---- */

static char *
say_fit (PtFit fit, gboolean gpu, guint64 needs, guint64 available, guint64 total)
{
  g_autofree char *need = g_format_size (needs);
  g_autofree char *have = g_format_size (available);
  g_autofree char *all = g_format_size (total);

  switch (fit) {
  case PT_FIT_WELL:
    if (gpu)
      return g_strdup_printf (_ ("Runs here: needs about %s of GPU memory, %s free."), need, have);
    return g_strdup_printf (_ ("Runs here: needs about %s of memory, %s free."), need, have);
  case PT_FIT_TIGHT:
    if (gpu)
      return g_strdup_printf (_ ("Barely fits: needs about %s of GPU memory, %s free."), need,
                              have);
    return g_strdup_printf (_ ("May run slowly: needs about %s of memory, %s free."), need, have);
  case PT_FIT_NOT_NOW:
    if (gpu)
      return g_strdup_printf (_ ("Does not fit now: needs about %s of GPU memory, %s free. Close "
                                 "other programs that use the GPU."),
                              need, have);
    return g_strdup_printf (
        _ ("Does not fit now: needs about %s of memory, %s free. Close other programs."), need,
        have);
  case PT_FIT_NEVER:
    if (gpu)
      return g_strdup_printf (_ ("Does not run here: needs about %s of GPU memory, but the GPU has "
                                 "%s. Use a smaller model, or one with fewer bits."),
                              need, all);
    return g_strdup_printf (_ ("Does not run here: needs about %s of memory, but this computer has "
                               "%s. Use a smaller model, or one with fewer bits."),
                            need, all);
  case PT_FIT_UNKNOWN: break;
  }
  return NULL;
}

static PterisVerdict
judge_memory (const PtNeeds *needs, const PtMemory *memory, char **text)
{
  gboolean gpu;
  PtFit fit = pt_fit_judge (needs, memory, &gpu);

  *text = gpu ? say_fit (fit, TRUE, needs->gpu, memory->gpu_free, memory->gpu_total)
              : say_fit (fit, FALSE, needs->working + (fit == PT_FIT_NEVER ? 0 : needs->weights),
                         memory->ram_free, memory->ram_total);
  switch (fit) {
  case PT_FIT_UNKNOWN: return PTERIS_VERDICT_UNKNOWN;
  case PT_FIT_WELL: return PTERIS_VERDICT_RUNS;
  case PT_FIT_TIGHT: return PTERIS_VERDICT_TIGHT;
  case PT_FIT_NOT_NOW: return PTERIS_VERDICT_NOT_NOW;
  default: return PTERIS_VERDICT_NOT;
  }
}

/* Missing files have their own lines on a card. */
static char *
say_obstacles (char **obstacles)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; obstacles[i] != NULL && i < 3; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? "; " : "", obstacles[i]);
  if (g_strv_length (obstacles) > 3)
    g_string_append (out, "; …");
  return g_string_free (out, FALSE);
}

PterisVerdict
pteris_model_judge (PterisModel *model, const PtMemory *memory, char **text)
{
  const PtModelInfo *info = pteris_model_get_info (model);
  const PtModelDetails *details = pteris_model_get_details (model);

  *text = NULL;
  if (pteris_model_is_away (model)) {
    *text = g_strdup (_ ("Not available: its folder or drive is not connected."));
    return PTERIS_VERDICT_NOT;
  }
  if (info->damaged || (info->missing != NULL && info->lacks == 0)) {
    *text = g_strdup (info->missing);
    return PTERIS_VERDICT_NOT;
  }
  if (info->lacks != 0) {
    *text = g_strdup (_ ("Does not run yet: a file is missing."));
    return PTERIS_VERDICT_NOT;
  }
  if (details == NULL)
    return PTERIS_VERDICT_UNKNOWN;
  if (info->why != NULL && details->obstacles[0] == NULL) {
    *text = g_strdup_printf (_ ("You can run its methods one by one. %s"), info->why);
    return PTERIS_VERDICT_UNKNOWN;
  }
  if (details->obstacles[0] != NULL) {
    g_autofree char *list = say_obstacles (details->obstacles);

    *text = g_strdup_printf (_ ("Does not run here; missing: %s"), list);
    return PTERIS_VERDICT_NOT;
  }
  return judge_memory (&details->needs, memory, text);
}

static void
add_line (GString *out, const char *what, guint64 bytes)
{
  g_autofree char *size = g_format_size (bytes);

  if (bytes == 0)
    return;
  g_string_append_printf (out, "%s%s: %s", out->len > 0 ? "\n" : "", what, size);
}

char *
pteris_model_explain_memory (PterisModel *model)
{
  const PtModelDetails *details = pteris_model_get_details (model);
  const PtNeeds *needs;
  GString *out;

  if (details == NULL)
    return NULL;
  needs = &details->needs;
  out = g_string_new (NULL);
  add_line (out, _ ("Weights"), needs->weights);
  add_line (out, _ ("KV cache and other state"), needs->state);
  add_line (out, _ ("Working memory (maximum)"),
            needs->working - MIN (needs->state, needs->working));
  add_line (out, _ ("On the GPU"), needs->gpu);
  return g_string_free (out, FALSE);
}

/* ---- families ---- */

const char *
pteris_family_name (const PtFamilyChoice *family)
{
  static const struct {
    const char *id, *name;
  } NAMES[] = {
    { "program", N_ ("Other model") },
    { "text-llm", N_ ("Language model") },
    { "vision-chat", N_ ("Vision language model") },
    { "audio-chat", N_ ("Audio language model") },
    { "text-to-text", N_ ("Encoder-decoder language model") },
    { "transducer", N_ ("Transducer (Parakeet)") },
    { "diarizer", N_ ("Speaker diarization") },
    { "vad", N_ ("Voice activity detection") },
    { "classifier", N_ ("Image classification") },
    { "masked-lm", N_ ("Masked language model") },
    { "preprocessor", N_ ("Audio preprocessor") },
    { "split-whisper", N_ ("Whisper or Moonshine in two programs") },
    { "text-embedding", N_ ("Text embedding") },
    { "token-embedding", N_ ("Text embedding for each token") },
    { "text-classifier", N_ ("Text classification") },
    { "token-classifier", N_ ("Token classification") },
    { "image-embedding", N_ ("Image embedding") },
    { "detector", N_ ("Object detection") },
    { "keypoints", N_ ("Keypoint detection") },
    { "segmentation", N_ ("Segmentation") },
    { "instances", N_ ("Instance segmentation") },
    { "style", N_ ("Image to image") },
    { "text-detector", N_ ("Text detection (OCR)") },
    { "text-recognizer", N_ ("Text recognition (OCR)") },
    { "text-to-image", N_ ("Text to image") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (g_str_equal (NAMES[i].id, family->id))
      return _ (NAMES[i].name);
  /* Other families have their own names. */
  return family->name;
}

/* ---- members ---- */

const char *
pteris_part_name (PtModelPart part)
{
  switch (part) {
  case PT_MODEL_DATA: return _ ("Data");
  case PT_MODEL_TOKENIZER: return _ ("Tokenizer");
  case PT_MODEL_PREPROCESSOR: break;
  }
  return _ ("Preprocessor");
}

const char *
pteris_part_missing (PtModelPart part)
{
  switch (part) {
  case PT_MODEL_DATA: return _ ("Its data file (.ptd) with the weights is missing.");
  case PT_MODEL_TOKENIZER: return _ ("Its tokenizer (tokenizer.json or .model) is missing.");
  case PT_MODEL_PREPROCESSOR: break;
  }
  return _ ("Its preprocessor (.pte) is missing.");
}
