/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-graph.h"

G_BEGIN_DECLS

/*
 * The table of operators (docs/formats/vulkan.md, section 8). README.md says how to add one.
 */

typedef struct _PtVkEmitter PtVkEmitter; /* vk-emit.h: makes dispatches */
typedef struct _PtVkCpuCall PtVkCpuCall; /* vk-cpu.h: computes on the CPU */

/** What an emit function did. */
typedef enum {
  PT_VK_EMITTED,
  PT_VK_DECLINED, /* no shader for these types or shapes: the CPU computes */
  PT_VK_FAILED,   /* with an error */
} PtVkEmitted;

typedef gboolean (*PtVkShapeFunc) (PtVkGraph *graph, const PtVkCall *call, GError **error);
typedef PtVkEmitted (*PtVkEmitFunc) (PtVkEmitter *emitter, const PtVkCall *call, GError **error);
typedef gboolean (*PtVkComputeFunc) (const PtVkCpuCall *cpu, GError **error);

/**
 * @signature: one letter for each argument, the output last.
 *
 *     T tensor            t tensor or Null     K state: a constant that the call changes
 *     i integer           n integer or Null    f number      g number or Null     b bool
 *     I integers          J integers or Null   G numbers or Null
 *     s text or Null      z anything, ignored  V tensors
 *     O output            L list of outputs    S symbolic integer that the call computes
 *
 * @pass: the arguments of @kernel: the digit of an argument (a = 10, …); W and a digit: the tensor
 * as int64; L and a digit: a list of the one integer; N: None; F, T: false, true; O: the outputs;
 * P: the outputs, int32 as int64.
 */
struct _PtVkOperator {
  const char *name;
  const char *signature;
  PtVkShapeFunc shape;     /* symbolic integers and shapes of the outputs */
  PtVkEmitFunc emit;       /* NULL: there is no shader */
  const char *kernel;      /* an operator of the house that computes it, "aten::add.out" */
  PtVkComputeFunc compute; /* CPU code of this room, after @kernel if there is both */
  const char *pass;
  guint pieces;          /* bits: arguments whose rows are taken in pieces where they are large */
  guint code;            /* tells operators with the same functions apart */
  gboolean is_view;      /* the output is argument 0 under another shape: it shares its memory */
  gboolean is_unpacking; /* makes floats of a constant of bytes, if its arguments are constants */
  gboolean reads_packed; /* can read argument 1 from before it is unpacked */
  gboolean is_host;      /* computes symbolic integers only: its shape function does all */
};

/** The operator @name of @length bytes; NULL when it is not known. */
const PtVkOperator *pt_vk_operator_find (const char *name, gsize length);

/** All operators, for tests and lists. */
const PtVkOperator *pt_vk_operator_nth (guint i);

/** The tables, one of each file. */
typedef struct {
  const PtVkOperator *items;
  guint n;
} PtVkOperatorGroup;

extern const PtVkOperatorGroup pt_vk_group_elementwise;
extern const PtVkOperatorGroup pt_vk_group_copies;
extern const PtVkOperatorGroup pt_vk_group_creation;
extern const PtVkOperatorGroup pt_vk_group_reductions;
extern const PtVkOperatorGroup pt_vk_group_matrices;
extern const PtVkOperatorGroup pt_vk_group_pictures;
extern const PtVkOperatorGroup pt_vk_group_language;
extern const PtVkOperatorGroup pt_vk_group_quantized;
extern const PtVkOperatorGroup pt_vk_group_symbols;

G_END_DECLS
