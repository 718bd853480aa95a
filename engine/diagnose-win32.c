/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/diagnose-private.h"

#include <windows.h>

#include "engine/base/native-machine.h"

/* More adapters are not reported. */
#define MAX_ADAPTERS 16

/* ---- Windows itself ---- */

/* A number of the registry. */
static gboolean
read_number (const wchar_t *key, const wchar_t *name, DWORD *value)
{
  DWORD size = sizeof *value;

  return RegGetValueW (HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_DWORD, NULL, value, &size) ==
         ERROR_SUCCESS;
}

/* A short text of the registry; "" without it. */
static char *
read_text (const wchar_t *key, const wchar_t *name)
{
  wchar_t text[128] = L"";
  DWORD size = sizeof text;

  if (RegGetValueW (HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, text, &size) !=
      ERROR_SUCCESS)
    return g_strdup ("");
  return g_utf16_to_utf8 ((const gunichar2 *) text, -1, NULL, NULL, NULL);
}

static void
add_windows (GString *report)
{
  static const wchar_t key[] = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
  g_autofree char *build = read_text (key, L"CurrentBuildNumber");
  g_autofree char *version = read_text (key, L"DisplayVersion");
  DWORD revision = 0;

  read_number (key, L"UBR", &revision);
  g_string_append_printf (report, "Windows: build %s.%lu %s, processor %s%s\n", build, revision,
                          version, pt_native_machine (),
                          pt_native_machine_is_emulated () ? " (x64 emulated)" : "");
}

/* ---- the driver's files ---- */

/* A file's version, as in its properties; NULL: it has none. */
static char *
file_version (const wchar_t *path)
{
  DWORD unused = 0, size = GetFileVersionInfoSizeW (path, &unused);
  g_autofree guint8 *block = size > 0 ? g_try_malloc (size) : NULL;
  VS_FIXEDFILEINFO *fixed = NULL;
  UINT length = 0;

  if (block == NULL || !GetFileVersionInfoW (path, 0, size, block) ||
      !VerQueryValueW (block, L"\\", (void **) &fixed, &length) || length < sizeof *fixed)
    return NULL;
  return g_strdup_printf ("%u.%u.%u.%u", HIWORD (fixed->dwFileVersionMS),
                          LOWORD (fixed->dwFileVersionMS), HIWORD (fixed->dwFileVersionLS),
                          LOWORD (fixed->dwFileVersionLS));
}

static void
add_file (GString *report, const wchar_t *name)
{
  wchar_t path[MAX_PATH + 32];
  UINT n = GetSystemDirectoryW (path, MAX_PATH);
  g_autofree char *version = NULL, *shown = NULL;

  if (n == 0 || n >= MAX_PATH)
    return;
  lstrcatW (path, L"\\");
  lstrcatW (path, name);
  version = file_version (path);
  shown = g_utf16_to_utf8 ((const gunichar2 *) name, -1, NULL, NULL, NULL);
  if (GetFileAttributesW (path) == INVALID_FILE_ATTRIBUTES)
    g_string_append_printf (report, "%s: not in the system's folder\n", shown);
  else
    g_string_append_printf (report, "%s: version %s\n", shown,
                            version != NULL ? version : "unknown");
}

/* ---- display adapters ---- */

/* What Windows shows as display adapters, one entry for each of their outputs. */
static void
add_adapters (GString *report)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  DISPLAY_DEVICEW device = { .cb = sizeof device };

  for (DWORD i = 0; i < MAX_ADAPTERS && EnumDisplayDevicesW (NULL, i, &device, 0); i++) {
    char *name = g_utf16_to_utf8 ((const gunichar2 *) device.DeviceString, -1, NULL, NULL, NULL);

    if (name != NULL && g_hash_table_add (seen, name))
      g_string_append_printf (report, "Display adapter: %s\n", name);
    device.cb = sizeof device;
  }
  if (g_hash_table_size (seen) == 0)
    g_string_append (report, "Display adapter: none\n");
}

/* ---- the time limit for work of a GPU (TDR) ---- */

static void
add_setting (GString *report, const wchar_t *name, const char *title, const char *unit,
             const char *usual)
{
  static const wchar_t key[] = L"SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers";
  DWORD value;

  if (read_number (key, name, &value))
    g_string_append_printf (report, "%s: %lu%s\n", title, value, unit);
  else
    g_string_append_printf (report, "%s: not set (%s)\n", title, usual);
}

static void
add_time_limit (GString *report)
{
  add_setting (report, L"TdrDelay", "Time limit of the GPU (TdrDelay)", " s", "2 s");
  add_setting (report, L"TdrLevel", "What Windows does then (TdrLevel)", "",
               "it resets the driver");
  add_setting (report, L"HwSchMode", "GPU scheduling by hardware (HwSchMode)", "",
               "the driver's choice");
}

void
pt_diagnose_add_system (GString *report)
{
  add_windows (report);
  add_adapters (report);
  add_file (report, L"nvcuda.dll");
  add_file (report, L"nvml.dll");
  add_time_limit (report);
}
