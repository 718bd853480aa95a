/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gmodule.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * The CUDA driver: libcuda.so.1 or nvcuda.dll, loaded at run time (the environment variable
 * PTERIS_CUDA names another file, for tests). This header declares the types and functions that we
 * use, so that no CUDA toolkit is needed to build.
 */

#ifdef G_OS_WIN32
#define PT_CUDA_CALL __stdcall
#else
#define PT_CUDA_CALL
#endif

typedef int PtCuResult; /* 0: success */
typedef int PtCuDevice;
typedef struct _PtCuContext *PtCuContext;
typedef struct _PtCuModule *PtCuModule;
typedef struct _PtCuFunction *PtCuFunction;
typedef struct _PtCuStream *PtCuStream;
typedef struct _PtCuEvent *PtCuEvent;
typedef struct _PtCuGraph *PtCuGraph;
typedef struct _PtCuGraphExec *PtCuGraphExec;
typedef struct _PtCuNode *PtCuNode; /* a node of a graph */
typedef guint64 PtCuPointer;        /* an address on the device */

/** The parameters of a launch in a graph, by the definition of CUDA 12 and later. */
typedef struct {
  PtCuFunction function;
  guint grid[3], block[3];
  guint shared_bytes;
  void **arguments; /* copies that the graph owns; NULL: the arguments are in @extra */
  void **extra;
  gpointer kernel;
  PtCuContext context;
} PtCuKernelNode;

/**
 * An edge of a graph, CUDA 12.3 and later. All 0: the second node starts when the first has ended.
 */
typedef struct {
  guint8 from_port, to_port, type, reserved[5];
} PtCuEdge;

/** The second node starts when all blocks of the first allow it or have ended; both are kernels. */
#define PT_CU_EDGE_EARLY      \
  {                           \
    .from_port = 1, .type = 1 \
  }

/* The result codes that are handled specially. */
enum {
  PT_CU_SUCCESS = 0,
  PT_CU_INVALID_VALUE = 1,
  PT_CU_OUT_OF_MEMORY = 2,
  PT_CU_NOT_INITIALIZED = 3,
  PT_CU_DEINITIALIZED = 4,
  PT_CU_DEVICE_UNAVAILABLE = 46,
  PT_CU_NO_DEVICE = 100,
  PT_CU_INVALID_CONTEXT = 201,
  PT_CU_NO_BINARY_FOR_GPU = 209,
  PT_CU_INVALID_PTX = 218,
  PT_CU_JIT_COMPILER_NOT_FOUND = 221,
  PT_CU_UNSUPPORTED_PTX_VERSION = 222,
  PT_CU_NOT_READY = 600,
  PT_CU_ILLEGAL_ADDRESS = 700,
  PT_CU_LAUNCH_OUT_OF_RESOURCES = 701,
  PT_CU_LAUNCH_TIMEOUT = 702,
  PT_CU_LAUNCH_FAILED = 719,
  PT_CU_SYSTEM_NOT_READY = 802,
  PT_CU_SYSTEM_DRIVER_MISMATCH = 803,
  PT_CU_COMPAT_NOT_SUPPORTED = 804,
  PT_CU_CAPTURE_UNSUPPORTED = 900,
};

