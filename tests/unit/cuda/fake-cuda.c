/* SPDX-License-Identifier: BSD-3-Clause */

/* A stand-in for the CUDA driver with one GPU. FAKE_CUDA=NUMBER makes the start fail. */

#include <gmodule.h>

#ifdef G_OS_WIN32
#define CALL __stdcall
#else
#define CALL
#endif

G_MODULE_EXPORT int CALL cuInit (unsigned flags);
G_MODULE_EXPORT int CALL cuDriverGetVersion (int *version);
G_MODULE_EXPORT int CALL cuDeviceGetCount (int *n);
G_MODULE_EXPORT int CALL cuDeviceGet (int *device, int index);
G_MODULE_EXPORT int CALL cuDeviceGetName (char *text, int size, int device);
G_MODULE_EXPORT int CALL cuDeviceTotalMem_v2 (gsize *bytes, int device);
G_MODULE_EXPORT int CALL cuDeviceGetAttribute (int *value, int attribute, int device);
G_MODULE_EXPORT int CALL cuGetErrorName (int code, const char **text);

int CALL
cuInit (unsigned flags)
{
  const char *mode = g_getenv ("FAKE_CUDA");

  return mode != NULL ? (int) g_ascii_strtoll (mode, NULL, 10) : 0;
}

int CALL
cuDriverGetVersion (int *version)
{
  *version = 12040;
  return 0;
}

int CALL
cuDeviceGetCount (int *n)
{
  *n = g_getenv ("FAKE_CUDA_EMPTY") != NULL ? 0 : 1;
  return 0;
}

int CALL
cuDeviceGet (int *device, int index)
{
  *device = index + 7;
  return 0;
}

int CALL
cuDeviceGetName (char *text, int size, int device)
{
  g_strlcpy (text, "NVIDIA Test 1", (gsize) size);
  return device == 7 ? 0 : 101;
}

int CALL
cuDeviceTotalMem_v2 (gsize *bytes, int device)
{
  *bytes = 1 << 30;
  return device == 7 ? 0 : 101;
}

int CALL
cuDeviceGetAttribute (int *value, int attribute, int device)
{
  *value = attribute == 75 ? 8 : attribute == 76 ? 6 : -1;
  return 0;
}

int CALL
cuGetErrorName (int code, const char **text)
{
  *text = "CUDA_ERROR_TEST";
  return 0;
}
