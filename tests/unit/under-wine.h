/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

#ifdef G_OS_WIN32
#include <windows.h>
#endif

/** Whether the test for Windows runs under Wine, where some services of Windows differ. */
static inline gboolean
under_wine (void)
{
#ifdef G_OS_WIN32
  HMODULE ntdll = GetModuleHandleW (L"ntdll.dll");

  return ntdll != NULL && GetProcAddress (ntdll, "wine_get_version") != NULL;
#else
  return FALSE;
#endif
}
