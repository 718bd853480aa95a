/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/native-machine.h"

#include <string.h>
#include <windows.h>

/* The headers of older mingw-w64 do not have it. */
#ifndef IMAGE_FILE_MACHINE_ARM64
#define IMAGE_FILE_MACHINE_ARM64 0xaa64
#endif

typedef BOOL (WINAPI *IsWow64Process2Function) (HANDLE process, USHORT *emulated, USHORT *native);

const char *
pt_native_machine_name (guint16 machine)
{
  switch (machine) {
  case IMAGE_FILE_MACHINE_AMD64: return "x64";
  case IMAGE_FILE_MACHINE_ARM64: return "ARM64";
  case IMAGE_FILE_MACHINE_I386: return "x86";
  default: return "unknown";
  }
}

/*
 * GetNativeSystemInfo() tells a program that is emulated of an x64 processor; IsWow64Process2(),
 * which Windows 10 has since 1709, tells the truth. Before that there was no emulation of x64.
 */
static guint16
find_native_machine (void)
{
  HMODULE kernel = GetModuleHandleW (L"kernel32.dll");
  FARPROC address = kernel != NULL ? GetProcAddress (kernel, "IsWow64Process2") : NULL;
  IsWow64Process2Function is_wow64_process2 = NULL;
  USHORT emulated = 0, native = 0;

  memcpy (&is_wow64_process2, &address, sizeof address);
  if (is_wow64_process2 != NULL && is_wow64_process2 (GetCurrentProcess (), &emulated, &native))
    return native;
  return IMAGE_FILE_MACHINE_AMD64;
}

const char *
pt_native_machine (void)
{
  return pt_native_machine_name (find_native_machine ());
}

gboolean
pt_native_machine_is_emulated (void)
{
  return find_native_machine () != IMAGE_FILE_MACHINE_AMD64;
}
