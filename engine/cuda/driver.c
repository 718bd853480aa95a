/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/driver.h"

#include <string.h>

#include "engine/base/gpu-fault.h"
#include "engine/base/set-error.h"
#include "engine/cuda/driver-library.h"

/* The GPU code of all models comes from CUDA toolkit 12 or newer. */
#define OLDEST_VERSION 12000

static PtCuda functions;
static const PtCuda *driver;
static guint driver_version;

/* ---- Loading ---- */

/*
 * For these functions the plain name is an older interface with 32-bit sizes or fewer arguments, so
 * the name with "_v2" is needed. All others are used under the plain name: later versions
 * (cuCtxSynchronize, cuEventElapsedTime) may take other arguments.
 */
static const char *const second_versions[] = {
  "cuDeviceTotalMem",
  "cuDevicePrimaryCtxRelease",
  "cuMemGetInfo",
  "cuMemAlloc",
  "cuMemFree",
  "cuMemcpyHtoD",
  "cuMemcpyDtoH",
  "cuMemcpyHtoDAsync",
  "cuMemcpyDtoHAsync",
  "cuMemcpyDtoDAsync",
  "cuStreamDestroy",
  "cuStreamBeginCapture",
  "cuEventDestroy",
  "cuGraphKernelNodeGetParams",
  "cuGraphKernelNodeSetParams",
  "cuMemGetAddressRange",
  "cuGetProcAddress",
  NULL,
};

static const struct {
  const char *name;
  gsize offset;
  gboolean needed;
} members[] = {
#define MEMBER(name, needed, arguments) { #name, G_STRUCT_OFFSET (PtCuda, name), needed },
  PT_CUDA_FUNCTIONS (MEMBER)
#undef MEMBER
};

/* Returns: the name of a required function that is missing, or NULL */
static const char *
resolve (GModule *module, PtCuda *cu)
{
  const char *missing = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    gboolean is_second = g_strv_contains (second_versions, members[i].name);
    g_autofree char *name = g_strconcat (members[i].name, is_second ? "_v2" : NULL, NULL);
    const PtSymbol symbol = { { name }, members[i].offset, members[i].needed };

    if (!pt_library_resolve (module, &symbol, 1, cu) && missing == NULL)
      missing = members[i].name;
  }
  return missing;
}

static char *
version_text (guint version)
{
  return g_strdup_printf ("%u.%u", version / 1000, version % 1000 / 10);
}

static const char *
error_name (const PtCuda *cu, PtCuResult code)
{
  const char *text = NULL;

  if (cu == NULL || cu->cuGetErrorName == NULL ||
      cu->cuGetErrorName (code, &text) != PT_CU_SUCCESS || text == NULL)
    return "unknown error";
  return text;
}

/* ---- Starting ---- */

static gboolean
fail_no_device (GError **error)
{
  const char *visible = g_getenv ("CUDA_VISIBLE_DEVICES");

  if (visible != NULL)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The CUDA driver shows no GPU: the environment variable CUDA_VISIBLE_DEVICES "
                    "is “%s”. Unset it.",
                    visible);
  return pt_fail (error, PT_ERROR_NOT_FOUND, "The CUDA driver finds no GPU.%s", pt_library_hint ());
}

static gboolean
fail_start (const PtCuda *cu, PtCuResult code, GError **error)
{
  switch (code) {
  case PT_CU_NO_DEVICE: return fail_no_device (error);
  case PT_CU_SYSTEM_DRIVER_MISMATCH:
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The NVIDIA driver was updated while it ran. Restart the machine.");
  case PT_CU_DEVICE_UNAVAILABLE:
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The GPU is busy: another program has exclusive use of it (CUDA error %d).",
                    code);
  case PT_CU_SYSTEM_NOT_READY:
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The GPUs of this machine are not set up yet: a service that they need (the "
                    "fabric manager, say) does not run (CUDA error %d).",
                    code);
  case PT_CU_COMPAT_NOT_SUPPORTED:
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The CUDA driver library is newer than the NVIDIA driver of this machine, "
                    "which this GPU does not support. Update the driver (CUDA error %d).",
                    code);
  default:
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The CUDA driver does not start: %s (CUDA error %d).%s", error_name (cu, code),
                    code, pt_library_hint ());
  }
}

static gboolean
fail_too_old (guint version, GError **error)
{
  g_autofree char *text = version_text (version);

  if (version == 0)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The NVIDIA driver is too old. Update it to one for CUDA %d.%d or newer.",
                    OLDEST_VERSION / 1000, OLDEST_VERSION % 1000 / 10);
  return pt_fail (error, PT_ERROR_NOT_FOUND,
                  "The NVIDIA driver is too old: it is one for CUDA %s, and models need one for "
                  "CUDA %d.%d or newer. Update it.",
                  text, OLDEST_VERSION / 1000, OLDEST_VERSION % 1000 / 10);
}

/* The driver returns its version before it is started. */
static guint
read_version (const PtCuda *cu)
{
  int version = 0;

  if (cu->cuDriverGetVersion == NULL || cu->cuDriverGetVersion (&version) != PT_CU_SUCCESS)
    return 0;
  return (guint) MAX (version, 0);
}

