/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/program-words.h"

#include <string.h>

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

/* --- backends --- */

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

guint
pt_hub_capability (const char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++) {
    const char *digits = words[i] + 2;

    if (g_str_has_prefix (words[i], "sm") && g_ascii_isdigit (digits[0]) && strlen (digits) <= 4)
      return (guint) g_ascii_strtoull (digits, NULL, 10);
  }
  return 0;
}

/* --- precisions --- */

static const struct {
  const char *word;
  guint rank;
} PRECISIONS[] = {
  { "8da4w", 0 }, { "8da8w", 2 },     { "int4", 1 },      { "int8", 2 }, { "4w", 1 },
  { "8w", 2 },    { "a8w8", 2 },      { "w8a8", 2 },      { "w4a8", 1 }, { "4bit", 1 },
  { "8bit", 2 },  { "hqq", 1 },       { "spinquant", 1 }, { "qat", 2 },  { "lora", 2 },
  { "qlora", 2 }, { "fp32", 3 },      { "f32", 3 },       { "fp16", 4 }, { "f16", 4 },
  { "bf16", 5 },  { "quantized", 2 },
};

static int
find_precision (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (PRECISIONS); i++)
    if (strcmp (word, PRECISIONS[i].word) == 0)
      return (int) i;
  return -1;
}

char *
pt_hub_precision (const char *const *words)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    if (find_precision (words[i]) >= 0 && strstr (text->str, words[i]) == NULL)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "-" : "", words[i]);
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

guint
pt_hub_precision_rank (const char *precision)
{
  g_auto (GStrv) words = pt_hub_words (precision);
  guint rank = G_MAXUINT;

  for (guint i = 0; words[i] != NULL; i++) {
    int found = find_precision (words[i]);

    if (found >= 0)
      rank = MIN (rank, PRECISIONS[found].rank);
  }
  return rank != G_MAXUINT ? rank : 3;
}

/* --- parts and companions --- */

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
