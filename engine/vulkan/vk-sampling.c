/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-sampling.h"

#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"

/* Of shaders/sample.glsl. */
#define GROUPS 64
#define MAX_BIN_STEPS 8
#define STEP_BYTES 32
#define BIN_BYTES ((1024 + 1) * 8)
#define SCRATCH_BYTES ((MAX_BIN_STEPS + 1) * STEP_BYTES + GROUPS * 16 + MAX_BIN_STEPS * BIN_BYTES)
#define ALL G_MAXUINT32
enum { NOTHING, COUNT = 3, KEEP = 6, DRAW = 9 };
/* Masses of so many tokens fit into 64 bits. */
#define MAX_LOGITS ((gsize) 1 << 22)
/* Of shaders/sample-said.comp. */
#define SAID_GROUP 256

#define MAX_SETS 2
#define N_BINDINGS 3
/* Bindings begin at what any GPU asks of offsets. */
#define ALIGNMENT 256
/* The place of the token until the GPU has written one. */
#define NOTHING_YET G_MININT32

static const char WHAT[] = "Choosing a token";

/* Push constants, as the shaders have them. */
typedef struct {
  guint32 first, n;
  float inverse, inverse_rest;
  guint32 coin, top_k, top_p;
  float min_p;
  guint32 step, kind, previous;
} Push;

typedef struct {
  guint32 n_said, n;
  float repetition, presence, frequency;
} PushSaid;

typedef struct _PtVkSampling PtVkSampling;
struct _PtVkSampling {
  PtVkContext *context;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkDescriptorPool descriptors;
  VkFence fence;
  gboolean is_running; /* the commands were submitted and not waited for */
  gboolean is_choosing;
  gsize n_logits;
  PtVkBuffer scratch, mailbox, said;
  PtVkBuffer values; /* a copy of the logits, for penalties */
  PtVkBuffer copy;   /* what the host fetches */
};

/* ---- Life ---- */

static void
sampling_free (PtVkContext *context)
{
  PtVkSampling *self = context->sampling;
  PtVkBuffer *buffers[] = { &self->scratch, &self->mailbox, &self->said, &self->values,
                            &self->copy };

  pt_vk_wait_idle (context);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    pt_vk_buffer_clear (context, buffers[i]);
  if (!context->is_stuck) {
    context->vk.DestroyFence (context->device, self->fence, NULL);
    context->vk.DestroyDescriptorPool (context->device, self->descriptors, NULL);
    context->vk.DestroyCommandPool (context->device, self->pool, NULL);
  }
  context->sampling = NULL;
  g_free (self);
}

static VkResult
make_pools (PtVkSampling *self)
{
  const PtVkContext *context = self->context;
  const PtVkFunctions *vk = &context->vk;
  const VkCommandPoolCreateInfo pool = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .queueFamilyIndex = context->gpu->queue_family,
  };
  const VkDescriptorPoolSize size = {
    .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    .descriptorCount = MAX_SETS * N_BINDINGS,
  };
  const VkDescriptorPoolCreateInfo descriptors = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
    .maxSets = MAX_SETS,
    .poolSizeCount = 1,
    .pPoolSizes = &size,
  };
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  VkCommandBufferAllocateInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  VkResult code = vk->CreateCommandPool (context->device, &pool, NULL, &self->pool);

  if (code != VK_SUCCESS) {
    self->pool = VK_NULL_HANDLE;
    return code;
  }
  commands.commandPool = self->pool;
  code = vk->AllocateCommandBuffers (context->device, &commands, &self->commands);
  if (code != VK_SUCCESS)
    return code;
  code = vk->CreateDescriptorPool (context->device, &descriptors, NULL, &self->descriptors);
  if (code != VK_SUCCESS) {
    self->descriptors = VK_NULL_HANDLE;
    return code;
  }
  code = vk->CreateFence (context->device, &fence, NULL, &self->fence);
  if (code != VK_SUCCESS)
    self->fence = VK_NULL_HANDLE;
  return code;
}

static PtVkSampling *
prepare (PtVkContext *context, GError **error)
{
  PtVkSampling *self;

  if (context->sampling != NULL)
    return context->sampling;
  self = g_new0 (PtVkSampling, 1);
  self->context = context;
  context->sampling = self;
  context->free_sampling = sampling_free;
  if (pt_vk_check (context, make_pools (self), WHAT, error))
    return self;
  sampling_free (context);
  return NULL;
}

