/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operators with arguments that a damaged or malicious program could pass: every argument of
 * every call of the fixtures is replaced by something else, one at a time. An operator may accept
 * it, or fail with an error of the engine; it must not crash, nor step outside of its memory (run
 * this with sanitizers), nor touch an output that cannot take the result.
 */
#include <math.h>
#include <string.h>
#include <pteris/error.h>

#include "operator-fixtures.h"

static PtValue *
int_value (Call *call, gint64 number)
{
  PtValue *value = call_value (call, PT_VALUE_INT);

  value->as_int = number;
  return value;
}

static PtValue *
tensor_of (Call *call, PtDType dtype, guint rank, gint64 size)
{
  PtValue *value = call_value (call, PT_VALUE_TENSOR);
  gint64 sizes[PT_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    sizes[i] = size;
  value->as_tensor = call_tensor (call, dtype, rank, sizes);
  return value;
}

static PtValue *
list_of (Call *call, PtValueKind kind, PtValue *item, guint count)
{
  PtValue *value = call_value (call, kind);

  value->as_values.items = (PtValue *const *) g_new0 (PtValue *, MAX (count, 1));
  g_ptr_array_add (call->garbage, (gpointer) value->as_values.items);
  value->as_values.count = count;
  for (guint i = 0; i < count; i++)
    ((PtValue **) value->as_values.items)[i] = item;
  return value;
}

#define N_REPLACEMENTS 39

/* Something else for argument @k; NULL: this replacement makes no sense here. */
static PtValue *
replacement (Call *call, guint k, guint which)
{
  static const PtDType dtypes[] = { PT_DTYPE_U8,  PT_DTYPE_I8,   PT_DTYPE_I16, PT_DTYPE_I32,
                                    PT_DTYPE_I64, PT_DTYPE_F16,  PT_DTYPE_F32, PT_DTYPE_F64,
                                    PT_DTYPE_C64, PT_DTYPE_BOOL, PT_DTYPE_U16 };
  static const gint64 numbers[] = { 0,          1,          -1,         3,         1000,
                                    G_MAXINT32, G_MININT32, G_MAXINT64, G_MININT64 };
  const PtValue *old = call->values[k];
  PtValue *value;

  if (which < 9)
    return int_value (call, numbers[which]);
  if (which < 20 && old->kind == PT_VALUE_TENSOR) {
    value = call_value (call, PT_VALUE_TENSOR);
    value->as_tensor =
        call_tensor (call, dtypes[which - 9], old->as_tensor->rank, old->as_tensor->sizes);
    return value;
  }
  if (which < 20)
    return tensor_of (call, dtypes[which - 9], 2, 2);
  switch (which) {
  case 20: return call_value (call, PT_VALUE_NONE);
  case 21:
    value = call_value (call, PT_VALUE_DOUBLE);
    value->as_double = (double) NAN;
    return value;
  case 22:
    value = call_value (call, PT_VALUE_DOUBLE);
    value->as_double = -1e300;
    return value;
  case 23:
    value = call_value (call, PT_VALUE_BOOL);
    value->as_bool = TRUE;
    return value;
  case 24:
    value = call_value (call, PT_VALUE_STRING);
    value->as_string.data = "floor";
    value->as_string.length = 5;
    return value;
  case 25: return list_of (call, PT_VALUE_INT_LIST, NULL, 0);
  case 26: return list_of (call, PT_VALUE_INT_LIST, int_value (call, -7), 2);
  case 27: return list_of (call, PT_VALUE_INT_LIST, int_value (call, G_MAXINT64), 2);
  case 28: return list_of (call, PT_VALUE_INT_LIST, int_value (call, 1), 40);
  case 29: return list_of (call, PT_VALUE_INT_LIST, call_value (call, PT_VALUE_NONE), 2);
  case 30: return list_of (call, PT_VALUE_TENSOR_LIST, NULL, 2);
  case 31: return list_of (call, PT_VALUE_OPTIONAL_TENSOR_LIST, NULL, 20);
  case 32:
    return list_of (call, PT_VALUE_OPTIONAL_TENSOR_LIST, tensor_of (call, PT_DTYPE_I64, 1, 3), 3);
  case 33: return tensor_of (call, PT_DTYPE_F32, 0, 0);
  case 34: return tensor_of (call, PT_DTYPE_F32, 16, 1);
  case 35: return tensor_of (call, PT_DTYPE_F32, 4, 0);
  case 36: return tensor_of (call, PT_DTYPE_F32, 3, 5);
  default: break;
  }
  if (old->kind != PT_VALUE_TENSOR || old->as_tensor->numel == 0)
    return NULL;
  value = call_value (call, PT_VALUE_TENSOR);
  value->as_tensor =
      call_tensor (call, old->as_tensor->dtype, old->as_tensor->rank, old->as_tensor->sizes);
  if (which == 37)
    /* Memory that was freed, or never set. */
    value->as_tensor->data = NULL;
  else
    memset (value->as_tensor->data, 0xf3, value->as_tensor->capacity);
  return value;
}

/* Everything about a call that must hold after a failure. */
static void
check_failure (const Call *call, const GError *error)
{
  g_assert_nonnull (error);
  if (error->domain != PT_ERROR)
    g_error ("%s: an error of another domain: %s", call->name, error->message);
  g_assert_cmpint (error->message[0], !=, '\0');
}

static void
run_damaged (Call *call, PtExecution *execution)
{
  g_autoptr (GError) error = NULL;

  if (!call_run (call, execution, &error))
    check_failure (call, error);
  else if (error != NULL)
    g_error ("%s: succeeded with an error: %s", call->name, error->message);
}

static void
test_arguments (gconstpointer family)
{
  Fixtures fixtures;
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  fixtures_open (&fixtures, family);
  for (gsize i = 0; i < json_array_size (fixtures.calls); i++) {
    Call call;
    guint n_args;
    int times;

    /* Two calls of an operator are enough. */
    call_init (&call, &fixtures, i, OUT_STATIC);
    n_args = call.n_args - 1;
    times = GPOINTER_TO_INT (g_hash_table_lookup (seen, call.name));
    g_hash_table_insert (seen, (gpointer) call.name, GINT_TO_POINTER (times + 1));
    call_clear (&call);
    for (guint k = 0; k < n_args && times < 2; k++)
      for (guint which = 0; which < N_REPLACEMENTS; which++) {
        call_init (&call, &fixtures, i, which % 2 == 0 ? OUT_STATIC : OUT_BOUND);
        call.values[k] = replacement (&call, k, which);
        if (call.values[k] != NULL)
          run_damaged (&call, execution);
        call_clear (&call);
      }
  }
  fixtures_close (&fixtures);
}

/* One tensor as everything: an operator must not trip over its own resize. */
static void
test_aliases (gconstpointer family)
{
  Fixtures fixtures;
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);

  fixtures_open (&fixtures, family);
  for (gsize i = 0; i < json_array_size (fixtures.calls); i++) {
    Call call;
    guint n_args;

    call_init (&call, &fixtures, i, OUT_BOUND);
    n_args = call.n_args - 1;
    call_clear (&call);
    for (guint k = 0; k < n_args; k++) {
      call_init (&call, &fixtures, i, OUT_BOUND);
      if (call.values[k]->kind == PT_VALUE_TENSOR) {
        PtTensor *tensor = call.values[k]->as_tensor;

        tensor->dynamism = PT_DYNAMISM_BOUND;
        for (guint j = 0; j < n_args; j++)
          if (call.values[j]->kind == PT_VALUE_TENSOR &&
              call.values[j]->as_tensor->rank == tensor->rank)
            call.values[j]->as_tensor = tensor;
        run_damaged (&call, execution);
      }
      call_clear (&call);
    }
  }
  fixtures_close (&fixtures);
}

