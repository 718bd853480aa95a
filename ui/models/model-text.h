/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"

G_BEGIN_DECLS

/* A model in words. Every returned string is freed with g_free(). */

/** "Chat · SmolLM · 138.2 MB · 8-bit weights · 2,048 tokens · XNNPACK", as far as it is known. */
char *pteris_model_facts (PterisModel *model);

/** How well a model runs on this machine. */
typedef enum {
  PTERIS_VERDICT_UNKNOWN,
  PTERIS_VERDICT_RUNS,
  PTERIS_VERDICT_TIGHT,
  PTERIS_VERDICT_NOT_NOW, /* not in the memory that is free */
  PTERIS_VERDICT_NOT,     /* as it is, not at all */
} PterisVerdict;

/** The verdict, and why, as a sentence. @text: set to NULL when there is nothing to say yet. */
PterisVerdict pteris_model_judge (PterisModel *model, const PtMemory *memory, char **text);

/** What the memory that it needs is made of, in lines; NULL while it is not known. */
char *pteris_model_explain_memory (PterisModel *model);

/** "Language model": what a model can be used as. Owned by the library. */
const char *pteris_family_name (const PtFamilyChoice *family);

/** "Data", "Tokenizer", "Preprocessor": a member of a model by its role. */
const char *pteris_part_name (PtModelPart part);
/** What is said where it is missing, a sentence. */
const char *pteris_part_missing (PtModelPart part);

G_END_DECLS
