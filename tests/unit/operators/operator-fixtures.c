/* SPDX-License-Identifier: BSD-3-Clause */
#include "operator-fixtures.h"

#include <math.h>
#include <string.h>

#include "engine/init.h"

void
fixtures_open (Fixtures *fixtures, const char *family)
{
  g_autofree char *json = g_strconcat (family, ".json", NULL);
  g_autofree char *bin = g_strconcat (family, ".bin", NULL);
  g_autofree char *json_path = g_test_build_filename (G_TEST_DIST, "data", "operators", json, NULL);
  g_autofree char *bin_path = g_test_build_filename (G_TEST_DIST, "data", "operators", bin, NULL);
  g_autoptr (GError) error = NULL;
  json_error_t json_error;

  pt_init ();
  fixtures->calls = json_load_file (json_path, 0, &json_error);
  if (fixtures->calls == NULL)
    g_error ("%s: %s", json_path, json_error.text);
  g_file_get_contents (bin_path, &fixtures->bytes, &fixtures->size, &error);
  g_assert_no_error (error);
}

void
fixtures_close (Fixtures *fixtures)
{
  json_decref (fixtures->calls);
  g_free (fixtures->bytes);
}

static gpointer
own (Call *call, gpointer memory)
{
  g_ptr_array_add (call->garbage, memory);
  return memory;
}

PtValue *
call_value (Call *call, PtValueKind kind)
{
  PtValue *value = own (call, g_new0 (PtValue, 1));

  value->kind = kind;
  return value;
}

PtTensor *
call_tensor (Call *call, PtDType dtype, guint rank, const gint64 *sizes)
{
  PtTensor *tensor = own (call, g_new0 (PtTensor, 1));
  g_autoptr (GError) error = NULL;
  gsize n = pt_dtype_size (dtype);

  for (guint i = 0; i < rank; i++)
    n *= (gsize) sizes[i];
  /* Memory of this very size, so that a sanitizer sees any step beyond it. */
  pt_tensor_init (tensor, dtype, rank, sizes, NULL, n > 0 ? own (call, g_malloc0 (n)) : NULL,
                  &error);
  g_assert_no_error (error);
  return tensor;
}

