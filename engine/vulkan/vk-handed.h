/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-store.h"

G_BEGIN_DECLS

/**
 * An output in the memory of the delegate that made it (PtTensor.handed), for as long as that does
 * not run again. Other delegates read it there. Who called the method reads it through PtDevice
 * (vk-device.c): for that it has the address of its place on the host, where nothing is written.
 */
typedef struct {
  PtVkContext *context;
  guint64 number;  /* of the plan that @range is of */
  PtVkRange range; /* no buffer: nothing is there */
  gconstpointer address;
} PtVkHanded;

/** Make @handed known by its address, instead of what was there before. */
void pt_vk_handed_add (PtVkHanded *handed);
/** Nothing is there any more; before it is freed, too. */
void pt_vk_handed_clear (PtVkHanded *handed);

/** Where @size bytes at @address lie on the GPU of @context. FALSE with PT_ERROR_STATE. */
gboolean pt_vk_handed_find (const PtVkContext *context, gconstpointer address, gsize size,
                            PtVkRange *range, GError **error);

/** Register the device of PtDevice (PT_DEVICE_VULKAN). */
void pt_vk_device_register (void);

G_END_DECLS
