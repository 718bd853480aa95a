/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-cpu.h"
#include "engine/vulkan/vk-store.h"

G_BEGIN_DECLS

/*
 * The plan of a graph for the current shapes: dispatches of shaders, calls on the CPU, and copies
 * between them, each with the memory that it uses. Making one has three parts: steps (which
 * dispatches and calls), places (where each tensor lies), and the recording of command buffers
 * (vk-record.h).
 */

/** What a dispatch does with a buffer. */
typedef enum {
  PT_VK_READ = 1,
  PT_VK_WRITE = 2,
} PtVkAccess;

typedef enum {
  PT_VK_BIND_PLACE,   /* memory of the arena: @index is a value, or n_values + a temporary */
  PT_VK_BIND_STORE,   /* @index of PtVkStore: a constant */
  PT_VK_BIND_STATE,   /* the state of value @index */
  PT_VK_BIND_SYMBOLS, /* the table of symbolic integers */
} PtVkBindKind;

typedef struct {
  PtVkBindKind kind;
  guint32 index;
  guint access;
} PtVkBinding;

typedef struct {
  PtVkShader shader;
  guint call; /* the call that it belongs to, for messages */
  guint n_constants, n_bindings, n_push;
  guint32 constants[PT_VK_MAX_CONSTANTS];
  PtVkBinding bindings[PT_VK_MAX_BINDINGS];
  guint32 push[PT_VK_MAX_PUSH / 4];
  guint32 groups[3];
  double work; /* multiplications, roughly: long submissions are cut (docs/vulkan.md) */
} PtVkDispatch;

typedef enum {
  PT_VK_STEP_DISPATCH, /* @index: of a dispatch */
  PT_VK_STEP_CPU,      /* @index: of a call */
  PT_VK_STEP_UPLOAD,   /* @index: of a place: host to GPU */
  PT_VK_STEP_DOWNLOAD, /* GPU to host */
} PtVkStepKind;

typedef struct {
  PtVkStepKind kind;
  guint32 index;
} PtVkStep;

/** Where one tensor, or a temporary of a call, lies. */
typedef struct {
  gsize bytes;
  gboolean on_gpu, on_host;       /* whether it has a place there */
  gboolean valid_gpu, valid_host; /* while steps are made: where the elements are */
  guint first_gpu, last_gpu;      /* steps that use it */
  guint first_host, last_host;
  gsize gpu_offset, host_offset;
} PtVkPlace;

typedef struct {
  PtVkGraph *graph;
  PtVkStore *store;         /* NULL: without a GPU */
  GArray *dispatches;       /* PtVkDispatch */
  GArray *raw;              /* PtVkStep of dispatches and calls only */
  GArray *steps;            /* PtVkStep with copies */
  GArray *places;           /* PtVkPlace: values, then temporaries */
  GArray *symbols;          /* guint32: the values that are in the table of symbolic integers */
  struct _PtVkUsers *users; /* vk-fuse.h */
  GHashTable *unpacked;     /* value + 1: weights that a step on the CPU unpacks */
  GHashTable *baked;  /* value -> number + 1: symbolic integers that dispatches were made with */
  PtVkRange *given;   /* [n_values]: inputs in the memory of another delegate; else no buffer */
  gboolean *may_stay; /* [n_outputs]: need not come to the host */
  gboolean *stays;    /* [n_outputs]: and do not, because a shader computes them */
  gsize gpu_bytes, host_bytes;
  gboolean state_on_host; /* the state lies on the host, because a call on it runs there */
  gboolean state_is_used; /* so that it can no longer move */
} PtVkPlan;

PtVkPlan *pt_vk_plan_new (PtVkGraph *graph, PtVkStore *store);
void pt_vk_plan_free (PtVkPlan *plan);

/**
 * Make the steps for the current shapes, and the constants that they need. Errors: PT_ERROR_MEMORY.
 */
gboolean pt_vk_plan_make_steps (PtVkPlan *plan, GError **error);

/** Then give all tensors their places, by @given and @may_stay, which the caller has set. */
gboolean pt_vk_plan_make_places (PtVkPlan *plan, GError **error);

/** Whether symbolic integers that the plan was made with have changed. */
gboolean pt_vk_plan_is_stale (const PtVkPlan *plan);

G_END_DECLS
