/* SPDX-License-Identifier: BSD-3-Clause */

/* What the engine reads of outputs that stayed on a GPU. */

#include "engine/base/set-error.h"
#include "engine/runtime/device.h"
#include "engine/vulkan/vk-handed.h"
#include "engine/vulkan/vk-sampling.h"

/* ---- Outputs by their addresses ---- */

static gboolean
covers (const PtVkHanded *handed, gconstpointer address)
{
  return (gsize) address >= (gsize) handed->address &&
         (gsize) address - (gsize) handed->address < handed->range.size;
}

void
pt_vk_handed_clear (PtVkHanded *handed)
{
  if (handed->context != NULL)
    g_ptr_array_remove_fast (handed->context->handed, handed);
  *handed = (PtVkHanded){ 0 };
}

/* Methods may share planned memory: what came last at an address counts. */
void
pt_vk_handed_add (PtVkHanded *handed)
{
  GPtrArray *all = handed->context->handed;

  for (guint i = all->len; i-- > 0;) {
    PtVkHanded *other = g_ptr_array_index (all, i);

    if (other == handed || covers (other, handed->address) || covers (handed, other->address))
      g_ptr_array_remove_index_fast (all, i);
  }
  g_ptr_array_add (all, handed);
}

gboolean
pt_vk_handed_find (const PtVkContext *context, gconstpointer address, gsize size, PtVkRange *range,
                   GError **error)
{
  for (guint i = 0; i < context->handed->len; i++) {
    const PtVkHanded *handed = g_ptr_array_index (context->handed, i);
    gsize from = (gsize) address - (gsize) handed->address;

    if (!covers (handed, address) || handed->range.size - from < size)
      continue;
    *range = (PtVkRange){ handed->range.buffer, handed->range.offset + from, size };
    return TRUE;
  }
  return pt_fail (error, PT_ERROR_STATE, "What is asked for is no longer on the GPU.");
}

/* ---- The device ---- */

static PtVkContext *
enter (int index, GError **error)
{
  PtVkContext *context = pt_vk_context_find (index);

  if (context == NULL)
    pt_fail (error, PT_ERROR_STATE, "There is nothing on GPU %d of Vulkan.", index);
  return context;
}

static const char *
name (int index)
{
  const PtVkContext *context = pt_vk_context_find (index);

  return context != NULL ? context->gpu->name : "GPU";
}

static gboolean
copy_to_host (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  PtVkContext *context = enter (index, error);
  PtVkRange range;

  return context != NULL && pt_vk_handed_find (context, from, size, &range, error) &&
         pt_vk_fetch (context, &range, to, error);
}

static gboolean
synchronize (int index, GError **error)
{
  PtVkContext *context = pt_vk_context_find (index);

  return context == NULL || pt_vk_finish (context, error);
}

static gboolean
sample (int index, const PtDeviceSampling *how, gconstpointer logits, PtDType dtype, gsize width,
        gpointer next_id, gpointer next_position, GError **error)
{
  PtVkContext *context = enter (index, error);
  PtVkRange range;

  if (context == NULL)
    return FALSE;
  if (dtype != PT_DTYPE_F32 || next_id != NULL || next_position != NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "Choosing tokens of %s with Vulkan.",
                    pt_dtype_name (dtype));
  return pt_vk_handed_find (context, logits, width * sizeof (float), &range, error) &&
         pt_vk_sample (context, how, &range, error);
}

static gboolean
take_sample (int index, gint32 *id, GError **error)
{
  PtVkContext *context = enter (index, error);

  return context != NULL && pt_vk_take_sample (context, id, error);
}

static const PtDevice device = {
  .type = PT_DEVICE_VULKAN,
  .name = name,
  .copy_to_host = copy_to_host,
  .synchronize = synchronize,
  .sample = sample,
  .take_sample = take_sample,
};

void
pt_vk_device_register (void)
{
  pt_device_register (&device);
}
