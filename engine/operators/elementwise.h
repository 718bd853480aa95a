/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/loop-nest.h"

G_BEGIN_DECLS

/*
 * The engine of element-wise operators: up to three broadcast inputs, one output. Elements
 * are handed to a loop in blocks, as arrays of the compute type; arrays that already are
 * of that type are used in place.
 */

/** y[i] = f (x[0][i], x[1][i], ...). The arrays and y may be the same, or do not overlap. */
typedef void (*PtLoop) (gsize n, gconstpointer const *x, gpointer y, gconstpointer params);

/** One loop for each compute type; NULL where the operator has none. */
typedef struct {
  PtLoop loops[PT_N_COMPUTES];
} PtLoops;

/** Which dtype the output may have (docs/formats/operators.md, section 2.6). */
typedef enum {
  PT_OUT_ACCEPTS,  /* any that the common dtype can be cast to, real or complex as it is */
  PT_OUT_SAME,     /* the common dtype; for float32 also a half */
  PT_OUT_FLOATING, /* any floating one */
  PT_OUT_ANY,      /* any real one or bool */
} PtOutRule;

typedef struct {
  const PtLoops *loops;
  gconstpointer params;
  PtDType common;    /* integer results wrap to it */
  PtCompute compute; /* usually pt_compute_of (common) */
  PtOutRule rule;
  gboolean is_slow; /* an element takes a function of libm rather than some arithmetic */
} PtElementwise;

/** Broadcast @inputs, size the out tensor in @out_value and run. */
gboolean pt_elementwise (PtExecution *execution, const PtElementwise *op, guint n_inputs,
                         const PtView *inputs, const PtValue *out_value, GError **error);

/** Run @op; @out is dense and has its size. */
void pt_elementwise_run (PtExecution *execution, const PtElementwise *op, guint n_inputs,
                         const PtView *inputs, const PtView *out);

gboolean pt_check_out_rule (PtOutRule rule, PtDType common, PtDType out, GError **error);

/* Loops are defined in terms of their operands a, b, c, and the parameters p. */

#define PT_DEFINE_LOOP(name, T, expression)                                       \
  static void name (gsize n, gconstpointer const *x, gpointer y, gconstpointer p) \
  {                                                                               \
    const T *xa = x[0];                                                           \
    T *out = y;                                                                   \
                                                                                  \
    for (gsize i = 0; i < n; i++) {                                               \
      T a = xa[i];                                                                \
                                                                                  \
      out[i] = (T) (expression);                                                  \
    }                                                                             \
  }

#define PT_DEFINE_LOOP2(name, T, expression)                                      \
  static void name (gsize n, gconstpointer const *x, gpointer y, gconstpointer p) \
  {                                                                               \
    const T *xa = x[0], *xb = x[1];                                               \
    T *out = y;                                                                   \
                                                                                  \
    for (gsize i = 0; i < n; i++) {                                               \
      T a = xa[i], b = xb[i];                                                     \
                                                                                  \
      out[i] = (T) (expression);                                                  \
    }                                                                             \
  }

#define PT_DEFINE_LOOP3(name, T, expression)                                      \
  static void name (gsize n, gconstpointer const *x, gpointer y, gconstpointer p) \
  {                                                                               \
    const T *xa = x[0], *xb = x[1], *xc = x[2];                                   \
    T *out = y;                                                                   \
                                                                                  \
    for (gsize i = 0; i < n; i++) {                                               \
      T a = xa[i], b = xb[i], c = xc[i];                                          \
                                                                                  \
      out[i] = (T) (expression);                                                  \
    }                                                                             \
  }

G_END_DECLS
