/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-plan.h"

G_BEGIN_DECLS

/*
 * Making dispatches, for the emit functions of operators (README.md). A function that declines may
 * have made dispatches already: they are dropped.
 */

/** Rows that were quantised last: several layers often read the same. */
typedef struct {
  guint32 rows, scale, zero;
  guint32 words, sums; /* temporaries; 0: none */
} PtVkQuantizedRows;

struct _PtVkEmitter {
  PtVkPlan *plan;
  PtVkGraph *graph;
  const PtVkContext *context;
  const PtVkCall *call;
  PtVkQuantizedRows quantized;
  /* The temporary of all counters, their number, and the dispatch that sets them to 0. */
  guint32 counters;
  guint n_counters, zeroing;
};

/** A new dispatch of @shader; valid until the next one is made. */
PtVkDispatch *pt_vk_dispatch (PtVkEmitter *emitter, PtVkShader shader);
/** The dispatch that was made last, also for another call; NULL: none. */
PtVkDispatch *pt_vk_last_dispatch (PtVkEmitter *emitter);

/**
 * Bind a tensor that is read, in its stored dtype, as the next binding. A constant is uploaded at
 * its first use. FALSE with an error.
 */
gboolean pt_vk_bind_in (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value,
                        GError **error);
/** Bind a tensor that is written, or written and read. */
void pt_vk_bind_out (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value);
void pt_vk_bind_inout (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value);

/** Make a temporary of @bytes, and bind it. */
guint32 pt_vk_temporary (PtVkEmitter *emitter, gsize bytes);
void pt_vk_bind_temporary (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 temporary,
                           guint access);

/**
 * @n counters of 32 bits that are 0 when the plan is run: the number of the first one in the
 * temporary emitter->counters. May make a dispatch, so that earlier ones are no longer valid.
 */
guint32 pt_vk_counters (PtVkEmitter *emitter, guint n);

/**
 * Bind bytes @first .. @first + @bytes of the constant @value in the form @form, which @pack makes
 * of it at its first use. @pack: writes bytes @begin .. @end of the whole to @to; NULL: elements of
 * the stored dtype. @first: a whole element.
 */
typedef void (*PtVkPackFunc) (const PtVkGraph *graph, const PtVkValue *value, gpointer data,
                              guint8 *to, gsize begin, gsize end);
gboolean pt_vk_bind_constant (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value,
                              guint form, gsize first, gsize bytes, PtVkPackFunc pack,
                              gpointer data, GError **error);

/**
 * Weights that a shader cannot reach in one buffer are taken in pieces of rows, each with a
 * dispatch of its own: how many of the @n rows of @row_bytes fit, for constants. 0: not one.
 */
gsize pt_vk_rows_at_once (const PtVkEmitter *emitter, guint32 value, gsize n, gsize row_bytes);

/** Bind @n rows of @row_bytes from row @first of @value, in its stored dtype. FALSE with an error.
 */
gboolean pt_vk_bind_rows (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint32 value, gsize first,
                          gsize n, gsize row_bytes, GError **error);

/** Bind the table of symbolic integers. */
void pt_vk_bind_symbols (PtVkEmitter *emitter, PtVkDispatch *dispatch);
/** The index of @value in that table, which shaders read in every call anew. */
guint32 pt_vk_symbol (PtVkEmitter *emitter, guint32 value);

/**
 * Integers of arguments that become part of the dispatch. Where they are symbolic, the plan is made
 * again when they change.
 */
gint64 pt_vk_baked_int (PtVkEmitter *emitter, guint arg, gint64 fallback);
void pt_vk_bake_list (PtVkEmitter *emitter, guint arg);

/**
 * Push the index of the symbolic integer of argument @arg, G_MAXUINT32 when it is none; and what it
 * is then, 0 for PT_VK_NONE. For positions.
 */
void pt_vk_push_position (PtVkEmitter *emitter, PtVkDispatch *dispatch, guint arg);
guint32 pt_vk_start_of (PtVkEmitter *emitter, guint arg);

/** Append a specialisation constant, a push constant. */
void pt_vk_constant (PtVkDispatch *dispatch, guint32 number);
void pt_vk_push (PtVkDispatch *dispatch, guint32 number);
void pt_vk_push_float (PtVkDispatch *dispatch, double number);

/** Groups for @n items of which each group does @per_group, in x and, where that is full, in y. */
void pt_vk_groups (PtVkEmitter *emitter, PtVkDispatch *dispatch, gsize n, gsize per_group);

/** Groups in three dimensions; FALSE when the GPU has a smaller limit. */
gboolean pt_vk_groups_3d (PtVkEmitter *emitter, PtVkDispatch *dispatch, gsize x, gsize y, gsize z);

/* ---- What emit functions know of values ---- */

static inline guint32
pt_vk_in_index (const PtVkEmitter *emitter, guint arg)
{
  return emitter->call->args[arg];
}

static inline const PtVkValue *
pt_vk_in_value (const PtVkEmitter *emitter, guint arg)
{
  return pt_vk_arg (emitter->graph, emitter->call, arg);
}

static inline guint32
pt_vk_out_index (const PtVkEmitter *emitter, guint k)
{
  return pt_vk_out (emitter->graph, emitter->call, k);
}

static inline const PtVkValue *
pt_vk_out_value (const PtVkEmitter *emitter, guint k)
{
  return &emitter->graph->values[pt_vk_out_index (emitter, k)];
}

/** Whether argument @arg is a tensor of @dtype. */
gboolean pt_vk_is (const PtVkEmitter *emitter, guint arg, PtDType dtype);
gboolean pt_vk_out_is (const PtVkEmitter *emitter, guint k, PtDType dtype);

G_END_DECLS
