/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-replacements.h"
#include "engine/cuda/shims.h"
#include "engine/cuda/shims/names.h"

G_BEGIN_DECLS

/* Shared by the files of the shims. */

/* The name of the definition of an exported function: "pt_" and its name. */
#define PT_SHIM_PROTOTYPE(result, name, parameters, arguments) result pt_##name parameters;
PT_SHIM_FUNCTIONS (PT_SHIM_PROTOTYPE)
#ifdef G_OS_WIN32
PT_SHIM_DRIVER_FUNCTIONS (PT_SHIM_PROTOTYPE)
#endif
#undef PT_SHIM_PROTOTYPE

/** Values of cudaError_t that we use; they are equal to those of CUresult. */
enum { PT_CUDA_ERROR_INVALID_DEVICE = 101, PT_CUDA_ERROR_CAPTURE = 900, PT_CUDA_ERROR_OTHER = 999 };

typedef struct {
  char *name;
  gconstpointer image;      /* name in its module; owned by the library */
  PtPtxEffects *effects;    /* NULL: not analysed yet */
  PtKernelPattern *pattern; /* NULL: there is none */
} PtShimKernel;

struct _PtShimModules {
  GHashTable *modules;              /* PtCuModule -> its image */
  GHashTable *kernels;              /* PtCuFunction -> PtShimKernel */
  PtCudaReplacements *replacements; /* NULL before the first use */
  PtCuPointer random;               /* state of random numbers on the GPU; 0 before the first use */
  guint64 seed;
  gboolean has_seed;  /* chosen by pt_shim_set_seed() */
  gboolean is_seeded; /* @random was initialised with @seed */
};

/** The state of a thread that is inside a call into a library. */
typedef struct {
  PtCudaContext *context; /* NULL: outside of a call */
  PtShimModules *modules;
  PtShimRecord *record;
  PtCudaUpload *upload;
  GCancellable *cancellable; /* stream of @upload */
  GError *note;
  PtCuResult last_error; /* for cudaGetLastError() */
} PtShimState;

extern _Thread_local PtShimState pt_shim_state;

/** Note an error and return 1. */
gint32 pt_shim_refuse (PtError code, const char *format, ...) G_GNUC_PRINTF (2, 3);
/** Note @error, take ownership of it, and return 1. */
gint32 pt_shim_refuse_error (GError *error);

/** The context of the current call, or NULL with a note. */
PtCudaContext *pt_shim_context (const char *function);

/** Whether the host may wait for the GPU now. FALSE with a note during the capture of a graph. */
gboolean pt_shim_may_wait (PtCudaContext *context, const char *what);

/**
 * Copy within or between the host and the GPU, in order with the stream. When it returns, the copy
 * to or from host memory is complete.
 */
gboolean pt_shim_copy_bytes (PtCudaContext *context, gpointer to, gboolean to_device,
                             gconstpointer from, gboolean from_device, gsize size);

/** Copy elements of two tensors with the same dtype and number of elements. 0, or 1 with a note. */
gint32 pt_shim_copy_tensor (PtShimTensor *to, const PtShimTensor *from);

/** Set all bytes of a tensor to zero. 0, or 1 with a note. */
gint32 pt_shim_clear_tensor (PtShimTensor *tensor);

/** The state of random numbers of the current library, on the GPU. 0 with a note. */
PtCuPointer pt_shim_random_state (PtCudaContext *context);

/** Record that @function of @module has the name @name. */
void pt_shim_modules_add (PtShimModules *modules, gpointer function, gpointer module,
                          const char *name);

/** The name of @function, a kernel of the current library, for messages. */
const char *pt_shim_kernel_name (gconstpointer function);

/** The driver of this thread's context, or of the process; NULL without a driver. */
const PtCuda *pt_shim_driver (void);

G_END_DECLS
