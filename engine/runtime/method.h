/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/program/data-file.h"
#include "engine/program/program.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/value.h"

G_BEGIN_DECLS

/**
 * PtMethod: one loaded method of a program: values, planned memory, delegates and a
 * resolved instruction list. Mutable state lives in planned memory from call to call.
 * A method belongs to one thread at a time.
 */
typedef struct _PtMethod PtMethod;

typedef struct {
  PtPool *pool;              /* NULL: pt_pool_default() */
  guint64 max_planned_bytes; /* for the plan, and for each delegate; 0: physical memory */
  gboolean share_state;      /* the methods of one PtModule share planned buffers 1 and 2
                              * (docs/formats/program.md, section 11.2): load all of them before
                              * the first execution */
  guint64 max_instructions;  /* a call stops with an error after so many; 0: 10,000,000 */
  const char *trust;         /* the native code that the user agrees to run (trust.h), or NULL */
  int device;                /* number of the GPU that programs with GPU code run on */
  gconstpointer scope;       /* see PtDelegateContext; NULL: the method is alone */
} PtMethodOptions;

/**
 * Load method @name. All missing operators and backends are named in one message.
 *
 * @data: may be NULL when the program needs none. The method keeps references.
 * @options: may be NULL.
 */
PtMethod *pt_method_load (PtProgram *program, PtDataMap *data, const char *name,
                          const PtMethodOptions *options, GError **error);

/**
 * Whether method @name can be loaded, as far as that does not depend on its delegates: makes all
 * checks and allocates memory for its plan and its outputs. Reads no weights and keeps nothing.
 */
gboolean pt_method_try (PtProgram *program, PtDataMap *data, const char *name, GError **error);

void pt_method_free (PtMethod *method);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMethod, pt_method_free)

const PtPlan *pt_method_plan (const PtMethod *method);

guint pt_method_n_inputs (const PtMethod *method);
guint pt_method_n_outputs (const PtMethod *method);

/** The declared input @i (sizes are upper bounds). Valid as long as the program. */
const PtValueSpec *pt_method_input_spec (const PtMethod *method, guint i);
const PtValueSpec *pt_method_output_spec (const PtMethod *method, guint i);

/**
 * Give input @i (docs/formats/program.md, section 14.1). Planned inputs are copied; for others the
 * tensor's bytes are used in place and must stay until execution ends; those of an is_constant
 * tensor as long as outputs are read, which may be parts of it. dtype and dim order must agree. A
 * tensor in the memory of a device stays there where only that device reads it, else it is fetched.
 */
gboolean pt_method_set_input (PtMethod *method, guint i, const PtValue *value, GError **error);

/** The same for a tensor. */
gboolean pt_method_set_input_tensor (PtMethod *method, guint i, const PtTensor *tensor,
                                     GError **error);

/**
 * Memory for an unplanned output @i, of at least its upper bound. Without it the method
 * allocates that memory itself when it is loaded.
 */
gboolean pt_method_set_output_buffer (PtMethod *method, guint i, gpointer data, gsize size,
                                      GError **error);

/**
 * Ask that of output @i, of shape [..., n, width], only the last @n_rows rows are computed; 0: all.
 * FALSE when the method cannot: nothing changed, and the whole output will be computed.
 */
gboolean pt_method_set_last_rows (PtMethod *method, guint i, guint n_rows);

/**
 * Ask that attention treats each position of a call as if the positions came one by one, so that
 * the results are the same to the last bit. That takes longer. Off at first.
 */
void pt_method_set_one_by_one (PtMethod *method, gboolean one_by_one);

/** Whether input @i may lie in the memory of a device: nothing on the host reads it. */
gboolean pt_method_takes_device_input (const PtMethod *method, guint i);

/**
 * Ask that output @i stays in the memory of the device that computes it: pt_method_output() is
 * then a tensor with that device_type, valid until the next execution. FALSE when that is not
 * possible, say because a CPU operator reads it: nothing changed. An output that the program
 * itself leaves on the device stays there in any case.
 */
gboolean pt_method_keep_output_on_device (PtMethod *method, guint i, gboolean keep);

/**
 * Run. Stops between instructions with PT_ERROR_CANCELLED when @cancellable is set.
 * After an error the method can be run again; mutable state is as the aborted run left it.
 */
gboolean pt_method_execute (PtMethod *method, GCancellable *cancellable, GError **error);

/** Output @i; its bytes are valid until the next execution or set_input. Do not write to it. */
const PtValue *pt_method_output (const PtMethod *method, guint i);

/** Put mutable buffers back to their initial state (zeros where they have none). */
gboolean pt_method_reset_state (PtMethod *method, GError **error);

/**
 * Select state @state, so that several conversations can have a state each. State 0 is selected at
 * first; a new one begins as after pt_method_reset_state(). Select the same for every method that
 * shares the state. FALSE, and nothing changed, with PT_ERROR_UNSUPPORTED when the state is not in
 * delegates that can do so, and with PT_ERROR_MEMORY.
 */
gboolean pt_method_select_state (PtMethod *method, guint state, GError **error);

/** Free the memory of @state, which is not the selected one. */
void pt_method_forget_state (PtMethod *method, guint state);

/** Whether a delegate keeps state whose name contains @part. */
gboolean pt_method_has_state (const PtMethod *method, const char *part);

/** The value that slot @i holds now, for the profiler; it changes while the method runs. */
const PtValue *pt_method_value (const PtMethod *method, guint i);

/** The bytes that @spec names in a data file, after an exact check of the layout. */
const guint8 *pt_external_bytes (const PtDataMap *data, const PtTensorSpec *spec, GError **error);

/** Bytes of planned memory (virtual; pages are only touched when used). */
guint64 pt_method_planned_bytes (const PtMethod *method);

/**
 * For pteris run --profile: called after every instruction when set, with the time of the
 * monotonic clock before and after it. NULL: no longer.
 */
typedef void (*PtProfileFunc) (gpointer user_data, guint chain, guint instruction, gint64 begin_ns,
                               gint64 end_ns);
void pt_method_set_profile (PtMethod *method, PtProfileFunc func, gpointer user_data);

G_END_DECLS
