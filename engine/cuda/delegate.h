/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/constants.h"
#include "engine/cuda/cuda-graphs.h"

G_BEGIN_DECLS

/**
 * PtCudaDelegate: a delegate that calls a CUDA library (docs/formats/cuda.md, sections 2 and 6).
 *
 * Each input may be on the host or on the GPU, as its tensor says. Outputs are copied to the memory
 * of their tensors, or stay on the GPU. The host waits only when an output is on the host. Engine
 * thread.
 */
typedef struct _PtCudaDelegate PtCudaDelegate;

/**
 * Load the library that the payload names, and its weights. Before any of its code is mapped, the
 * library is checked against this machine, and the user's consent is looked up. NULL with an error.
 */
PtCudaDelegate *pt_cuda_delegate_new (const PtDelegateContext *context, GError **error);
void pt_cuda_delegate_free (PtCudaDelegate *delegate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaDelegate, pt_cuda_delegate_free)

/** The functions execute, reset, select_state, forget_state, has_state and finish of PtBackend. */
gboolean pt_cuda_delegate_execute (PtCudaDelegate *delegate, PtExecution *execution,
                                   PtValue *const *args, guint n_args, GError **error);
gboolean pt_cuda_delegate_reset (PtCudaDelegate *delegate, GError **error);
gboolean pt_cuda_delegate_select_state (PtCudaDelegate *delegate, guint state, GError **error);
void pt_cuda_delegate_forget_state (PtCudaDelegate *delegate, guint state);
gboolean pt_cuda_delegate_has_state (const PtCudaDelegate *delegate, const char *part);
gboolean pt_cuda_delegate_finish (PtCudaDelegate *delegate, GError **error);
char *pt_cuda_delegate_remark (const PtCudaDelegate *delegate);

G_END_DECLS
