/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-emit.h"

G_BEGIN_DECLS

/*
 * Operators on rows that follow each other become one dispatch (shaders/rows.comp): a residual sum,
 * or a gate (sigmoid, mul, mul); the norm of it; and its bytes for layers with quantised inputs.
 * Decoding a token is bound by the number of dispatches that wait for each other, so that layers of
 * one row make its bytes themselves, where they can (shaders/row-product.comp).
 */

/** Who makes and reads the values of a graph. */
typedef struct _PtVkUsers PtVkUsers;

PtVkUsers *pt_vk_users_new (const PtVkGraph *graph);
void pt_vk_users_free (PtVkUsers *users);

/**
 * Emit @call, with what can be done in the same dispatch, which then is emitted
 * (pt_vk_users_is_done()). PT_VK_DECLINED: it is to be emitted alone.
 */
PtVkEmitted pt_vk_emit_fused (PtVkEmitter *emitter, const PtVkCall *call, GError **error);

/** Of shaders/rows.comp. */
enum { PT_VK_ROWS_PLAIN, PT_VK_ROWS_SUM, PT_VK_ROWS_GATE };

/** Rows [rows, k], and the calls on them; NULL: no such call. */
typedef struct {
  guint mode;
  guint32 a, b;
  guint32 combined;    /* but with PT_VK_ROWS_PLAIN */
  gboolean is_written; /* @combined is needed, and was not written yet */
  const PtVkCall *norm;
  const PtVkCall *choose;
  gsize rows, k;
} PtVkChain;

/**
 * Bind what rows are made of: their sources, the combined rows, or in their place the temporary
 * @unused if they are not written, and the factor of the norm.
 */
gboolean pt_vk_bind_chain (PtVkEmitter *emitter, PtVkDispatch *dispatch, const PtVkChain *chain,
                           guint32 unused, GError **error);
/** The numbers of the norm, and of scale and zero point: four of them. */
void pt_vk_push_chain (PtVkEmitter *emitter, PtVkDispatch *dispatch, const PtVkChain *chain);

/** The row whose bytes have @scale, if layers that read it make it themselves; else NULL. */
PtVkChain *pt_vk_row_of (const PtVkEmitter *emitter, guint32 scale);

/** Whether one argument, @value, is all that reads @source: it or a view of a view of it. */
gboolean pt_vk_is_only_reader (const PtVkEmitter *emitter, guint32 value, guint32 source);

/** Whether a dispatch of another call computes this one. */
gboolean pt_vk_users_is_done (const PtVkUsers *users, guint call);
/** For a new plan: nothing is done. */
void pt_vk_users_restart (PtVkUsers *users);

G_END_DECLS
