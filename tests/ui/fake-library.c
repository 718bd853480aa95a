/* SPDX-License-Identifier: BSD-3-Clause */

/* The models that the window's tests find in folders. */

#include <string.h>

#include "engine/base/set-error.h"
#include "tests/ui/fake-engine.h"

static PtModelInfo *
make_info (const char *name, const char *title, const char *task, const char *license,
           const char *missing, guint64 bytes)
{
  PtModelInfo *info = g_new0 (PtModelInfo, 1);

  info->name = g_strdup (name);
  info->title = g_strdup (title);
  info->path = g_strdup_printf ("/models/%s/model.pte", name);
  info->task = g_strdup (task);
  info->license = g_strdup (license);
  info->missing = g_strdup (missing);
  info->bytes = bytes;
  info->takes = fake.takes;
  info->streams = fake.streams;
  return info;
}

const PtFamilyChoice *
pt_library_families (guint *n)
{
  static const PtFamilyChoice FAMILIES[] = {
    { "program", "program", "program" },
    { "text-llm", "text model", "chat" },
    { "whisper", "Whisper", "transcribe" },
    { "classifier", "image classifier", "classify" },
    { "detector", "object detector", "look" },
    { "image-embedding", "image embedding model", "embed" },
    { "text-embedding", "text embedding model", "embed" },
  };

  *n = G_N_ELEMENTS (FAMILIES);
  return FAMILIES;
}

const char *
pt_library_default_folder (void)
{
  return "/models";
}

static PtModelInfo *
make_numbered (guint i)
{
  static const char *const TASKS[] = { "chat", "transcribe", "program" };
  g_autofree char *name = g_strdup_printf ("model-%03u", i);

  return make_info (name, name, TASKS[i % 3], "MIT", NULL, 1000000 * (guint64) (i + 1));
}

static PtModelInfo *
make_vision (const char *name, const char *title, const char *task, const char *family)
{
  PtModelInfo *info = make_info (name, title, task, "Apache-2.0", NULL, 121900000);

  info->family = g_strdup (family);
  return info;
}

#define VARIANT_FOLDER "/models/qwen3/"

/* The model with variants, of which the program at @path is used. */
static PtModelInfo *
make_variants (const char *path)
{
  static const struct {
    const char *name, *precision, *backend, *obstacle;
    guint64 bytes;
  } VARIANTS[] = {
    { "xnnpack-8da4w", "8da4w", "xnnpack", NULL, 470000000 },
    { "xnnpack-bf16", "bf16", "xnnpack", NULL, 1110000000 },
    { "coreml-fp16", "fp16", "coreml",
      "It needs the backend “CoreMLBackend”, which Pteris does not have.", 1200000000 },
  };
  PtModelInfo *info = make_info ("qwen3", "Qwen 3 0.6B", "chat", "Apache-2.0", NULL, 470000000);

  info->n_variants = G_N_ELEMENTS (VARIANTS);
  info->variants = g_new0 (PtModelVariant, info->n_variants);
  g_free (info->path);
  info->path = g_strdup (path);
  for (guint i = 0; i < info->n_variants; i++) {
    PtModelVariant *variant = &info->variants[i];

    variant->name = g_strdup (VARIANTS[i].name);
    variant->path = g_strconcat (VARIANT_FOLDER, variant->name, ".pte", NULL);
    variant->precision = g_strdup (VARIANTS[i].precision);
    variant->backend = g_strdup (VARIANTS[i].backend);
    variant->obstacle = g_strdup (VARIANTS[i].obstacle);
    variant->bytes = VARIANTS[i].bytes;
    variant->chosen = strcmp (variant->path, path) == 0;
    if (variant->chosen)
      info->bytes = variant->bytes;
  }
  return info;
}

/* The model with variants if @path is in its folder, else NULL. A GFile's path has a drive and
 * other separators on Windows. */
static PtModelInfo *
find_variants (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *folder_name = g_path_get_basename (folder);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *variant = g_strconcat (VARIANT_FOLDER, name, NULL);

  return strcmp (folder_name, "qwen3") == 0 ? make_variants (variant) : NULL;
}

