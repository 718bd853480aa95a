/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

#include "engine/base/heap.h"
#include "engine/runtime/module.h"
#include "engine/tasks/vision/look-method.h"

G_BEGIN_DECLS

/* Pictures and texts as vectors of one space, by CLIP (docs/formats/protocols.md, section 16.7). */

/** The numbers of @output scaled to length 1, memory of @heap. NULL with an error: there are none,
 * or they are NaN or all 0. */
const float *pt_look_vector (const PtLookOutput *output, PtHeap *heap, GError **error);

/**
 * The vectors of @texts, by the method “forward” of @module, which takes ids and a mask. Returns a
 * GPtrArray of arrays of @n floats, in order, or NULL with an error. Engine thread.
 */
GPtrArray *pt_look_text_vectors (PtModule *module, const char *tokenizer, const char *const *texts,
                                 guint n, GCancellable *cancellable, GError **error);

/** Compare @vector [n] with those of @texts; memory of @heap. @n_out: how many. */
const PtSimilarity *pt_look_compare (const float *vector, guint n, const char *const *texts,
                                     const GPtrArray *vectors, PtHeap *heap, guint *n_out);

G_END_DECLS
