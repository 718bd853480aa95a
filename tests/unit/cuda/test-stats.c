/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/json.h"

#include <string.h>
#include <pteris/stats.h>

static json_t *
read_stats (void)
{
  g_autofree char *text = pt_stats_read ();
  json_t *root = json_loads (text, 0, NULL);

  g_assert_nonnull (root);
  return root;
}

static double
number (json_t *root, const char *group, const char *name)
{
  json_t *value = json_object_get (json_object_get (root, group), name);

  g_assert_true (json_is_number (value));
  return json_number_value (value);
}

static void
assert_percent (json_t *root, const char *name)
{
  json_t *value = json_object_get (json_object_get (root, "cpu"), name);

  /* Two calls may fall into one tick of the clock. */
  g_assert_true (json_is_null (value) ||
                 (json_number_value (value) >= 0 && json_number_value (value) <= 100));
}

static void
test_without_gpu (void)
{
  g_autoptr (json_t) first = NULL;
  g_autoptr (json_t) second = NULL;

  g_setenv ("PTERIS_NVML", "/nonexistent/libnvidia-ml.so.1", TRUE);
  first = read_stats ();
  g_assert_cmpfloat (number (first, "cpu", "cores"), >=, 1);
  g_assert_true (json_is_string (json_object_get (json_object_get (first, "cpu"), "name")));
  g_assert_true (json_is_string (json_object_get (json_object_get (first, "cpu"), "level")));
  g_assert_true (
      json_is_null (json_object_get (json_object_get (first, "cpu"), "machine_percent")));
  g_assert_cmpfloat (number (first, "memory", "total_bytes"), >,
                     number (first, "memory", "available_bytes"));
  g_assert_cmpfloat (number (first, "process", "resident_bytes"), >, 1e5);
  g_assert_cmpfloat (number (first, "process", "peak_bytes"), >=,
                     number (first, "process", "resident_bytes"));
  g_assert_cmpuint (json_array_size (json_object_get (first, "gpus")), ==, 0);
  g_assert_nonnull (strstr (pt_json_string (first, "gpu_reason"), "no NVIDIA driver"));
  g_assert_true (json_is_null (json_object_get (first, "gpu_driver")));
  second = read_stats ();
  assert_percent (second, "machine_percent");
  assert_percent (second, "process_percent");
}

static void
test_with_gpus (void)
{
  g_autoptr (json_t) root = NULL;
  g_autoptr (PtDiagnosis) diagnosis = NULL;
  g_autofree char *driver = g_build_filename (g_get_home_dir (), "libcuda.so", NULL);
  json_t *gpus, *first, *second, *throttle;

  g_setenv ("PTERIS_NVML", FAKE_NVML_NEW, TRUE);
  g_setenv ("PTERIS_CUDA", driver, TRUE);
  g_setenv ("CUDA_VISIBLE_DEVICES", "\"0\"", TRUE);
  diagnosis = pt_diagnose ();
  g_assert_true (diagnosis->found);
  g_assert_false (diagnosis->usable);
  g_assert_nonnull (strstr (diagnosis->report, "NVML GPU 0: NVIDIA Test 1"));
  g_assert_nonnull (strstr (diagnosis->report, "CUDA_VISIBLE_DEVICES: “\\\"0\\\"”"));
  g_assert_nonnull (strstr (diagnosis->report, "PTERIS_CUDA: set"));
  g_assert_nonnull (strstr (diagnosis->report, "~" G_DIR_SEPARATOR_S "libcuda.so"));
  g_assert_null (strstr (diagnosis->report, g_get_home_dir ()));
  root = read_stats ();
  gpus = json_object_get (root, "gpus");
  first = json_array_get (gpus, 0);
  second = json_array_get (gpus, 1);
  g_assert_cmpuint (json_array_size (gpus), ==, 2);
  g_assert_true (json_is_null (json_object_get (root, "gpu_reason")));
  g_assert_cmpstr (pt_json_string (root, "gpu_driver"), ==, "550.54.15");
  g_assert_cmpstr (pt_json_string (root, "cuda_version"), ==, "12.4");
  g_assert_cmpstr (pt_json_string (first, "name"), ==, "NVIDIA Test 1");
  g_assert_cmpstr (pt_json_string (first, "compute_capability"), ==, "9.0");
  g_assert_cmpint (pt_json_int (first, "memory_used_bytes", 0), ==, (gint64) 2 << 30);
  g_assert_cmpint (pt_json_int (first, "pcie_most_generation", 0), ==, 5);
  g_assert_cmpint (pt_json_int (first, "pcie_to_gpu_bytes_per_s", 0), ==, 40000000000);
  throttle = json_object_get (first, "throttle");
  g_assert_cmpuint (json_array_size (throttle), ==, 2);
  g_assert_cmpstr (json_string_value (json_array_get (throttle, 0)), ==, "power limit");
  g_assert_cmpstr (json_string_value (json_array_get (throttle, 1)), ==, "temperature (hardware)");
  g_assert_false (pt_json_bool (first, "needs_reset", TRUE));
  g_assert_cmpfloat_with_epsilon (pt_json_double (first, "power_watts", 0), 123.456, 1e-9);
  g_assert_true (pt_json_bool (first, "mig", FALSE));
  g_assert_true (json_is_null (json_object_get (first, "fan_percent")));
  g_assert_cmpint (pt_json_int (second, "index", 0), ==, 1);
  g_assert_true (json_is_null (json_object_get (second, "uuid")));
  g_assert_true (json_is_null (json_object_get (second, "memory_total_bytes")));
  g_assert_true (json_is_null (json_object_get (second, "power_watts")));
  g_assert_true (json_is_null (json_object_get (second, "throttle")));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stats/without-gpu", test_without_gpu);
  g_test_add_func ("/stats/with-gpus", test_with_gpus);
  return g_test_run ();
}
