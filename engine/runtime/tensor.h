/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/**
 * PtTensor: dtype, shape and address of the elements. Does not own its bytes.
 *
 * Tensors are dense: strides are in elements and follow from sizes and dim_order
 * (docs/formats/program.md, section 10.2), without gaps. A resize changes sizes, strides and numel,
 * never rank, dim_order, data or capacity.
 */
typedef struct {
  gpointer data;  /* NULL: no memory yet, or no elements */
  gsize capacity; /* usable bytes at @data */
  gsize numel;
  gsize max_numel; /* element count of the upper bound */
  PtDType dtype;
  PtDynamism dynamism;
  PtDeviceType device_type; /* the memory that @data is in */
  gint8 device_index;
  gboolean is_constant; /* @data must not be written */
  /*
   * Version of the elements of an is_constant input. Equal versions in two calls promise equal
   * elements, so results that depend only on this input can be reused. 0: unknown.
   */
  guint64 version;
  /*
   * Set for an output that stays on the device that computes it: instead of filling @data, the
   * delegate points it to memory of the device (pt_method_keep_output_on_device()).
   */
  gboolean stays_on_device;
  /*
   * What a delegate left in memory of its own of an output with stays_on_device: known to its
   * backend (PtBackend.n_inputs); @data is not filled then. NULL: nothing.
   */
  gconstpointer handed;
  guint8 rank;
  guint8 dim_order[PT_MAX_RANK];
  gint64 sizes[PT_MAX_RANK];
  gint64 strides[PT_MAX_RANK];
} PtTensor;

/**
 * Make a tensor over the caller's bytes; contiguous when @dim_order is NULL. FALSE when sizes
 * overflow.
 */
gboolean pt_tensor_init (PtTensor *tensor, PtDType dtype, guint rank, const gint64 *sizes,
                         const guint8 *dim_order, gpointer data, GError **error);

/**
 * Change the sizes by the rules of docs/formats/program.md, section 10.5: the rank stays; a static
 * tensor accepts only its own sizes; a bounded one accepts any shape of at most max_numel elements.
 */
gboolean pt_tensor_resize (PtTensor *tensor, guint rank, const gint64 *sizes, GError **error);

/** Return a version that no tensor of this process has had. Any thread. */
guint64 pt_tensor_new_version (void);

static inline gsize
pt_tensor_nbytes (const PtTensor *t)
{
  return t->numel * pt_dtype_size (t->dtype);
}

/** Whether dim_order is 0, 1, 2, ... This function and the next ignore dimensions of size 1. */
gboolean pt_tensor_is_contiguous (const PtTensor *tensor);
/** Whether dim_order is 0,2,3,1 (rank 4) or 0,2,3,4,1 (rank 5). */
gboolean pt_tensor_is_channels_last (const PtTensor *tensor);
gboolean pt_tensor_same_shape (const PtTensor *a, const PtTensor *b);

/**
 * Copy the elements of @from to @to by index; the dimension orders may differ. dtype and shape must
 * agree, and both must be in host memory. Slow when the orders differ: use it for files, not in
 * kernels.
 */
void pt_tensor_copy_elements (PtTensor *to, const PtTensor *from);

/** Format as "float32 [1, 7, 64]" into @buffer, for messages. */
const char *pt_tensor_describe (const PtTensor *tensor, char *buffer, gsize size);

G_END_DECLS
