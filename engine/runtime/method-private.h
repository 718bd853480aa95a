/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/runtime/execution.h"
#include "engine/runtime/method.h"

G_BEGIN_DECLS

/* The inside of a method, shared by the files that load it and the one that runs it. */

typedef struct {
  const PtBackend *backend;
  gpointer handle;
} PtDelegate;

/** One instruction with its kernel or delegate and its slots looked up. */
typedef struct {
  PtInstructionKind kind;
  guint n_args;
  PtValue *const *args;
  union {
    PtKernelFunc kernel;
    const PtDelegate *delegate;
    guint target; /* JUMP_FALSE: the next instruction when the condition is false */
  };
  PtValue *from, *to;
} PtPlanStep;

typedef struct {
  PtPlanStep *steps;
  guint n_steps;
} PtStepList;

/** One planned buffer, or one piece of device memory. */
typedef struct {
  PtDeviceType device_type;
  gint8 device_index;
  gpointer data;
  gsize size;
  PtPages pages;        /* CPU */
  gboolean is_borrowed; /* owned by a module whose methods share it */
} PtBuffer;

/** Planned buffers that several methods share: ids 1 and 2, each as large as any method wants
 * (docs/formats/program.md, section 11.2). */
#define PT_N_SHARED_BUFFERS 3
typedef struct {
  PtBuffer buffers[PT_N_SHARED_BUFFERS]; /* by id; 0 is a dummy */
} PtSharedState;

/** Where the bytes of a tensor are before the method runs; et_view and others redirect tensors. */
typedef struct {
  gpointer data;
  gsize capacity;
  PtDeviceType device_type;
  gint8 device_index;
  gboolean is_constant;
} PtPlace;

typedef struct {
  PtTensor *tensor; /* NULL for inputs of other kinds */
  PtPlace place;
  PtBuffer device_copy; /* of a host tensor given for an unplanned input on a device */
  gboolean is_planned;
  gboolean may_stay; /* on a device: no CPU operator reads it */
  gboolean is_set;
} PtInput;

typedef struct {
  PtTensor *tensor; /* NULL for outputs of other kinds */
  PtPlace place;
  PtBuffer memory; /* of an unplanned output */
} PtOutput;

struct _PtMethod {
  PtProgram *program;
  PtDataMap *data;
  const PtPlan *plan;
  guint64 max_instructions;
  gint8 device; /* number of the GPU */

  PtValue *values;         /* [plan->n_values] */
  PtValue *initial_values; /* the same as loaded, to start over after an aborted run */
  PtTensor *tensors;
  PtValue **slots; /* storage of all argument lists and lists */

  PtStepList *chains; /* [plan->n_chains] */
  PtDelegate *delegates;
  guint n_delegates; /* how many have been initialised so far */
  guint state;       /* the state that is selected in them */

  PtBuffer *buffers; /* [plan->n_buffers] */
  PtOutput *outputs; /* [plan->n_outputs] */
  PtInput *inputs;   /* [plan->n_inputs] */

  guint n_lost;     /* pt_mappings_lost() when it was last looked at */
  gboolean is_lost; /* a file of the model has been shortened */

  PtExecution *execution;
  PtProfileFunc profile;
  gpointer profile_data;
};

/* method-load.c */

/** pt_method_load() with planned buffers of @shared, which may be NULL and must outlive the method.
 */
PtMethod *pt_method_load_shared (PtProgram *program, PtDataMap *data, const char *name,
                                 const PtMethodOptions *options, const PtSharedState *shared,
                                 GError **error);

/** Make @tensor have its bytes at @place. */
void pt_place_tensor (PtTensor *tensor, const PtPlace *place);

/* method-device.c */

/** Whether @input may lie on a device: only delegates and copies to it read it. */
gboolean pt_method_input_may_stay (const PtPlan *plan, guint input);

/* method.c */

/** FALSE when a file of the model has been shortened: what is computed from it is wrong. @data: may
 * be NULL. */
gboolean pt_files_check_intact (const PtProgram *program, const PtDataMap *data, GError **error);

/* method-memory.c */

/** Allocate the planned buffers of @method->plan, zeroed, or take those of @shared. @limit: bytes
 * in total. */
gboolean pt_method_allocate_buffers (PtMethod *method, guint64 limit, const PtSharedState *shared,
                                     GError **error);

/** Allocate the buffers that all methods of @program share. */
gboolean pt_shared_state_allocate (PtSharedState *shared, const PtProgram *program, guint64 limit,
                                   GError **error);
void pt_shared_state_clear (PtSharedState *shared);

/** How many bytes the planned buffers of a method may take. */
guint64 pt_planned_limit (const PtMethodOptions *options);

/** Allocate @size zero bytes on the host, or on device @index of @type. */
gboolean pt_buffer_allocate (PtBuffer *buffer, PtDeviceType type, gint8 index, gsize size,
                             GError **error);
void pt_buffer_free (PtBuffer *buffer);
gboolean pt_buffer_clear (PtBuffer *buffer, GError **error);

/** Copy host bytes to where @tensor is. */
gboolean pt_copy_to_tensor (PtTensor *tensor, gconstpointer from, gsize size, GError **error);

/** Copy the initial bytes of all planned tensors that have some. */
gboolean pt_method_fill_initial_state (PtMethod *method, GError **error);

/* method-resolve.c */

/** Name every operator, backend and device that is missing in one error. */
gboolean pt_plan_check_available (const PtProgram *program, const PtPlan *plan, GError **error);

/** Build @method->chains, with kernels looked up and argument lists made. */
gboolean pt_method_resolve (PtMethod *method, GError **error);

G_END_DECLS