/* for cuDeviceGetAttribute() */
enum {
  PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  PT_CU_DEVICE_MULTIPROCESSOR_COUNT = 16,
  PT_CU_DEVICE_L2_CACHE_SIZE = 38,
  PT_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR = 75,
  PT_CU_DEVICE_COMPUTE_CAPABILITY_MINOR = 76,
  PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum { PT_CU_FUNCTION_PTX_VERSION = 5, PT_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
enum { PT_CU_POINTER_MEMORY_TYPE = 2 }; /* for cuPointerGetAttribute() */
enum { PT_CU_MEMORY_HOST = 1, PT_CU_MEMORY_DEVICE = 2, PT_CU_MEMORY_UNIFIED = 4 };
enum { PT_CU_STREAM_NON_BLOCKING = 1 };
enum { PT_CU_STREAM_CAPTURE_RELAXED = 2 };
enum { PT_CU_EVENT_DISABLE_TIMING = 2 };
enum { PT_CU_NODE_KERNEL = 0, PT_CU_NODE_COPY = 1, PT_CU_NODE_SET = 2 }; /* cuGraphNodeGetType() */

/*
 * One line for each function: name, whether it is required, arguments. driver.c lists the functions
 * that the library exports as NAME_v2.
 */
#define PT_CUDA_FUNCTIONS(X)                                                                      \
  X (cuInit, TRUE, (guint flags))                                                                 \
  X (cuDriverGetVersion, FALSE, (int *version))                                                   \
  X (cuGetErrorName, FALSE, (PtCuResult code, const char **text))                                 \
  X (cuGetErrorString, FALSE, (PtCuResult code, const char **text))                               \
  X (cuDeviceGetCount, TRUE, (int *n))                                                            \
  X (cuDeviceGet, TRUE, (PtCuDevice * device, int index))                                         \
  X (cuDeviceGetName, FALSE, (char *text, int size, PtCuDevice device))                           \
  X (cuDeviceTotalMem, FALSE, (gsize * bytes, PtCuDevice device))                                 \
  X (cuDeviceGetAttribute, TRUE, (int *value, int attribute, PtCuDevice device))                  \
  X (cuDevicePrimaryCtxRetain, TRUE, (PtCuContext * context, PtCuDevice device))                  \
  X (cuDevicePrimaryCtxRelease, TRUE, (PtCuDevice device))                                        \
  X (cuCtxGetCurrent, TRUE, (PtCuContext * context))                                              \
  X (cuCtxSetCurrent, TRUE, (PtCuContext context))                                                \
  X (cuCtxSynchronize, TRUE, (void) )                                                             \
  X (cuMemGetInfo, TRUE, (gsize * unused, gsize * total))                                         \
  X (cuMemAlloc, TRUE, (PtCuPointer * pointer, gsize size))                                       \
  X (cuMemFree, TRUE, (PtCuPointer pointer))                                                      \
  X (cuMemGetAddressRange, FALSE, (PtCuPointer * start, gsize * size, PtCuPointer pointer))       \
  X (cuMemHostAlloc, TRUE, (void **pointer, gsize size, guint flags))                             \
  X (cuMemFreeHost, TRUE, (void *pointer))                                                        \
  X (cuMemcpyHtoD, TRUE, (PtCuPointer to, const void *from, gsize size))                          \
  X (cuMemcpyDtoH, TRUE, (void *to, PtCuPointer from, gsize size))                                \
  X (cuMemcpyHtoDAsync, TRUE, (PtCuPointer to, const void *from, gsize size, PtCuStream stream))  \
  X (cuMemcpyDtoHAsync, TRUE, (void *to, PtCuPointer from, gsize size, PtCuStream stream))        \
  X (cuMemcpyDtoDAsync, TRUE, (PtCuPointer to, PtCuPointer from, gsize size, PtCuStream stream))  \
  X (cuMemcpyAsync, TRUE, (PtCuPointer to, PtCuPointer from, gsize size, PtCuStream stream))      \
  X (cuMemsetD8Async, TRUE, (PtCuPointer to, guchar value, gsize size, PtCuStream stream))        \
  X (cuPointerGetAttribute, TRUE, (void *value, int attribute, PtCuPointer pointer))              \
  X (cuStreamCreate, TRUE, (PtCuStream * stream, guint flags))                                    \
  X (cuStreamDestroy, TRUE, (PtCuStream stream))                                                  \
  X (cuStreamSynchronize, TRUE, (PtCuStream stream))                                              \
  X (cuStreamQuery, TRUE, (PtCuStream stream))                                                    \
  X (cuStreamWaitEvent, TRUE, (PtCuStream stream, PtCuEvent event, guint flags))                  \
  X (cuStreamBeginCapture, FALSE, (PtCuStream stream, int mode))                                  \
  X (cuStreamEndCapture, FALSE, (PtCuStream stream, PtCuGraph * graph))                           \
  X (cuGraphInstantiateWithFlags, FALSE, (PtCuGraphExec * exec, PtCuGraph graph, guint64 flags))  \
  X (cuGraphLaunch, FALSE, (PtCuGraphExec exec, PtCuStream stream))                               \
  X (cuGraphExecDestroy, FALSE, (PtCuGraphExec exec))                                             \
  X (cuGraphDestroy, FALSE, (PtCuGraph graph))                                                    \
  X (cuGraphGetNodes, FALSE, (PtCuGraph graph, PtCuNode * nodes, gsize * n))                      \
  X (cuGraphGetEdges, FALSE, (PtCuGraph graph, PtCuNode * from, PtCuNode * to, gsize * n))        \
  X (cuGraphAddDependencies, FALSE,                                                               \
     (PtCuGraph graph, const PtCuNode *from, const PtCuNode *to, gsize n))                        \
  X (cuGraphAddDependencies_v2, FALSE,                                                            \
     (PtCuGraph graph, const PtCuNode *from, const PtCuNode *to, const PtCuEdge *edges, gsize n)) \
  X (cuGraphRemoveDependencies, FALSE,                                                            \
     (PtCuGraph graph, const PtCuNode *from, const PtCuNode *to, gsize n))                        \
  X (cuGraphDestroyNode, FALSE, (PtCuNode node))                                                  \
  X (cuGraphNodeGetType, FALSE, (PtCuNode node, int *type))                                       \
  X (cuGraphKernelNodeGetParams, FALSE, (PtCuNode node, PtCuKernelNode * kernel))                 \
  X (cuGraphKernelNodeSetParams, FALSE, (PtCuNode node, const PtCuKernelNode *kernel))            \
  X (cuEventCreate, TRUE, (PtCuEvent * event, guint flags))                                       \
  X (cuEventDestroy, TRUE, (PtCuEvent event))                                                     \
  X (cuEventRecord, TRUE, (PtCuEvent event, PtCuStream stream))                                   \
  X (cuEventQuery, TRUE, (PtCuEvent event))                                                       \
  X (cuEventSynchronize, TRUE, (PtCuEvent event))                                                 \
  X (cuEventElapsedTime, FALSE, (float *ms, PtCuEvent start, PtCuEvent end))                      \
  X (cuModuleLoadData, TRUE, (PtCuModule * module, const void *image))                            \
  X (cuModuleUnload, TRUE, (PtCuModule module))                                                   \
  X (cuModuleGetFunction, TRUE, (PtCuFunction * function, PtCuModule module, const char *name))   \
  X (cuFuncSetAttribute, TRUE, (PtCuFunction function, int attribute, int value))                 \
  X (cuFuncGetAttribute, TRUE, (int *value, int attribute, PtCuFunction function))                \
  X (cuFuncGetParamInfo, FALSE, (PtCuFunction function, gsize i, gsize * offset, gsize * size))   \
  X (cuGetProcAddress, FALSE,                                                                     \
     (const char *name, void **function, int version, guint64 flags, int *status))                \
  X (cuLaunchKernel, TRUE,                                                                        \
     (PtCuFunction function, guint grid_x, guint grid_y, guint grid_z, guint block_x,             \
      guint block_y, guint block_z, guint shared_bytes, PtCuStream stream, void **arguments,      \
      void **extra))

/** The driver's functions. NULL: not required, and the driver is too old to have it. */
typedef struct {
#define PT_CUDA_MEMBER(name, needed, arguments) PtCuResult (PT_CUDA_CALL *name) arguments;
  PT_CUDA_FUNCTIONS (PT_CUDA_MEMBER)
#undef PT_CUDA_MEMBER
} PtCuda;

/**
 * Return the driver. The first call loads and starts it, which may take 100 ms; it stays loaded for
 * the life of the process. Any thread.
 *
 * Returns: NULL with a sentence that gives the cause: no driver, a driver that does not start or
 * was just updated, no GPU, or CUDA_VISIBLE_DEVICES hides all GPUs
 */
const PtCuda *pt_cuda_driver (GError **error);

/** The CUDA version of the driver, 12040 for 12.4; 0: not started, or unknown. */
guint pt_cuda_driver_version (void);

/**
 * TRUE when @code is 0. Otherwise FALSE with PT_ERROR_MEMORY, PT_ERROR_UNSUPPORTED or
 * PT_ERROR_GPU. The message names the action @what ("Copying the weights") and the cause in
 * words where it is known (out of memory, no image for this GPU, driver too old for the PTX, time-
 * out, ...).
 */
gboolean pt_cuda_check (PtCuResult code, const char *what, GError **error);

/**
 * Set PT_ERROR_MEMORY and return FALSE. The message gives @needed (bytes; 0: unknown) and the
 * memory of the device.
 */
gboolean pt_cuda_fail_memory (const char *what, gsize needed, GError **error);

/**
 * Whether the context of the device is dead after this error, so that the application must be
 * restarted.
 */
gboolean pt_cuda_is_fatal (PtCuResult code);

G_END_DECLS
