/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/family.h"

G_BEGIN_DECLS

/* Models of several programs: which programs are parts of one model. */

/** Whether @a and @b are different parts of one model: an encoder and its decoder, the halves of
 * CLIP with vectors of one length, a detector and a recogniser of writing. */
gboolean pt_model_parts_match (const PtProgram *a, const PtProgram *b);

/** The path of the program that a model is opened by, if all @programs (PtProgram) are different
 * parts of one model; or NULL. @part: the role that is asked for, or NULL. A detector of writing
 * may have several recognisers, one for each alphabet. Owned by the program. */
const char *pt_model_parts_main (const GPtrArray *programs, const char *part);

/** Whether parts of models of @family may lie in other folders of the model: they are published in
 * repositories of their own, or are models by themselves. */
gboolean pt_model_parts_apart (PtFamily family);

/** How well the alphabet that a name in @path says ("english/xnnpack/crnn.pte") is for the user's
 * languages, the least first. */
guint pt_model_alphabet_rank (const char *path);

/** The roles that a model of @family needs, NULL-terminated; NULL: its program is enough. */
const char *const *pt_model_parts_needed (PtFamily family);

G_END_DECLS
