/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/method.h"

G_BEGIN_DECLS

/*
 * Numbers of speech models as floats of our own, whatever the dtype of the program: F32, F16 or
 * BF16.
 */

/** The tensor that is input or output @i of @method; NULL: there is none, or it is no tensor. */
const PtTensorSpec *pt_input_tensor_spec (const PtMethod *method, guint i);
const PtTensorSpec *pt_output_tensor_spec (const PtMethod *method, guint i);

/** Whether @spec holds floats of a kind that can be converted, and has rank @rank. */
gboolean pt_spec_is_floats (const PtTensorSpec *spec, guint rank);
/** Whether @spec holds ids or positions, and has rank @rank. */
gboolean pt_spec_is_indices (const PtTensorSpec *spec, guint rank);

/** Round @n floats to @dtype; for F32 a copy. */
void pt_floats_store (PtDType dtype, gsize n, const float *from, gpointer to);
void pt_floats_load (PtDType dtype, gsize n, gconstpointer from, float *to);

/** Write number @i of an array of ids, I64 or I32. */
void pt_index_store (PtDType dtype, gpointer array, gsize i, gint64 value);

/**
 * Output @i of @method as @n floats; fails when it has another size or lies where the host cannot
 * read it. @what: for messages.
 */
gboolean pt_output_floats (const PtMethod *method, guint i, const char *what, gsize n, float *to,
                           GError **error);

/** The one number of output @i, an integer. */
gboolean pt_output_index (const PtMethod *method, guint i, const char *what, gint64 *out,
                          GError **error);

G_END_DECLS
