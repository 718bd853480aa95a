/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/program/data-file.h"
#include "engine/program/program.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/** What a backend makes a delegate from (docs/formats/program.md, section 16). Valid during init();
 * the bytes that it points to live as long as the method. */
typedef struct {
  const PtProgram *program;
  const PtDataMap *data;      /* may be NULL */
  const PtDelegateSpec *spec; /* payload and compile specs; hostile until checked */
  const char *method;
  PtPool *pool;
  guint64 max_bytes; /* of working memory for one delegate; 0: no limit */
  const char *trust; /* what the user agrees to now, for pt_trust_check() */
  int device;        /* number of the device, where there are several */
  /* Delegates of one scope belong to one loaded program and may share weights and state. An
   * identity, not to be followed; never NULL. */
  gconstpointer scope;
} PtDelegateContext;

/** Named bytes for a delegate: data files first, then the program. NULL when absent. */
const guint8 *pt_delegate_find_data (const PtDelegateContext *context, const char *key,
                                     gsize key_length, gsize *size);

/** The memory that delegates need, as their tables tell; measure() of each delegate adds to it. */
typedef struct {
  guint64 weights[4]; /* bytes of weights with at most 4, 8, 16 and more bits */
  guint64 workspace;  /* working memory, which the delegates of one kind share: the largest */
  guint64 device;     /* bytes of weights that go to the memory of a device */
  GHashTable *seen;   /* addresses of weights that were counted: shared ones count once */
} PtDelegateNeeds;

/** Count @bytes of weights of @bits bits at @data. FALSE when they have been counted before. */
gboolean pt_delegate_needs_add (PtDelegateNeeds *needs, gconstpointer data, guint64 bytes,
                                guint bits);

/**
 * PtBackend: a family of delegates. Functions are called on the engine thread.
 */
typedef struct {
  const char *id; /* "XnnpackBackend" */

  /** Programs for it carry code that runs with the user's rights (trust.h). */
  gboolean is_native;

  /** FALSE with a reason for a person when this machine cannot run it. NULL: always available. */
  gboolean (*is_available) (GError **error);

  /** The new delegate, or NULL with an error. */
  gpointer (*init) (const PtDelegateContext *context, GError **error);

  /** @args: inputs, then outputs, as the payload numbers them. Resizes the outputs. */
  gboolean (*execute) (gpointer delegate, PtExecution *execution, PtValue *const *args,
                       guint n_args, GError **error);

  void (*destroy) (gpointer delegate);

  /** Optional. Prefetch what execute() will read; called before another delegate runs. */
  void (*fetch) (gconstpointer delegate);

  /**
   * The device that delegates compute on. Inputs may lie in its memory, wherever the program has
   * them, and outputs of which PtTensor.stays_on_device is set are left there: execute() lets them
   * point to memory that stays as it is until the delegate runs again.
   */
  PtDeviceType device_type;

  /** Optional. Put the state that execute() changes back to what it was at first. */
  gboolean (*reset) (gpointer delegate, GError **error);

  /** Optional. Whether @part is in the name of some of that state. */
  gboolean (*has_state) (gpointer delegate, const char *part);

  /**
   * Optional. Select state @state, so that several conversations can have a state each. State 0 is
   * selected at first. A new state begins as the first one did, and takes memory: FALSE with
   * PT_ERROR_MEMORY, and then the selected state stays.
   */
  gboolean (*select_state) (gpointer delegate, guint state, GError **error);

  /** With @select_state: free the memory of @state, unless it is the selected one. */
  void (*forget_state) (gpointer delegate, guint state);

  /** Optional. Wait until the work that execute() started is done, so that it can be timed. */
  gboolean (*finish) (gpointer delegate, GError **error);

  /**
   * Optional. Ask that output argument @arg, of shape [..., n, width], is computed in its last
   * @n_rows rows only; the other rows then keep whatever they held. 0: all. Returns FALSE when the
   * delegate cannot. Used for logits, of which a prefill needs only the last row.
   */
  gboolean (*set_last_rows) (gpointer delegate, guint arg, guint n_rows);

  /**
   * Optional. Adds what is in a payload to a report, as lines "name\tcount", without reading any
   * weights. FALSE with an error when no delegate could be made of it.
   */
  gboolean (*describe) (const PtDelegateContext *context, GString *lines, GError **error);

  /**
   * Optional. What a payload is, also where it cannot run: an object for a report, or NULL. Reads
   * no weights. @missing: sentences about what this machine lacks are added; free with g_free().
   */
  json_t *(*report) (const PtDelegateContext *context, GPtrArray *missing);

  /**
   * Optional. Adds what a delegate would take to @needs, without making one and without reading
   * weights. Nothing where the payload is damaged or its weights are absent.
   */
  void (*measure) (const PtDelegateContext *context, PtDelegateNeeds *needs);
} PtBackend;

/** @backend must be static. Call from pt_init() or a test. */
void pt_backend_register (const PtBackend *backend);
const PtBackend *pt_backend_find (const char *id);

G_END_DECLS
