/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "tests/fakes/fake-vulkan-private.h"

#define SHADER_MAGIC 0x07230203

/* Functions that make one object, and those that destroy one. */
#define CREATE(function, kind, Info, Handle)                                               \
  static VkResult VKAPI_CALL function (VkDevice device, const Info *info,                  \
                                       const VkAllocationCallbacks *allocator, Handle *to) \
  {                                                                                        \
    VkResult code = fake_vulkan_answer (name_of (G_STRINGIFY (function)));                 \
                                                                                           \
    fake_object (FAKE_DEVICE, device);                                                     \
    *to = (Handle) (code == VK_SUCCESS ? fake_object_new (kind) : FAKE_GARBAGE);           \
    return code;                                                                           \
  }
#define DESTROY(function, kind, Handle)                                    \
  static void VKAPI_CALL function (VkDevice device, Handle object,         \
                                   const VkAllocationCallbacks *allocator) \
  {                                                                        \
    fake_object (FAKE_DEVICE, device);                                     \
    fake_object_free (kind, (gconstpointer) object);                       \
  }

/* "vkCreateFence" of "create_fence" */
static const char *
name_of (const char *function)
{
  static char name[64];
  gsize n = 2;
  gboolean is_first = TRUE;

  memcpy (name, "vk", 2);
  for (; *function != '\0' && n < sizeof name - 1; function++) {
    if (*function == '_') {
      is_first = TRUE;
      continue;
    }
    name[n++] = is_first ? g_ascii_toupper (*function) : *function;
    is_first = FALSE;
  }
  name[n] = '\0';
  return name;
}

CREATE (create_fence, FAKE_FENCE, VkFenceCreateInfo, VkFence)
CREATE (create_pipeline_cache, FAKE_CACHE, VkPipelineCacheCreateInfo, VkPipelineCache)
CREATE (create_pipeline_layout, FAKE_LAYOUT, VkPipelineLayoutCreateInfo, VkPipelineLayout)
CREATE (create_descriptor_set_layout, FAKE_SET_LAYOUT, VkDescriptorSetLayoutCreateInfo,
        VkDescriptorSetLayout)
CREATE (create_query_pool, FAKE_QUERIES, VkQueryPoolCreateInfo, VkQueryPool)

DESTROY (destroy_buffer, FAKE_BUFFER, VkBuffer)
DESTROY (free_memory, FAKE_MEMORY, VkDeviceMemory)
DESTROY (destroy_fence, FAKE_FENCE, VkFence)
DESTROY (destroy_shader_module, FAKE_MODULE, VkShaderModule)
DESTROY (destroy_pipeline_cache, FAKE_CACHE, VkPipelineCache)
DESTROY (destroy_pipeline, FAKE_PIPELINE, VkPipeline)
DESTROY (destroy_pipeline_layout, FAKE_LAYOUT, VkPipelineLayout)
DESTROY (destroy_descriptor_set_layout, FAKE_SET_LAYOUT, VkDescriptorSetLayout)
DESTROY (destroy_descriptor_pool, FAKE_DESCRIPTORS, VkDescriptorPool)
DESTROY (destroy_command_pool, FAKE_POOL, VkCommandPool)
DESTROY (destroy_query_pool, FAKE_QUERIES, VkQueryPool)

static void VKAPI_CALL
destroy_device (VkDevice device, const VkAllocationCallbacks *allocator)
{
  fake_object_free (FAKE_DEVICE, device);
}

static void VKAPI_CALL
get_queue (VkDevice device, guint32 family, guint32 index, VkQueue *queue)
{
  *queue = (VkQueue) fake_object (FAKE_DEVICE, device);
}

static VkResult VKAPI_CALL
wait_idle (VkDevice device)
{
  fake_object (FAKE_DEVICE, device);
  return fake_vulkan_answer ("vkDeviceWaitIdle");
}

/* ---- Memory ---- */