static gboolean
reserve (PtVkSampling *self, PtVkBuffer *buffer, gsize bytes, PtVkMemoryKind kind, GError **error)
{
  if (buffer->size >= bytes)
    return TRUE;
  pt_vk_buffer_clear (self->context, buffer);
  return pt_vk_buffer_init (self->context, buffer, bytes, kind, WHAT, error);
}

/* ---- Commands ---- */

static gboolean
wait (PtVkSampling *self, GError **error)
{
  if (!self->is_running)
    return TRUE;
  self->is_running = FALSE;
  if (pt_vk_wait (self->context, &self->fence, WHAT, error))
    return TRUE;
  /* The fence may be signalled or not: the next one begins anew. */
  sampling_free (self->context);
  return FALSE;
}

/* What earlier commands wrote is there, and what they read may be written. */
static void
barrier (PtVkSampling *self, VkPipelineStageFlags to, VkAccessFlags access)
{
  const VkMemoryBarrier memory = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = access,
  };

  self->context->vk.CmdPipelineBarrier (
      self->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, to, 0,
      1, &memory, 0, NULL, 0, NULL);
}

static void
barrier_for_shader (PtVkSampling *self)
{
  barrier (self, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
           VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static gboolean
begin (PtVkSampling *self, GError **error)
{
  const VkCommandBufferBeginInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  const PtVkFunctions *vk = &self->context->vk;
  VkResult code;

  /* After an error the last commands may not have ended. */
  code = vk->ResetCommandPool (self->context->device, self->pool, 0);
  if (code == VK_SUCCESS)
    code = vk->ResetDescriptorPool (self->context->device, self->descriptors, 0);
  if (code == VK_SUCCESS)
    code = vk->BeginCommandBuffer (self->commands, &info);
  if (!pt_vk_check (self->context, code, WHAT, error))
    return FALSE;
  barrier (self, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
           VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
               VK_ACCESS_TRANSFER_WRITE_BIT);
  return TRUE;
}

static gboolean
submit (PtVkSampling *self, GError **error)
{
  PtVkContext *context = self->context;
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &self->commands,
  };
  VkResult code;

  barrier (self, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  code = context->vk.EndCommandBuffer (self->commands);
  if (code == VK_SUCCESS)
    code = context->vk.QueueSubmit (context->queue, 1, &info, self->fence);
  self->is_running = code == VK_SUCCESS;
  return pt_vk_check (context, code, WHAT, error);
}

static gboolean
bind (PtVkSampling *self, const VkDescriptorBufferInfo *buffers, guint n, GError **error)
{
  PtVkContext *context = self->context;
  VkWriteDescriptorSet writes[N_BINDINGS];
  VkDescriptorSet set;
  const VkDescriptorSetAllocateInfo info = {
    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
    .descriptorPool = self->descriptors,
    .descriptorSetCount = 1,
    .pSetLayouts = &context->set_layouts[n],
  };

  if (!pt_vk_check (context, context->vk.AllocateDescriptorSets (context->device, &info, &set),
                    WHAT, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    writes[i] = (VkWriteDescriptorSet){
      .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
      .dstSet = set,
      .dstBinding = i,
      .descriptorCount = 1,
      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
      .pBufferInfo = &buffers[i],
    };
  context->vk.UpdateDescriptorSets (context->device, n, writes, 0, NULL);
  context->vk.CmdBindDescriptorSets (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                     context->layouts[n], 0, 1, &set, 0, NULL);
  return TRUE;
}

/* With the descriptors that are bound. */
static void
dispatch (PtVkSampling *self, VkPipeline pipeline, guint n_bindings, gconstpointer push, gsize size,
          guint groups)
{
  PtVkContext *context = self->context;

  context->vk.CmdBindPipeline (self->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  context->vk.CmdPushConstants (self->commands, context->layouts[n_bindings],
                                VK_SHADER_STAGE_COMPUTE_BIT, 0, (guint32) size, push);
  context->vk.CmdDispatch (self->commands, groups, 1, 1);
}

/* ---- Penalties ---- */

/* Copies the logits, applies the penalties to the copy, and has @range name it. */
static gboolean
penalise (PtVkSampling *self, const PtDeviceSampling *how, PtVkRange *range, GError **error)
{
  const VkBufferCopy copy = { .srcOffset = range->offset, .size = range->size };
  const PushSaid push = { how->n_said, (guint32) self->n_logits, (float) how->repetition_penalty,
                          (float) how->presence_penalty, (float) how->frequency_penalty };
  const gsize bytes = how->n_said * 2 * sizeof (guint32);
  VkPipeline pipeline = pt_vk_pipeline (self->context, PT_VK_SHADER_sample_said, NULL, 0, error);
  const VkDescriptorBufferInfo buffers[] = { { self->values.buffer, 0, range->size },
                                             { self->said.buffer, 0, bytes } };

  if (pipeline == VK_NULL_HANDLE)
    return FALSE;
  memcpy (self->said.host, how->said, bytes);
  self->context->vk.CmdCopyBuffer (self->commands, range->buffer, self->values.buffer, 1, &copy);
  barrier_for_shader (self);
  if (!bind (self, buffers, G_N_ELEMENTS (buffers), error))
    return FALSE;
  dispatch (self, pipeline, G_N_ELEMENTS (buffers), &push, sizeof push,
            (how->n_said + SAID_GROUP - 1) / SAID_GROUP);
  barrier_for_shader (self);
  *range = (PtVkRange){ self->values.buffer, 0, range->size };
  return TRUE;
}

/* ---- Choosing ---- */

/* A number in [0, 1] in units of 2^-32, but for the last one. */
static guint32
fraction_of (double number)
{
  return (guint32) CLAMP (number * 4294967296.0, 0, (double) (ALL - 1));
}

static Push
push_of (const PtDeviceSampling *how, gsize n)
{
  const double inverse = 1 / CLAMP (how->temperature, 1e-28, 1e28);
  Push push = {
    .n = (guint32) n,
    .coin = fraction_of (how->coin),
    .top_k = how->top_k < n ? how->top_k : 0,
    .top_p = how->top_p < 1 ? fraction_of (how->top_p) : ALL,
    .min_p = (float) MIN (how->min_p, 1),
  };

  if (how->temperature > 0) {
    push.inverse = (float) inverse;
    push.inverse_rest = (float) (inverse - (double) push.inverse);
  }
  return push;
}

/* Which kinds of steps there are, in their order. */
static guint
list_steps (const Push *push, guint32 kinds[MAX_BIN_STEPS])
{
  guint n = 0;

  if (push->inverse <= 0 || (push->top_k == 0 && push->top_p == ALL && push->min_p <= 0))
    return 0;
  for (guint32 kind = push->top_k > 0 ? COUNT : KEEP; kind < DRAW + 3; kind++)
    if (kind != DRAW) /* its masses are those of KEEP */
      kinds[n++] = kind;
  return n;
}

static gboolean
find_pipelines (PtVkContext *context, VkPipeline pipelines[4], GError **error)
{
  static const PtVkShader SHADERS[] = { PT_VK_SHADER_sample_max, PT_VK_SHADER_sample_bins,
                                        PT_VK_SHADER_sample_sums, PT_VK_SHADER_sample_pick };

  for (guint i = 0; i < G_N_ELEMENTS (SHADERS); i++) {
    pipelines[i] = pt_vk_pipeline (context, SHADERS[i], NULL, 0, error);
    if (pipelines[i] == VK_NULL_HANDLE)
      return FALSE;
  }
  return TRUE;
}

static void
next_step (Push *push, guint32 kind)
{
  push->step++;
  push->previous = push->kind;
  push->kind = kind;
}

/* The dispatches that choose one of the logits in @range. */
static gboolean
choose (PtVkSampling *self, Push *push, const PtVkRange *range, GError **error)
{
  const guint64 begin = range->offset / ALIGNMENT * ALIGNMENT;
  const VkDescriptorBufferInfo buffers[N_BINDINGS] = {
    { range->buffer, begin, range->offset - begin + range->size },
    { self->scratch.buffer, 0, SCRATCH_BYTES },
    { self->mailbox.buffer, 0, sizeof (gint32) },
  };
  VkPipeline pipelines[4];
  guint32 kinds[MAX_BIN_STEPS];
  guint n = list_steps (push, kinds);

  if (!find_pipelines (self->context, pipelines, error) || !bind (self, buffers, N_BINDINGS, error))
    return FALSE;
  push->first = (guint32) ((range->offset - begin) / sizeof (float));
  push->step = n; /* bins to empty */
  dispatch (self, pipelines[0], N_BINDINGS, push, sizeof *push, GROUPS);
  push->step = ALL;
  for (guint i = 0; i < n; i++) {
    next_step (push, kinds[i]);
    barrier_for_shader (self);
    dispatch (self, pipelines[1], N_BINDINGS, push, sizeof *push, GROUPS);
  }
  if (push->inverse > 0) {
    next_step (push, NOTHING);
    barrier_for_shader (self);
    dispatch (self, pipelines[2], N_BINDINGS, push, sizeof *push, GROUPS);
  }
  push->step++;
  barrier_for_shader (self);
  dispatch (self, pipelines[3], N_BINDINGS, push, sizeof *push, 1);
  return TRUE;
}

static gboolean
reserve_all (PtVkSampling *self, const PtDeviceSampling *how, const PtVkRange *range,
             GError **error)
{
  return reserve (self, &self->scratch, SCRATCH_BYTES, PT_VK_MEMORY_DEVICE, error) &&
         reserve (self, &self->mailbox, sizeof (gint32), PT_VK_MEMORY_EXCHANGE, error) &&
         (how->n_said == 0 ||
          (reserve (self, &self->said, how->n_said * 4 * sizeof (guint32), PT_VK_MEMORY_UPLOAD,
                    error) &&
           reserve (self, &self->values, range->size, PT_VK_MEMORY_DEVICE, error)));
}

gboolean
pt_vk_sample (PtVkContext *context, const PtDeviceSampling *how, const PtVkRange *range,
              GError **error)
{
  const gsize n = range->size / sizeof (float);
  PtVkRange logits = *range;
  Push push = push_of (how, n);
  PtVkSampling *self;

  if (n == 0 || n > MAX_LOGITS || how->n_said > MAX_LOGITS ||
      range->size + ALIGNMENT > context->max_range || SCRATCH_BYTES > context->max_range ||
      how->n_said * 2 * sizeof (guint32) > context->max_range)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "Choosing one of %" G_GSIZE_FORMAT " tokens on the GPU %s.", n,
                    context->gpu->name);
  self = prepare (context, error);
  if (self == NULL || !wait (self, error) || !reserve_all (self, how, range, error))
    return FALSE;
  self->n_logits = n;
  self->is_choosing = FALSE;
  *(volatile gint32 *) (gpointer) self->mailbox.host = NOTHING_YET;
  if (!begin (self, error) || (how->n_said > 0 && !penalise (self, how, &logits, error)) ||
      !choose (self, &push, &logits, error) || !submit (self, error))
    return FALSE;
  self->is_choosing = TRUE;
  return TRUE;
}

gboolean
pt_vk_take_sample (PtVkContext *context, gint32 *id, GError **error)
{
  PtVkSampling *self = context->sampling;

  if (self == NULL || !self->is_choosing)
    return pt_fail (error, PT_ERROR_STATE, "No token is being chosen.");
  self->is_choosing = FALSE;
  if (!wait (self, error))
    return FALSE;
  *id = *(volatile gint32 *) (gpointer) self->mailbox.host;
  if (*id < -1 || *id >= (gint64) self->n_logits)
    return pt_fail (error, PT_ERROR_GPU, "The GPU %s chose no token.", context->gpu->name);
  return TRUE;
}

/* ---- What the host reads ---- */

gboolean
pt_vk_fetch (PtVkContext *context, const PtVkRange *range, gpointer to, GError **error)
{
  PtVkSampling *self = prepare (context, error);
  const VkBufferCopy copy = { .srcOffset = range->offset, .size = range->size };

  if (range->size == 0)
    return TRUE;
  if (self == NULL || !wait (self, error) ||
      !reserve (self, &self->copy, range->size, PT_VK_MEMORY_EXCHANGE, error) ||
      !begin (self, error))
    return FALSE;
  context->vk.CmdCopyBuffer (self->commands, range->buffer, self->copy.buffer, 1, &copy);
  if (!submit (self, error) || !wait (self, error))
    return FALSE;
  memcpy (to, self->copy.host, range->size);
  return TRUE;
}

gboolean
pt_vk_finish (PtVkContext *context, GError **error)
{
  PtVkSampling *self = prepare (context, error);

  return self != NULL && wait (self, error) && begin (self, error) && submit (self, error) &&
         wait (self, error);
}
