/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-record.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-gpu.h"
#include "engine/vulkan/vk-sampling.h"
#include "engine/vulkan/vk-times.h"

/* Work of one submission, in multiplications: some 10 ms of a slow GPU. Systems stop a GPU that
 * needs seconds for one (docs/vulkan.md). */
#define MAX_WORK 5e9
#define MAX_SUBMITTED 8
#define SYMBOL_BYTES 4096

/* ---- Hazards ---- */

/* Memory that commands since the last barrier read or wrote. */
typedef struct {
  VkBuffer buffer;
  guint64 begin, end;
  gboolean is_written;
} Use;

struct _PtVkRecording {
  PtVkContext *context;
  VkCommandPool commands;
  VkDescriptorPool descriptors;
  guint n_sets; /* room of @descriptors */
  PtVkBuffer arena, exchange, symbols;
  GArray *pieces; /* PtVkPiece */
  GArray *uses;   /* Use */
  const PtVkPlan *plan;
  const PtVkStates *states;
  VkCommandBuffer current;
  gboolean is_first; /* no command was recorded yet */
  guint n_barriers;
  double work;
  PtVkTimes *times;
  VkFence fences[MAX_SUBMITTED]; /* a ring of @n_submitted from @first on */
  guint first, n_submitted;
};

static gboolean
conflicts (const PtVkRecording *self, const Use *use)
{
  for (guint i = 0; i < self->uses->len; i++) {
    const Use *other = &g_array_index (self->uses, Use, i);

    if (other->buffer == use->buffer && other->begin < use->end && use->begin < other->end &&
        (other->is_written || use->is_written))
      return TRUE;
  }
  return FALSE;
}

/*
 * Makes the commands wait for earlier ones whose memory they use. The first ones wait for all that
 * the queue has: other delegates may have written what is read here, or read what is written.
 */
static void
guard (PtVkRecording *self, const Use *uses, guint n)
{
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
  };
  const VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  gboolean is_needed = self->is_first;

  self->is_first = FALSE;
  for (guint i = 0; i < n; i++)
    is_needed |= conflicts (self, &uses[i]);
  if (is_needed) {
    self->context->vk.CmdPipelineBarrier (self->current, stages, stages, 0, 1, &barrier, 0, NULL, 0,
                                          NULL);
    g_array_set_size (self->uses, 0);
    self->n_barriers++;
  }
  g_array_append_vals (self->uses, uses, n);
}

/* ---- Life ---- */

PtVkRecording *
pt_vk_recording_new (PtVkContext *context)
{
  PtVkRecording *self = g_new0 (PtVkRecording, 1);

  self->context = context;
  self->times = pt_vk_times_new (context);
  self->pieces = g_array_new (FALSE, TRUE, sizeof (PtVkPiece));
  self->uses = g_array_new (FALSE, TRUE, sizeof (Use));
  return self;
}

static void
destroy_fences (PtVkRecording *self)
{
  for (guint i = 0; i < MAX_SUBMITTED; i++) {
    if (self->fences[i] != VK_NULL_HANDLE)
      self->context->vk.DestroyFence (self->context->device, self->fences[i], NULL);
    self->fences[i] = VK_NULL_HANDLE;
  }
}

void
pt_vk_recording_free (PtVkRecording *self)
{
  PtVkContext *context;

  if (self == NULL)
    return;
  context = self->context;
  if (context != NULL && !context->is_stuck) {
    pt_vk_wait_idle (context);
    pt_vk_times_free (self->times);
    destroy_fences (self);
    if (self->commands != VK_NULL_HANDLE)
      context->vk.DestroyCommandPool (context->device, self->commands, NULL);
    if (self->descriptors != VK_NULL_HANDLE)
      context->vk.DestroyDescriptorPool (context->device, self->descriptors, NULL);
    pt_vk_buffer_clear (context, &self->arena);
    pt_vk_buffer_clear (context, &self->exchange);
    pt_vk_buffer_clear (context, &self->symbols);
  }
  g_array_unref (self->pieces);
  g_array_unref (self->uses);
  g_free (self);
}

guint
pt_vk_recording_n_pieces (const PtVkRecording *self)
{
  return self->pieces->len;
}

guint
pt_vk_recording_n_barriers (const PtVkRecording *self)
{
  return self->n_barriers;
}

const PtVkPiece *
pt_vk_recording_piece (const PtVkRecording *self, guint i)
{
  return &g_array_index (self->pieces, PtVkPiece, i);
}

guint8 *
pt_vk_recording_host (PtVkRecording *self)
{
  return self->exchange.host;
}

/* ---- Memory ---- */

