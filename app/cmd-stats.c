/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris stats: GPUs, CPU and memory now. */

#include "app/report.h"

/* "  PCIe 5.0 x16, 1.2 GB/s to the GPU, 3 MB/s back"; what is unknown is left out. */
static void
show_pcie (const json_t *gpu)
{
  char there[32], back[32];

  if (!json_is_number (json_object_get (gpu, "pcie_generation")) ||
      !json_is_number (json_object_get (gpu, "pcie_width")))
    return;
  pteris_putf ("  PCIe %.0f.0 x%.0f", pteris_report_number (gpu, "pcie_generation"),
               pteris_report_number (gpu, "pcie_width"));
  if (json_is_number (json_object_get (gpu, "pcie_to_gpu_bytes_per_s")) &&
      json_is_number (json_object_get (gpu, "pcie_to_host_bytes_per_s")))
    pteris_putf (
        ", %s/s to the GPU, %s/s back",
        pteris_format_bytes ((guint64) pteris_report_number (gpu, "pcie_to_gpu_bytes_per_s"), there,
                             sizeof there),
        pteris_format_bytes ((guint64) pteris_report_number (gpu, "pcie_to_host_bytes_per_s"), back,
                             sizeof back));
  pteris_put ("\n");
}

static void
show_throttle (const json_t *gpu)
{
  const json_t *reasons = json_object_get (gpu, "throttle");

  for (gsize i = 0; i < json_array_size (reasons); i++)
    pteris_putf ("%s%s", i == 0 ? "  clocks reduced by: " : ", ",
                 json_string_value (json_array_get (reasons, i)));
  if (json_array_size (reasons) > 0)
    pteris_put ("\n");
}

static void
show_gpu (gsize number, const json_t *gpu)
{
  char used[32], total[32];

  pteris_putf ("GPU %zu: %s\n", number, pteris_report_text (gpu, "name"));
  if (json_is_number (json_object_get (gpu, "memory_total_bytes")))
    pteris_putf ("  memory %s of %s\n",
                 pteris_format_bytes ((guint64) pteris_report_number (gpu, "memory_used_bytes"),
                                      used, sizeof used),
                 pteris_format_bytes ((guint64) pteris_report_number (gpu, "memory_total_bytes"),
                                      total, sizeof total));
  if (json_is_number (json_object_get (gpu, "utilization_percent")))
    pteris_putf ("  utilisation %.0f %%\n", pteris_report_number (gpu, "utilization_percent"));
  if (json_is_number (json_object_get (gpu, "temperature_celsius")))
    pteris_putf ("  temperature %.0f °C\n", pteris_report_number (gpu, "temperature_celsius"));
  if (json_is_number (json_object_get (gpu, "power_watts")))
    pteris_putf ("  power %.0f W\n", pteris_report_number (gpu, "power_watts"));
  show_pcie (gpu);
  show_throttle (gpu);
}

static void
show (const json_t *stats)
{
  const json_t *cpu = json_object_get (stats, "cpu");
  const json_t *memory = json_object_get (stats, "memory");
  const json_t *gpus = json_object_get (stats, "gpus");
  char total[32], available[32];

  for (gsize i = 0; i < json_array_size (gpus); i++)
    show_gpu (i, json_array_get (gpus, i));
  if (json_array_size (gpus) == 0)
    pteris_putf ("No GPU. %s\n", pteris_report_text (stats, "gpu_reason"));
  pteris_putf ("CPU: %s, %.0f cores, %s kernels\n", pteris_report_text (cpu, "name"),
               pteris_report_number (cpu, "cores"), pteris_report_text (cpu, "level"));
  if (json_is_number (json_object_get (cpu, "machine_percent")))
    pteris_putf ("  utilisation %.0f %%\n", pteris_report_number (cpu, "machine_percent"));
  pteris_putf ("Memory: %s free of %s\n",
               pteris_format_bytes ((guint64) pteris_report_number (memory, "available_bytes"),
                                    available, sizeof available),
               pteris_format_bytes ((guint64) pteris_report_number (memory, "total_bytes"), total,
                                    sizeof total));
  pteris_put ("");
}

int
pteris_stats_command (int argc, char **argv)
{
  gboolean watch = FALSE;
  const GOptionEntry entries[] = {
    { "watch", 'w', 0, G_OPTION_ARG_NONE, &watch, "Update every second until Ctrl-C", NULL },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "stats", "Show GPU, CPU and memory use.", entries, 0,
                                     0, argc, argv);

  if (status >= 0)
    return status;
  for (;;) {
    g_autofree char *text = pt_stats_read ();

    if (common.json) {
      pteris_put_json (text);
    } else {
      json_t *stats = json_loads (text, 0, NULL);

      if (watch)
        pteris_clear_screen ();
      show (stats);
      json_decref (stats);
    }
    if (!watch)
      return PTERIS_EXIT_DONE;
    g_usleep (G_USEC_PER_SEC);
  }
}
