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

/** The side of the pictures in which writing is searched first. */
#define PT_USUAL_WRITING 800

/** How far the side of pictures that the name of the detector @path says is from the usual one; 0:
 * it says none. */
guint pt_model_side_distance (const char *path);

/** The language of a speech synthesis model that a job asks for by @language ("de-at") or by
 * @voice ("df_anna"), either may be NULL: "de", "pl", "" (another one), or NULL (nothing is asked
 * for). */
const char *pt_model_asked_language (const char *language, const char *voice);

/** A program that pt_model_language_rank() gives this does not speak the language. */
#define PT_LANGUAGE_OTHER 2

/** How well the program at @path ("german/synthesizer_de.pte") is for @language, of
 * pt_model_asked_language(), the least first: programs without such an end of the name speak all
 * languages but German and Polish. NULL: the user's languages decide. */
guint pt_model_language_rank (const char *path, const char *language);

/** The roles that a model of @family needs, NULL-terminated; NULL: its program is enough. */
const char *const *pt_model_parts_needed (PtFamily family);

G_END_DECLS