static gboolean
reserve_buffer (PtVkRecording *self, PtVkBuffer *buffer, gsize bytes, PtVkMemoryKind kind,
                const char *what, GError **error)
{
  bytes = MAX (bytes, 256);
  if (buffer->size >= bytes)
    return TRUE;
  pt_vk_buffer_clear (self->context, buffer);
  return pt_vk_buffer_init (self->context, buffer, bytes, kind, what, error);
}

static gboolean
make_pools (PtVkRecording *self, guint n, guint n_bindings, GError **error)
{
  PtVkContext *context = self->context;
  const VkCommandPoolCreateInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = context->gpu->queue_family,
  };
  const VkDescriptorPoolSize size = {
    .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .descriptorCount = MAX (n_bindings, 1),
  };
  const VkDescriptorPoolCreateInfo descriptors = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = MAX (n, 1),
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  VkResult code;

  if (self->commands != VK_NULL_HANDLE)
    context->vk.DestroyCommandPool (context->device, self->commands, NULL);
  if (self->descriptors != VK_NULL_HANDLE)
    context->vk.DestroyDescriptorPool (context->device, self->descriptors, NULL);
  self->commands = VK_NULL_HANDLE;
  self->descriptors = VK_NULL_HANDLE;
  code = context->vk.CreateCommandPool (context->device, &commands, NULL, &self->commands);
  if (code != VK_SUCCESS)
    self->commands = VK_NULL_HANDLE;
  else
    code =
        context->vk.CreateDescriptorPool (context->device, &descriptors, NULL, &self->descriptors);
  if (code != VK_SUCCESS)
    self->descriptors = VK_NULL_HANDLE;
  return pt_vk_check (context, code, "Preparing the commands for the GPU", error);
}

static gboolean
prepare (PtVkRecording *self, const PtVkPlan *plan, guint64 max_bytes, GError **error)
{
  guint n_bindings = 0;

  if (max_bytes > 0 && plan->gpu_bytes > max_bytes)
    return pt_fail (error, PT_ERROR_MEMORY,
                    "A Vulkan delegate needs %.2f GB of working memory, more than the limit of "
                    "%.2f GB.",
                    (double) plan->gpu_bytes / 1e9, (double) max_bytes / 1e9);
  for (guint i = 0; i < plan->dispatches->len; i++)
    n_bindings += g_array_index (plan->dispatches, PtVkDispatch, i).n_bindings;
  return reserve_buffer (self, &self->exchange, plan->host_bytes, PT_VK_MEMORY_EXCHANGE,
                         "Allocating memory for inputs and outputs", error) &&
         reserve_buffer (self, &self->arena, plan->gpu_bytes, PT_VK_MEMORY_DEVICE,
                         "Allocating working memory", error) &&
         reserve_buffer (self, &self->symbols,
                         MAX (SYMBOL_BYTES, plan->symbols->len * sizeof (gint32)),
                         PT_VK_MEMORY_SYMBOLS, "Allocating working memory", error) &&
         make_pools (self, plan->dispatches->len, n_bindings, error);
}

/* ---- Commands ---- */

static gboolean
begin (PtVkRecording *self, GError **error)
{
  PtVkContext *context = self->context;
  const VkCommandBufferAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = self->commands,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  const VkCommandBufferBeginInfo begin_info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
  };
  VkResult code;

  if (self->current != NULL)
    return TRUE;
  self->work = 0;
  code = context->vk.AllocateCommandBuffers (context->device, &info, &self->current);
  if (code == VK_SUCCESS)
    code = context->vk.BeginCommandBuffer (self->current, &begin_info);
  else
    self->current = NULL;
  if (code == VK_SUCCESS)
    pt_vk_times_mark (self->times, self->current, PT_VK_N_SHADERS);
  return pt_vk_check (context, code, "Recording commands for the GPU", error);
}

/* @for_host: the CPU reads what the commands wrote. */
static gboolean
end (PtVkRecording *self, gboolean for_host, GError **error)
{
  PtVkContext *context = self->context;
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
  };
  PtVkPiece piece = { .commands = self->current };

  if (self->current == NULL)
    return TRUE;
  if (for_host)
    context->vk.CmdPipelineBarrier (
        self->current, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
  self->current = NULL;
  g_array_append_val (self->pieces, piece);
  return pt_vk_check (context, context->vk.EndCommandBuffer (piece.commands),
                      "Recording commands for the GPU", error);
}

PtVkRange
pt_vk_recording_range (const PtVkRecording *self, guint32 index)
{
  const PtVkPlan *plan = self->plan;
  const PtVkPlace *place = &g_array_index (plan->places, PtVkPlace, index);

  if (index < plan->graph->n_values && plan->given[index].buffer != VK_NULL_HANDLE)
    return plan->given[index];
  return (PtVkRange){ self->arena.buffer, place->gpu_offset, (MAX (place->bytes, 4) + 3) / 4 * 4 };
}

