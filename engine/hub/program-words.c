/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/program-words.h"

#include <string.h>

#include "engine/base/program-labels.h"

static gboolean
is_one_of (const char *word, const char *const *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (word, list[i]) == 0)
      return TRUE;
  return FALSE;
}

#define IS_ONE_OF(word, list) is_one_of (word, list, G_N_ELEMENTS (list))

char **
pt_hub_words (const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_auto (GStrv) parts = g_strsplit_set (lower, "/-_. ", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (words, g_strdup (parts[i]));
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

/* ---- backends ---- */

const char *
pt_hub_backend (const char *const *words)
{
  static const char *const NAMES[] = { "xnnpack", "cuda",     "portable",  "coreml",   "mlx",
                                       "metal",   "mps",      "qnn",       "htp",      "hexagon",
                                       "vulkan",  "mediatek", "ethos",     "ethosu",   "tosa",
                                       "vgf",     "exynos",   "enn",       "openvino", "neutron",
                                       "nxp",     "cadence",  "neuropilot" };
  const char *found = "";

  for (guint i = 0; words[i] != NULL; i++)
    for (gsize k = 0; k < G_N_ELEMENTS (NAMES); k++)
      if (strcmp (words[i], NAMES[k]) == 0)
        found = NAMES[k];
  if (strcmp (found, "cuda") == 0 && g_strv_contains (words, "windows"))
    return "cuda-windows";
  return found;
}

gboolean
pt_hub_is_for_here (const char *backend)
{
#ifdef G_OS_WIN32
  static const char *const OWN[] = { "", "xnnpack", "portable", "cuda-windows" };
#else
  static const char *const OWN[] = { "", "xnnpack", "portable", "cuda" };
#endif

  return IS_ONE_OF (backend, OWN);
}

const char *
pt_hub_target (const char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (pt_label_capability (words[i]) > 0)
      return words[i];
  return NULL;
}

/* ---- precisions ---- */

char *
pt_hub_precision (const char *const *words)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    if (pt_label_is_precision (words[i]) && strstr (text->str, words[i]) == NULL)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "-" : "", words[i]);
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

/* ---- parts and companions ---- */

gboolean
pt_hub_is_component (const char *word)
{
  static const char *const WORDS[] = { "encoder",   "decoder",     "text",  "image", "vision",
                                       "audio",     "unet",        "vae",   "model", "duration",
                                       "predictor", "synthesizer", "codec", "token", "embedding" };

  return IS_ONE_OF (word, WORDS);
}

gboolean
pt_hub_is_companion (const char *name)
{
  static const char *const NAMES[] = { "tekken.json",
                                       "generation_config.json",
                                       "preprocessor_config.json",
                                       "processor_config.json",
                                       "special_tokens_map.json",
                                       "added_tokens.json",
                                       "config.json",
                                       "vocab.json",
                                       "vocab.txt",
                                       "merges.txt",
                                       "params.json",
                                       "config_sentence_transformers.json",
                                       "labels.txt",
                                       "classes.txt",
                                       "imagenet_classes.txt",
                                       "readme.md" };
  static const char *const STARTS[] = { "tokenizer", "chat_template", "license",   "licence",
                                        "notice",    "copying",       "use_policy" };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  if (IS_ONE_OF (lower, NAMES) || g_str_has_suffix (lower, ".tiktoken"))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (STARTS); i++)
    if (g_str_has_prefix (lower, STARTS[i]))
      return TRUE;
  return FALSE;
}

gboolean
pt_hub_is_companion_folder (const char *name)
{
  static const char *const NAMES[] = { "voices", "phonemizer", "tokenizer", "scheduler" };

  return IS_ONE_OF (name, NAMES);
}

gboolean
pt_hub_is_helper (const char *const *words)
{
  return g_strv_contains (words, "preprocessor") || g_strv_contains (words, "phonemizer");
}