GPtrArray *
pt_library_scan (const char *const *folders)
{
  GPtrArray *models = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_model_info_free);

  if (!fake.with_models)
    return models;
  g_ptr_array_add (models, make_info ("smollm2-135m-instruct", "SmolLM2 135M Instruct", "chat",
                                      "Apache-2.0", NULL, 137900000));
  g_ptr_array_add (models,
                   make_info ("whisper-base", "Whisper base", "transcribe", "MIT", NULL, 98400000));
  g_ptr_array_add (models, make_info ("qwen-0.5b", "qwen-0.5b", "chat", NULL,
                                      "The tokenizer (tokenizer.json) is missing.", 512000000));
  ((PtModelInfo *) models->pdata[2])->lacks = PT_MODEL_TOKENIZER;
  ((PtModelInfo *) models->pdata[0])->license_file = g_strdup ("/models/LICENSE");
  if (fake.speaks)
    g_ptr_array_add (models, make_info ("kokoro", "Kokoro", "speak", NULL, NULL, 334000000));
  for (guint i = 0; i < fake.n_more_models; i++)
    g_ptr_array_add (models, make_numbered (i));
  if (fake.with_embedding) {
    PtModelInfo *info =
        make_info ("all-minilm-l6-v2", "all-MiniLM-L6-v2", "embed", "Apache-2.0", NULL, 91000000);

    g_free (info->family);
    info->family = g_strdup ("text-embedding");
    if (fake.embed_data != NULL) {
      info->data = g_new0 (char *, 2);
      info->data[0] = g_strdup (fake.embed_data);
    }
    g_ptr_array_add (models, info);
  }
  if (fake.with_variants)
    g_ptr_array_add (models, make_variants (VARIANT_FOLDER "xnnpack-8da4w.pte"));
  if (fake.with_pictures) {
    g_ptr_array_add (models, make_vision ("rf-detr", "RF-DETR", "look", "detector"));
    g_ptr_array_add (models, make_vision ("clip", "CLIP", "embed", "image-embedding"));
  }
  if (fake.with_privacy) {
    PtModelInfo *filter =
        make_info ("privacy-filter", "Privacy filter", "embed", "Apache-2.0", NULL, 80000000);

    filter->family = g_strdup ("token-classifier");
    g_ptr_array_add (models, filter);
  }
  if (fake.with_odd_models) {
    PtModelInfo *damaged =
        make_info ("broken", "broken.pte", "program", NULL,
                   "“broken.pte” is damaged: it ends in the middle of a table.", 4096);

    damaged->damaged = TRUE;
    g_ptr_array_add (models, damaged);
    g_ptr_array_add (models,
                     make_info ("llama-70b", "Llama 70B", "chat", "Llama-3.1", NULL, 39000000000));
    g_ptr_array_add (models,
                     make_info ("gemma-cuda", "Gemma 3 4B", "chat", NULL, NULL, 8600000000));
    g_ptr_array_add (models, make_info ("mobilenet-v2", "MobileNet v2", "program", "BSD-3-Clause",
                                        NULL, 14000000));
  }
  return models;
}

PtModelInfo *
pt_library_probe_set (const char *path, const char *const *data, const char *tokenizer,
                      const char *preprocessor, const char *family, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (folder);
  PtModelInfo *info = find_variants (path);

  if (info == NULL) {
    info = make_info (name, name, "chat", NULL, NULL, 512000000);
    g_free (info->path);
    info->path = g_strdup (path);
  }
  g_free (info->tokenizer);
  info->tokenizer = g_strdup (tokenizer);
  return info;
}

PtModelDetails *
pt_library_examine (const char *path, const char *const *data, GError **error)
{
  PtModelDetails *details = g_new0 (PtModelDetails, 1);
  gboolean whisper = strstr (path, "whisper") != NULL;

  details->weight_bits = 8;
  details->sampling = pt_sampling_usual ();
  details->family = g_strdup (whisper ? "Whisper" : strstr (path, "smollm") ? "SmolLM" : NULL);
  details->context = whisper ? 0 : 2048;
  details->backends = g_strdup ("XNNPACK");
  details->needs = (PtNeeds){ 136000000, 201000000, 94000000, 0 };
  details->obstacles = g_new0 (char *, 2);
  if (strstr (path, "70b") != NULL)
    details->needs = (PtNeeds){ 39000000000, 26000000000, 21000000000, 0 };
  if (strstr (path, "cuda") != NULL) {
    g_free (details->backends);
    details->backends = g_strdup ("CUDA");
    details->target = g_strdup ("Linux, sm_90a");
    details->weight_bits = 16;
    details->needs.gpu = 9300000000;
    details->obstacles[0] =
        g_strdup ("the backend CudaBackend: There is no NVIDIA driver on this machine.");
  }
  return details;
}

PtInspectReport *
pt_inspect_read_model (const PtModelOptions *model, GError **error)
{
  const PtInspectReport *report =
      fake.inspect != NULL ? fake.inspect : fake_find_report (fake.report);

  if (report != NULL)
    return pt_inspect_report_ref (report);
  pt_fail (error, PT_ERROR_FORMAT, "“%s” is not an ExecuTorch program.", model->path);
  return NULL;
}

PtModelInfo *
pt_library_probe (const char *path, GError **error)
{
  PtModelInfo *info;

  if (g_str_has_suffix (path, "broken.pte")) {
    pt_fail (error, PT_ERROR_FORMAT, "“%s” is not an ExecuTorch program.", path);
    return NULL;
  }
  info = find_variants (path);
  if (info != NULL)
    return info;
  if (strstr (path, "rf-detr-cpu") != NULL)
    return make_vision ("rf-detr-cpu", "RF-DETR for the CPU", "look", "detector");
  return make_info ("mine", "Mine", "chat", NULL, NULL, 1000);
}

PtModelInfo *
pt_library_probe_best (const char *path, GError **error)
{
  return pt_library_probe (
      g_str_has_prefix (path, VARIANT_FOLDER) ? VARIANT_FOLDER "xnnpack-8da4w.pte" : path, error);
}

char **
pt_speech_voices (const char *model, GError **error)
{
  static const char *const VOICES[] = { "af_heart", "bf_emma", NULL };

  return g_strdupv ((char **) VOICES);
}
