/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/program/data-file.h"
#include "engine/program/program-file.h"
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
  guint64 max_planned_bytes; /* limit for the planned memory, and for each delegate; 0: physical
                                memory */
  gboolean share_state;      /* the methods of one PtModule share planned buffers 1 and 2
                                (docs/formats/program.md, section 11.2): load all of them before the
                                first execution */
  guint64 max_instructions;  /* limit of the instructions of one call; 0: 10,000,000 */
  const char *trust;         /* the user's consent to native code (trusted-files.h), or NULL */
  int device;                /* number of the GPU for programs with GPU code */
  gboolean exact;            /* compute floats as the program has them, also where a library would
                                rather shorten them to be faster (OpenVINO: bfloat16) */
  gconstpointer scope;       /* see PtDelegateContext; NULL: shared with no other method */
} PtMethodOptions;

/**
 * Load method @name. One error names all missing operators and backends. @data: may be NULL when
 * the program needs no data files. The method keeps references to @program and @data. @options: may
 * be NULL.
 */
PtMethod *pt_method_load (PtProgram *program, PtDataMap *data, const char *name,
                          const PtMethodOptions *options, GError **error);

/**
 * Check whether method @name can be loaded, as far as this does not depend on its delegates. Makes
 * all checks and allocates planned memory and outputs, reads no weights, and frees everything.
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
 * Set input @i (docs/formats/program.md, section 14.1). dtype and dim order must agree. Planned
 * inputs are copied. Other inputs use the tensor's bytes in place: they must stay until the
 * execution ends, and those of an is_constant tensor as long as outputs are read, which may refer
 * to them. A tensor on a device is used there if only that device reads the input, and is copied to
 * the host otherwise.
 */
gboolean pt_method_set_input (PtMethod *method, guint i, const PtValue *value, GError **error);

/** Set input @i to a tensor, by the same rules. */
gboolean pt_method_set_input_tensor (PtMethod *method, guint i, const PtTensor *tensor,
                                     GError **error);

/**
 * Set the memory of the unplanned output @i; @data must have room for its upper bound. Without it
 * the method allocates that memory when it is loaded.
 */
gboolean pt_method_set_output_buffer (PtMethod *method, guint i, gpointer data, gsize size,
                                      GError **error);

/**
 * Compute only the last @n_rows rows of output @i, of shape [..., n, width]; 0: all rows. FALSE
 * when the method cannot: the output will be computed completely.
 */
gboolean pt_method_set_last_rows (PtMethod *method, guint i, guint n_rows);

/**
 * Compute attention as if the positions of a call came in one call each, so that the results are
 * equal to the last bit. This takes longer. Off by default.
 */
void pt_method_set_one_by_one (PtMethod *method, gboolean one_by_one);

/** Whether input @i may lie in the memory of a device: no CPU operator reads it. */
gboolean pt_method_takes_device_input (const PtMethod *method, guint i);

/**
 * Keep output @i in the memory of the device that computes it. pt_method_output() then returns a
 * tensor with that device_type, valid until the next execution. FALSE when this is not possible,
 * for example because a CPU operator reads the output; nothing changes then. An output that the
 * program itself leaves on the device stays there in any case.
 */
gboolean pt_method_keep_output_on_device (PtMethod *method, guint i, gboolean keep);

/**
 * Execute the method. When @cancellable is set, it stops between instructions with
 * PT_ERROR_CANCELLED. After an error the method can be executed again; mutable state is as the
 * aborted run left it.
 */
gboolean pt_method_execute (PtMethod *method, GCancellable *cancellable, GError **error);

/**
 * Output @i. Its bytes are valid until the next execution or pt_method_set_input(); do not write to
 * them.
 */
const PtValue *pt_method_output (const PtMethod *method, guint i);

/** Reset mutable buffers to their initial values, or to zeros. */
gboolean pt_method_reset_state (PtMethod *method, GError **error);

/**
 * Select state @state; with several states, each conversation has one. At first state 0 is
 * selected. A new state is as after pt_method_reset_state(). Methods that share state must select
 * the same number. FALSE, with nothing changed: PT_ERROR_UNSUPPORTED when state is not in
 * delegates, or they cannot switch; PT_ERROR_MEMORY.
 */
gboolean pt_method_select_state (PtMethod *method, guint state, GError **error);

/** Free the memory of @state, which must not be the selected state. */
void pt_method_forget_state (PtMethod *method, guint state);

/** Whether delegates keep state, beside that in planned memory. */
gboolean pt_method_has_own_state (const PtMethod *method);

/** Whether a delegate has a piece of state whose name contains @part. */
gboolean pt_method_has_state (const PtMethod *method, const char *part);

/** The current value of slot @i, for the profiler. It changes while the method runs. */
const PtValue *pt_method_value (const PtMethod *method, guint i);

/** The bytes in a data file that @spec names, after a check that dtype, shape and size agree. */
const guint8 *pt_external_bytes (const PtDataMap *data, const PtTensorSpec *spec, GError **error);

/** Bytes of planned memory (virtual; pages that were never touched take none). */
guint64 pt_method_planned_bytes (const PtMethod *method);

/**
 * Set a function that is called after every instruction, with the monotonic time before and after
 * it; NULL: none. For pteris run --profile.
 */
typedef void (*PtProfileFunc) (gpointer user_data, guint chain, guint instruction, gint64 begin_ns,
                               gint64 end_ns);
void pt_method_set_profile (PtMethod *method, PtProfileFunc func, gpointer user_data);

/** The sentences that delegates have to say about how they ran: [], to NULL. Free with
 * g_strfreev(). */
char **pt_method_remarks (const PtMethod *method);

G_END_DECLS
