/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Read the characters of @logits [steps, classes]: the best class of each step, without class 0 (a
 * blank) and repetitions. @characters: for the classes from 1. @confidence: set to 0 to 1. FALSE: a
 * number is NaN. Any thread.
 */
gboolean pt_ctc_read (const float *logits, guint steps, guint classes, const gunichar *characters,
                      GString *text, double *confidence);

G_END_DECLS
