/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/*
 * The engine of reductions: elements along some dimensions are folded into one, in ascending order.
 * Elements are loaded in blocks as arrays of a compute type. Results have the same type, and are
 * converted at the end.
 */

/** The state of a fold. A reducer uses the fields that it needs. */
typedef struct {
  gint64 i64;
  float f32;
  double f64;
  double mean;  /* set before a second pass */
  gint64 index; /* index of the best element */
  gint64 seen;  /* number of elements so far, if a reducer needs it */
} PtFold;

typedef void (*PtFoldFunc) (PtFold *fold, gsize n, gconstpointer x);

/**
 * Rows that are folded together, so that the addition in one row need not wait for that in another.
 */
#define PT_FOLD_ROWS 8
/** Fold PT_FOLD_ROWS contiguous rows of n elements, each into its own fold. */
typedef void (*PtFoldRowsFunc) (PtFold *folds, gsize n, gconstpointer x);

typedef struct {
  PtFold start;
  PtFoldFunc add[PT_N_COMPUTES];
  PtFoldFunc second[PT_N_COMPUTES];       /* the second pass, after between(); NULL: one pass */
  PtFoldRowsFunc add_rows[PT_N_COMPUTES]; /* does the same as add for several rows; NULL: none */
  void (*between) (PtFold *fold, gsize count);
  /** The result of type @compute over @count elements. NULL: the field of the compute type. */
  void (*finish) (const PtFold *fold, PtCompute compute, gsize count, gconstpointer params,
                  gpointer out);
} PtReducer;

typedef struct {
  const PtReducer *reducer;
  gconstpointer params;
  PtCompute compute;
  const PtView *in;
  guint mask;      /* a bit for each folded dimension */
  PtView out;      /* already sized; any dtype */
  gint64 *indices; /* NULL, or memory for PtFold.index: contiguous, one for each element of out */
} PtReduction;

gboolean pt_reduce (PtExecution *execution, const PtReduction *reduction, GError **error);

/** The mask of all dimensions. */
static inline guint
pt_all_dims (guint rank)
{
  return (1u << MAX (rank, 1)) - 1;
}

/** The shape of the result: dimensions of @mask are removed, or have size 1. */
void pt_reduced_shape (const PtView *in, guint mask, gboolean keepdim, guint *rank, gint64 *sizes);

/** The number of elements that are folded into one. */
gsize pt_reduced_count (const PtView *in, guint mask);

G_END_DECLS
