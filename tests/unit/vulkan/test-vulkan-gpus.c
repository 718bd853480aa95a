/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <pteris/stats.h>

#include "engine/drm-gpus.h"
#include "engine/gpu-counters.h"
#include "engine/init.h"
#include "engine/vulkan/vulkan.h"
#include "tests/unit/remove-folder.h"

/* The GPUs of other vendors in the statistics: of a fake Vulkan and a fake sysfs. */

#define PCI "0000:03:00.1"
#define EVERYTHING                                                                      \
  (PT_GPU_MEMORY_TOTAL | PT_GPU_MEMORY_USED | PT_GPU_MEMORY_FREE | PT_GPU_UTILIZATION | \
   PT_GPU_MEMORY_UTILIZATION | PT_GPU_TEMPERATURE | PT_GPU_POWER | PT_GPU_POWER_LIMIT | \
   PT_GPU_SM_CLOCK | PT_GPU_MEMORY_CLOCK | PT_GPU_FAN | PT_GPU_PCIE_GENERATION |        \
   PT_GPU_PCIE_MOST_GENERATION | PT_GPU_PCIE_WIDTH | PT_GPU_PCIE_MOST_WIDTH)

/* ---- sysfs ---- */

typedef struct {
  const char *name, *text;
} File;

static const File AMD[] = {
  { "mem_info_vram_total", "17163091968\n" },
  { "mem_info_vram_used", "1000000000\n" },
  { "gpu_busy_percent", "37\n" },
  { "mem_busy_percent", "5\n" },
  { "pp_dpm_sclk", "0: 500Mhz \n1: 2371Mhz *\n2: 2500Mhz \n" },
  { "pp_dpm_mclk", "0: 96Mhz *\n1: 1000Mhz \n" },
  { "hwmon/hwmon4/temp1_input", "54000\n" },
  { "hwmon/hwmon4/power1_average", "123000000\n" },
  { "hwmon/hwmon4/power1_cap", "272000000\n" },
  { "hwmon/hwmon4/pwm1", "102\n" },
  { "current_link_speed", "8.0 GT/s PCIe\n" },
  { "max_link_speed", "16.0 GT/s PCIe\n" },
  { "current_link_width", "8\n" },
  { "max_link_width", "16\n" },
};

static char *
new_root (void)
{
  return g_dir_make_tmp ("pteris-XXXXXX", NULL);
}

