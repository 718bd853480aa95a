/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/examine.h"

/* The details of a model for its card in the library: family, memory, backends, obstacles. */

#include <string.h>

#include "engine/tasks/inspect/inspect-job.h"
#include "engine/text/chat-template.h"
#include "engine/text/sampling-settings.h"
#include "engine/tasks/models/model-root.h"

/* Families by a part of a file's name. Where one part contains another, the longer one is first. */
static const struct {
  const char *part, *family;
} FAMILIES[] = {
  { "smollm", "SmolLM" },
  { "tinyllama", "TinyLlama" },
  { "voxtral", "Voxtral" },
  { "llava", "LLaVA" },
  { "llama", "Llama" },
  { "qwen", "Qwen" },
  { "gemma", "Gemma" },
  { "phi", "Phi" },
  { "mistral", "Mistral" },
  { "granite", "Granite" },
  { "olmo", "OLMo" },
  { "lfm2", "LFM2" },
  { "parakeet", "Parakeet" },
  { "whisper", "Whisper" },
  { "moonshine", "Moonshine" },
  { "sortformer", "Sortformer" },
  { "silero", "Silero" },
  { "mobilenet", "MobileNet" },
  { "resnet", "ResNet" },
  { "efficientnet", "EfficientNet" },
  { "vit", "ViT" },
  { "yolo", "YOLO" },
  { "bert", "BERT" },
};

static char *
find_family (const char *path)
{
  g_autofree char *file = g_path_get_basename (path);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *parent = g_path_get_basename (folder);
  const char *const names[] = { file, parent };

  for (gsize n = 0; n < G_N_ELEMENTS (names); n++) {
    g_autofree char *name = g_ascii_strdown (names[n], -1);

    for (gsize i = 0; i < G_N_ELEMENTS (FAMILIES); i++)
      if (strstr (name, FAMILIES[i].part) != NULL)
        return g_strdup (FAMILIES[i].family);
  }
  return NULL;
}

static void
append (GString *list, const char *name)
{
  if (strstr (list->str, name) == NULL)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", name);
}

static const char *
backend_name (const char *id)
{
  if (strcmp (id, "XnnpackBackend") == 0)
    return "XNNPACK";
  if (strcmp (id, "OpenvinoBackend") == 0)
    return "OpenVINO";
  return strcmp (id, "CudaBackend") == 0 ? "CUDA" : id;
}

static char *
find_backends (const PtInspectReport *report)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < report->n_methods; i++)
    for (guint k = 0; k < report->methods[i].n_delegates; k++)
      append (list, backend_name (report->methods[i].delegates[k].backend));
  if (list->len == 0)
    g_string_append (list, "portable operators");
  return g_string_free (list, FALSE);
}

/* The device and the version that a program for OpenVINO was compiled for. */
static void
add_pairs (GString *list, const PtInspectContent *content)
{
  for (guint i = 0; i < content->n_pairs; i++)
    if (strcmp (content->pairs[i].name, "device") == 0 ||
        strcmp (content->pairs[i].name, "compiled with") == 0)
      append (list, content->pairs[i].value);
}

static void
add_content (GString *list, const PtInspectContent *content)
{
  guint n = content->kind == PT_INSPECT_CONTENT_CUDA ? content->cuda->n_libraries : 0;

  for (guint i = 0; i < n; i++) {
    const PtInspectCudaLibrary *library = &content->cuda->libraries[i];

    if (library->platform != NULL)
      append (list, library->platform);
    for (guint k = 0; k < library->n_codes; k++)
      append (list, library->codes[k].name);
  }
}

static char *
find_target (const PtInspectReport *report)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < report->n_methods; i++) {
    const PtInspectMethod *method = &report->methods[i];

    for (guint k = 0; k < method->n_delegates; k++)
      for (guint c = 0; c < method->delegates[k].n_contents; c++) {
        const PtInspectContent *content = &method->delegates[k].contents[c];

        if (content->kind == PT_INSPECT_CONTENT_PAIRS)
          add_pairs (list, content);
        else
          add_content (list, content);
      }
  }
  return list->len > 0 ? g_strdup (list->str) : NULL;
}

/* The whole number that constant method @name returns, or 0. */
static gint64
find_constant (const PtInspectReport *report, const char *name)
{
  for (guint i = 0; i < report->n_constants; i++) {
    const PtInspectConstant *constant = &report->constants[i];
    const PtArgument *value = &constant->outputs[0].value.value;

    if (strcmp (constant->name, name) == 0 && constant->n_outputs == 1 &&
        value->kind == PT_ARGUMENT_INT)
      return value->as_int;
  }
  return 0;
}

static guint
find_context (const PtInspectReport *report)
{
  gint64 context = find_constant (report, "get_max_context_len");

  if (context <= 0)
    context = find_constant (report, "get_max_seq_len");
  return context > 0 && context <= G_MAXINT ? (guint) context : 0;
}

/* The model's usual sampling. A file that cannot be read is an error only when the model is
 * loaded. */
static PtSampling
find_sampling (const char *folder)
{
  const PtSampling usual = pt_sampling_usual ();
  PtSampling sampling;
  int longest;

  pt_sampling_load (folder, &sampling, &longest, NULL);
  pt_sampling_fill (&sampling, &usual);
  return sampling;
}

PtModelDetails *
pt_examine (const char *path, const char *const *data, GError **error)
{
  g_autoptr (PtInspectReport) report = pt_inspect (path, data, error);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *tokenizer = pt_model_find_tokenizer (folder);
  g_autofree char *text_folder = pt_model_text_folder (folder, tokenizer);
  g_autofree char *settings = pt_model_settings_folder (folder);
  PtModelDetails *details;

  if (report == NULL)
    return NULL;
  details = g_new0 (PtModelDetails, 1);
  details->family = find_family (path);
  details->weight_bits = report->weight_bits;
  details->context = find_context (report);
  details->thinks = pt_chat_folder_thinks (text_folder);
  details->sampling = find_sampling (settings);
  details->backends = find_backends (report);
  details->target = find_target (report);
  details->obstacles = g_strdupv ((char **) report->missing);
  details->needs = report->memory;
  return details;
}
