/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/runtime/execution.h"
#include "engine/runtime/method.h"

G_BEGIN_DECLS

/* The definition of PtMethod, shared by the files that load it and the one that runs it. */

typedef struct {
  const PtBackend *backend;
  gpointer handle;
} PtDelegate;

/** An instruction whose kernel or delegate and slots have been looked up. */
typedef struct {
  PtInstructionKind kind;
  guint n_args;
  PtValue *const *args;
  union {
    PtKernelFunc kernel;
    const PtDelegate *delegate;
    guint target; /* JUMP_FALSE: index of the next instruction when the condition is false */
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
  gboolean is_borrowed; /* owned by a module, whose methods share it */
} PtBuffer;

/**
 * Planned buffers that several methods share: ids 1 and 2, each of the largest size that any method
 * needs (docs/formats/program.md, section 11.2).
 */
#define PT_N_SHARED_BUFFERS 3
typedef struct {
  PtBuffer buffers[PT_N_SHARED_BUFFERS]; /* by id; 0 is a dummy */
} PtSharedState;

/** The bytes of a tensor before the method runs. Operators such as et_view redirect tensors. */
typedef struct {
  gpointer data;
  gsize capacity;
  PtDeviceType device_type;
  gint8 device_index;
  gboolean is_constant;
} PtPlace;

typedef struct {
  PtTensor *tensor; /* NULL for inputs that are not tensors */
  PtPlace place;
  PtBuffer device_copy; /* device copy of a host tensor, when the input is unplanned */
  gboolean is_planned;
  gboolean may_stay; /* may lie on a device: no CPU operator reads it */
  gboolean is_set;
} PtInput;

typedef struct {
  PtTensor *tensor; /* NULL for outputs that are not tensors */
  PtPlace place;
  PtBuffer memory; /* of an output that is not planned */
} PtOutput;

struct _PtMethod {
  PtProgram *program;
  PtDataMap *data;
  const PtPlan *plan;
  guint64 max_instructions;
  gint8 device; /* number of the GPU */

  PtValue *values;         /* [plan->n_values] */
  PtValue *initial_values; /* a copy of the values as loaded, to start over after an aborted run */
  PtTensor *tensors;
  PtValue **slots; /* storage of all argument lists and of the items of lists */

  PtStepList *chains; /* [plan->n_chains] */
  PtDelegate *delegates;
  guint n_delegates; /* how many delegates have been initialised so far */
  guint state;       /* the selected state of the delegates */

  PtBuffer *buffers; /* [plan->n_buffers] */
  PtOutput *outputs; /* [plan->n_outputs] */
  PtInput *inputs;   /* [plan->n_inputs] */

  guint n_lost;     /* pt_mappings_lost() at the last check */
  gboolean is_lost; /* a file of the model has been shortened: all runs fail */

  PtExecution *execution;
  PtProfileFunc profile;
  gpointer profile_data;
};

/* method-load.c */

/**
 * pt_method_load() with the planned buffers of @shared, which may be NULL and must outlive the
 * method.
 */
PtMethod *pt_method_load_shared (PtProgram *program, PtDataMap *data, const char *name,
                                 const PtMethodOptions *options, const PtSharedState *shared,
                                 GError **error);

/** Let @tensor use the bytes at @place. */
void pt_place_tensor (PtTensor *tensor, const PtPlace *place);

/* method-device.c */

/** Whether @input may lie on a device: only delegates, and copies to the device, read it. */
gboolean pt_method_input_may_stay (const PtPlan *plan, guint input);

/** Whether @value lies in planned memory that @spec has a part of. */
gboolean pt_method_overlaps (const PtValueSpec *value, const PtTensorSpec *spec);

/* method-handover.c */

/** Mark the tensors that delegates may hand over to others of their backend, after these were made.
 */
gboolean pt_method_mark_handovers (PtMethod *method, GError **error);

/* method.c */

/**
 * FALSE with an error when a file of the model has been shortened, so that results would be wrong.
 * @data: may be NULL.
 */
gboolean pt_files_check_intact (const PtProgram *program, const PtDataMap *data, GError **error);

/* method-memory.c */

/**
 * Allocate the planned buffers of @method->plan, zeroed, or use those of @shared. @limit: for the
 * total, in bytes.
 */
gboolean pt_method_allocate_buffers (PtMethod *method, guint64 limit, const PtSharedState *shared,
                                     GError **error);

/** Allocate the buffers that the methods of @program share. */
gboolean pt_shared_state_allocate (PtSharedState *shared, const PtProgram *program, guint64 limit,
                                   GError **error);
void pt_shared_state_clear (PtSharedState *shared);

/** The limit for the planned buffers of a method, in bytes. */
guint64 pt_planned_limit (const PtMethodOptions *options);

/** Allocate @size zero bytes on the host, or on device @index of @type. */
gboolean pt_buffer_allocate (PtBuffer *buffer, PtDeviceType type, gint8 index, gsize size,
                             GError **error);
void pt_buffer_free (PtBuffer *buffer);
gboolean pt_buffer_clear (PtBuffer *buffer, GError **error);

/** Copy bytes of the host to the memory of @tensor, which may be on a device. */
gboolean pt_copy_to_tensor (PtTensor *tensor, gconstpointer from, gsize size, GError **error);

/** Copy the initial bytes to all planned tensors that have some. */
gboolean pt_method_fill_initial_state (PtMethod *method, GError **error);

/* method-resolve.c */

/**
 * Check that all operators, backends and devices exist. One error names everything that is missing.
 */
gboolean pt_plan_check_available (const PtProgram *program, const PtPlan *plan, GError **error);

/** Build @method->chains: look up kernels and make argument lists. */
gboolean pt_method_resolve (PtMethod *method, GError **error);

G_END_DECLS
