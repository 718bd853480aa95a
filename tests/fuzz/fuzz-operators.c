/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/operators/operator-fixtures.h"

#include <string.h>

/*
 * One call of one operator: a good call of the fixtures, with some arguments replaced by what the
 * input says. Any result is right, as long as nothing outside of the arguments' memory is
 * touched.
 */

#define MAX_CHANGES 8
#define MAX_ELEMENTS 20000

static const char *const families[] = { "binary", "index",  "llm",   "matrix", "quantized",
                                        "reduce", "signal", "shape", "unary" };

typedef struct {
  const guint8 *at, *end;
} Reader;

static guint8
next (Reader *r)
{
  return r->at < r->end ? *r->at++ : 0;
}

static gint64
next_int (Reader *r)
{
  static const gint64 odd[] = { G_MAXINT64,       G_MININT64, G_MAXINT32, G_MININT32,
                                (gint64) 1 << 32, 1000,       -1000,      (gint64) 1 << 62 };
  guint8 byte = next (r);

  return byte < 0xf8 ? (gint64) (byte & 15) - 4 : odd[byte & 7];
}

static double
next_double (Reader *r)
{
  static const double odd[] = { 1e300, -1e300, 1e-300, 1e9 };
  guint8 byte = next (r);

  return byte < 0xfc ? (double) ((gint8) byte) / 4 : odd[byte & 3];
}

static PtTensor *
next_tensor (Reader *r, Call *call, const PtTensor *old)
{
  guint8 flags = next (r), kind = next (r), pattern = next (r);
  PtDType dtype = old != NULL && (flags & 1) != 0 ? old->dtype : (PtDType) (kind % 29);
  guint rank = old != NULL && (flags & 2) != 0 ? old->rank : next (r) % 7;
  guint8 order[PT_MAX_RANK];
  gint64 sizes[PT_MAX_RANK];
  gsize numel = 1;
  PtTensor *tensor;

  if (pt_dtype_size (dtype) == 0)
    dtype = PT_DTYPE_F32;
  for (guint i = 0; i < rank; i++) {
    sizes[i] = old != NULL && rank == old->rank && (flags & 4) != 0 ? old->sizes[i] : next (r) % 9;
    if (numel * (gsize) sizes[i] > MAX_ELEMENTS)
      sizes[i] = 1;
    numel *= (gsize) sizes[i];
    order[i] = (guint8) ((i + ((flags & 8) != 0 ? kind : 0)) % rank);
  }
  tensor = call_tensor (call, dtype, rank, sizes);
  g_assert (pt_tensor_init (tensor, dtype, rank, sizes, order, tensor->data, NULL));
  if (tensor->data != NULL)
    memset (tensor->data, pattern, tensor->capacity);
  if ((flags & 16) != 0)
    tensor->dynamism = PT_DYNAMISM_BOUND;
  tensor->is_constant = (flags & 0x60) == 0x60;
  if ((flags & 0xe0) == 0xe0)
    tensor->data = NULL;
  return tensor;
}

static void
next_list (Reader *r, Call *call, PtValue *value)
{
  guint count = next (r) % 10;
  PtValue **items = g_new0 (PtValue *, MAX (count, 1));

  g_ptr_array_add (call->garbage, items);
  for (guint i = 0; i < count; i++) {
    if (value->kind == PT_VALUE_INT_LIST) {
      items[i] = call_value (call, PT_VALUE_INT);
      items[i]->as_int = next_int (r);
    } else if (value->kind == PT_VALUE_TENSOR_LIST || next (r) % 3 != 0) {
      items[i] = call_value (call, PT_VALUE_TENSOR);
      items[i]->as_tensor = next_tensor (r, call, NULL);
    }
  }
  value->as_values.items = items;
  value->as_values.count = count;
}

static void
next_numbers (Reader *r, Call *call, PtValue *value)
{
  guint count = next (r) % 10;
  double *numbers = g_new0 (double, MAX (count, 1));

  g_ptr_array_add (call->garbage, numbers);
  if (value->kind == PT_VALUE_DOUBLE_LIST) {
    for (guint i = 0; i < count; i++)
      numbers[i] = next_double (r);
    value->as_doubles.items = numbers;
    value->as_doubles.count = count;
  } else {
    value->as_bools.items = (const guint8 *) numbers;
    value->as_bools.count = count;
  }
}

static PtValue *
next_value (Reader *r, Call *call, const PtValue *old)
{
  static const char *const words[] = { "floor", "trunc", "none", "tanh", "reflect", "" };
  PtValue *value =
      call_value (call, (PtValueKind) (next (r) % (PT_VALUE_OPTIONAL_TENSOR_LIST + 1)));

  switch (value->kind) {
  case PT_VALUE_NONE: break;
  case PT_VALUE_INT: value->as_int = next_int (r); break;
  case PT_VALUE_BOOL: value->as_bool = next (r) & 1; break;
  case PT_VALUE_DOUBLE: value->as_double = next_double (r); break;
  case PT_VALUE_TENSOR:
    value->as_tensor = next_tensor (r, call, old->kind == PT_VALUE_TENSOR ? old->as_tensor : NULL);
    break;
  case PT_VALUE_STRING:
    value->as_string.data = words[next (r) % G_N_ELEMENTS (words)];
    value->as_string.length = strlen (value->as_string.data);
    break;
  case PT_VALUE_DOUBLE_LIST:
  case PT_VALUE_BOOL_LIST: next_numbers (r, call, value); break;
  default: next_list (r, call, value); break;
  }
  return value;
}

static const Fixtures *
family (guint i)
{
  static Fixtures opened[G_N_ELEMENTS (families)];

  if (opened[i].calls == NULL) {
    int argc = 1;
    char *name = (char *) "fuzz-operators", **argv = &name;

    if (!g_test_initialized ()) {
      g_setenv ("G_TEST_SRCDIR", PTERIS_TEST_DATA "/..", TRUE);
      g_test_init (&argc, &argv, NULL);
    }
    fixtures_open (&opened[i], families[i]);
  }
  return &opened[i];
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Reader r = { data, data + size };
  const Fixtures *fixtures = family (next (&r) % G_N_ELEMENTS (families));
  gsize which = next (&r) | (gsize) next (&r) << 8;
  PtExecution *execution = pt_execution_new (fuzz_pool (), NULL);
  GError *error = NULL;
  Call call;

  call_init (&call, fixtures, which % json_array_size (fixtures->calls),
             next (&r) % 2 == 0 ? OUT_STATIC : OUT_BOUND);
  for (guint i = 0; call.op != NULL && i < MAX_CHANGES && r.at < r.end; i++) {
    guint8 k = next (&r);

    if (k >= 0xf0)
      call.values[k % (call.n_args - 1)] = call.values[next (&r) % (call.n_args - 1)];
    else
      call.values[k % (call.n_args - 1)] =
          next_value (&r, &call, call.values[k % (call.n_args - 1)]);
  }
  if (call.op != NULL && !call_run (&call, execution, &error))
    fuzz_check_error (error);
  call_clear (&call);
  pt_execution_free (execution);
  return 0;
}
