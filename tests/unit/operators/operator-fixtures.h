/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/runtime/execution.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/*
 * Calls of operators with the results they must have, from tests/data/operators, which
 * tools/make-operator-fixtures.py writes and describes.
 */

#define MAX_ARGS 32
#define MAX_OUTS 8

typedef struct {
  json_t *calls;
  char *bytes;
  gsize size;
} Fixtures;

void fixtures_open (Fixtures *fixtures, const char *family);
void fixtures_close (Fixtures *fixtures);

/** One call, ready: values in schema order, memory of exactly the size that is needed. */
typedef struct {
  const PtOperator *op;
  const char *name;
  guint n_args; /* the entry of the result included */
  PtValue *values[MAX_ARGS];
  PtTensor *outs[MAX_OUTS]; /* where the results will be */
  PtTensor *wants[MAX_OUTS];
  guint n_outs;
  double rtol, atol;
  GPtrArray *garbage; /* everything that the call owns */
} Call;

/** The kinds of out tensors. */
typedef enum {
  OUT_STATIC, /* of the sizes of the result */
  OUT_BOUND,  /* bounded, of other sizes until the operator resizes them */
} OutKind;

/** Make call @i. NULL operator: not in this build. */
void call_init (Call *call, const Fixtures *fixtures, gsize i, OutKind kind);
void call_clear (Call *call);

gboolean call_run (Call *call, PtExecution *execution, GError **error);

/** A new value that the call owns. */
PtValue *call_value (Call *call, PtValueKind kind);
/** A new contiguous tensor that the call owns, of zeros. */
PtTensor *call_tensor (Call *call, PtDType dtype, guint rank, const gint64 *sizes);

G_END_DECLS
