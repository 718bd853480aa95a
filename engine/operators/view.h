/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/set-error.h"
#include "engine/operators/dtypes.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/**
 * PtView: elements in memory with any strides; a snapshot of a tensor or of a part of it.
 *
 * Kernels make views of their inputs before they resize an output. So the views stay valid when a
 * program passes one tensor as both.
 */
typedef struct {
  guint8 *data;
  PtDType dtype;
  guint rank;
  gsize numel;
  gint64 sizes[PT_MAX_RANK];
  gint64 strides[PT_MAX_RANK]; /* in elements */
} PtView;

/** Check an argument in one statement: fails the kernel unless @condition holds. */
#define PT_CHECK(condition, ...)                              \
  G_STMT_START                                                \
  {                                                           \
    if (G_UNLIKELY (!(condition)))                            \
      return pt_fail (error, PT_ERROR_ARGUMENT, __VA_ARGS__); \
  }                                                           \
  G_STMT_END

/** The head of a kernel function. */
#define PT_KERNEL(name) \
  static gboolean name (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)

/** A table of operators, one for each file. */
typedef struct {
  const PtOperator *operators;
  guint n_operators;
} PtOperatorFamily;

/* Access to arguments. @what names the argument in messages. All functions fail with an error. */

/** The tensor in @value; readable, and of one of @dtypes. */
gboolean pt_arg_view (const PtValue *value, const char *what, PtDTypeSet dtypes, PtView *view,
                      GError **error);
/** The same; for None *present = FALSE. */
gboolean pt_arg_optional_view (const PtValue *value, const char *what, PtDTypeSet dtypes,
                               PtView *view, gboolean *present, GError **error);
/**
 * The out tensor in @value, of one of @dtypes, resized and writable. Checks come before the resize.
 */
gboolean pt_arg_out (const PtValue *value, PtDTypeSet dtypes, guint rank, const gint64 *sizes,
                     PtView *view, GError **error);
/** The out tensor without a resize, for lists that are only checked and for in-place operators. */
gboolean pt_arg_target (const PtValue *value, PtDTypeSet dtypes, PtView *view, GError **error);
/** The out tensor for a single number: of rank 0, or [1]. */
gboolean pt_arg_out_single (const PtValue *value, PtDTypeSet dtypes, PtView *view, GError **error);
/** The dtype of an out tensor before it is sized. */
gboolean pt_arg_out_dtype (const PtValue *value, PtDTypeSet dtypes, PtDType *dtype, GError **error);

/** A dimension of a tensor of @rank. Negative numbers count from the end; rank 0 counts as 1. */
gboolean pt_wrap_dim (gint64 dim, guint rank, guint *out, GError **error);
gboolean pt_arg_dim (const PtValue *value, guint rank, guint *dim, GError **error);
/** A list of dimensions as bits, or None. Duplicates fail. @count may be NULL. */
gboolean pt_arg_dims (const PtValue *value, guint rank, guint *mask, guint *count, GError **error);
/** An IntList of at most @max numbers. */
gboolean pt_arg_ints (const PtValue *value, const char *what, gint64 *out, guint max, guint *count,
                      GError **error);
/** An IntList of exactly @count numbers, or of one number for all. */
gboolean pt_arg_ints_n (const PtValue *value, const char *what, gint64 *out, guint count,
                        GError **error);
/** The sizes of a tensor: not negative, at most PT_MAX_RANK of them. */
gboolean pt_arg_sizes (const PtValue *value, gint64 *sizes, guint *rank, GError **error);
/** A Bool that must be FALSE. */
gboolean pt_arg_false (const PtValue *value, const char *what, GError **error);
/** A memory format: None, or any except channels_last. */
gboolean pt_arg_memory_format (const PtValue *value, GError **error);

/** A dim order: None, or equal to that of the out tensor in @out_value. */
gboolean pt_arg_dim_order (const PtValue *value, const PtValue *out_value, GError **error);

/** Dimension, start, end and step, as slice takes them. @view becomes a view of these elements. */
gboolean pt_arg_slice (PtValue *const *args, const PtView *view, guint *dim, gint64 *start,
                       gint64 *length, gint64 *step, GError **error);

/** TRUE when @value is the String @text. */
gboolean pt_arg_string_is (const PtValue *value, const char *text);

/** A number; its kind decides its category in type promotion. */
typedef struct {
  PtValueKind kind; /* INT, DOUBLE or BOOL */
  gint64 i;         /* truncated */
  double d;
} PtScalar;

gboolean pt_arg_scalar (const PtValue *value, const char *what, PtScalar *scalar, GError **error);
PtDType pt_promote_scalar (PtDType dtype, const PtScalar *scalar);
/** FALSE when @scalar does not fit @dtype (docs/formats/operators.md, section 2.5). */
gboolean pt_scalar_fits (const PtScalar *scalar, PtDType dtype);
/** A number of dtype @dtype, with its memory. */
typedef struct {
  PtComplex bytes;
} PtScalarBytes;
void pt_scalar_put (const PtScalar *scalar, PtDType dtype, gpointer bytes);
/** A view of rank 0 of @scalar, in the form that loops for tensors of dtype @common read. */
void pt_scalar_view (const PtScalar *scalar, PtDType common, PtScalarBytes *bytes, PtView *view);

/* Functions that make views. None of them copies. */

/** A contiguous view of @bytes. */
void pt_view_init (PtView *view, PtDType dtype, guint rank, const gint64 *sizes, gpointer bytes);
/** Whether the layout is the default one; dimensions of size 1 are ignored. */
gboolean pt_view_is_contiguous (const PtView *view);
gboolean pt_view_same_shape (const PtView *a, const PtView *b);
/** The number of elements in dimensions [begin, end). */
gsize pt_view_count (const PtView *view, guint begin, guint end);
void pt_view_set_size (PtView *view, guint dim, gint64 size);
/** Select @length elements of dimension @dim: @start, @start + @step, ... They must be in range. */
void pt_view_slice (PtView *view, guint dim, gint64 start, gint64 length, gint64 step);
/** Select element @index of dimension @dim, which is removed. It must be in range. */
void pt_view_select (PtView *view, guint dim, gint64 index);
void pt_view_permute (PtView *view, const guint *order);
/** Insert a dimension of @size and @stride before dimension @dim. */
void pt_view_insert (PtView *view, guint dim, gint64 size, gint64 stride);
/** Make the rank at least 1, for code that visits the last dimension. */
void pt_view_at_least_1d (PtView *view);

static inline gpointer
pt_view_at (const PtView *view, gint64 offset)
{
  return view->data + offset * (gint64) pt_dtype_size (view->dtype);
}

/** The shape to which all of @views broadcast. */
gboolean pt_broadcast (guint n, const PtView *views, guint *rank, gint64 *sizes, GError **error);
gboolean pt_broadcasts_to (const PtView *view, guint rank, const gint64 *sizes);

G_END_DECLS
