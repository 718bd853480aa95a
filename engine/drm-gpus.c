/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/drm-gpus.h"

#include <string.h>

/* More than any file here has. */
#define MAX_TEXT 4096

/* ---- Files ---- */

/* The content of @folder/@name; NULL: there is none. */
static char *
read_text (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *text = NULL;
  gsize size = 0;

  if (!g_file_get_contents (path, &text, &size, NULL))
    return NULL;
  if (size > MAX_TEXT || !g_str_is_ascii (text))
    g_clear_pointer (&text, g_free);
  return text;
}

static gboolean
read_number (const char *folder, const char *name, guint64 *number)
{
  g_autofree char *text = read_text (folder, name);

  return text != NULL &&
         g_ascii_string_to_unsigned (g_strchomp (text), 10, 0, G_MAXINT64, number, NULL);
}

/* The first folder in @folder whose name begins with @prefix. */
static char *
find_folder (const char *folder, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name, *first = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, prefix) && (first == NULL || strcmp (name, first) < 0))
      first = name;
  return first != NULL ? g_build_filename (folder, first, NULL) : NULL;
}

/* ---- Figures ---- */

static void
read_memory (const char *folder, PtGpuStats *stats)
{
  guint64 total, used;

  if (!read_number (folder, "mem_info_vram_total", &total) ||
      !read_number (folder, "mem_info_vram_used", &used) || used > total)
    return;
  stats->memory_total = total;
  stats->memory_used = used;
  stats->memory_free = total - used;
  stats->valid |= PT_GPU_MEMORY_TOTAL | PT_GPU_MEMORY_USED | PT_GPU_MEMORY_FREE;
}

static void
read_load (const char *folder, PtGpuStats *stats)
{
  guint64 percent;

  if (read_number (folder, "gpu_busy_percent", &percent) && percent <= 100) {
    stats->utilization = (guint) percent;
    stats->valid |= PT_GPU_UTILIZATION;
  }
  if (read_number (folder, "mem_busy_percent", &percent) && percent <= 100) {
    stats->memory_utilization = (guint) percent;
    stats->valid |= PT_GPU_MEMORY_UTILIZATION;
  }
}

/* "0: 500Mhz", "1: 2100Mhz *": the one with the asterisk. */
static gboolean
read_state (const char *folder, const char *name, guint *mhz)
{
  g_autofree char *text = read_text (folder, name);
  g_auto (GStrv) lines = text != NULL ? g_strsplit (text, "\n", -1) : NULL;

  for (guint i = 0; lines != NULL && lines[i] != NULL; i++) {
    const char *colon = strchr (lines[i], ':');
    guint64 number = colon != NULL ? g_ascii_strtoull (colon + 1, NULL, 10) : 0;

    if (!g_str_has_suffix (g_strchomp (lines[i]), "*") || number == 0 || number > G_MAXUINT16)
      continue;
    *mhz = (guint) number;
    return TRUE;
  }
  return FALSE;
}

/* AMD's states, or the clock of Intel's drivers i915 and xe. */
static void
read_clocks (const char *folder, PtGpuStats *stats)
{
  g_autofree char *drm = g_build_filename (folder, "drm", NULL), *card = find_folder (drm, "card");
  guint64 mhz;

  if (read_state (folder, "pp_dpm_sclk", &stats->sm_clock))
    stats->valid |= PT_GPU_SM_CLOCK;
  else if (((card != NULL && read_number (card, "gt_act_freq_mhz", &mhz)) ||
            read_number (folder, "tile0/gt0/freq0/act_freq", &mhz)) &&
           mhz <= G_MAXUINT16) {
    stats->sm_clock = (guint) mhz;
    stats->valid |= PT_GPU_SM_CLOCK;
  }
  if (read_state (folder, "pp_dpm_mclk", &stats->memory_clock))
    stats->valid |= PT_GPU_MEMORY_CLOCK;
}

/* Thousandths of a degree, millionths of a watt, parts of 255. */
static void
read_sensors (const char *folder, PtGpuStats *stats)
{
  g_autofree char *all = g_build_filename (folder, "hwmon", NULL);
  g_autofree char *sensors = find_folder (all, "hwmon");
  guint64 number;

  if (sensors == NULL)
    return;
  if (read_number (sensors, "temp1_input", &number) && number < 1000000) {
    stats->temperature = (int) (number / 1000);
    stats->valid |= PT_GPU_TEMPERATURE;
  }
  if (read_number (sensors, "power1_average", &number) ||
      read_number (sensors, "power1_input", &number)) {
    stats->power = (double) number * 1e-6;
    stats->valid |= PT_GPU_POWER;
  }
  if (read_number (sensors, "power1_cap", &number)) {
    stats->power_limit = (double) number * 1e-6;
    stats->valid |= PT_GPU_POWER_LIMIT;
  }
  if (read_number (sensors, "pwm1", &number) && number <= 255) {
    stats->fan = (guint) (number * 100 / 255);
    stats->valid |= PT_GPU_FAN;
  }
}

/* "16.0 GT/s PCIe" */
static gboolean
read_generation (const char *folder, const char *name, guint *generation)
{
  static const double RATES[] = { 2.5, 5, 8, 16, 32, 64 };
  g_autofree char *text = read_text (folder, name);
  double rate = text != NULL ? g_ascii_strtod (text, NULL) : 0;

  for (guint i = 0; i < G_N_ELEMENTS (RATES); i++)
    if (rate > RATES[i] * 0.99 && rate < RATES[i] * 1.01) {
      *generation = i + 1;
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_width (const char *folder, const char *name, guint *width)
{
  guint64 number;

  if (!read_number (folder, name, &number) || number == 0 || number > 32)
    return FALSE;
  *width = (guint) number;
  return TRUE;
}

static void
read_link (const char *folder, PtGpuStats *stats)
{
  if (read_generation (folder, "current_link_speed", &stats->pcie_generation))
    stats->valid |= PT_GPU_PCIE_GENERATION;
  if (read_generation (folder, "max_link_speed", &stats->pcie_most_generation))
    stats->valid |= PT_GPU_PCIE_MOST_GENERATION;
  if (read_width (folder, "current_link_width", &stats->pcie_width))
    stats->valid |= PT_GPU_PCIE_WIDTH;
  if (read_width (folder, "max_link_width", &stats->pcie_most_width))
    stats->valid |= PT_GPU_PCIE_MOST_WIDTH;
}

void
pt_drm_gpu_read (const char *root, const char *pci, PtGpuStats *stats)
{
  g_autofree char *folder = g_build_filename (root, "bus/pci/devices", pci, NULL);

  read_memory (folder, stats);
  read_load (folder, stats);
  read_clocks (folder, stats);
  read_sensors (folder, stats);
  read_link (folder, stats);
}
