/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <gio/gio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "tests/run-json.h"

static json_t *
run (const char *folder, const char *const *inputs, const char *const *shapes, GError **error)
{
  g_autofree char *model =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, "model.pte", NULL);
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  g_autofree char *text = NULL;

  job.model.path = model;
  job.run.inputs = inputs;
  job.run.shapes = shapes;
  text = run_to_json (&job, error);
  return text != NULL ? json_loads (text, 0, NULL) : NULL;
}

static const json_t *
output (const json_t *report)
{
  return json_array_get (json_object_get (report, "outputs"), 0);
}

static double
value (const json_t *object, size_t i)
{
  return json_number_value (json_array_get (json_object_get (object, "values"), i));
}

static void
test_values (void)
{
  const char *inputs[] = { "values:1, 2 3;4,5,6", "values:10", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) report = run ("add_f32", inputs, NULL, &error);

  g_assert_no_error (error);
  for (size_t i = 0; i < 6; i++)
    g_assert_cmpfloat (value (output (report), i), ==, 11.0 + (double) i);
  g_assert_cmpfloat (pt_json_double (output (report), "mean", 0), ==, 13.5);
  g_assert_cmpfloat_with_epsilon (pt_json_double (output (report), "deviation", 0),
                                  sqrt (35.0 / 12), 1e-6);
  g_assert_cmpint (pt_json_int (output (report), "not_finite", -1), ==, 0);
}

static void
test_zeros_and_random (void)
{
  const char *inputs[] = { "zeros:", "random:7", NULL };
  const char *other[] = { "zeros:", "random:8", NULL };
  g_autoptr (json_t) one = run ("add_f32", inputs, NULL, NULL);
  g_autoptr (json_t) same = run ("add_f32", inputs, NULL, NULL);
  g_autoptr (json_t) different = run ("add_f32", other, NULL, NULL);

  g_assert_cmpfloat (value (output (one), 0), ==, value (output (same), 0));
  g_assert_cmpfloat (value (output (one), 0), !=, value (output (different), 0));
  g_assert_cmpfloat (pt_json_double (output (one), "min", -2), >=, -1);
  g_assert_cmpfloat (pt_json_double (output (one), "max", 2), <=, 1);
}

static void
check_refused (const char *folder, const char *first, const char *second, const char *shape,
               const char *part)
{
  const char *inputs[] = { first, second, NULL };
  const char *shapes[] = { shape, NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) report = run (folder, inputs, shapes, &error);

  g_assert_null (report);
  g_assert_nonnull (error);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

static void
test_refused (void)
{
  check_refused ("add_f32", "values:1,2", "zeros:", NULL, "2 numbers were given");
  check_refused ("add_f32", "values:1,x", "zeros:", NULL, "“x” is not a number");
  check_refused ("add_f32", "values:", "zeros:", NULL, "0 numbers");
  check_refused ("add_f32", "zeros:", "zeros:", "1,2,3", "");
  check_refused ("embedding", "values:1.5", NULL, NULL, "is not a valid");
}

/* A row of scores has its best said, with shares of 1. */
static void
test_top (void)
{
  const char *inputs[] = { "random:1", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) report = run ("dynamic_shape", inputs, NULL, &error);
  const json_t *top, *best;
  double sum = 0;
  size_t i;

  g_assert_no_error (error);
  top = json_object_get (output (report), "top");
  g_assert_cmpuint (json_array_size (top), ==, 5);
  json_array_foreach (top, i, best) {
    sum += pt_json_double (best, "share", -1);
    if (i > 0)
      g_assert_cmpfloat (pt_json_double (best, "value", 0), <=,
                         pt_json_double (json_array_get (top, i - 1), "value", 0));
  }
  g_assert_cmpfloat (sum, >, 0.5);
  g_assert_cmpfloat (sum, <=, 1.000001);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/tasks/run-inputs/values", test_values);
  g_test_add_func ("/tasks/run-inputs/zeros-and-random", test_zeros_and_random);
  g_test_add_func ("/tasks/run-inputs/refused", test_refused);
  g_test_add_func ("/tasks/run-inputs/top", test_top);
  return g_test_run ();
}
