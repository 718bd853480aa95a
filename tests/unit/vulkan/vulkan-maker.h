/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/vulkan/vk-delegate.h"

G_BEGIN_DECLS

/*
 * Makes payloads of Vulkan delegates, and runs them on the CPU and on a GPU. The functions that add
 * a value return its number.
 */

typedef struct _VulkanMaker VulkanMaker;

VulkanMaker *vulkan_maker_new (void);
void vulkan_maker_free (VulkanMaker *maker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (VulkanMaker, vulkan_maker_free)

/** Dimensions: @rank numbers. float32, int32, int8 and uint8. */
guint32 vulkan_maker_tensor (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims);
guint32 vulkan_maker_input (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims);
guint32 vulkan_maker_output (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims);
/** @data: its elements; NULL: random ones. */
guint32 vulkan_maker_constant (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims,
                               gconstpointer data);
/** A constant of zeros that an operator keeps as its state. */
guint32 vulkan_maker_state (VulkanMaker *maker, guint rank, const gint64 *dims);
guint32 vulkan_maker_null (VulkanMaker *maker);
guint32 vulkan_maker_int (VulkanMaker *maker, gint64 number);
guint32 vulkan_maker_double (VulkanMaker *maker, double number);
guint32 vulkan_maker_bool (VulkanMaker *maker, gboolean number);
guint32 vulkan_maker_string (VulkanMaker *maker, const char *text);
guint32 vulkan_maker_ints (VulkanMaker *maker, guint n, const gint64 *numbers);
guint32 vulkan_maker_values (VulkanMaker *maker, guint n, const guint32 *values);
/** A symbolic integer that is an input. */
guint32 vulkan_maker_symbol (VulkanMaker *maker);

void vulkan_maker_call (VulkanMaker *maker, const char *name, guint n, const guint32 *args);

/** A rank and its dimensions, as the functions above take them. */
#define DIMS(...)                                              \
  G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), (const gint64[]) \
  {                                                            \
    __VA_ARGS__                                                \
  }
/** An operator with the numbers of its values. */
#define CALL(maker, name, ...)                                                 \
  vulkan_maker_call (maker, name, G_N_ELEMENTS (((guint32[]){ __VA_ARGS__ })), \
                     (const guint32[]){ __VA_ARGS__ })

/** Numbers that are the same in every run: -1 … 1. */
float vulkan_random (void);

/**
 * Load the payload twice, for the CPU and for the GPU, where nothing may run on the CPU. Then
 * vulkan_maker_run() sets the inputs, tensors to random numbers (integers below @limit) and symbols
 * to @symbol, runs both, and requires outputs that differ by at most @tolerance of the largest.
 */
void vulkan_maker_load (VulkanMaker *maker);
void vulkan_maker_run (VulkanMaker *maker, gint64 symbol, gint64 limit, double tolerance);

/**
 * Load it, and run it with random inputs, where that may fail: NULL or FALSE with an error. The
 * delegate is the caller's.
 */
PtVkDelegate *vulkan_maker_try_load (VulkanMaker *maker, GError **error);
gboolean vulkan_maker_try_run (VulkanMaker *maker, PtVkDelegate *delegate, gint64 symbol,
                               GError **error);

/** How many calls vulkan_maker_run() wants on the CPU: 0 by default. */
void vulkan_maker_allow_cpu (VulkanMaker *maker, guint calls);

/** Number of stages on the GPU that wait for the ones before, in the last run. */
guint vulkan_maker_n_barriers (VulkanMaker *maker);

/** Load it for the GPU only; then the median time of @calls calls in seconds. */
void vulkan_maker_load_gpu (VulkanMaker *maker);
double vulkan_maker_time (VulkanMaker *maker, gint64 symbol, guint calls);
/** The same, with the choice of a token by @how: the only output are logits, which stay there. */
double vulkan_maker_time_choice (VulkanMaker *maker, gint64 symbol, guint calls,
                                 const PtDeviceSampling *how);

/** Whether there is a GPU, which may be software (PTERIS_VULKAN_SOFTWARE). */
gboolean vulkan_maker_has_gpu (void);

G_END_DECLS