static VkResult VKAPI_CALL
allocate_memory (VkDevice device, const VkMemoryAllocateInfo *info,
                 const VkAllocationCallbacks *allocator, VkDeviceMemory *memory)
{
  VkResult code = fake_vulkan_answer ("vkAllocateMemory");
  FakeObject *object;

  fake_object (FAKE_DEVICE, device);
  *memory = (VkDeviceMemory) FAKE_GARBAGE;
  if (code != VK_SUCCESS)
    return code;
  object = fake_object_new (FAKE_MEMORY);
  object->size = info->allocationSize;
  object->bytes = g_malloc0 (info->allocationSize);
  *memory = (VkDeviceMemory) object;
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
map_memory (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
            VkMemoryMapFlags flags, void **to)
{
  VkResult code = fake_vulkan_answer ("vkMapMemory");

  if (code == VK_SUCCESS)
    *to = fake_object (FAKE_MEMORY, (gconstpointer) memory)->bytes + offset;
  return code;
}

static VkResult VKAPI_CALL
create_buffer (VkDevice device, const VkBufferCreateInfo *info,
               const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
  VkResult code = fake_vulkan_answer ("vkCreateBuffer");
  FakeObject *object;

  fake_object (FAKE_DEVICE, device);
  *buffer = (VkBuffer) FAKE_GARBAGE;
  if (code != VK_SUCCESS)
    return code;
  object = fake_object_new (FAKE_BUFFER);
  object->size = info->size;
  *buffer = (VkBuffer) object;
  return VK_SUCCESS;
}

static void VKAPI_CALL
get_buffer_needs (VkDevice device, VkBuffer buffer, VkMemoryRequirements *needs)
{
  *needs = (VkMemoryRequirements){
    .size = (fake_object (FAKE_BUFFER, (gconstpointer) buffer)->size + 255) / 256 * 256,
    .alignment = 256,
    .memoryTypeBits = 3,
  };
}

static VkResult VKAPI_CALL
bind_buffer (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
  VkResult code = fake_vulkan_answer ("vkBindBufferMemory");
  FakeObject *object = fake_object (FAKE_BUFFER, (gconstpointer) buffer);
  FakeObject *bytes = fake_object (FAKE_MEMORY, (gconstpointer) memory);

  if (code != VK_SUCCESS)
    return code;
  g_assert (offset <= bytes->size && object->size <= bytes->size - offset);
  object->memory = bytes;
  object->offset = offset;
  return VK_SUCCESS;
}

/* ---- Pipelines and sets ---- */

static VkResult VKAPI_CALL
create_shader_module (VkDevice device, const VkShaderModuleCreateInfo *info,
                      const VkAllocationCallbacks *allocator, VkShaderModule *module)
{
  VkResult code = fake_vulkan_answer ("vkCreateShaderModule");

  g_assert (info->codeSize > 20 && info->codeSize % 4 == 0 && info->pCode[0] == SHADER_MAGIC);
  *module = (VkShaderModule) (code == VK_SUCCESS ? fake_object_new (FAKE_MODULE) : FAKE_GARBAGE);
  return code;
}

static VkResult VKAPI_CALL
get_cache_data (VkDevice device, VkPipelineCache cache, size_t *size, void *data)
{
  fake_object (FAKE_CACHE, (gconstpointer) cache);
  *size = 0;
  return fake_vulkan_answer ("vkGetPipelineCacheData");
}

static VkResult VKAPI_CALL
create_pipelines (VkDevice device, VkPipelineCache cache, guint32 n,
                  const VkComputePipelineCreateInfo *info, const VkAllocationCallbacks *allocator,
                  VkPipeline *pipelines)
{
  VkResult code = fake_vulkan_answer ("vkCreateComputePipelines");

  fake_object (FAKE_MODULE, (gconstpointer) info->stage.module);
  fake_object (FAKE_LAYOUT, (gconstpointer) info->layout);
  *pipelines = (VkPipeline) (code == VK_SUCCESS ? fake_object_new (FAKE_PIPELINE) : FAKE_GARBAGE);
  return code;
}

static FakeObject *
new_pool (FakeKind kind, FakeKind child_kind)
{
  FakeObject *pool = fake_object_new (kind);

  pool->children = g_ptr_array_new ();
  pool->child_kind = child_kind;
  return pool;
}

static VkResult VKAPI_CALL
create_descriptor_pool (VkDevice device, const VkDescriptorPoolCreateInfo *info,
                        const VkAllocationCallbacks *allocator, VkDescriptorPool *pool)
{
  VkResult code = fake_vulkan_answer ("vkCreateDescriptorPool");
  FakeObject *object;

  *pool = (VkDescriptorPool) FAKE_GARBAGE;
  if (code != VK_SUCCESS)
    return code;
  object = new_pool (FAKE_DESCRIPTORS, FAKE_SET);
  object->size = info->maxSets;
  *pool = (VkDescriptorPool) object;
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
allocate_sets (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *sets)
{
  VkResult code = fake_vulkan_answer ("vkAllocateDescriptorSets");
  FakeObject *pool = fake_object (FAKE_DESCRIPTORS, (gconstpointer) info->descriptorPool);

  sets[0] = (VkDescriptorSet) FAKE_GARBAGE;
  if (code != VK_SUCCESS)
    return code;
  if (pool->children->len >= pool->size)
    return VK_ERROR_OUT_OF_POOL_MEMORY;
  sets[0] = (VkDescriptorSet) fake_object_new (FAKE_SET);
  g_ptr_array_add (pool->children, (gpointer) sets[0]);
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
reset_descriptor_pool (VkDevice device, VkDescriptorPool pool, VkFlags flags)
{
  GPtrArray *sets = fake_object (FAKE_DESCRIPTORS, (gconstpointer) pool)->children;

  for (guint i = 0; i < sets->len; i++)
    fake_object_free (FAKE_SET, sets->pdata[i]);
  g_ptr_array_set_size (sets, 0);
  return VK_SUCCESS;
}

static void
set_result (gconstpointer handle, const VkDescriptorBufferInfo *info)
{
  FakeObject *set = fake_object (FAKE_SET, handle);

  set->result = fake_object (FAKE_BUFFER, (gconstpointer) info->buffer);
  set->offset = info->offset;
  set->size = info->range;
}

static void VKAPI_CALL
update_sets (VkDevice device, guint32 n, const VkWriteDescriptorSet *writes, guint32 n_copies,
             const VkCopyDescriptorSet *copies)
{
  guint64 most = fake_vulkan_option ("small-range") != NULL ? 1024 : 1u << 30;

  for (guint32 i = 0; i < n; i++) {
    const VkDescriptorBufferInfo *info = writes[i].pBufferInfo;
    const FakeObject *buffer = fake_object (FAKE_BUFFER, (gconstpointer) info->buffer);

    fake_object (FAKE_SET, (gconstpointer) writes[i].dstSet);
    if (n == 3 && i == 2)
      set_result ((gconstpointer) writes[i].dstSet, info);
    g_assert (buffer->memory != NULL && info->range <= most && info->offset % 256 == 0);
    g_assert (info->offset <= buffer->size && info->range <= buffer->size - info->offset);
  }
}

/* ---- Commands ---- */

static VkResult VKAPI_CALL
create_command_pool (VkDevice device, const VkCommandPoolCreateInfo *info,
                     const VkAllocationCallbacks *allocator, VkCommandPool *pool)
{
  VkResult code = fake_vulkan_answer ("vkCreateCommandPool");

  *pool = (VkCommandPool) (code == VK_SUCCESS ? new_pool (FAKE_POOL, FAKE_COMMANDS) : FAKE_GARBAGE);
  return code;
}

static VkResult VKAPI_CALL
allocate_commands (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *list)
{
  VkResult code = fake_vulkan_answer ("vkAllocateCommandBuffers");
  FakeObject *pool = fake_object (FAKE_POOL, (gconstpointer) info->commandPool);
  FakeObject *object;

  list[0] = FAKE_GARBAGE;
  if (code != VK_SUCCESS)
    return code;
  object = fake_object_new (FAKE_COMMANDS);
  object->commands = g_array_new (FALSE, TRUE, sizeof (FakeCommand));
  g_ptr_array_add (pool->children, object);
  list[0] = (VkCommandBuffer) object;
  return VK_SUCCESS;
}

static void VKAPI_CALL
free_commands (VkDevice device, VkCommandPool pool, guint32 n, const VkCommandBuffer *list)
{
  for (guint32 i = 0; i < n; i++)
    if (list[i] != NULL) {
      g_ptr_array_remove (fake_object (FAKE_POOL, (gconstpointer) pool)->children, list[i]);
      fake_object_free (FAKE_COMMANDS, list[i]);
    }
}

static VkResult VKAPI_CALL
begin_commands (VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
  g_array_set_size (fake_object (FAKE_COMMANDS, commands)->commands, 0);
  return fake_vulkan_answer ("vkBeginCommandBuffer");
}

static VkResult VKAPI_CALL
end_commands (VkCommandBuffer commands)
{
  fake_object (FAKE_COMMANDS, commands);
  return fake_vulkan_answer ("vkEndCommandBuffer");
}

static void
add_command (VkCommandBuffer commands, FakeCommand command)
{
  const FakeObject *from = command.from, *to = command.to;

  g_assert (to->memory != NULL && (from == NULL || from->memory != NULL));
  g_assert (command.to_offset <= to->size && command.size <= to->size - command.to_offset);
  g_assert (from == NULL || (command.from_offset <= from->size &&
                             command.size <= from->size - command.from_offset));
  g_array_append_val (fake_object (FAKE_COMMANDS, commands)->commands, command);
}

static void VKAPI_CALL
copy_buffer (VkCommandBuffer commands, VkBuffer from, VkBuffer to, guint32 n,
             const VkBufferCopy *copies)
{
  for (guint32 i = 0; i < n; i++)
    add_command (commands,
                 (FakeCommand){ fake_object (FAKE_BUFFER, (gconstpointer) from),
                                fake_object (FAKE_BUFFER, (gconstpointer) to), copies[i].srcOffset,
                                copies[i].dstOffset, copies[i].size });
}

static void VKAPI_CALL
fill_buffer (VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset, VkDeviceSize size,
             guint32 word)
{
  g_assert (offset % 4 == 0 && size % 4 == 0 && word == 0);
  add_command (commands, (FakeCommand){ NULL, fake_object (FAKE_BUFFER, (gconstpointer) to), 0,
                                        offset, size });
}

static void VKAPI_CALL
bind_pipeline (VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline)
{
  fake_object (FAKE_COMMANDS, commands);
  fake_object (FAKE_PIPELINE, (gconstpointer) pipeline);
}

static void VKAPI_CALL
bind_sets (VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
           guint32 first, guint32 n, const VkDescriptorSet *sets, guint32 n_offsets,
           const guint32 *offsets)
{
  fake_object (FAKE_LAYOUT, (gconstpointer) layout);
  fake_object (FAKE_COMMANDS, commands)->set = fake_object (FAKE_SET, (gconstpointer) sets[0]);
}

static void VKAPI_CALL
push_constants (VkCommandBuffer commands, VkPipelineLayout layout, VkShaderStageFlags stages,
                guint32 offset, guint32 size, const void *values)
{
  fake_object (FAKE_LAYOUT, (gconstpointer) layout);
}

/* Shaders compute zeros, if their result has the last of three bindings: a token, for one. */
static void VKAPI_CALL
dispatch (VkCommandBuffer commands, guint32 x, guint32 y, guint32 z)
{
  FakeObject *self = fake_object (FAKE_COMMANDS, commands);
  const FakeObject *set = fake_object (FAKE_SET, self->set);
  const FakeCommand command = { .to = set->result, .to_offset = set->offset, .size = set->size };

  if (set->result != NULL)
    g_array_append_val (self->commands, command);
  g_assert (x > 0 && y > 0 && z > 0 && x <= 65535 && y <= 65535 && z <= 65535);
}

static void VKAPI_CALL
barrier (VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
         VkDependencyFlags flags, guint32 n, const VkMemoryBarrier *barriers, guint32 n_buffers,
         const VkBufferMemoryBarrier *buffers, guint32 n_images, const VkImageMemoryBarrier *images)
{
  fake_object (FAKE_COMMANDS, commands);
}

/* ---- The queue ---- */

static void
run (const FakeCommand *command)
{
  guint8 *to = command->to->memory->bytes + command->to->offset + command->to_offset;

  if (command->from == NULL)
    memset (to, 0, command->size);
  else
    memcpy (to, command->from->memory->bytes + command->from->offset + command->from_offset,
            command->size);
}

static VkResult VKAPI_CALL
queue_submit (VkQueue queue, guint32 n, const VkSubmitInfo *infos, VkFence fence)
{
  static guint n_submits;
  const char *last = fake_vulkan_option ("lost=");
  VkResult code = fake_vulkan_answer ("vkQueueSubmit");

  if (last != NULL && n_submits++ >= (guint) atoi (last))
    code = VK_ERROR_DEVICE_LOST;
  fake_object (FAKE_DEVICE, queue);
  if (code != VK_SUCCESS)
    return code;
  for (guint32 i = 0; i < infos[0].commandBufferCount; i++) {
    const GArray *commands = fake_object (FAKE_COMMANDS, infos[0].pCommandBuffers[i])->commands;

    for (guint k = 0; k < commands->len; k++)
      run (&g_array_index (commands, FakeCommand, k));
  }
  g_assert (!fake_object (FAKE_FENCE, (gconstpointer) fence)->is_done);
  fake_object (FAKE_FENCE, (gconstpointer) fence)->is_done = TRUE;
  return VK_SUCCESS;
}

static VkResult VKAPI_CALL
reset_fences (VkDevice device, guint32 n, const VkFence *fences)
{
  VkResult code = fake_vulkan_answer ("vkResetFences");

  if (code == VK_SUCCESS)
    fake_object (FAKE_FENCE, (gconstpointer) fences[0])->is_done = FALSE;
  return code;
}

static VkResult VKAPI_CALL
wait_for_fences (VkDevice device, guint32 n, const VkFence *fences, VkBool32 all, guint64 most)
{
  VkResult code = fake_vulkan_answer ("vkWaitForFences");

  /* Nobody may wait for ever, nor for what was not submitted. */
  g_assert (most < G_MAXUINT64 && fake_object (FAKE_FENCE, (gconstpointer) fences[0])->is_done);
  return code;
}

/* Never at once. */
static VkResult VKAPI_CALL
get_fence_status (VkDevice device, VkFence fence)
{
  VkResult code = fake_vulkan_answer ("vkGetFenceStatus");

  g_assert (fake_object (FAKE_FENCE, (gconstpointer) fence)->is_done);
  return code == VK_SUCCESS ? VK_NOT_READY : code;
}

static VkResult VKAPI_CALL
get_query_results (VkDevice device, VkQueryPool pool, guint32 first, guint32 n, size_t size,
                   void *data, VkDeviceSize stride, VkQueryResultFlags flags)
{
  return VK_NOT_READY;
}

static void VKAPI_CALL
write_timestamp (VkCommandBuffer commands, VkPipelineStageFlagBits stage, VkQueryPool pool,
                 guint32 query)
{
}

static VkResult VKAPI_CALL
reset_pool (VkDevice device, VkCommandPool pool, VkFlags flags)
{
  return VK_SUCCESS;
}

/* ---- Names ---- */

static const FakeFunction functions[] = {
  FAKE_FUNCTION (DestroyDevice, destroy_device),
  FAKE_FUNCTION (GetDeviceQueue, get_queue),
  FAKE_FUNCTION (QueueSubmit, queue_submit),
  FAKE_FUNCTION (DeviceWaitIdle, wait_idle),
  FAKE_FUNCTION (AllocateMemory, allocate_memory),
  FAKE_FUNCTION (FreeMemory, free_memory),
  FAKE_FUNCTION (MapMemory, map_memory),
  FAKE_FUNCTION (CreateBuffer, create_buffer),
  FAKE_FUNCTION (DestroyBuffer, destroy_buffer),
  FAKE_FUNCTION (GetBufferMemoryRequirements, get_buffer_needs),
  FAKE_FUNCTION (BindBufferMemory, bind_buffer),
  FAKE_FUNCTION (CreateFence, create_fence),
  FAKE_FUNCTION (DestroyFence, destroy_fence),
  FAKE_FUNCTION (ResetFences, reset_fences),
  FAKE_FUNCTION (WaitForFences, wait_for_fences),
  FAKE_FUNCTION (GetFenceStatus, get_fence_status),
  FAKE_FUNCTION (CreateShaderModule, create_shader_module),
  FAKE_FUNCTION (DestroyShaderModule, destroy_shader_module),
  FAKE_FUNCTION (CreatePipelineCache, create_pipeline_cache),
  FAKE_FUNCTION (DestroyPipelineCache, destroy_pipeline_cache),
  FAKE_FUNCTION (GetPipelineCacheData, get_cache_data),
  FAKE_FUNCTION (CreateComputePipelines, create_pipelines),
  FAKE_FUNCTION (DestroyPipeline, destroy_pipeline),
  FAKE_FUNCTION (CreatePipelineLayout, create_pipeline_layout),
  FAKE_FUNCTION (DestroyPipelineLayout, destroy_pipeline_layout),
  FAKE_FUNCTION (CreateDescriptorSetLayout, create_descriptor_set_layout),
  FAKE_FUNCTION (DestroyDescriptorSetLayout, destroy_descriptor_set_layout),
  FAKE_FUNCTION (CreateDescriptorPool, create_descriptor_pool),
  FAKE_FUNCTION (DestroyDescriptorPool, destroy_descriptor_pool),
  FAKE_FUNCTION (ResetDescriptorPool, reset_descriptor_pool),
  FAKE_FUNCTION (AllocateDescriptorSets, allocate_sets),
  FAKE_FUNCTION (UpdateDescriptorSets, update_sets),
  FAKE_FUNCTION (CreateCommandPool, create_command_pool),
  FAKE_FUNCTION (DestroyCommandPool, destroy_command_pool),
  FAKE_FUNCTION (ResetCommandPool, reset_pool),
  FAKE_FUNCTION (AllocateCommandBuffers, allocate_commands),
  FAKE_FUNCTION (FreeCommandBuffers, free_commands),
  FAKE_FUNCTION (BeginCommandBuffer, begin_commands),
  FAKE_FUNCTION (EndCommandBuffer, end_commands),
  FAKE_FUNCTION (CmdBindPipeline, bind_pipeline),
  FAKE_FUNCTION (CmdBindDescriptorSets, bind_sets),
  FAKE_FUNCTION (CmdPushConstants, push_constants),
  FAKE_FUNCTION (CmdDispatch, dispatch),
  FAKE_FUNCTION (CmdCopyBuffer, copy_buffer),
  FAKE_FUNCTION (CmdFillBuffer, fill_buffer),
  FAKE_FUNCTION (CmdPipelineBarrier, barrier),
  FAKE_FUNCTION (CreateQueryPool, create_query_pool),
  FAKE_FUNCTION (DestroyQueryPool, destroy_query_pool),
  FAKE_FUNCTION (GetQueryPoolResults, get_query_results),
  FAKE_FUNCTION (CmdWriteTimestamp, write_timestamp),
};

PFN_vkVoidFunction
fake_vulkan_device_function (const char *name)
{
  return fake_find_function (functions, G_N_ELEMENTS (functions), name);
}
