/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The names that these functions have in the library. */
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2

#include "engine/cuda/driver.h"
#include "tests/fakes/fake-cuda.h"

#define DECLARE(name, needed, arguments) G_MODULE_EXPORT PtCuResult PT_CUDA_CALL name arguments;
PT_CUDA_FUNCTIONS (DECLARE)
#undef DECLARE

#define MOST_FAKE_DEVICES 8

/* Results that only the stand-in speaks of. */
enum {
  CU_INVALID_IMAGE = 200,
  CU_INVALID_DEVICE = 101,
  CU_INVALID_HANDLE = 400,
  CU_NOT_FOUND = 500,
  CU_CAPTURE_UNSUPPORTED = 900,
  CU_CAPTURE_INVALIDATED = 901,
  CU_CAPTURE_UNMATCHED = 903,
  CU_CAPTURE_ISOLATION = 905,
  CU_CAPTURE_IMPLICIT = 906,
  CU_CAPTURED_EVENT = 907,
};

/* ---- State, under one lock ---- */

struct _PtCuContext {
  int device; /* index */
  guint n_references;
  PtCuResult fatal;
};

typedef enum {
  OBJECT_STREAM = 1,
  OBJECT_EVENT,
  OBJECT_MODULE,
  OBJECT_GRAPH,
  OBJECT_EXEC
} ObjectKind;

typedef struct {
  guint n_arguments;
  FakeLaunchHook *run;
  gpointer data;
} FakeKernel;

typedef struct {
  GRecMutex lock;
  gboolean started;
  guint capability, version, n_devices;
  gsize total;
  PtCuContext primaries[MOST_FAKE_DEVICES]; /* NULL while nobody holds it */
  gsize used[MOST_FAKE_DEVICES];
  GHashTable *objects; /* handle -> kind */
  GArray *launches;    /* FakeLaunch */
  FakeLaunchHook *hook;
  gpointer hook_data;
  GHashTable *kernels; /* name -> FakeKernel: those that compute */
  FakeCounts counts;
} FakeState;

extern FakeState fake;

typedef enum { NEEDS_NOTHING, NEEDS_START, NEEDS_CONTEXT } FakeNeed;

/* At the beginning of each function: counts the call and may end it. */
PtCuResult fake_enter (const char *function, FakeNeed need);
#define ENTER(need)                                                              \
  g_autoptr (GRecMutexLocker) fake_locker = g_rec_mutex_locker_new (&fake.lock); \
  PtCuResult fake_result = fake_enter (__func__, need);                          \
  if (fake_result != PT_CU_SUCCESS)                                              \
  return fake_result

PtCuContext fake_current (void);

/* ---- Objects ---- */

void fake_object_add (gpointer handle, ObjectKind kind);
gboolean fake_object_is (gconstpointer handle, ObjectKind kind);
void fake_object_remove (gpointer handle);
void fake_object_free (gpointer handle, ObjectKind kind); /* whatever it is */

/* ---- Memory ---- */

/* The bytes of @size at a device address, or NULL. */
gpointer fake_device_bytes (PtCuPointer pointer, gsize size);
gboolean fake_is_device_address (PtCuPointer pointer);
gboolean fake_is_pinned (gconstpointer pointer);
/* Frees what belongs to @device; returns how much there was. */
guint fake_memory_free_all (int device);

/* ---- Streams ---- */

typedef struct {
  enum { OP_COPY, OP_SET, OP_EVENT, OP_WAIT, OP_LAUNCH } kind;
  PtCuPointer to, from;
  gsize size;
  guchar value;
  gpointer staged; /* the bytes of a copy from pageable memory, owned */
  PtCuEvent event;
  guint64 serial; /* of the event's record */
  FakeLaunch launch;
  PtCuFunction function;
  FakeKernel kernel; /* of the launch; all 0: it computes nothing */
  guint64 arguments[FAKE_MOST_ARGUMENTS];
  gpointer addresses[FAKE_MOST_ARGUMENTS]; /* of the arguments, when somebody asks */
} FakeOp;

/* Sets what is launched; its arguments come afterwards. */
void fake_set_function (FakeOp *op, PtCuFunction function);

struct _PtCuStream {
  GQueue ops; /* FakeOp, waiting */
  gboolean is_blocking;
  PtCuGraph capture; /* what is asked for goes there; NULL: none */
};

struct _PtCuEvent {
  guint64 recorded, done; /* serials */
  PtCuStream stream;      /* of the last record */
  PtCuGraph capture;      /* it was recorded in */
  gboolean has_time;
  gint64 time; /* microseconds, of the last record that was executed */
};

/* Takes @op over. */
PtCuResult fake_push (PtCuStream stream, FakeOp *op);
void fake_drain (PtCuStream stream); /* NULL: blocking streams */
void fake_drain_all (void);
gboolean fake_is_capturing (PtCuStream stream);
/* Before what may not be done while a stream is captured in a strict mode. */
PtCuResult fake_check_unsafe (void);
/* Before what the legacy stream does. */
PtCuResult fake_check_legacy (void);
void fake_stream_free (PtCuStream stream);
void fake_op_free (gpointer op);
void fake_module_free (PtCuModule module);

/* ---- Graphs ---- */

struct _PtCuGraph {
  GPtrArray *ops;     /* FakeOp; a pointer to one is a node's handle */
  GArray *edges;      /* FakeEdge */
  GPtrArray *streams; /* that are captured into it; the first began it */
  gboolean is_strict, is_invalid;
};

/* Takes @op over; it waits for the one before. */
void fake_graph_add (PtCuGraph graph, FakeOp *op);
void fake_graph_free (PtCuGraph graph);
void fake_exec_free (PtCuGraphExec exec);
