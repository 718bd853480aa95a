/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/model-set.h"
#include "engine/tasks/vision/class-names.h"

G_BEGIN_DECLS

/**
 * PtLookTraits: what no program says about itself: how its pixels are normalised and what its
 * numbers mean. Known from config.json, from the names of files and folders, and from the layout
 * (docs/formats/protocols.md, section 16.1). Plain data.
 */
typedef struct {
  double threshold; /* least score of a finding; 0: it has no scores */
  double overlap;   /* most overlap of two findings of a class; 0: any */
  PtNames names;
  gboolean normalizes; /* pixels by ImageNet's mean and deviation, else 0 to 1 */
} PtLookTraits;

/** @has_sizes: its methods are called forward_SIZE. @side: the longer side of the input. Blocking.
 */
void pt_look_traits_find (PtLookTraits *self, const PtModelSet *set, gboolean has_sizes,
                          guint side);

/**
 * Whether config.json or a name of @set has one of @words (NULL-terminated; lower-case letters and
 * digits only, as which names are compared). Returns the first that is found, or NULL. Blocking.
 */
const char *pt_look_hint (const PtModelSet *set, const char *const *words);

G_END_DECLS
