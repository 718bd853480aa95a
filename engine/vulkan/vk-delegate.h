/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/**
 * PtVkDelegate: a delegate that runs a graph with Vulkan (docs/vulkan.md). Inputs and outputs are
 * on the host, but for those that another one handed over, or may hand over. Engine thread.
 */
typedef struct _PtVkDelegate PtVkDelegate;

/** Read the payload, upload the constants, and plan for the largest shapes. NULL with an error. */
PtVkDelegate *pt_vk_delegate_new (const PtDelegateContext *context, GError **error);
void pt_vk_delegate_free (PtVkDelegate *delegate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVkDelegate, pt_vk_delegate_free)

/** The functions execute, reset, select_state and forget_state of PtBackend. */
gboolean pt_vk_delegate_execute (PtVkDelegate *delegate, PtExecution *execution,
                                 PtValue *const *args, guint n_args, GError **error);
gboolean pt_vk_delegate_reset (PtVkDelegate *delegate, GError **error);
gboolean pt_vk_delegate_select_state (PtVkDelegate *delegate, guint state, GError **error);
void pt_vk_delegate_forget_state (PtVkDelegate *delegate, guint state);

/** The function n_inputs of PtBackend. */
guint pt_vk_delegate_n_inputs (const PtVkDelegate *delegate);

/** Number of calls of operators that the CPU computes in the current plan. */
guint pt_vk_delegate_n_cpu_calls (const PtVkDelegate *delegate);

/** Number of stages of it on the GPU that wait for the ones before. */
guint pt_vk_delegate_n_barriers (const PtVkDelegate *delegate);

G_END_DECLS
