/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/loop-nest.h"

G_BEGIN_DECLS

/*
 * The engine of element-wise operators with up to three broadcast inputs and one output. It passes
 * blocks of elements to a loop, as arrays of the compute type. Arrays that have this type already
 * are used in place.
 */

/** y[i] = f (x[0][i], x[1][i], ...). The arrays and y may be the same, or do not overlap. */
typedef void (*PtLoop) (gsize n, gconstpointer const *x, gpointer y, gconstpointer params);

/** One loop for each compute type; NULL: not supported by the operator. */
typedef struct {
  PtLoop loops[PT_N_COMPUTES];
} PtLoops;

/** The dtypes that the output may have (docs/formats/operators.md, section 2.6). */
typedef enum {
  PT_OUT_ACCEPTS,  /* any dtype to which the common dtype can be cast, real or complex as it is */
  PT_OUT_SAME,     /* the common dtype; for float32 also a half */
  PT_OUT_FLOATING, /* any floating dtype */
  PT_OUT_ANY,      /* any real dtype or bool */
} PtOutRule;

typedef struct {
  const PtLoops *loops;
  gconstpointer params;
  PtDType common;    /* dtype to which integer results wrap */
  PtCompute compute; /* usually pt_compute_of (common) */
  PtOutRule rule;
  gboolean is_slow; /* an element costs a function of libm rather than some arithmetic */
} PtElementwise;

/** Broadcast @inputs, size the out tensor in @out_value and run the loops. FALSE with an error. */
gboolean pt_elementwise (PtExecution *execution, const PtElementwise *op, guint n_inputs,
                         const PtView *inputs, const PtValue *out_value, GError **error);

/** Run @op; @out must be dense and have its final size. */
void pt_elementwise_run (PtExecution *execution, const PtElementwise *op, guint n_inputs,
                         const PtView *inputs, const PtView *out);

gboolean pt_check_out_rule (PtOutRule rule, PtDType common, PtDType out, GError **error);

/* Macros that define loops with the operands a, b, c and the parameters p. */

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
