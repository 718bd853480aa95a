/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/*
 * The engine of reductions: the elements of some dimensions are folded into one, in ascending
 * order. Elements are loaded in blocks as arrays of a compute type; results are of that type
 * too and are converted at the end.
 */

/** What has been folded so far. A reducer uses the fields that it needs. */
typedef struct {
  gint64 i64;
  float f32;
  double f64;
  double mean;  /* set before a second pass */
  gint64 index; /* of the best element */
  gint64 seen;  /* elements so far, where a reducer needs that */
} PtFold;

typedef void (*PtFoldFunc) (PtFold *fold, gsize n, gconstpointer x);

/** Rows that are folded at once, so that the addition of one need not wait for that of another. */
#define PT_FOLD_ROWS 8
/** Fold PT_FOLD_ROWS rows of n elements, one after the other in memory, each into its fold. */
typedef void (*PtFoldRowsFunc) (PtFold *folds, gsize n, gconstpointer x);

typedef struct {
  PtFold start;
  PtFoldFunc add[PT_N_COMPUTES];
  PtFoldFunc second[PT_N_COMPUTES];       /* a second pass, after between(); NULL: none */
  PtFoldRowsFunc add_rows[PT_N_COMPUTES]; /* the same as add for several rows; NULL: none */
  void (*between) (PtFold *fold, gsize count);
  /** The result, of @compute, for @count elements. NULL: the field of the compute type. */
  void (*finish) (const PtFold *fold, PtCompute compute, gsize count, gconstpointer params,
                  gpointer out);
} PtReducer;

typedef struct {
  const PtReducer *reducer;
  gconstpointer params;
  PtCompute compute;
  const PtView *in;
  guint mask;      /* a bit for each dimension that is folded */
  PtView out;      /* sized; of any dtype */
  gint64 *indices; /* NULL, or where PtFold.index goes: contiguous, one for each element of out */
} PtReduction;

gboolean pt_reduce (PtExecution *execution, const PtReduction *reduction, GError **error);

/** The mask of all dimensions. */
static inline guint
pt_all_dims (guint rank)
{
  return (1u << MAX (rank, 1)) - 1;
}

/** The shape without the dimensions of @mask, or with ones for them. */
void pt_reduced_shape (const PtView *in, guint mask, gboolean keepdim, guint *rank, gint64 *sizes);

/** Elements that are folded into one. */
gsize pt_reduced_count (const PtView *in, guint mask);

G_END_DECLS