static void
write_file (const char *root, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (root, "bus/pci/devices", PCI, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static char *
amd_root (void)
{
  char *root = new_root ();

  for (guint i = 0; i < G_N_ELEMENTS (AMD); i++)
    write_file (root, AMD[i].name, AMD[i].text);
  return root;
}

static void
assert_amd (const PtGpuStats *gpu)
{
  g_assert_cmpuint (gpu->valid, ==, EVERYTHING);
  g_assert_cmpuint (gpu->memory_total, ==, 17163091968);
  g_assert_cmpuint (gpu->memory_used, ==, 1000000000);
  g_assert_cmpuint (gpu->memory_free, ==, 16163091968);
  g_assert_cmpuint (gpu->utilization, ==, 37);
  g_assert_cmpuint (gpu->memory_utilization, ==, 5);
  g_assert_cmpuint (gpu->sm_clock, ==, 2371);
  g_assert_cmpuint (gpu->memory_clock, ==, 96);
  g_assert_cmpint (gpu->temperature, ==, 54);
  g_assert_cmpfloat_with_epsilon (gpu->power, 123, 1e-9);
  g_assert_cmpfloat_with_epsilon (gpu->power_limit, 272, 1e-9);
  g_assert_cmpuint (gpu->fan, ==, 40);
  g_assert_cmpuint (gpu->pcie_generation, ==, 3);
  g_assert_cmpuint (gpu->pcie_most_generation, ==, 4);
  g_assert_cmpuint (gpu->pcie_width, ==, 8);
  g_assert_cmpuint (gpu->pcie_most_width, ==, 16);
}

static void
test_amd (void)
{
  g_autofree char *root = amd_root ();
  PtGpuStats gpu = { 0 };

  pt_drm_gpu_read (root, PCI, &gpu);
  assert_amd (&gpu);
  remove_folder (root);
}

/* i915 has the clock beside the card, xe in a folder of its own. */
static void
test_intel (void)
{
  static const char *const names[] = { "drm/card1/gt_act_freq_mhz", "tile0/gt0/freq0/act_freq" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *root = new_root ();
    PtGpuStats gpu = { 0 };

    write_file (root, names[i], "1350\n");
    pt_drm_gpu_read (root, PCI, &gpu);
    g_assert_cmpuint (gpu.valid, ==, PT_GPU_SM_CLOCK);
    g_assert_cmpuint (gpu.sm_clock, ==, 1350);
    remove_folder (root);
  }
}

/* No file, and files with anything in them: unknown. */
static void
test_strange_files (void)
{
  static const char *const texts[] = {
    "",    "\n",    "-1\n", "x\n",      "99999999999999999999999\n",
    "*\n", ": *\n", "0:*",  "\xff\xfe", "0: 99999999Mhz *\n"
  };

  for (guint k = 0; k < G_N_ELEMENTS (texts); k++) {
    g_autofree char *root = new_root ();
    PtGpuStats gpu = { 0 };

    pt_drm_gpu_read (root, PCI, &gpu);
    g_assert_cmpuint (gpu.valid, ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS (AMD); i++)
      write_file (root, AMD[i].name, texts[k]);
    pt_drm_gpu_read (root, PCI, &gpu);
    g_assert_cmpuint (gpu.valid, ==, 0);
    remove_folder (root);
  }
}

/* ---- The answer of the process that asks Vulkan ---- */

static void
test_answers (void)
{
  static const char *const none[] = {
    "",
    "\n\n",
    "1\t2\t3\n",
    "4098\tu\t" PCI "\t0\t0\t8\t9\tmore free than there is\n",
    "-1\tu\tp\t0\t0\t8\t1\tname\n",
    "4098\tu\tp\t0\t0\tx\t1\tname\n",
    "4098\tu\tp\t0\t0\t8\t1\t\n",
    "4098\tu\tp\tx\t0\t8\t1\tname\n",
    "4098\tu\tp\t0\t2\t8\t1\tname\n",
  };
  g_autoptr (GPtrArray) gpus = pt_vulkan_gpus_parse (
      "4098\tu1\t" PCI "\t53685\t0\t8\t5\tRX 7900\nno line\n32902\tu2\t\t0\t1\t9\t9\tUHD 770");
  const PtVulkanGpu *gpu;

  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    g_autoptr (GPtrArray) empty = pt_vulkan_gpus_parse (none[i]);

    g_assert_cmpuint (empty->len, ==, 0);
  }
  g_assert_cmpuint (gpus->len, ==, 2);
  gpu = gpus->pdata[0];
  g_assert_cmpuint (gpu->vendor, ==, 0x1002);
  g_assert_cmpstr (gpu->name, ==, "RX 7900");
  g_assert_cmpstr (gpu->uuid, ==, "u1");
  g_assert_cmpstr (gpu->pci, ==, PCI);
  g_assert_cmpuint (gpu->luid, ==, 0xd1b5);
  g_assert_false (gpu->integrated);
  g_assert_cmpuint (gpu->memory, ==, 8);
  g_assert_cmpuint (gpu->unused, ==, 5);
  gpu = gpus->pdata[1];
  g_assert_cmpstr (gpu->name, ==, "UHD 770");
  g_assert_null (gpu->pci);
  g_assert_cmpuint (gpu->luid, ==, 0);
  g_assert_true (gpu->integrated);
}

/* ---- Windows' counters ---- */

#define LUID G_GUINT64_CONSTANT (0x10000d1b5)
#define ONE "luid_0x00000001_0x0000D1B5_phys_0"
#define OTHER "luid_0x00000000_0x0000D1B5_phys_0"

/* Two processes on one engine, one on another; another GPU is busier. */
static PtGpuCounters *
some_counters (void)
{
  PtGpuCounters *counters = pt_gpu_counters_new ();

  pt_gpu_counters_append (counters->loads, "pid_4_" ONE "_eng_0_engtype_3D", 20.2);
  pt_gpu_counters_append (counters->loads, "pid_9_" ONE "_eng_0_engtype_3D", 30.4);
  pt_gpu_counters_append (counters->loads, "pid_9_" ONE "_eng_1_engtype_Copy", 40);
  pt_gpu_counters_append (counters->loads, "pid_4_" OTHER "_eng_0_engtype_3D", 99);
  pt_gpu_counters_append (counters->loads, "pid_4_" ONE "_eng_2_engtype_3D", -5);
  pt_gpu_counters_append (counters->loads, "pid_4_" ONE "_eng_3_engtype_3D", (double) NAN);
  pt_gpu_counters_append (counters->dedicated, ONE, 3000);
  pt_gpu_counters_append (counters->dedicated, OTHER, 1);
  pt_gpu_counters_append (counters->shared, ONE, 500);
  return counters;
}

static void
test_counters (void)
{
  g_autoptr (PtGpuCounters) counters = some_counters (), none = pt_gpu_counters_new ();
  const PtGpuStats before = { .valid = PT_GPU_MEMORY_TOTAL, .memory_total = 8000 };
  PtGpuStats gpu = before;

  pt_gpu_counters_take (counters, LUID, FALSE, &gpu);
  g_assert_cmpuint (gpu.valid, ==,
                    PT_GPU_MEMORY_TOTAL | PT_GPU_MEMORY_USED | PT_GPU_MEMORY_FREE |
                        PT_GPU_UTILIZATION);
  g_assert_cmpuint (gpu.utilization, ==, 51);
  g_assert_cmpuint (gpu.memory_used, ==, 3000);
  g_assert_cmpuint (gpu.memory_free, ==, 5000);
  pt_gpu_counters_take (counters, LUID, TRUE, &gpu);
  g_assert_cmpuint (gpu.memory_used, ==, 3500);
  gpu = before;
  pt_gpu_counters_take (none, LUID, FALSE, &gpu);
  g_assert_cmpuint (gpu.valid, ==, PT_GPU_MEMORY_TOTAL);
}

/* Loads add up to more than there is; more memory in use than the GPU has. */
static void
test_strange_counters (void)
{
  g_autoptr (PtGpuCounters) counters = some_counters ();
  PtGpuStats gpu = { .valid = PT_GPU_MEMORY_TOTAL, .memory_total = 2999 };

  pt_gpu_counters_append (counters->loads, "pid_5_" ONE "_eng_1_engtype_Copy", 1e300);
  pt_gpu_counters_append (counters->loads, "", 1);
  pt_gpu_counters_take (counters, LUID, FALSE, &gpu);
  g_assert_cmpuint (gpu.valid, ==, PT_GPU_MEMORY_TOTAL | PT_GPU_UTILIZATION);
  g_assert_cmpuint (gpu.utilization, ==, 100);
}

/* What this system counts: nothing outside of Windows, and no fault there. */
static void
test_system_counters (void)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (PtGpuCounters) counters = pt_gpu_counters_read ();
#ifndef G_OS_WIN32
    g_assert_null (counters);
#endif
  }
}

