/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/probe.h"

#include "engine/cuda/library.h"

/* ---- The driver's interface, as far as it is used ---- */

#ifdef G_OS_WIN32
#define CALL __stdcall
#else
#define CALL
#endif

enum {
  CUDA_SUCCESS = 0,
  CUDA_NO_DEVICE = 100,
  CUDA_VERSION_MISMATCH = 803,
};

enum { CUDA_CAPABILITY_MAJOR = 75, CUDA_CAPABILITY_MINOR = 76 };

typedef struct {
  int (CALL *init) (guint flags);
  int (CALL *version) (int *version);
  int (CALL *count) (int *n);
  int (CALL *device) (int *device, int index);
  int (CALL *name) (char *text, int size, int device);
  int (CALL *memory) (gsize *bytes, int device);
  int (CALL *attribute) (int *value, int attribute, int device);
  int (CALL *error_name) (int code, const char **text);
} Functions;

#define SYMBOL(member, needed, ...)                              \
  {                                                              \
    { __VA_ARGS__ }, G_STRUCT_OFFSET (Functions, member), needed \
  }

static const PtSymbol symbols[] = {
  SYMBOL (init, TRUE, "cuInit"),
  SYMBOL (version, FALSE, "cuDriverGetVersion"),
  SYMBOL (count, TRUE, "cuDeviceGetCount"),
  SYMBOL (device, TRUE, "cuDeviceGet"),
  SYMBOL (name, FALSE, "cuDeviceGetName"),
  SYMBOL (memory, FALSE, "cuDeviceTotalMem_v2"),
  SYMBOL (attribute, FALSE, "cuDeviceGetAttribute"),
  SYMBOL (error_name, FALSE, "cuGetErrorName"),
};

static gboolean
fail_driver (const Functions *f, int code, GError **error)
{
  const char *text = NULL;

  if (code == CUDA_NO_DEVICE)
    return pt_fail (error, PT_ERROR_NOT_FOUND, "The CUDA driver finds no GPU.");
  if (code == CUDA_VERSION_MISMATCH)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The NVIDIA driver was updated while it ran. Restart the machine.");
  if (f->error_name == NULL || f->error_name (code, &text) != CUDA_SUCCESS)
    text = NULL;
  return pt_fail (error, PT_ERROR_NOT_FOUND, "The CUDA driver does not start: %s (CUDA error %d).",
                  text != NULL ? text : "unknown error", code);
}

static gboolean
read_capability (const Functions *f, int device, guint *capability)
{
  int major, minor;

  if (f->attribute == NULL ||
      f->attribute (&major, CUDA_CAPABILITY_MAJOR, device) != CUDA_SUCCESS ||
      f->attribute (&minor, CUDA_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
    return FALSE;
  *capability = (guint) (major * 10 + minor);
  return TRUE;
}

static gboolean
read_device (const Functions *f, int index, PtCudaDevice *out, GError **error)
{
  int device;
  int code = f->device (&device, index);
  gsize bytes;

  if (code != CUDA_SUCCESS)
    return fail_driver (f, code, error);
  if (f->name == NULL || f->name (out->name, sizeof out->name, device) != CUDA_SUCCESS)
    g_strlcpy (out->name, "NVIDIA GPU", sizeof out->name);
  out->name[sizeof out->name - 1] = 0;
  if (f->memory != NULL && f->memory (&bytes, device) == CUDA_SUCCESS)
    out->memory = bytes;
  if (!read_capability (f, device, &out->compute_capability))
    out->compute_capability = 0;
  return TRUE;
}

static gboolean
read_driver (const Functions *f, PtCudaProbe *probe, GError **error)
{
  int version = 0, n = 0;
  int code = f->init (0);

  if (code == CUDA_SUCCESS)
    code = f->count (&n);
  if (code == CUDA_SUCCESS && n <= 0)
    code = CUDA_NO_DEVICE;
  if (code != CUDA_SUCCESS)
    return fail_driver (f, code, error);
  if (f->version != NULL && f->version (&version) == CUDA_SUCCESS && version > 0)
    probe->driver_version = (guint) version;
  probe->devices = g_new0 (PtCudaDevice, (gsize) n);
  probe->n_devices = (guint) n;
  for (int i = 0; i < n; i++)
    if (!read_device (f, i, &probe->devices[i], error))
      return FALSE;
  return TRUE;
}

PtCudaProbe *
pt_cuda_probe (GError **error)
{
  GModule *module = pt_library_open ("PTERIS_CUDA", "libcuda.so.1", "nvcuda.dll", error);
  g_autoptr (PtCudaProbe) probe = NULL;
  Functions f;

  if (module == NULL)
    return NULL;
  /* Threads of the driver may still run in it. */
  g_module_make_resident (module);
  probe = g_new0 (PtCudaProbe, 1);
  if (!pt_library_resolve (module, symbols, G_N_ELEMENTS (symbols), &f)) {
    pt_fail (error, PT_ERROR_NOT_FOUND, "The CUDA driver is too old to be asked.");
    return NULL;
  }
  return read_driver (&f, probe, error) ? g_steal_pointer (&probe) : NULL;
}

void
pt_cuda_probe_free (PtCudaProbe *probe)
{
  g_free (probe->devices);
  g_free (probe);
}
