/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/** The text that is put before an input, by the kind of model (docs/formats/protocols.md,
 * section 15.3). */
typedef struct {
  char *query, *document; /* never NULL */
} PtEmbedPrompts;

/** The prompts of the model of @set. Blocking. */
void pt_embed_prompts_read (PtEmbedPrompts *prompts, const PtModelSet *set);
void pt_embed_prompts_clear (PtEmbedPrompts *prompts);

G_END_DECLS
