/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-machine.h"

#include <math.h>

/* 0 to 1: how busy it is. Works for 18 of 50 seconds. */
static double
work_at (guint second)
{
  guint phase = second % 50;

  return phase < 18 ? 0.75 + 0.2 * sin (second * 1.7) : 0.03 + 0.02 * sin (second * 2.3);
}

/* The temperature follows the load with a delay. */
static double
heat_at (guint second)
{
  double heat = 0;

  for (guint i = 0; i < 30 && i <= second; i++)
    heat += work_at (second - i) * exp (-(double) i / 9) / 9.5;
  return heat;
}

static void
read_gpu (const FakeMachine *machine, guint index, guint second, PtGpuStats *gpu)
{
  double work = work_at (second + index * 20);

  *gpu = (PtGpuStats){ .index = index, .lost = index == 1 && machine->second_lost };
  if (gpu->lost)
    return;
  gpu->name = g_strdup ("NVIDIA H200");
  gpu->uuid = g_strdup_printf ("GPU-%u", index);
  if (index == 1 && machine->second_silent)
    return;
  gpu->compute_capability = g_strdup ("9.0");
  gpu->valid = PT_GPU_UTILIZATION | PT_GPU_MEMORY_TOTAL | PT_GPU_MEMORY_USED |
               PT_GPU_PROCESS_MEMORY | PT_GPU_TEMPERATURE | PT_GPU_POWER | PT_GPU_POWER_LIMIT |
               PT_GPU_SM_CLOCK | PT_GPU_MEMORY_CLOCK | PT_GPU_PCIE_GENERATION |
               PT_GPU_PCIE_MOST_GENERATION | PT_GPU_PCIE_WIDTH | PT_GPU_PCIE_MOST_WIDTH |
               PT_GPU_PCIE_TO_GPU | PT_GPU_PCIE_TO_HOST | PT_GPU_THROTTLE;
  gpu->utilization = (guint) (work * 100);
  gpu->memory_total = 150754820096;
  gpu->memory_used = 41200000000;
  gpu->process_memory = 36400000000;
  gpu->temperature = (int) (34 + 40 * heat_at (second));
  gpu->power = 95 + 500 * work;
  gpu->power_limit = 700;
  gpu->sm_clock = work > 0.2 ? 1980 : 345;
  gpu->memory_clock = 3201;
  gpu->pcie_generation = gpu->pcie_most_generation = 5;
  gpu->pcie_width = index == 0 ? 16 : 8;
  gpu->pcie_most_width = 16;
  gpu->pcie_to_gpu = 34000000;
  gpu->pcie_to_host = 2100000;
  gpu->throttle = work > 0.9 ? PT_THROTTLE_POWER_CAP : work < 0.2 ? PT_THROTTLE_IDLE : 0;
}

PtMachineStats *
fake_machine_read (const FakeMachine *machine, guint second)
{
  PtMachineStats *stats = g_new0 (PtMachineStats, 1);
  double work = work_at (second);

  stats->valid = PT_MACHINE_CPU_LOAD | PT_MACHINE_MEMORY | PT_MACHINE_PROCESS_MEMORY;
  stats->cpu_name = g_strdup ("AMD EPYC 9R45");
  stats->cpu_level = g_strdup ("avx512-vnni");
  stats->cpu_cores = 2;
  stats->cpu_percent = 8 + work * 80;
  stats->cpu_process_percent = work * 76;
  stats->memory_total = 24000000000;
  stats->memory_available = (guint64) (21500000000 - 3e8 * heat_at (second));
  stats->resident_bytes = stats->peak_bytes = (guint64) (312000000 + 3e8 * heat_at (second));
  stats->gpus = g_new0 (PtGpuStats, machine->n_gpus);
  stats->n_gpus = machine->n_gpus;
  for (guint i = 0; i < machine->n_gpus; i++)
    read_gpu (machine, i, second, &stats->gpus[i]);
  if (machine->n_gpus == 0)
    stats->gpu_reason = g_strdup ("There is no NVIDIA driver on this machine (libnvidia-ml.so.1 "
                                  "cannot be loaded).");
  else
    stats->gpu_driver = g_strdup ("580.65.06");
  return stats;
}
