/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/examine.h"

/* The details of a model for its card in the library: family, memory, backends, obstacles. */

#include <string.h>

#include "engine/base/json.h"
#include "engine/tasks/inspect/inspect.h"
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
  return strcmp (id, "CudaBackend") == 0 ? "CUDA" : id;
}

static char *
find_backends (const json_t *methods)
{
  GString *list = g_string_new (NULL);
  const json_t *method, *delegate;
  size_t i, k;

  json_array_foreach (methods, i, method) {
    json_array_foreach (json_object_get (method, "delegates"), k, delegate) {
      append (list, backend_name (pt_json_string (delegate, "backend")));
    }
  }
  if (list->len == 0)
    g_string_append (list, "portable operators");
  return g_string_free (list, FALSE);
}

static void
add_library (GString *list, const json_t *library)
{
  const char *platform = pt_json_string (library, "platform");
  const json_t *code;
  size_t i;

  if (platform != NULL)
    append (list, platform);
  json_array_foreach (json_object_get (library, "code"), i, code) {
    append (list, pt_json_string (code, "name"));
  }
}

static char *
find_target (const json_t *methods)
{
  g_autoptr (GString) list = g_string_new (NULL);
  const json_t *method, *delegate, *content, *library;
  size_t i, k, c, l;

  json_array_foreach (methods, i, method) {
    json_array_foreach (json_object_get (method, "delegates"), k, delegate) {
      json_array_foreach (json_object_get (delegate, "contents"), c, content) {
        json_array_foreach (json_object_get (content, "libraries"), l, library) {
          add_library (list, library);
        }
      }
    }
  }
  return list->len > 0 ? g_strdup (list->str) : NULL;
}

static guint
find_context (const json_t *constants)
{
  gint64 context = pt_json_int (constants, "get_max_context_len", 0);

  if (context <= 0)
    context = pt_json_int (constants, "get_max_seq_len", 0);
  return context > 0 && context <= G_MAXINT ? (guint) context : 0;
}

static char **
find_obstacles (const json_t *missing)
{
  GPtrArray *list = g_ptr_array_new ();
  const json_t *sentence;
  size_t i;

  json_array_foreach (missing, i, sentence) {
    g_ptr_array_add (list, g_strdup (json_string_value (sentence)));
  }
  g_ptr_array_add (list, NULL);
  return (char **) g_ptr_array_free (list, FALSE);
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
  g_autofree char *text = pt_inspect (path, data, error);
  g_autoptr (json_t) root = text != NULL ? json_loads (text, 0, NULL) : NULL;
  const json_t *methods = json_object_get (root, "methods");
  const json_t *memory = json_object_get (root, "memory");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *tokenizer = pt_model_find_tokenizer (folder);
  g_autofree char *text_folder = pt_model_text_folder (folder, tokenizer);
  g_autofree char *settings = pt_model_settings_folder (folder);
  PtModelDetails *details;

  if (text == NULL)
    return NULL;
  details = g_new0 (PtModelDetails, 1);
  details->family = find_family (path);
  details->weight_bits = (guint) pt_json_int (memory, "weight_bits", 0);
  details->context = find_context (json_object_get (root, "constant_methods"));
  details->thinks = pt_chat_folder_thinks (text_folder);
  details->sampling = find_sampling (settings);
  details->backends = find_backends (methods);
  details->target = find_target (methods);
  details->obstacles = find_obstacles (json_object_get (root, "missing"));
  details->needs.weights = (guint64) pt_json_int (memory, "weights_bytes", 0);
  details->needs.working = (guint64) pt_json_int (memory, "working_bytes", 0);
  details->needs.state = (guint64) pt_json_int (memory, "state_bytes", 0);
  details->needs.gpu = (guint64) pt_json_int (memory, "gpu_bytes", 0);
  return details;
}