static gboolean
range_of (const PtVkRecording *self, const PtVkBinding *binding, PtVkRange *range, GError **error)
{
  switch (binding->kind) {
  case PT_VK_BIND_STORE: *range = *pt_vk_store_range (self->plan->store, binding->index); break;
  case PT_VK_BIND_STATE:
    *range = (PtVkRange){ self->states->buffers[binding->index].buffer, 0,
                          self->states->buffers[binding->index].size };
    break;
  case PT_VK_BIND_SYMBOLS:
    *range = (PtVkRange){ self->symbols.buffer, 0, self->symbols.size };
    break;
  default: *range = pt_vk_recording_range (self, binding->index);
  }
  if (range->size <= self->context->max_range)
    return TRUE;
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The GPU %s reaches %.2f GB in one buffer, and a tensor has %.2f GB.",
                  self->context->gpu->name, (double) self->context->max_range / 1e9,
                  (double) range->size / 1e9);
}

static gboolean
bind (PtVkRecording *self, const PtVkDispatch *dispatch, GError **error)
{
  PtVkContext *context = self->context;
  guint n = dispatch->n_bindings;
  VkDescriptorBufferInfo buffers[PT_VK_MAX_BINDINGS];
  VkWriteDescriptorSet writes[PT_VK_MAX_BINDINGS];
  Use uses[PT_VK_MAX_BINDINGS];
  VkDescriptorSet set;
  const VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = self->descriptors,
    .descriptorSetCount = 1,
    .pSetLayouts = &context->set_layouts[n],
  };

  if (!pt_vk_check (context, context->vk.AllocateDescriptorSets (context->device, &info, &set),
                    "Recording commands for the GPU", error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    PtVkRange range;

    if (!range_of (self, &dispatch->bindings[i], &range, error))
      return FALSE;
    buffers[i] = (VkDescriptorBufferInfo){ range.buffer, range.offset, range.size };
    uses[i] = (Use){ range.buffer, range.offset, range.offset + range.size,
                     (dispatch->bindings[i].access & PT_VK_WRITE) != 0 };
    writes[i] = (VkWriteDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = i,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffers[i],
    };
  }
  context->vk.UpdateDescriptorSets (context->device, n, writes, 0, NULL);
  guard (self, uses, n);
  context->vk.CmdBindDescriptorSets (self->current, VK_PIPELINE_BIND_POINT_COMPUTE,
                                     context->layouts[n], 0, 1, &set, 0, NULL);
  return TRUE;
}

