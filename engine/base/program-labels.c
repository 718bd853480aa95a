/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/program-labels.h"

#include <string.h>

/* The rank of what is not quantised, and of what is not said. */
#define RANK_FP32 3

static const struct {
  const char *word;
  guint rank;
} PRECISIONS[] = {
  { "8da4w", 0 },       { "int4", 1 }, { "4w", 1 },    { "4bit", 1 },      { "w4a8", 1 },
  { "q4", 1 },          { "hqq", 1 },  { "qlora", 1 }, { "lora", 1 },      { "qat", 1 },
  { "spinquant", 1 },   { "int8", 2 }, { "8w", 2 },    { "8da8w", 2 },     { "a8w8", 2 },
  { "w8a8", 2 },        { "8bit", 2 }, { "q8", 2 },    { "quantized", 2 }, { "fp32", RANK_FP32 },
  { "f32", RANK_FP32 }, { "fp16", 4 }, { "f16", 4 },   { "bf16", 5 },
};

static int
find_precision (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (PRECISIONS); i++)
    if (strcmp (word, PRECISIONS[i].word) == 0)
      return (int) i;
  return -1;
}

gboolean
pt_label_is_precision (const char *word)
{
  return find_precision (word) >= 0;
}

guint
pt_label_precision_rank (const char *precision, gboolean exact)
{
  g_autofree char *lower = g_ascii_strdown (precision != NULL ? precision : "", -1);
  g_auto (GStrv) words = g_strsplit_set (lower, "/-_. ", -1);
  guint rank = G_MAXUINT;

  for (guint i = 0; words[i] != NULL; i++) {
    int found = find_precision (words[i]);

    if (found >= 0)
      rank = MIN (rank, PRECISIONS[found].rank);
  }
  if (exact && rank == RANK_FP32)
    return 0;
  return (rank != G_MAXUINT ? rank : RANK_FP32) + (exact ? 1 : 0);
}

guint
pt_label_capability (const char *word)
{
  gsize n;

  if (!g_str_has_prefix (word, "sm"))
    return 0;
  n = strspn (word + 2, "0123456789");
  if (n < 2 || n > 3 || (word[2 + n] != '\0' && strcmp (word + 2 + n, "a") != 0))
    return 0;
  return (guint) g_ascii_strtoull (word + 2, NULL, 10);
}

gboolean
pt_label_fits (const char *target, guint capability)
{
  guint wanted = target != NULL ? pt_label_capability (target) : 0;

  if (wanted == 0 || wanted == capability)
    return TRUE;
  /* Code for "sm90a" runs on that architecture alone. */
  return !g_str_has_suffix (target, "a") && wanted / 10 == capability / 10 && wanted <= capability;
}

guint
pt_label_best_capability (const PtMachineStats *stats)
{
  guint best = 0;

  for (guint i = 0; i < stats->n_gpus; i++) {
    const char *text = stats->gpus[i].compute_capability;
    char *end = NULL;
    guint64 major = text != NULL ? g_ascii_strtoull (text, &end, 10) : 0;
    guint64 minor = end != NULL && *end == '.' ? g_ascii_strtoull (end + 1, NULL, 10) : 0;

    best = MAX (best, (guint) (MIN (major, 99) * 10 + MIN (minor, 9)));
  }
  return best;
}
