/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/method.h"

G_BEGIN_DECLS

/*
 * Converts tensors of speech models from and to float: F32, F16 and BF16.
 */

/** The spec of input or output @i of @method; NULL: it does not exist, or is not a tensor. */
const PtTensorSpec *pt_input_tensor_spec (const PtMethod *method, guint i);
const PtTensorSpec *pt_output_tensor_spec (const PtMethod *method, guint i);

/** Whether @spec has a float dtype that can be converted, and rank @rank. */
gboolean pt_spec_is_floats (const PtTensorSpec *spec, guint rank);
/** Whether @spec has a dtype of ids or positions, and rank @rank. */
gboolean pt_spec_is_indices (const PtTensorSpec *spec, guint rank);

/** Round @n floats to @dtype; for F32 a copy. */
void pt_floats_store (PtDType dtype, gsize n, const float *from, gpointer to);
void pt_floats_load (PtDType dtype, gsize n, gconstpointer from, float *to);

/** Write number @i of an array of ids, I64 or I32. */
void pt_index_store (PtDType dtype, gpointer array, gsize i, gint64 value);
/** Number @i of such an array. */
gint64 pt_index_load (PtDType dtype, gconstpointer array, gsize i);

/**
 * Output @i of @method as @n floats; fails if its size differs or if it is in device memory. @what:
 * for messages.
 */
gboolean pt_output_floats (const PtMethod *method, guint i, const char *what, gsize n, float *to,
                           GError **error);

/** Output @i as one integer. */
gboolean pt_output_index (const PtMethod *method, guint i, const char *what, gint64 *out,
                          GError **error);

G_END_DECLS
