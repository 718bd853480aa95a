/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"

G_BEGIN_DECLS

/* Describes models in words. Every returned string is freed with g_free(). */

/** "Chat · SmolLM · 138.2 MB · 8-bit weights · 2,048 tokens · XNNPACK", without unknown parts. */
char *pteris_model_facts (PterisModel *model);

/** How well a model runs on this machine. */
typedef enum {
  PTERIS_VERDICT_UNKNOWN,
  PTERIS_VERDICT_RUNS,
  PTERIS_VERDICT_TIGHT,
  PTERIS_VERDICT_NOT_NOW, /* not in the memory that is free now */
  PTERIS_VERDICT_NOT,     /* as it is, not at all */
} PterisVerdict;

/** The verdict and its reason, a sentence. @text: set to NULL while unknown. */
PterisVerdict pteris_model_judge (PterisModel *model, const PtMemory *memory, char **text);

/** The parts of the needed memory, one per line; NULL while unknown. */
char *pteris_model_explain_memory (PterisModel *model);

/** "Language model": the name of a family. Owned by the library. */
const char *pteris_family_name (const PtFamilyChoice *family);

/** "Data", "Tokenizer", "Preprocessor": the name of a part. */
const char *pteris_part_name (PtModelPart part);
/** A sentence for a missing part. */
const char *pteris_part_missing (PtModelPart part);

G_END_DECLS