/* [dtype, sizes, offset, dim order] */
static PtTensor *
read_tensor (Call *call, const Fixtures *fixtures, json_t *entry, gboolean with_data)
{
  int dtype = pt_dtype_from_name (json_string_value (json_array_get (entry, 0)));
  json_t *sizes_entry = json_array_get (entry, 1), *order_entry = json_array_get (entry, 3);
  gsize offset = (gsize) json_integer_value (json_array_get (entry, 2));
  guint rank = (guint) json_array_size (sizes_entry);
  gint64 sizes[PT_MAX_RANK];
  guint8 order[PT_MAX_RANK];
  g_autoptr (GError) error = NULL;
  PtTensor *tensor;

  g_assert_cmpint (dtype, >=, 0);
  for (guint i = 0; i < rank; i++) {
    sizes[i] = json_integer_value (json_array_get (sizes_entry, i));
    order[i] = (guint8) json_integer_value (json_array_get (order_entry, i));
  }
  tensor = call_tensor (call, (PtDType) dtype, rank, sizes);
  if (order_entry != NULL)
    pt_tensor_init (tensor, (PtDType) dtype, rank, sizes, order, tensor->data, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (offset + pt_tensor_nbytes (tensor), <=, fixtures->size);
  if (with_data && tensor->numel > 0)
    memcpy (tensor->data, fixtures->bytes + offset, pt_tensor_nbytes (tensor));
  return tensor;
}

static PtValue *
tensor_value (Call *call, PtTensor *tensor)
{
  PtValue *value = call_value (call, PT_VALUE_TENSOR);

  value->as_tensor = tensor;
  return value;
}

/* The place of result @i: the shape of what is wanted, or another of the same rank. */
static PtValue *
out_value (Call *call, json_t *want, const Fixtures *fixtures, guint i, OutKind kind)
{
  PtTensor *tensor = read_tensor (call, fixtures, json_array_get (want, i), FALSE);
  gint64 sizes[PT_MAX_RANK] = { 0 };

  if (kind == OUT_BOUND) {
    tensor->dynamism = PT_DYNAMISM_BOUND;
    if (tensor->rank > 0)
      g_assert_true (pt_tensor_resize (tensor, tensor->rank, sizes, NULL));
  }
  if (tensor->data != NULL)
    memset (tensor->data, 0x5a, tensor->capacity);
  call->outs[i] = tensor;
  return tensor_value (call, tensor);
}

static PtValue *
list_value (Call *call, PtValueKind kind, guint count)
{
  PtValue *value = call_value (call, kind);

  value->as_values.count = count;
  value->as_values.items = own (call, g_new0 (PtValue *, MAX (count, 1)));
  return value;
}

static double
number (json_t *entry)
{
  return json_is_string (entry) ? g_ascii_strtod (json_string_value (entry), NULL)
                                : json_number_value (entry);
}

static PtValue *
int_list (Call *call, json_t *list)
{
  PtValue *value = list_value (call, PT_VALUE_INT_LIST, (guint) json_array_size (list));

  for (guint i = 0; i < value->as_values.count; i++) {
    PtValue *item = call_value (call, PT_VALUE_INT);

    item->as_int = json_integer_value (json_array_get (list, i));
    ((PtValue **) value->as_values.items)[i] = item;
  }
  return value;
}

static PtValue *
tensor_list (Call *call, const Fixtures *fixtures, PtValueKind kind, json_t *list)
{
  PtValue *value = list_value (call, kind, (guint) json_array_size (list));

  for (guint i = 0; i < value->as_values.count; i++) {
    json_t *entry = json_array_get (list, i);

    ((PtValue **) value->as_values.items)[i] =
        json_is_null (entry) ? NULL
                             : tensor_value (call, read_tensor (call, fixtures, entry, TRUE));
  }
  return value;
}

static PtValue *
out_list (Call *call, json_t *want, const Fixtures *fixtures, OutKind kind)
{
  PtValue *value = list_value (call, PT_VALUE_TENSOR_LIST, (guint) json_array_size (want));

  for (guint i = 0; i < value->as_values.count; i++)
    ((PtValue **) value->as_values.items)[i] = out_value (call, want, fixtures, i, kind);
  return value;
}

static PtValue *
plain_list (Call *call, json_t *list, gboolean is_bool)
{
  PtValue *value = call_value (call, is_bool ? PT_VALUE_BOOL_LIST : PT_VALUE_DOUBLE_LIST);
  guint n = (guint) json_array_size (list);
  guint8 *flags = own (call, g_new0 (guint8, n + 1));
  double *numbers = own (call, g_new0 (double, n + 1));

  for (guint i = 0; i < n; i++) {
    flags[i] = (guint8) json_is_true (json_array_get (list, i));
    numbers[i] = number (json_array_get (list, i));
  }
  if (is_bool) {
    value->as_bools.items = flags;
    value->as_bools.count = n;
  } else {
    value->as_doubles.items = numbers;
    value->as_doubles.count = n;
  }
  return value;
}

static PtValue *
read_argument (Call *call, const Fixtures *fixtures, json_t *entry, json_t *want, OutKind kind)
{
  const char *form = json_is_object (entry) ? json_object_iter_key (json_object_iter (entry)) : "";
  json_t *content = json_is_object (entry) ? json_object_get (entry, form) : NULL;
  PtValue *value;

  if (json_is_null (entry))
    return call_value (call, PT_VALUE_NONE);
  if (strcmp (form, "t") == 0)
    return tensor_value (call, read_tensor (call, fixtures, content, TRUE));
  if (strcmp (form, "o") == 0)
    return out_value (call, want, fixtures, (guint) json_integer_value (content), kind);
  if (strcmp (form, "ox") == 0)
    /* Splits by equal parts check their outputs instead of resizing them. */
    return out_list (call, want, fixtures,
                     strstr (call->name, "with_sizes") != NULL ? kind : OUT_STATIC);
  if (strcmp (form, "io") == 0) {
    value = tensor_value (call, read_tensor (call, fixtures, json_array_get (content, 1), TRUE));
    call->outs[json_integer_value (json_array_get (content, 0))] = value->as_tensor;
    return value;
  }
  if (strcmp (form, "il") == 0)
    return int_list (call, content);
  if (strcmp (form, "tl") == 0)
    return tensor_list (call, fixtures, PT_VALUE_TENSOR_LIST, content);
  if (strcmp (form, "ol") == 0)
    return tensor_list (call, fixtures, PT_VALUE_OPTIONAL_TENSOR_LIST, content);
  if (strcmp (form, "bl") == 0 || strcmp (form, "dl") == 0)
    return plain_list (call, content, form[0] == 'b');
  if (strcmp (form, "s") == 0) {
    value = call_value (call, PT_VALUE_STRING);
    value->as_string.data = json_string_value (content);
    value->as_string.length = json_string_length (content);
  } else if (strcmp (form, "d") == 0) {
    value = call_value (call, PT_VALUE_DOUBLE);
    value->as_double = number (content);
  } else if (strcmp (form, "b") == 0) {
    value = call_value (call, PT_VALUE_BOOL);
    value->as_bool = json_is_true (content);
  } else {
    g_assert_cmpstr (form, ==, "i");
    value = call_value (call, PT_VALUE_INT);
    value->as_int = json_integer_value (content);
  }
  return value;
}

void
call_init (Call *call, const Fixtures *fixtures, gsize i, OutKind kind)
{
  json_t *entry = json_array_get (fixtures->calls, i), *args = json_object_get (entry, "args");
  json_t *want = json_object_get (entry, "want"), *tolerance = json_object_get (entry, "tol");

  memset (call, 0, sizeof *call);
  call->garbage = g_ptr_array_new_with_free_func (g_free);
  call->name = json_string_value (json_object_get (entry, "op"));
  call->op = pt_operator_find (call->name);
  call->n_outs = (guint) json_array_size (want);
  call->rtol = json_number_value (json_array_get (tolerance, 0));
  call->atol = json_number_value (json_array_get (tolerance, 1));
  g_assert_cmpuint (call->n_outs, <=, MAX_OUTS);
  for (guint k = 0; k < call->n_outs; k++)
    call->wants[k] = read_tensor (call, fixtures, json_array_get (want, k), TRUE);
  for (gsize k = 0; k < json_array_size (args); k++)
    call->values[call->n_args++] =
        read_argument (call, fixtures, json_array_get (args, k), want, kind);
  /* The result once more, which operators ignore. */
  call->values[call->n_args++] = call_value (call, PT_VALUE_NONE);
}

void
call_clear (Call *call)
{
  g_ptr_array_unref (call->garbage);
}

gboolean
call_run (Call *call, PtExecution *execution, GError **error)
{
  gboolean ok = call->op->kernel (execution, call->values, call->n_args, error);

  pt_execution_reset (execution);
  return ok;
}
