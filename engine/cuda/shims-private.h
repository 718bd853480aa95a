/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/shims.h"
#include "engine/cuda/shims/names.h"

G_BEGIN_DECLS

/* Inside the shims: the definitions of the exported functions, and what they share. */

/* The definition of an exported function is "pt_" and its name. */
#define PT_SHIM_PROTOTYPE(result, name, parameters, arguments) result pt_##name parameters;
PT_SHIM_FUNCTIONS (PT_SHIM_PROTOTYPE)
#ifdef G_OS_WIN32
PT_SHIM_DRIVER_FUNCTIONS (PT_SHIM_PROTOTYPE)
#endif
#undef PT_SHIM_PROTOTYPE

/** cudaError_t has CUresult's numbers, as far as they are used here. */
enum { PT_CUDA_ERROR_INVALID_DEVICE = 101, PT_CUDA_ERROR_CAPTURE = 900, PT_CUDA_ERROR_OTHER = 999 };

typedef struct {
  char *name;
  gconstpointer image;   /* of its module; the library's */
  PtPtxEffects *effects; /* NULL: nobody asked */
} PtShimKernel;

struct _PtShimModules {
  GHashTable *modules; /* PtCuModule -> its image */
  GHashTable *kernels; /* PtCuFunction -> PtShimKernel */
  PtCuPointer random;  /* state of random numbers; 0 before the first */
  guint64 seed;
  gboolean has_seed;  /* the host chose it */
  gboolean is_seeded; /* @random began with @seed */
};

/** What pt_shims_enter() and the others set for a thread. */
typedef struct {
  PtCudaContext *context; /* NULL: no call into a library is under way */
  PtShimModules *modules;
  PtShimRecord *record;
  PtCudaUpload *upload;
  GCancellable *cancellable; /* of @upload */
  GError *note;
  PtCuResult last_error; /* for cudaGetLastError() */
} PtShimState;

extern _Thread_local PtShimState pt_shim_state;

/** Notes, and returns 1. */
gint32 pt_shim_refuse (PtError code, const char *format, ...) G_GNUC_PRINTF (2, 3);
/** Notes @error, which it takes, and returns 1. */
gint32 pt_shim_refuse_error (GError *error);

/** The context of this thread, or NULL with a note. */
PtCudaContext *pt_shim_context (const char *function);

/** FALSE with a note unless the host may wait for the GPU now: not while a graph is captured. */
gboolean pt_shim_may_wait (PtCudaContext *context, const char *what);

/** Copy between any two of host and GPU, in order with the stream. Host memory is complete, or no
 * longer needed, at the return. */
gboolean pt_shim_copy_bytes (PtCudaContext *context, gpointer to, gboolean to_device,
                             gconstpointer from, gboolean from_device, gsize size);

/** Copy elements of two tensors with the same dtype and number of elements. 0, or 1 with a note. */
gint32 pt_shim_copy_tensor (PtShimTensor *to, const PtShimTensor *from);

/** All bytes become zero. 0, or 1 with a note. */
gint32 pt_shim_clear_tensor (PtShimTensor *tensor);

/** State of the random numbers of the library that is running, on the GPU. 0 with a note. */
PtCuPointer pt_shim_random_state (PtCudaContext *context);

/** @function of @module has been found under @name. */
void pt_shim_modules_add (PtShimModules *modules, gpointer function, gpointer module,
                          const char *name);

/** The name of a kernel of the library that is running, for messages. */
const char *pt_shim_kernel_name (gconstpointer function);

/** The driver of this thread's context, or of the process; NULL when there is none. */
const PtCuda *pt_shim_driver (void);

G_END_DECLS
