/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/engine.h"
#include "engine/json.h"
#include "engine/kernels/cpu.h"
#include "engine/tasks/process.h"

static json_t *
number (guint64 value)
{
  return json_integer ((json_int_t) value);
}

char *
pt_stats_read (void)
{
  json_t *cpu = json_object (), *memory = json_object (), *process = json_object ();
  json_t *json = json_object ();

  json_object_set_new (cpu, "name", pt_json_text (pt_cpu_name ()));
  json_object_set_new (cpu, "cores", json_integer (pt_cpu_n_cores ()));
  json_object_set_new (cpu, "level", json_string (pt_cpu_level_name (pt_cpu_level ())));
  json_object_set_new (memory, "total_bytes", number (pt_machine_memory_bytes ()));
  json_object_set_new (memory, "available_bytes", number (pt_machine_available_bytes ()));
  json_object_set_new (process, "resident_bytes", number (pt_process_resident_bytes ()));
  json_object_set_new (process, "peak_bytes", number (pt_process_peak_bytes ()));
  json_object_set_new (process, "cpu_s", json_real (pt_process_cpu_seconds ()));
  json_object_set_new (json, "time_s", json_real ((double) g_get_real_time () / G_USEC_PER_SEC));
  json_object_set_new (json, "cpu", cpu);
  json_object_set_new (json, "memory", memory);
  json_object_set_new (json, "process", process);
  json_object_set_new (json, "gpus", json_array ());
  return pt_json_steal_text (json);
}
