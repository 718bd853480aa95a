/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/stats.h>

G_BEGIN_DECLS

/*
 * Words in names of programs that say how a program was made, for downloads and for folders:
 * "8da4w", "bf16", "sm80". Words are in lower case.
 */

/** Whether @word is a precision, or a part of the name of one. */
gboolean pt_label_is_precision (const char *word);

/**
 * How good @precision ("8da4w", "int8-int4") is for a desktop computer, the least first: quantised
 * ones before fp32, fp16 and bf16. @exact: for speech models, fp32 before all. NULL: not said.
 */
guint pt_label_precision_rank (const char *precision, gboolean exact);

/** The compute capability that @word ("sm80", "sm90a") names: 80, 90. 0: none. */
guint pt_label_capability (const char *word);

/** Whether a program for the architecture @target ("sm80"; NULL: not said) runs on a GPU of
 * @capability, 86 for 8.6. */
gboolean pt_label_fits (const char *target, guint capability);

/** The compute capability of the best GPU in @stats, 90 for 9.0; 0: none, or not known. */
guint pt_label_best_capability (const PtMachineStats *stats);

G_END_DECLS