/* ---- The statistics ---- */

static void
test_stats (void)
{
  g_autofree char *root = new_root ();
  g_autoptr (PtMachineStats) before = pt_stats_read (), first = NULL, second = NULL;
  g_autofree char *amd = amd_root (), *json = NULL;
  PtMemory memory;

  g_assert_cmpuint (before->n_vulkan_gpus, ==, 0);
  g_setenv ("PTERIS_SYSFS", root, TRUE);
  pt_stats_find_vulkan_gpus ();
  first = pt_stats_read ();
  g_assert_cmpuint (first->n_gpus, ==, 0);
  g_assert_cmpuint (first->n_vulkan_gpus, ==, 1);
  g_assert_cmpstr (first->vulkan_gpus[0].name, ==, "Fake GPU");
  g_assert_cmpstr (first->vulkan_gpus[0].uuid, ==, "01000000-0000-0000-0000-000000000000");
  g_assert_cmpuint (first->vulkan_gpus[0].memory_total, ==, (guint64) 8 << 30);
  g_assert_cmpuint (first->vulkan_gpus[0].memory_free, ==, (guint64) 5 << 30);
  g_assert_cmpuint (first->vulkan_gpus[0].memory_used, ==, (guint64) 3 << 30);
  memory = pt_memory_of (first);
  g_assert_cmpuint (memory.gpu_free, ==, (guint64) 5 << 30);
  g_setenv ("PTERIS_SYSFS", amd, TRUE);
  second = pt_stats_read ();
  assert_amd (&second->vulkan_gpus[0]);
  json = pt_machine_stats_to_json (second);
  g_assert_nonnull (
      strstr (json, "\"gpus\":[],\"vulkan_gpus\":[{\"index\":0,\"name\":\"Fake GPU\""));
  remove_folder (root);
  remove_folder (amd);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_VULKAN", FAKE_VULKAN_PATH, TRUE);
  g_setenv ("PTERIS_NVML", "/nonexistent/libnvidia-ml.so.1", TRUE);
  g_unsetenv ("FAKE_VULKAN");
  pt_init ();
  g_test_add_func ("/vulkan/gpus/amd", test_amd);
  g_test_add_func ("/vulkan/gpus/intel", test_intel);
  g_test_add_func ("/vulkan/gpus/strange-files", test_strange_files);
  g_test_add_func ("/vulkan/gpus/answers", test_answers);
  g_test_add_func ("/vulkan/gpus/counters", test_counters);
  g_test_add_func ("/vulkan/gpus/strange-counters", test_strange_counters);
  g_test_add_func ("/vulkan/gpus/system-counters", test_system_counters);
  g_test_add_func ("/vulkan/gpus/stats", test_stats);
  return g_test_run ();
}
