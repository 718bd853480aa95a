/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/stats.h>

#include "engine/base/folder.h"
#include "engine/base/system-usage.h"
#include "engine/cuda/cuda-kernels-private.h"
#include "engine/cuda/probe.h"
#include "engine/diagnose-private.h"
#include "engine/kernels/cpu-cores.h"
#include "engine/kernels/cpu.h"
#include "engine/nvml-reopen.h"

/* ---- the processor and the memory ---- */

static void
add_features (GString *report)
{
#if defined(__x86_64__) || defined(__i386__)
  /* The compiler takes names only. */
#define FEATURE(name)                     \
  if (__builtin_cpu_supports (name) != 0) \
  g_string_append (report, " " name)

  g_string_append (report, "CPU features:");
  FEATURE ("sse4.2");
  FEATURE ("avx");
  FEATURE ("avx2");
  FEATURE ("fma");
  FEATURE ("avx512f");
  FEATURE ("avx512bw");
  FEATURE ("avx512dq");
  FEATURE ("avx512vl");
  FEATURE ("avx512vnni");
#ifndef __clang__ /* older ones do not know this name */
  FEATURE ("amx-int8");
#endif
  g_string_append_c (report, '\n');
#undef FEATURE
#endif
}

static void
add_machine (GString *report)
{
  guint64 total = 0, available = 0;
  PtCpuCores cores = pt_cpu_cores ();

  g_string_append_printf (report, "CPU: %s, %u cores", pt_cpu_name (), cores.n_physical);
  if (cores.n_fast < cores.n_physical)
    g_string_append_printf (report, " (%u fast ones)", cores.n_fast);
  g_string_append_printf (report, ", kernels for %s\n", pt_cpu_level_name (pt_cpu_level ()));
  add_features (report);
  if (pt_machine_memory (&total, &available))
    g_string_append_printf (report, "Memory: %.1f GB, %.1f GB available\n", (double) total / 1e9,
                            (double) available / 1e9);
}

/* ---- the driver's files ---- */

#ifdef __linux__

static char *
read_id (const char *device, const char *name)
{
  g_autofree char *path = g_build_filename ("/sys/bus/pci/devices", device, name, NULL);
  char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("");
  return g_strstrip (text);
}

/* GPUs on the bus, with or without a driver. */
static void
add_bus (GString *report)
{
  g_autoptr (PtFolder) dir = pt_folder_open ("/sys/bus/pci/devices");
  const char *device;
  guint n = 0;

  g_string_append (report, "NVIDIA GPUs on the PCI bus:");
  while ((device = pt_folder_next (dir)) != NULL) {
    g_autofree char *vendor = read_id (device, "vendor");
    g_autofree char *class = read_id (device, "class");
    g_autofree char *id = read_id (device, "device");

    /* 03 is a display controller. */
    if (!g_str_equal (vendor, "0x10de") || !g_str_has_prefix (class, "0x03"))
      continue;
    g_string_append_printf (report, " %s", id);
    n++;
  }
  g_string_append (report, n > 0 ? "\n" : " none\n");
}

void
pt_diagnose_add_system (GString *report)
{
  static const char *const FILES[] = { "/proc/driver/nvidia/version",
                                       "/dev/nvidiactl",
                                       "/dev/nvidia0",
                                       "/dev/nvidia-uvm",
                                       "/dev/dxg",
                                       "/.flatpak-info" };

  add_bus (report);
  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++)
    g_string_append_printf (report, "%s: %s\n", FILES[i],
                            g_file_test (FILES[i], G_FILE_TEST_EXISTS) ? "yes" : "no");
}

#elif !defined(G_OS_WIN32)

void
pt_diagnose_add_system (GString *report)
{
}

#endif

/* ---- the environment ---- */