/* Packed weights with another header, or cut off: whatever they say, no step beyond them. */
static void
test_blobs (void)
{
  static const guint8 bytes[] = { 0, 1, 2, 7, 8, 127, 255 };
  Fixtures fixtures;
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);

  fixtures_open (&fixtures, "lowbit");
  for (gsize i = 0; i < json_array_size (fixtures.calls); i += 3)
    for (guint at = 0; at < 64; at++) {
      const char *name =
          json_string_value (json_object_get (json_array_get (fixtures.calls, i), "op"));
      guint k = strstr (name, "_linear_") != NULL ? 1 : strstr (name, "_moe_") != NULL ? 3 : 0;
      gint64 size = at;
      PtTensor *blob;
      Call call;

      call_init (&call, &fixtures, i, OUT_STATIC);
      blob = call.values[k]->as_tensor;
      if (blob->rank == 1 && blob->dtype == PT_DTYPE_I8) {
        call.values[k]->as_tensor = call_tensor (&call, PT_DTYPE_I8, 1, &size);
        memcpy (call.values[k]->as_tensor->data, blob->data, at);
        run_damaged (&call, execution);
        call.values[k]->as_tensor = blob;
      }
      ((guint8 *) blob->data)[at] = bytes[at % G_N_ELEMENTS (bytes)];
      run_damaged (&call, execution);
      call_clear (&call);
    }
  fixtures_close (&fixtures);
}

/* Outputs that cannot take the result: nothing is written. */
static void
test_outputs (gconstpointer family)
{
  Fixtures fixtures;
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);

  fixtures_open (&fixtures, family);
  for (gsize i = 0; i < json_array_size (fixtures.calls); i++)
    for (guint how = 0; how < 3; how++) {
      g_autoptr (GError) error = NULL;
      Call call;
      PtTensor *out;
      gsize size;

      call_init (&call, &fixtures, i, how == 0 ? OUT_STATIC : OUT_BOUND);
      out = call.outs[0];
      if (out == NULL || out->max_numel < 2) {
        call_clear (&call);
        continue;
      }
      size = out->capacity;
      if (how == 0)
        out->is_constant = TRUE;
      else if (how == 1)
        out->max_numel = out->capacity = 1;
      else
        out->device_type = PT_DEVICE_CUDA;
      g_assert_false (call_run (&call, execution, &error));
      check_failure (&call, error);
      for (gsize b = 0;
           b < size && strstr (call.name, "_cache") == NULL && !g_str_has_suffix (call.name, "_");
           b++)
        g_assert_cmpint (((const guint8 *) out->data)[b], ==, 0x5a);
      call_clear (&call);
    }
  fixtures_close (&fixtures);
}

int
main (int argc, char **argv)
{
  static const char *const families[] = { "unary", "binary", "shape",  "index",     "reduce",
                                          "llm",   "matrix", "signal", "quantized", "lowbit" };
  static const struct {
    const char *name;
    GTestDataFunc func;
  } tests[] = { { "arguments", test_arguments },
                { "aliases", test_aliases },
                { "outputs", test_outputs } };

  g_test_init (&argc, &argv, NULL);
  for (guint t = 0; t < G_N_ELEMENTS (tests); t++)
    for (guint i = 0; i < G_N_ELEMENTS (families); i++) {
      g_autofree char *path =
          g_strdup_printf ("/operators-hostile/%s/%s", tests[t].name, families[i]);

      g_test_add_data_func (path, families[i], tests[t].func);
    }
  g_test_add_func ("/operators-hostile/blobs", test_blobs);
  return g_test_run ();
}
