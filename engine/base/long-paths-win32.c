/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/long-paths.h"

#include <wchar.h>
#include <windows.h>

/* A bit in the process environment block that allows long paths. Go's runtime sets it, too. */
#define BIT_FIELD 3
#define IS_LONG_PATH_AWARE 0x80

typedef guint8 *(WINAPI *GetPeb) (void);
typedef void (WINAPI *GetNumbers) (DWORD *major, DWORD *minor, DWORD *build);

void
pt_long_paths_allow (void)
{
  HMODULE ntdll = GetModuleHandleW (L"ntdll.dll");
  GetPeb get_peb = (GetPeb) (void *) GetProcAddress (ntdll, "RtlGetCurrentPeb");
  GetNumbers get_numbers = (GetNumbers) (void *) GetProcAddress (ntdll, "RtlGetNtVersionNumbers");
  DWORD major = 0, minor = 0, build = 0;

  if (get_peb == NULL || get_numbers == NULL)
    return;
  get_numbers (&major, &minor, &build);
  if (major >= 10 && (build & 0xffff) >= 15063)
    get_peb ()[BIT_FIELD] |= IS_LONG_PATH_AWARE;
}

gunichar2 *
pt_long_path (const char *path)
{
  g_autofree wchar_t *given = (wchar_t *) g_utf8_to_utf16 (path, -1, NULL, NULL, NULL);
  g_autofree wchar_t *whole = NULL;
  const wchar_t *prefix = L"\\\\?\\";
  const wchar_t *rest;
  wchar_t *result;
  DWORD size;

  if (given == NULL)
    return NULL;
  size = GetFullPathNameW (given, 0, NULL, NULL);
  whole = g_new0 (wchar_t, (gsize) size + 1);
  if (size == 0 || GetFullPathNameW (given, size, whole, NULL) >= size)
    return NULL;
  rest = whole;
  if (wcsncmp (whole, L"\\\\?\\", 4) == 0 || wcsncmp (whole, L"\\\\.\\", 4) == 0) {
    prefix = L"";
  } else if (wcsncmp (whole, L"\\\\", 2) == 0) {
    prefix = L"\\\\?\\UNC";
    rest = whole + 1;
  }
  result = g_new0 (wchar_t, wcslen (prefix) + wcslen (rest) + 1);
  wcscpy (result, prefix);
  wcscat (result, rest);
  return (gunichar2 *) result;
}
