/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris stats: GPUs, CPU and memory now. */

#include <pteris/host.h>
#include <pteris/stats.h>

#include "app/cli.h"
#include "engine/base/native-machine.h"

static gboolean
knows (const PtGpuStats *gpu, guint bits)
{
  return (gpu->valid & bits) == bits;
}

/* "  PCIe 5.0 x16, 1.2 GB/s to the GPU, 3 MB/s back"; what is unknown is left out. */
static void
show_pcie (const PtGpuStats *gpu)
{
  char there[32], back[32];

  if (!knows (gpu, PT_GPU_PCIE_GENERATION | PT_GPU_PCIE_WIDTH))
    return;
  pteris_putf ("  PCIe %u.0 x%u", gpu->pcie_generation, gpu->pcie_width);
  if (knows (gpu, PT_GPU_PCIE_TO_GPU | PT_GPU_PCIE_TO_HOST))
    pteris_putf (", %s/s to the GPU, %s/s back",
                 pteris_format_bytes (gpu->pcie_to_gpu, there, sizeof there),
                 pteris_format_bytes (gpu->pcie_to_host, back, sizeof back));
  pteris_put ("\n");
}

static void
show_throttle (const PtGpuStats *gpu)
{
  gboolean any = FALSE;

  for (guint i = 0; i < 64; i++) {
    guint64 bit = gpu->throttle & G_GUINT64_CONSTANT (1) << i;
    const char *name = bit != 0 ? pt_throttle_name ((PtThrottle) bit) : NULL;

    if (name == NULL)
      continue;
    pteris_putf ("%s%s", any ? ", " : "  clocks reduced by: ", name);
    any = TRUE;
  }
  if (any)
    pteris_put ("\n");
}

/* @kind: "GPU", or "Vulkan GPU" */
static void
show_gpu (const char *kind, const PtGpuStats *gpu)
{
  char used[32], total[32];

  pteris_putf ("%s %u: %s\n", kind, gpu->index, gpu->name != NULL ? gpu->name : "");
  if (knows (gpu, PT_GPU_MEMORY_TOTAL))
    pteris_putf ("  memory %s of %s\n", pteris_format_bytes (gpu->memory_used, used, sizeof used),
                 pteris_format_bytes (gpu->memory_total, total, sizeof total));
  if (knows (gpu, PT_GPU_UTILIZATION))
    pteris_putf ("  utilisation %u %%\n", gpu->utilization);
  if (knows (gpu, PT_GPU_TEMPERATURE))
    pteris_putf ("  temperature %d °C\n", gpu->temperature);
  if (knows (gpu, PT_GPU_POWER))
    pteris_putf ("  power %.0f W\n", gpu->power);
  show_pcie (gpu);
  show_throttle (gpu);
}

static void
show (const PtMachineStats *stats)
{
  char total[32], available[32];

  for (guint i = 0; i < stats->n_gpus; i++)
    show_gpu ("GPU", &stats->gpus[i]);
  for (guint i = 0; i < stats->n_vulkan_gpus; i++)
    show_gpu ("Vulkan GPU", &stats->vulkan_gpus[i]);
  if (stats->n_gpus == 0 && stats->n_vulkan_gpus == 0)
    pteris_putf ("No GPU. %s\n", stats->gpu_reason);
  pteris_putf ("CPU: %s, %u cores, %s kernels\n", stats->cpu_name != NULL ? stats->cpu_name : "",
               stats->cpu_cores, stats->cpu_level);
  if ((stats->valid & PT_MACHINE_CPU_LOAD) != 0)
    pteris_putf ("  utilisation %.0f %%\n", stats->cpu_percent);
  pteris_putf ("Memory: %s free of %s\n",
               pteris_format_bytes (stats->memory_available, available, sizeof available),
               pteris_format_bytes (stats->memory_total, total, sizeof total));
  pteris_putf ("Models in a process of their own (--isolate): %s\n", pt_host_stops_text ());
  if (pt_native_machine_is_emulated ())
    pteris_put ("This computer has an ARM processor. Pteris is made for x64 processors and runs "
                "here in Windows' emulation, which is slower and was not tested.\n");
  pteris_put ("");
}

/* What a bug report about a GPU needs. */
static int
diagnose (void)
{
  g_autoptr (PtDiagnosis) diagnosis = pt_diagnose ();

  pteris_putf ("Pteris %s\n%s", PTERIS_VERSION, diagnosis->report);
  return PTERIS_EXIT_DONE;
}

int
pteris_stats_command (int argc, char **argv)
{
  gboolean watch = FALSE, report = FALSE;
  const GOptionEntry entries[] = {
    { "watch", 'w', 0, G_OPTION_ARG_NONE, &watch, "Update every second until Ctrl-C", NULL },
    { "diagnose", 0, 0, G_OPTION_ARG_NONE, &report,
      "Print what a bug report about a GPU needs, without personal data", NULL },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "stats", "Show GPU, CPU and memory use.", entries, 0,
                                     0, argc, argv);

  if (status >= 0)
    return status;
  if (report)
    return diagnose ();
  pt_stats_find_vulkan_gpus ();
  for (;;) {
    g_autoptr (PtMachineStats) stats = pt_stats_read ();

    if (common.json) {
      g_autofree char *text = pt_machine_stats_to_json (stats);

      pteris_put_json (text);
    } else {
      if (watch)
        pteris_clear_screen ();
      show (stats);
    }
    if (!watch)
      return PTERIS_EXIT_DONE;
    g_usleep (G_USEC_PER_SEC);
  }
}
