/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-machine.h"

#include <math.h>

#include <jansson.h>

/* 0 to 1: how busy it is. Works for 18 of 50 seconds. */
static double
work_at (guint second)
{
  guint phase = second % 50;

  return phase < 18 ? 0.75 + 0.2 * sin (second * 1.7) : 0.03 + 0.02 * sin (second * 2.3);
}

/* What warms up and cools down follows slowly. */
static double
heat_at (guint second)
{
  double heat = 0;

  for (guint i = 0; i < 30 && i <= second; i++)
    heat += work_at (second - i) * exp (-(double) i / 9) / 9.5;
  return heat;
}

static json_t *
make_gpu (const FakeMachine *machine, guint index, guint second)
{
  double work = work_at (second + index * 20);
  gboolean silent = index == 1 && machine->second_silent;
  json_t *gpu;

  if (index == 1 && machine->second_lost)
    return json_pack ("{s:i, s:n, s:n, s:b, s:b}", "index", 1, "name", "uuid", "lost", 1,
                      "needs_reset", 0);
  gpu = json_pack ("{s:i, s:s, s:o, s:b, s:b, s:n}", "index", (int) index, "name", "NVIDIA H200",
                   "uuid", json_sprintf ("GPU-%u", index), "lost", 0, "needs_reset", 0, "mig");
  if (silent)
    return gpu;
  json_object_set_new (gpu, "compute_capability", json_string ("9.0"));
  json_object_set_new (gpu, "utilization_percent", json_integer ((json_int_t) (work * 100)));
  json_object_set_new (gpu, "memory_total_bytes", json_integer (150754820096));
  json_object_set_new (gpu, "memory_used_bytes", json_integer (41200000000));
  json_object_set_new (gpu, "process_memory_bytes", json_integer (36400000000));
  json_object_set_new (gpu, "temperature_celsius",
                       json_integer ((json_int_t) (34 + 40 * heat_at (second))));
  json_object_set_new (gpu, "power_watts", json_real (95 + 500 * work));
  json_object_set_new (gpu, "power_limit_watts", json_real (700));
  json_object_set_new (gpu, "sm_clock_mhz", json_integer (work > 0.2 ? 1980 : 345));
  json_object_set_new (gpu, "memory_clock_mhz", json_integer (3201));
  json_object_set_new (gpu, "fan_percent", json_null ());
  json_object_set_new (gpu, "pcie_generation", json_integer (5));
  json_object_set_new (gpu, "pcie_most_generation", json_integer (5));
  json_object_set_new (gpu, "pcie_width", json_integer (index == 0 ? 16 : 8));
  json_object_set_new (gpu, "pcie_most_width", json_integer (16));
  json_object_set_new (gpu, "pcie_to_gpu_bytes_per_s", json_integer (34000000));
  json_object_set_new (gpu, "pcie_to_host_bytes_per_s", json_integer (2100000));
  json_object_set_new (gpu, "throttle",
                       work > 0.9 ? json_pack ("[s]", "power limit")
                                  : (work < 0.2 ? json_pack ("[s]", "idle") : json_array ()));
  return gpu;
}

char *
fake_machine_report (const FakeMachine *machine, guint second)
{
  double work = work_at (second);
  json_t *gpus = json_array ();
  json_t *root = json_pack ("{s:{s:s, s:i, s:s, s:f, s:f}, s:{s:I, s:I}, s:{s:I}}", "cpu", "name",
                            "AMD EPYC 9R45", "cores", 2, "level", "avx512-vnni", "machine_percent",
                            8 + work * 80, "process_percent", work * 76, "memory", "total_bytes",
                            (json_int_t) 24000000000, "available_bytes",
                            (json_int_t) (21500000000 - 3e8 * heat_at (second)), "process",
                            "resident_bytes", (json_int_t) (312000000 + 3e8 * heat_at (second)));
  char *text;

  for (guint i = 0; i < machine->n_gpus; i++)
    json_array_append_new (gpus, make_gpu (machine, i, second));
  json_object_set_new (root, "gpus", gpus);
  if (machine->n_gpus == 0)
    json_object_set_new (root, "gpu_reason",
                         json_string ("There is no NVIDIA driver on this machine "
                                      "(libnvidia-ml.so.1 cannot be loaded)."));
  else
    json_object_set_new (root, "gpu_driver", json_string ("580.65.06"));
  text = json_dumps (root, 0);
  json_decref (root);
  return text;
}
