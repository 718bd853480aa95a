/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/family.h"
#include "engine/tasks/models/model-config.h"

G_BEGIN_DECLS

/* family-recognise.c */
PtFamily pt_family_recognise (const PtProgram *program);
char *pt_family_explain (const PtProgram *program);

/* family-forward.c: the family of a program whose methods are all called "forward…", by what
 * @plan, one of them, takes and returns. */
PtFamily pt_family_of_forward (const PtProgram *program, const PtPlan *plan);

/* family-pictures.c: the same for a picture as the only input. */
PtFamily pt_family_of_pictures (const PtProgram *program, const PtPlan *plan);

/* The first of the methods of @program if all that compute are called "forward…", or NULL. */
const PtPlan *pt_family_forward (const PtProgram *program);

/* family-hints.c */

/** A reason outside of the program to take it for @family: a capability of its config.json, or a
 * word in the names of its file and folders. */
typedef struct {
  PtFamily family;
  PtCapability can; /* or 0 */
  const char *word; /* in lower case; or NULL */
} PtFamilyHint;

/** The family of the first of the @n @hints that applies; a capability counts more than a word, and
 * the name of a file more than that of its folder. UNKNOWN: none applies. Blocking. */
PtFamily pt_family_hint (const PtProgram *program, const PtFamilyHint *hints, gsize n);

G_END_DECLS
