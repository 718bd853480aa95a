/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

G_BEGIN_DECLS

/* Copies of the result of PT_JOB_CLASSIFY; its JSON is in <pteris/vision.h>. */

/** A deep copy. Free with pt_classification_free(). */
PtClassification *pt_classification_copy (const PtClassification *classification);
void pt_classification_free (PtClassification *classification);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtClassification, pt_classification_free)

G_END_DECLS
