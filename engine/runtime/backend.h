/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/inspect.h>

#include "engine/base/heap.h"
#include "engine/program/data-file.h"
#include "engine/program/program-file.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/**
 * The input of PtBackend.init (docs/formats/program.md, section 16). The struct is valid during
 * init(); the bytes that it points to live as long as the method.
 */
typedef struct {
  const PtProgram *program;
  const PtDataMap *data;      /* may be NULL */
  const PtDelegateSpec *spec; /* payload and compile specs; untrusted until checked */
  const char *method;
  PtPool *pool;
  guint64 max_bytes; /* limit of the working memory of one delegate; 0: no limit */
  const char *trust; /* the user's consent of this job, for pt_trust_check() */
  int device;        /* number of the device, for backends with several devices */
  gboolean exact;    /* see PtMethodOptions */
  /*
   * Delegates with equal scope belong to one loaded program and may share weights and state. The
   * scope is only compared, never dereferenced; never NULL.
   */
  gconstpointer scope;
} PtDelegateContext;

/**
 * The bytes stored under a name: data files are searched first, then the program. NULL when absent.
 */
const guint8 *pt_delegate_find_data (const PtDelegateContext *context, const char *key,
                                     gsize key_length, gsize *size);

/**
 * The memory that delegates need, computed from their tables. measure() of each delegate adds to
 * it.
 */
typedef struct {
  guint64 weights[4]; /* bytes of weights with at most 4, 8, 16 and more bits */
  guint64 workspace;  /* working memory that delegates of one kind share: the largest need */
  guint64 device;     /* bytes of weights that are copied to the memory of a device */
  GHashTable *seen;   /* addresses of the weights that are counted already */
} PtDelegateNeeds;

/** Count @bytes of weights of @bits bits at @data. FALSE when @data has been counted before. */
gboolean pt_delegate_needs_add (PtDelegateNeeds *needs, gconstpointer data, guint64 bytes,
                                guint bits);

/** The description of a payload by PtBackend.describe(). */
typedef struct {
  PtHeap *heap;             /* memory of what it says */
  PtInspectContent content; /* to be filled; of no kind at first */
  GPtrArray *missing;       /* gets sentences of g_malloc(): what keeps it from running here */
} PtDelegateDescription;

/**
 * PtBackend: a family of delegates. Functions are called on the engine thread.
 */
typedef struct {
  const char *id; /* "XnnpackBackend" */

  /** Payloads of this backend contain machine code, or are read by a library that does not check
   * them: they need the user's consent (trusted-files.h), and a process of their own. */
  gboolean is_native;

  /** Computes on a GPU, although inputs and outputs are on the host (@device_type is the CPU). The
   * driver is code of others that may crash, so jobs run in a process of their own. */
  gboolean uses_gpu;

  /**
   * Optional. Whether this machine can run the backend. FALSE with a reason for the user. NULL:
   * always available.
   */
  gboolean (*is_available) (GError **error);

  /** Make a delegate. NULL with an error. */
  gpointer (*init) (const PtDelegateContext *context, GError **error);

  /**
   * Run the delegate. @args: the inputs, then the outputs, in the order of the payload. Resizes the
   * outputs.
   */
  gboolean (*execute) (gpointer delegate, PtExecution *execution, PtValue *const *args,
                       guint n_args, GError **error);

  void (*destroy) (gpointer delegate);

  /**
   * Optional. Prefetch the memory that execute() reads first. Called before another delegate runs.
   */
  void (*fetch) (gconstpointer delegate);

  /**
   * Optional. The device that computes. Inputs may then lie in the memory of this device, even if
   * the program has them on the host. An output with PtTensor.stays_on_device is left on the
   * device: execute() points it to memory that keeps its content until the delegate runs again.
   */
  PtDeviceType device_type;

  /**
   * Optional. The name of what computes the payload of @spec, for people: "NPU (OpenVINO)". Static.
   * @is_cpu: set to whether it is the processor. NULL: @device_type says that.
   */
  const char *(*name_device) (const PtDelegateSpec *spec, gboolean *is_cpu);

  /**
   * Optional. How many arguments of execute() are inputs. A backend that has it hands outputs over
   * in memory of its own: one with PtTensor.stays_on_device is read by other delegates of the
   * backend only, or by who called the method. execute() may leave it where it is, for as long as
   * the delegate does not run again: it sets PtTensor.handed, and device_type to that of a PtDevice
   * that finds the elements by the address that they would have on the host. Else it sets them to
   * NULL and the CPU.
   */
  guint (*n_inputs) (gconstpointer delegate);

  /** Optional. Reset the state that execute() changes to its initial values. */
  gboolean (*reset) (gpointer delegate, GError **error);

  /** Optional. Whether the name of a piece of state contains @part. */
  gboolean (*has_state) (gpointer delegate, const char *part);

  /**
   * Optional. Select state @state; with several states, each conversation has one. At first state 0
   * is selected. A new state has the initial values and needs memory: on failure FALSE with
   * PT_ERROR_MEMORY, and the selected state does not change.
   */
  gboolean (*select_state) (gpointer delegate, guint state, GError **error);

  /** With @select_state: free the memory of @state. Does nothing for the selected state. */
  void (*forget_state) (gpointer delegate, guint state);

  /** Optional. Wait until the work that execute() started is done, for timing. */
  gboolean (*finish) (gpointer delegate, GError **error);

  /**
   * Optional. A sentence about how the delegate ran so far, for pteris run --profile, or NULL. Free
   * with g_free().
   */
  char *(*remark) (gconstpointer delegate);

  /**
   * Optional. For output argument @arg, of shape [..., n, width], compute only the last @n_rows
   * rows; the other rows keep their old content. 0: compute all rows. FALSE when the delegate
   * cannot. Used for logits: a prefill needs only the last row.
   */
  gboolean (*set_last_rows) (gpointer delegate, guint arg, guint n_rows);

  /**
   * Optional. Describe a payload, also on machines that cannot run it. Reads no weights. A payload
   * that is damaged or not supported is one more thing that is missing.
   */
  void (*describe) (const PtDelegateContext *context, PtDelegateDescription *description);

  /**
   * Optional. Add the memory that the delegate would need to @needs. Makes no delegate and reads no
   * weights. Adds nothing when the payload is damaged or its weights are absent.
   */
  void (*measure) (const PtDelegateContext *context, PtDelegateNeeds *needs);
} PtBackend;

/** Fail with PT_ERROR_PROGRAM because a payload is damaged. @whose: "A CUDA"; @format: the fault,
 * without a full stop. */
gboolean pt_delegate_damaged (GError **error, const char *whose, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/** Register a backend. @backend must be static. Call from pt_init() or a test. */
void pt_backend_register (const PtBackend *backend);
const PtBackend *pt_backend_find (const char *id);

/** Whether @backend is our own code, and computes on the processor: no native code of others, no
 * driver, no library that the system may lack. */
gboolean pt_backend_is_own (const PtBackend *backend);

/** Whether @backend, which may be NULL, computes on a GPU. */
gboolean pt_backend_is_gpu (const PtBackend *backend);

/** The computers that programs for the backend @id run on, "Apple computers"; NULL if unknown. */
const char *pt_backend_device (const char *id);

G_END_DECLS
