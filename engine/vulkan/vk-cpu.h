/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/operator.h"
#include "engine/vulkan/vk-operators.h"

G_BEGIN_DECLS

/*
 * Operators on the CPU: those that have no shader, or none for the types and shapes of a call
 * (docs/vulkan.md). Tensors are contiguous and of their stored dtype.
 */

/** One call while it runs. */
struct _PtVkCpuCall {
  const PtVkGraph *graph;
  const PtVkCall *call;
  PtExecution *execution;
  guint8 *const *host; /* elements of each value */
};

/** The elements of argument @i, a tensor; of output @k. */
static inline gpointer
pt_vk_host (const PtVkCpuCall *cpu, guint i)
{
  return cpu->host[cpu->call->args[i]];
}

static inline gpointer
pt_vk_host_out (const PtVkCpuCall *cpu, guint k)
{
  return cpu->host[pt_vk_out (cpu->graph, cpu->call, k)];
}

/** FALSE with PT_ERROR_TYPE when argument @i is not stored as @dtype. */
gboolean pt_vk_cpu_expect (const PtVkCpuCall *cpu, guint i, PtDType dtype, GError **error);
gboolean pt_vk_cpu_expect_out (const PtVkCpuCall *cpu, guint k, PtDType dtype, GError **error);

/** A prepared call of an operator of the house. */
typedef struct _PtVkKernelCall PtVkKernelCall;

/** NULL with PT_ERROR_INTERNAL when @call's operator names no kernel. */
PtVkKernelCall *pt_vk_kernel_call_new (const PtVkGraph *graph, const PtVkCall *call,
                                       GError **error);
void pt_vk_kernel_call_free (PtVkKernelCall *self);

gboolean pt_vk_kernel_call_run (PtVkKernelCall *self, const PtVkCpuCall *cpu, GError **error);

/**
 * The constant @value converted to its stored dtype; with g_malloc(). NULL with PT_ERROR_MEMORY.
 */
guint8 *pt_vk_convert_constant (const PtVkValue *value, GError **error);

/** Convert @n elements between a dtype of the program and the one that it is stored in. */
void pt_vk_to_stored (gpointer to, gconstpointer from, gsize n, PtDType dtype);
void pt_vk_from_stored (gpointer to, gconstpointer from, gsize n, PtDType dtype);

G_END_DECLS
