/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/tensor.h"

G_BEGIN_DECLS

/*
 * Tensors in files: NumPy's .npy (format 1.0 to 3.0) and raw little-endian bytes.
 *
 * Types that NumPy lacks travel as unsigned integers of their size: a bfloat16 tensor is
 * written as uint16, and uint16 may be read where bfloat16 is wanted.
 */

/** A tensor and the memory it lies in. */
typedef struct {
  PtTensor tensor;
  GBytes *bytes;
} PtTensorFile;

void pt_tensor_file_free (PtTensorFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTensorFile, pt_tensor_file_free)

/** A tensor over fresh memory, not cleared; C order when @dim_order is NULL. */
PtTensorFile *pt_tensor_file_new (PtDType dtype, guint rank, const gint64 *sizes,
                                  const guint8 *dim_order, GError **error);

/** Read @path. The elements are in C order, whatever order the file has. Blocking. */
PtTensorFile *pt_npy_read (const char *path, GError **error);

/** Write @tensor, which must be in host memory, in C order. @inputs: files that must stay, as for
 * pt_output_write(). Blocking. */
gboolean pt_npy_write (const char *path, const PtTensor *tensor, const char *const *inputs,
                       GError **error);

/**
 * Map @path as bytes of a tensor of the given type and shape; its size must be exactly that.
 *
 * @dim_order: NULL for C order.
 */
PtTensorFile *pt_raw_read (const char *path, PtDType dtype, guint rank, const gint64 *sizes,
                           const guint8 *dim_order, GError **error);

/** A copy of @from in another dimension order; NULL for C order. NULL with an error. */
PtTensorFile *pt_tensor_file_reorder (const PtTensor *from, const guint8 *dim_order,
                                      GError **error);

/** See @file's elements as @dtype, of the same size. FALSE when the sizes differ. */
gboolean pt_tensor_file_reinterpret (PtTensorFile *file, PtDType dtype);

G_END_DECLS