static void
add_environment (GString *report)
{
  static const struct {
    const char *name;
    gboolean is_path; /* the value is a path, which is not reported */
  } VARIABLES[] = {
    { "CUDA_VISIBLE_DEVICES", FALSE }, { "CUDA_DEVICE_ORDER", FALSE },
    { "CUDA_MODULE_LOADING", FALSE },  { "NVIDIA_VISIBLE_DEVICES", FALSE },
    { "PTERIS_CPU", FALSE },           { "PTERIS_NVML", TRUE },
    { "PTERIS_CUDA", TRUE },           { "LD_LIBRARY_PATH", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (VARIABLES); i++) {
    const char *value = g_getenv (VARIABLES[i].name);
    g_autofree char *raw = value != NULL ? g_strescape (value, NULL) : NULL;

    if (value == NULL)
      g_string_append_printf (report, "%s: not set\n", VARIABLES[i].name);
    else if (VARIABLES[i].is_path)
      g_string_append_printf (report, "%s: set\n", VARIABLES[i].name);
    else
      g_string_append_printf (report, "%s: “%s”\n", VARIABLES[i].name, raw);
  }
}

/* ---- GPUs ---- */

static void
add_gpus (const PtNvml *nvml, gpointer user_data)
{
  GString *report = user_data;
  PtReading cuda;

  if (nvml == NULL)
    return;
  cuda = pt_nvml_cuda_version (nvml);
  g_string_append_printf (report, "NVIDIA driver: %s",
                          pt_nvml_driver_version (nvml) != NULL ? pt_nvml_driver_version (nvml)
                                                                : "version unknown");
  if (cuda.valid)
    g_string_append_printf (report, ", for CUDA %u.%u", (guint) (cuda.value / 1000),
                            (guint) (cuda.value % 1000 / 10));
  g_string_append_c (report, '\n');
  for (guint i = 0; i < pt_nvml_n_gpus (nvml); i++) {
    PtGpu gpu;
    g_autofree char *name = NULL;

    pt_nvml_read (nvml, i, &gpu);
    name = g_utf8_make_valid (gpu.name, -1);
    g_string_append_printf (report, "NVML GPU %u: %s%s%s%s", i, name, gpu.lost ? ", lost" : "",
                            gpu.needs_reset ? ", needs a reset" : "",
                            gpu.mig.valid && gpu.mig.value != 0 ? ", MIG" : "");
    if (gpu.memory_total.valid && gpu.memory_used.valid)
      g_string_append_printf (report, ", %.1f of %.1f GB used",
                              (double) gpu.memory_used.value / 1e9,
                              (double) gpu.memory_total.value / 1e9);
    g_string_append_c (report, '\n');
  }
}

static gboolean
add_cuda (GString *report, GError **error)
{
  g_autoptr (PtCudaProbe) probe = pt_cuda_probe (error);

  g_string_append_printf (report, "GPU kernels in this build: %s\n",
                          pt_cuda_kernels_image () != NULL ? "yes" : "no");
  if (probe == NULL)
    return FALSE;
  g_string_append_printf (report, "CUDA: version %u.%u\n", probe->driver_version / 1000,
                          probe->driver_version % 1000 / 10);
  for (guint i = 0; i < probe->n_devices; i++) {
    const PtCudaDevice *device = &probe->devices[i];
    g_autofree char *name = g_utf8_make_valid (device->name, -1);

    g_string_append_printf (report, "CUDA GPU %u: %s, compute capability %u.%u, %.1f GB\n", i, name,
                            device->compute_capability / 10, device->compute_capability % 10,
                            (double) device->memory / 1e9);
  }
  return TRUE;
}

/* ---- all of it ---- */

void
pt_diagnose_hide_user (GString *report, const char *home, const char *user)
{
  static const char SEPARATORS[] = "/\\";

  if (strlen (home) > 1)
    g_string_replace (report, home, "~", 0);
  for (const char *at = SEPARATORS; *at != '\0' && user[0] != '\0'; at++) {
    g_autofree char *name = g_strdup_printf ("%c%s%c", *at, user, *at);
    g_autofree char *hidden = g_strdup_printf ("%cUSER%c", *at, *at);

    g_string_replace (report, name, hidden, 0);
  }
}

PtDiagnosis *
pt_diagnose (void)
{
  PtDiagnosis *diagnosis = g_new0 (PtDiagnosis, 1);
  GString *report = g_string_new (NULL);
  g_autoptr (GError) nvml_error = NULL;
  g_autoptr (GError) cuda_error = NULL;

  add_machine (report);
  pt_diagnose_add_system (report);
  diagnosis->found = pt_stats_look_again (add_gpus, report, &nvml_error);
  if (!diagnosis->found)
    g_string_append_printf (report, "NVML: %s\n", nvml_error->message);
  diagnosis->usable = add_cuda (report, &cuda_error);
  if (!diagnosis->usable) {
    g_string_append_printf (report, "CUDA: %s\n", cuda_error->message);
    /* Without a driver both reasons are the same; the statistics show this one. */
    diagnosis->reason = g_strdup ((diagnosis->found ? cuda_error : nvml_error)->message);
  }
  add_environment (report);
  pt_diagnose_hide_user (report, g_get_home_dir (), g_get_user_name ());
  diagnosis->report = g_string_free (report, FALSE);
  return diagnosis;
}

void
pt_diagnosis_free (PtDiagnosis *diagnosis)
{
  g_free (diagnosis->reason);
  g_free (diagnosis->report);
  g_free (diagnosis);
}