static gboolean
record_dispatch (PtVkRecording *self, const PtVkDispatch *dispatch, GError **error)
{
  PtVkContext *context = self->context;
  VkPipeline pipeline =
      pt_vk_pipeline (context, dispatch->shader, dispatch->constants, dispatch->n_constants, error);

  if (pipeline == VK_NULL_HANDLE)
    return FALSE;
  g_assert (dispatch->n_bindings == pt_vk_shader_code (dispatch->shader)->n_bindings);
  if ((self->work > 0 && self->work + dispatch->work > MAX_WORK && !end (self, FALSE, error)) ||
      !begin (self, error) || !bind (self, dispatch, error))
    return FALSE;
  self->work += dispatch->work;
  context->vk.CmdBindPipeline (self->current, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  if (dispatch->n_push > 0)
    context->vk.CmdPushConstants (self->current, context->layouts[dispatch->n_bindings],
                                  VK_SHADER_STAGE_COMPUTE_BIT, 0, dispatch->n_push * 4,
                                  dispatch->push);
  context->vk.CmdDispatch (self->current, dispatch->groups[0], dispatch->groups[1],
                           dispatch->groups[2]);
  pt_vk_times_mark (self->times, self->current, dispatch->shader);
  return TRUE;
}

static gboolean
record_copy (PtVkRecording *self, guint32 index, gboolean to_gpu, GError **error)
{
  const PtVkPlace *place = &g_array_index (self->plan->places, PtVkPlace, index);
  const PtVkRange range = pt_vk_recording_range (self, index);
  const VkBufferCopy copy = {
    .srcOffset = to_gpu ? place->host_offset : range.offset,
    .dstOffset = to_gpu ? range.offset : place->host_offset,
    .size = MAX (place->bytes, 1),
  };
  VkBuffer from = to_gpu ? self->exchange.buffer : range.buffer;
  VkBuffer to = to_gpu ? range.buffer : self->exchange.buffer;
  const Use uses[] = { { from, copy.srcOffset, copy.srcOffset + copy.size, FALSE },
                       { to, copy.dstOffset, copy.dstOffset + copy.size, TRUE } };

  if (!begin (self, error))
    return FALSE;
  guard (self, uses, 2);
  self->context->vk.CmdCopyBuffer (self->current, from, to, 1, &copy);
  return TRUE;
}

static gboolean
record_step (PtVkRecording *self, const PtVkStep *step, GError **error)
{
  PtVkPiece piece = { .call = step->index };

  switch (step->kind) {
  case PT_VK_STEP_DISPATCH:
    return record_dispatch (
        self, &g_array_index (self->plan->dispatches, PtVkDispatch, step->index), error);
  case PT_VK_STEP_UPLOAD: return record_copy (self, step->index, TRUE, error);
  case PT_VK_STEP_DOWNLOAD: return record_copy (self, step->index, FALSE, error);
  default:
    if (!end (self, TRUE, error))
      return FALSE;
    g_array_append_val (self->pieces, piece);
    g_array_set_size (self->uses, 0); /* the host waits before the call */
    return TRUE;
  }
}

gboolean
pt_vk_recording_make (PtVkRecording *self, const PtVkPlan *plan, const PtVkStates *states,
                      guint64 max_bytes, GError **error)
{
  self->plan = plan;
  self->states = states;
  self->current = NULL;
  g_array_set_size (self->pieces, 0);
  g_array_set_size (self->uses, 0);
  self->is_first = TRUE;
  self->n_barriers = 0;
  /* Other delegates may still read what is made anew here. */
  if (self->context->is_ahead && !pt_vk_finish (self->context, error))
    return FALSE;
  self->context->is_ahead = FALSE;
  pt_vk_times_clear (self->times, plan->dispatches->len + plan->steps->len + 1);
  if (!prepare (self, plan, max_bytes, error))
    return FALSE;
  for (guint i = 0; i < plan->steps->len; i++) {
    const PtVkStep *step = &g_array_index (plan->steps, PtVkStep, i);

    if (record_step (self, step, error))
      continue;
    if (step->kind == PT_VK_STEP_DISPATCH) {
      const PtVkDispatch *d = &g_array_index (plan->dispatches, PtVkDispatch, step->index);

      pt_prefix_error (error, "Operator %s: ", plan->graph->calls[d->call].op->name);
    }
    return FALSE;
  }
  return end (self, TRUE, error);
}

/* ---- Running ---- */

void
pt_vk_recording_write_symbols (PtVkRecording *self, const PtVkPlan *plan)
{
  gint32 *table = (gint32 *) self->symbols.host;

  pt_vk_times_begin (self->times);
  for (guint i = 0; i < plan->symbols->len; i++) {
    gint64 number = plan->graph->values[g_array_index (plan->symbols, guint32, i)].as_int;

    table[i] = (gint32) CLAMP (number, G_MININT32, G_MAXINT32);
  }
}

/* After an error: what was submitted is not waited for again. */
static void
give_up (PtVkRecording *self)
{
  self->n_submitted = 0;
  if (self->context->is_stuck)
    return;
  pt_vk_wait_idle (self->context);
  destroy_fences (self);
}

gboolean
pt_vk_recording_wait_for_room (PtVkRecording *self, guint n, GError **error)
{
  PtVkContext *context = self->context;

  while (self->n_submitted > n) {
    if (!pt_vk_wait (context, &self->fences[self->first], "Computing", error)) {
      give_up (self);
      return FALSE;
    }
    self->first = (self->first + 1) % MAX_SUBMITTED;
    self->n_submitted--;
  }
  return TRUE;
}

gboolean
pt_vk_recording_wait (PtVkRecording *self, GError **error)
{
  if (!pt_vk_recording_wait_for_room (self, 0, error))
    return FALSE;
  pt_vk_times_end (self->times);
  return TRUE;
}

gboolean
pt_vk_recording_submit (PtVkRecording *self, guint index, GError **error)
{
  PtVkContext *context = self->context;
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &pt_vk_recording_piece (self, index)->commands,
  };
  const VkFenceCreateInfo fence_info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkFence *fence;
  VkResult code = VK_SUCCESS;

  if (!pt_vk_recording_wait_for_room (self, MAX_SUBMITTED - 1, error))
    return FALSE;
  fence = &self->fences[(self->first + self->n_submitted) % MAX_SUBMITTED];
  if (*fence == VK_NULL_HANDLE) {
    code = context->vk.CreateFence (context->device, &fence_info, NULL, fence);
    if (code != VK_SUCCESS)
      *fence = VK_NULL_HANDLE;
  }
  if (code == VK_SUCCESS)
    code = context->vk.QueueSubmit (context->queue, 1, &info, *fence);
  if (!pt_vk_check (context, code, "Computing", error))
    return FALSE;
  self->n_submitted++;
  return TRUE;
}
