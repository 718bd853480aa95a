/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/vulkan/vk-context.h"

/*
 * Returns: a memory type of @allowed with all flags of @wanted, preferably with those of
 * @preferred, or -1
 */
static int
find_type (const PtVkContext *context, guint32 allowed, VkMemoryPropertyFlags wanted,
           VkMemoryPropertyFlags preferred)
{
  int found = -1;

  for (guint32 i = 0; i < context->memory.memoryTypeCount; i++) {
    VkMemoryPropertyFlags flags = context->memory.memoryTypes[i].propertyFlags;

    if ((allowed >> i & 1) == 0 || (flags & wanted) != wanted)
      continue;
    if ((flags & preferred) == preferred)
      return (int) i;
    if (found < 0)
      found = (int) i;
  }
  return found;
}

static gboolean
allocate (PtVkContext *context, PtVkBuffer *buffer, PtVkMemoryKind kind, const char *what,
          GError **error)
{
  static const struct {
    VkMemoryPropertyFlags wanted, preferred;
  } KINDS[] = {
    [PT_VK_MEMORY_DEVICE] = { 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT },
    [PT_VK_MEMORY_UPLOAD] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                              0 },
    [PT_VK_MEMORY_EXCHANGE] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                VK_MEMORY_PROPERTY_HOST_CACHED_BIT },
    [PT_VK_MEMORY_SYMBOLS] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                   VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT },
  };
  VkMemoryRequirements needs;
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
  VkResult code;
  int type;

  context->vk.GetBufferMemoryRequirements (context->device, buffer->buffer, &needs);
  type = find_type (context, needs.memoryTypeBits, KINDS[kind].wanted, KINDS[kind].preferred);
  if (type < 0)
    return pt_fail (error, PT_ERROR_GPU, "%s failed: the GPU %s has no fitting memory.", what,
                    context->gpu->name);
  info.allocationSize = needs.size;
  info.memoryTypeIndex = (guint32) type;
  code = context->vk.AllocateMemory (context->device, &info, NULL, &buffer->memory);
  if (code != VK_SUCCESS)
    buffer->memory = VK_NULL_HANDLE;
  if (code == VK_ERROR_OUT_OF_DEVICE_MEMORY || code == VK_ERROR_OUT_OF_HOST_MEMORY)
    return pt_vk_fail_memory (context, what, needs.size, error);
  if (!pt_vk_check (context, code, what, error) ||
      !pt_vk_check (
          context,
          context->vk.BindBufferMemory (context->device, buffer->buffer, buffer->memory, 0), what,
          error))
    return FALSE;
  if (kind == PT_VK_MEMORY_DEVICE)
    return TRUE;
  return pt_vk_check (context,
                      context->vk.MapMemory (context->device, buffer->memory, 0, VK_WHOLE_SIZE, 0,
                                             (void **) &buffer->host),
                      what, error);
}

gboolean
pt_vk_buffer_init (PtVkContext *context, PtVkBuffer *buffer, guint64 size, PtVkMemoryKind kind,
                   const char *what, GError **error)
{
  const VkBufferCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
    .size = size,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
             VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
  };
  VkResult code;

  *buffer = (PtVkBuffer){ .size = size };
  if (size > context->max_allocation)
    return pt_fail (error, PT_ERROR_MEMORY,
                    "%s failed: the driver of the GPU %s gives at most %.2f GB at once, and %.2f "
                    "are needed. Use a smaller model.",
                    what, context->gpu->name, (double) context->max_allocation / 1e9,
                    (double) size / 1e9);
  code = context->vk.CreateBuffer (context->device, &info, NULL, &buffer->buffer);
  if (code != VK_SUCCESS)
    buffer->buffer = VK_NULL_HANDLE;
  if (pt_vk_check (context, code, what, error) && allocate (context, buffer, kind, what, error))
    return TRUE;
  pt_vk_buffer_clear (context, buffer);
  return FALSE;
}

void
pt_vk_buffer_clear (PtVkContext *context, PtVkBuffer *buffer)
{
  /* Freeing memory unmaps it. */
  if (buffer->buffer != VK_NULL_HANDLE && !context->is_stuck)
    context->vk.DestroyBuffer (context->device, buffer->buffer, NULL);
  if (buffer->memory != VK_NULL_HANDLE && !context->is_stuck)
    context->vk.FreeMemory (context->device, buffer->memory, NULL);
  *buffer = (PtVkBuffer){ 0 };
}