static gboolean
start (PtCuda *cu, GError **error)
{
  GModule *module = pt_library_open ("PTERIS_CUDA", "libcuda.so.1", "nvcuda.dll", error);
  const char *missing;
  int n = 0;
  PtCuResult code;

  if (module == NULL)
    return FALSE;
  /* Never unload the driver: its threads may still run in its code. */
  g_module_make_resident (module);
  missing = resolve (module, cu);
  driver_version = read_version (cu);
  if (driver_version > 0 ? driver_version < OLDEST_VERSION : missing != NULL)
    return fail_too_old (driver_version, error);
  if (missing != NULL)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The CUDA driver lacks the function %s. Reinstall the NVIDIA driver.", missing);
  code = cu->cuInit (0);
  if (code == PT_CU_SUCCESS)
    code = cu->cuDeviceGetCount (&n);
  if (code == PT_CU_SUCCESS && n <= 0)
    code = PT_CU_NO_DEVICE;
  return code == PT_CU_SUCCESS || fail_start (cu, code, error);
}

const PtCuda *
pt_cuda_driver (GError **error)
{
  static gsize once = 0;
  static GError *reason;

  if (g_once_init_enter (&once)) {
    if (start (&functions, &reason))
      driver = &functions;
    g_once_init_leave (&once, 1);
  }
  if (driver == NULL && error != NULL)
    *error = g_error_copy (reason);
  return driver;
}

guint
pt_cuda_driver_version (void)
{
  return driver_version;
}

/* ---- Errors ---- */

gboolean
pt_cuda_is_fatal (PtCuResult code)
{
  switch (code) {
  case PT_CU_DEINITIALIZED:
  case 214: /* uncorrectable memory error (ECC) */
  case 220: /* uncorrectable error of the link between GPUs */
  case PT_CU_ILLEGAL_ADDRESS:
  case PT_CU_LAUNCH_TIMEOUT:
  case 709: /* the context is gone */
  case 710: /* an assertion in a kernel */
  case 714: /* illegal stack */
  case 715: /* illegal instruction */
  case 716: /* misaligned address */
  case 717: /* invalid address space */
  case 718: /* invalid program counter */
  case PT_CU_LAUNCH_FAILED: return TRUE;
  default: return FALSE;
  }
}

static gboolean
fail_fatal (PtCuResult code, const char *what, GError **error)
{
  static const char advice[] = "Only a new process can use the GPU again";
  const char *cause = "a program on the GPU failed";

  pt_gpu_fault_set (code, code == PT_CU_LAUNCH_TIMEOUT);
  if (code == PT_CU_ILLEGAL_ADDRESS)
    cause = "a program on the GPU reached outside its memory";
  else if (code == PT_CU_LAUNCH_TIMEOUT)
    cause = "the GPU took too long, so that the system stopped it (a GPU that also drives a screen "
            "gets about 2 seconds for one kernel; Windows calls this TDR)";
  else if (code == 214)
    cause = "the memory of the GPU is damaged";
  return pt_fail (error, PT_ERROR_GPU, "%s failed: %s. %s (%s, CUDA error %d).", what, cause,
                  advice, error_name (driver, code), code);
}

/* Explanations of errors that a user can act on. */
static const char *
explain (PtCuResult code)
{
  switch (code) {
  case PT_CU_NO_BINARY_FOR_GPU: return "there is no GPU code in it that this GPU can run";
  case PT_CU_INVALID_PTX: return "the driver could not compile its GPU code";
  case PT_CU_JIT_COMPILER_NOT_FOUND:
    return "its GPU code must be compiled for this GPU, and the installed driver has no compiler "
           "(libnvidia-ptxjitcompiler)";
  case PT_CU_LAUNCH_OUT_OF_RESOURCES:
    return "it needs more registers or shared memory than this GPU has; it was tuned for a larger "
           "GPU";
  default: return NULL;
  }
}

gboolean
pt_cuda_fail_memory (const char *what, gsize needed, GError **error)
{
  gsize unused = 0, total = 0;
  g_autofree char *need =
      needed > 0 ? g_strdup_printf ("%.2f GB are needed, ", (double) needed / 1e9) : g_strdup ("");

  if (driver == NULL || driver->cuMemGetInfo (&unused, &total) != PT_CU_SUCCESS)
    return pt_fail (error, PT_ERROR_MEMORY,
                    "%s failed: there is not enough memory on the GPU (CUDA error 2).", what);
  return pt_fail (error, PT_ERROR_MEMORY,
                  "%s failed: there is not enough memory on the GPU: %s%.2f of %.2f GB are free. "
                  "Close other programs that use the GPU, or use a smaller model (CUDA error 2).",
                  what, need, (double) unused / 1e9, (double) total / 1e9);
}

gboolean
pt_cuda_check (PtCuResult code, const char *what, GError **error)
{
  g_autofree char *version = NULL;

  if (G_LIKELY (code == PT_CU_SUCCESS))
    return TRUE;
  if (code == PT_CU_OUT_OF_MEMORY)
    return pt_cuda_fail_memory (what, 0, error);
  if (pt_cuda_is_fatal (code))
    return fail_fatal (code, what, error);
  if (code == PT_CU_UNSUPPORTED_PTX_VERSION) {
    version = version_text (driver_version);
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "%s failed: its GPU code needs a newer NVIDIA driver; the installed one is for "
                    "CUDA %s (CUDA error %d).",
                    what, version, code);
  }
  if (explain (code) != NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "%s failed: %s (CUDA error %d).", what,
                    explain (code), code);
  return pt_fail (error, PT_ERROR_GPU, "%s failed: %s (CUDA error %d).", what,
                  error_name (driver, code), code);
}
