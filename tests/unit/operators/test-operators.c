/* SPDX-License-Identifier: BSD-3-Clause */
/* Every operator against results of PyTorch: dtypes, shapes, layouts, extremes. */
#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"
#include "operator-fixtures.h"

static double
element (const PtTensor *tensor, gsize i)
{
  switch (tensor->dtype) {
  case PT_DTYPE_U8:
  case PT_DTYPE_BOOL: return ((const guint8 *) tensor->data)[i];
  case PT_DTYPE_I8: return ((const gint8 *) tensor->data)[i];
  case PT_DTYPE_I16: return ((const gint16 *) tensor->data)[i];
  case PT_DTYPE_U16: return ((const guint16 *) tensor->data)[i];
  case PT_DTYPE_I32: return ((const gint32 *) tensor->data)[i];
  case PT_DTYPE_I64: return (double) ((const gint64 *) tensor->data)[i];
  case PT_DTYPE_F16: return (double) pt_f16_to_f32 (((const guint16 *) tensor->data)[i]);
  case PT_DTYPE_BF16: return (double) pt_bf16_to_f32 (((const guint16 *) tensor->data)[i]);
  case PT_DTYPE_F32:
  case PT_DTYPE_C64: return (double) ((const float *) tensor->data)[i];
  default: return ((const double *) tensor->data)[i];
  }
}

static gboolean
is_close (double got, double want, double rtol, double atol)
{
  if (want != want || got != got)
    return want != want && got != got;
  if (isinf (want) || isinf (got))
    return want == got;
  return fabs (got - want) <= atol + rtol * fabs (want);
}

static void G_GNUC_PRINTF (1, 2) fail (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list list;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);
  g_test_message ("%s", text);
  g_test_fail ();
}

/* The first difference of result @k, or all is well. */
static void
check_result (const Call *call, gsize number, guint k)
{
  const PtTensor *got = call->outs[k], *want = call->wants[k];
  gboolean is_complex = want->dtype == PT_DTYPE_C64 || want->dtype == PT_DTYPE_C128;
  gsize n = want->numel * (is_complex ? 2 : 1), i = 0;
  char got_text[160], want_text[160];

  pt_tensor_describe (got, got_text, sizeof got_text);
  pt_tensor_describe (want, want_text, sizeof want_text);
  if (!pt_tensor_same_shape (got, want) || got->dtype != want->dtype) {
    fail ("call %" G_GSIZE_FORMAT ", %s: result %u is %s instead of %s", number, call->name, k,
          got_text, want_text);
    return;
  }
  if (want->dtype == PT_DTYPE_I64)
    while (i < n && ((const gint64 *) got->data)[i] == ((const gint64 *) want->data)[i])
      i++;
  else
    while (i < n && is_close (element (got, i), element (want, i), call->rtol, call->atol))
      i++;
  if (i < n)
    fail ("call %" G_GSIZE_FORMAT ", %s: element %" G_GSIZE_FORMAT
          " of result %u, %s, is %.9g instead of %.9g",
          number, call->name, i, k, want_text, element (got, i), element (want, i));
}

static void
test_family (gconstpointer family)
{
  Fixtures fixtures;
  g_autoptr (GError) error = NULL;
  PtExecution *execution = pt_execution_new (NULL, &error);

  g_assert_no_error (error);
  fixtures_open (&fixtures, family);
  for (gsize i = 0; i < json_array_size (fixtures.calls); i++)
    for (OutKind kind = OUT_STATIC; kind <= OUT_BOUND; kind++) {
      Call call;

      call_init (&call, &fixtures, i, kind);
      if (call.op == NULL)
        g_error ("there is no operator %s", call.name);
      g_assert_cmpuint (call.op->n_args, ==, call.n_args);
      if (call_run (&call, execution, &error))
        for (guint k = 0; k < call.n_outs; k++)
          check_result (&call, i, k);
      else
        fail ("call %" G_GSIZE_FORMAT ", %s: %s", i, call.name, error->message);
      g_clear_error (&error);
      call_clear (&call);
    }
  fixtures_close (&fixtures);
  pt_execution_free (execution);
}

/* Random numbers have no fixtures: their range and moments do. */
static void
test_random (void)
{
  static const char *const names[2] = { "aten::rand.out", "aten::randn.out" };
  const gint64 size = 20000;
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);

  for (guint k = 0; k < 2; k++) {
    PtValue number = { .kind = PT_VALUE_INT, .as_int = size }, out, list, none = { 0 };
    PtValue *items[1] = { &number }, *args[3] = { &list, &out, &none };
    g_autofree float *data = g_new (float, size);
    g_autoptr (GError) error = NULL;
    PtTensor tensor;
    double sum = 0, squares = 0;

    list = (PtValue){ .kind = PT_VALUE_INT_LIST, .as_values = { items, 1 } };
    pt_tensor_init (&tensor, PT_DTYPE_F32, 1, &size, NULL, data, &error);
    out = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &tensor };
    pt_operator_find (names[k])->kernel (execution, args, 3, &error);
    g_assert_no_error (error);
    for (gint64 i = 0; i < size; i++) {
      g_assert_true (isfinite (data[i]) && (k == 1 || (data[i] >= 0 && data[i] <= 1)));
      sum += (double) data[i];
      squares += (double) data[i] * (double) data[i];
    }
    g_assert_cmpfloat_with_epsilon (sum / (double) size, k == 0 ? 0.5 : 0.0, 0.05);
    g_assert_cmpfloat_with_epsilon (squares / (double) size, k == 0 ? 1.0 / 3.0 : 1.0, 0.1);
  }
}

int
main (int argc, char **argv)
{
  static const char *const families[] = { "unary", "binary", "shape",  "index",     "reduce",
                                          "llm",   "matrix", "signal", "quantized", "lowbit" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (families); i++) {
    g_autofree char *path = g_strconcat ("/operators/", families[i], NULL);

    g_test_add_data_func (path, families[i], test_family);
  }
  g_test_add_func ("/operators/random", test_random);
  return g_test_run ();
}
