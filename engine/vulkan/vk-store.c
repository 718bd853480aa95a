/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-store.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/worker-pool.h"

#define STAGING ((gsize) 16 << 20)
#define MAX_BLOCK ((guint64) 256 << 20)
#define MIN_BLOCK ((guint64) 1 << 20)
/* At least what any GPU asks for (minStorageBufferOffsetAlignment is at most 256). */
#define ALIGNMENT 256
#define N_SLOTS 2
/* What a thread fills at a time: whole elements. */
#define PIECE ((gsize) 256 << 10)

/* A staging buffer, and the commands that copy from it. */
typedef struct {
  PtVkBuffer buffer;
  VkCommandBuffer commands;
  VkFence fence;
  gboolean is_busy;
} Slot;

struct _PtVkStore {
  PtVkContext *context;
  guint64 expected, stored;
  GArray *blocks; /* PtVkBuffer; the last one has room after @used */
  guint64 used;
  GArray *ranges;    /* PtVkRange */
  GHashTable *index; /* PtVkStoreKey -> number + 1 */
  VkCommandPool pool;
  Slot slots[N_SLOTS];
  guint next;
  gboolean has_slots;
};

static guint
hash_key (gconstpointer data)
{
  const PtVkStoreKey *key = data;

  return (g_direct_hash (key->content) * 31 + key->form) * 31 + g_int64_hash (&key->first);
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  const PtVkStoreKey *x = a, *y = b;

  return x->content == y->content && x->form == y->form && x->first == y->first &&
         x->bytes == y->bytes;
}

PtVkStore *
pt_vk_store_new (PtVkContext *context, guint64 expected, GError **error)
{
  PtVkStore *store = g_new0 (PtVkStore, 1);
  const VkCommandPoolCreateInfo info = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    .queueFamilyIndex = context->gpu->queue_family,
  };

  store->context = context;
  store->expected = expected;
  store->blocks = g_array_new (FALSE, TRUE, sizeof (PtVkBuffer));
  store->ranges = g_array_new (FALSE, TRUE, sizeof (PtVkRange));
  store->index = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
  if (pt_vk_check (context,
                   context->vk.CreateCommandPool (context->device, &info, NULL, &store->pool),
                   "Preparing the GPU", error))
    return store;
  store->pool = VK_NULL_HANDLE;
  pt_vk_store_free (store);
  return NULL;
}

static void
free_slots (PtVkStore *store)
{
  const PtVkContext *context = store->context;

  for (guint i = 0; i < N_SLOTS; i++) {
    Slot *slot = &store->slots[i];

    if (slot->fence != VK_NULL_HANDLE && !context->is_stuck)
      context->vk.DestroyFence (context->device, slot->fence, NULL);
    if (slot->commands != NULL && !context->is_stuck)
      context->vk.FreeCommandBuffers (context->device, store->pool, 1, &slot->commands);
    pt_vk_buffer_clear (store->context, &slot->buffer);
    *slot = (Slot){ 0 };
  }
  store->has_slots = FALSE;
}

void
pt_vk_store_free (PtVkStore *store)
{
  if (store == NULL)
    return;
  pt_vk_wait_idle (store->context);
  free_slots (store);
  for (guint i = 0; i < store->blocks->len; i++)
    pt_vk_buffer_clear (store->context, &g_array_index (store->blocks, PtVkBuffer, i));
  if (store->pool != VK_NULL_HANDLE && !store->context->is_stuck)
    store->context->vk.DestroyCommandPool (store->context->device, store->pool, NULL);
  g_array_unref (store->blocks);
  g_array_unref (store->ranges);
  g_hash_table_unref (store->index);
  pt_vk_context_unref (store->context);
  g_free (store);
}

PtVkContext *
pt_vk_store_context (const PtVkStore *store)
{
  return store->context;
}

guint64
pt_vk_store_bytes (const PtVkStore *store)
{
  return store->stored;
}

const PtVkRange *
pt_vk_store_range (const PtVkStore *store, guint32 index)
{
  return &g_array_index (store->ranges, PtVkRange, index);
}

/* ---- Uploading ---- */

static gboolean
make_slots (PtVkStore *store, GError **error)
{
  PtVkContext *context = store->context;
  const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  const VkCommandBufferAllocateInfo commands = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
    .commandPool = store->pool,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
    .commandBufferCount = 1,
  };
  static const char what[] = "Making a staging buffer";

  if (store->has_slots)
    return TRUE;
  store->has_slots = TRUE;
  for (guint i = 0; i < N_SLOTS; i++) {
    Slot *slot = &store->slots[i];

    VkResult code;

    if (!pt_vk_buffer_init (context, &slot->buffer, STAGING, PT_VK_MEMORY_UPLOAD, what, error)) {
      free_slots (store);
      return FALSE;
    }
    code = context->vk.AllocateCommandBuffers (context->device, &commands, &slot->commands);
    if (code != VK_SUCCESS)
      slot->commands = NULL;
    else
      code = context->vk.CreateFence (context->device, &fence, NULL, &slot->fence);
    if (code != VK_SUCCESS) {
      slot->fence = VK_NULL_HANDLE;
      free_slots (store);
      return pt_vk_check (context, code, what, error);
    }
  }
  return TRUE;
}

static gboolean
wait_for (PtVkStore *store, Slot *slot, GError **error)
{
  PtVkContext *context = store->context;

  if (!slot->is_busy)
    return TRUE;
  if (!pt_vk_wait (context, &slot->fence, "Copying weights to the GPU", error)) {
    /* The next copy begins with new slots. */
    pt_vk_wait_idle (context);
    free_slots (store);
    return FALSE;
  }
  slot->is_busy = FALSE;
  return TRUE;
}

/* Copies @bytes of the slot, or fills with zeros, and makes them visible to everything later. */
static gboolean
submit (PtVkStore *store, Slot *slot, VkBuffer buffer, guint64 offset, gsize bytes,
        gboolean has_content, GError **error)
{
  PtVkContext *context = store->context;
  const PtVkFunctions *vk = &context->vk;
  const VkCommandBufferBeginInfo begin = {
    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  const VkBufferCopy copy = { .dstOffset = offset, .size = bytes };
  const VkMemoryBarrier barrier = {
    .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
  };
  const VkSubmitInfo info = {
    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
    .commandBufferCount = 1,
    .pCommandBuffers = &slot->commands,
  };
  static const char what[] = "Copying weights to the GPU";

  if (!pt_vk_check (context, vk->BeginCommandBuffer (slot->commands, &begin), what, error))
    return FALSE;
  if (has_content)
    vk->CmdCopyBuffer (slot->commands, slot->buffer.buffer, buffer, 1, &copy);
  else
    vk->CmdFillBuffer (slot->commands, buffer, offset, bytes, 0);
  vk->CmdPipelineBarrier (slot->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                          1, &barrier, 0, NULL, 0, NULL);
  if (!pt_vk_check (context, vk->EndCommandBuffer (slot->commands), what, error) ||
      !pt_vk_check (context, vk->QueueSubmit (context->queue, 1, &info, slot->fence), what, error))
    return FALSE;
  slot->is_busy = TRUE;
  return TRUE;
}

/* ---- Filling: one thread reads less from a mapped file than the bus takes ---- */

typedef struct {
  PtVkFill fill;
  gpointer data;
  guint8 *to;
  gsize begin, end;
  gint n_done; /* pieces */
} Filling;

static void
fill_pieces (gpointer data, gsize begin, gsize end, guint worker)
{
  Filling *filling = data;

  for (gsize i = begin; i < end; i++) {
    gsize from = filling->begin + i * PIECE;

    filling->fill (filling->data, filling->to + i * PIECE, from, MIN (filling->end, from + PIECE));
    g_atomic_int_inc (&filling->n_done);
  }
}

static void
fill_slot (Slot *slot, PtVkFill fill, gpointer data, gsize begin, gsize end)
{
  gsize n = (end - begin + PIECE - 1) / PIECE;
  Filling filling = { fill, data, slot->buffer.host, begin, end, 0 };

  pt_pool_run (pt_pool_default (), n, 1, fill_pieces, &filling);
  /* A pool that was stopped has left some out, but constants stay. */
  if ((gsize) g_atomic_int_get (&filling.n_done) < n)
    fill (data, slot->buffer.host, begin, end);
}

gboolean
pt_vk_store_write (PtVkStore *store, VkBuffer buffer, guint64 offset, gsize bytes, PtVkFill fill,
                   gpointer data, GError **error)
{
  if (!make_slots (store, error))
    return FALSE;
  for (gsize done = 0; done < bytes;) {
    Slot *slot = &store->slots[store->next];
    gsize n = fill != NULL ? MIN (STAGING, bytes - done) : bytes - done;

    store->next = (store->next + 1) % N_SLOTS;
    if (!wait_for (store, slot, error))
      return FALSE;
    if (fill != NULL)
      fill_slot (slot, fill, data, done, done + n);
    else
      n = (n + 3) / 4 * 4; /* the size of a fill is a multiple of 4; places are of 256 */
    if (!submit (store, slot, buffer, offset + done, n, fill != NULL, error))
      return FALSE;
    done += n;
  }
  return TRUE;
}

gboolean
pt_vk_store_finish (PtVkStore *store, GError **error)
{
  for (guint i = 0; i < N_SLOTS; i++)
    if (store->has_slots && !wait_for (store, &store->slots[i], error))
      return FALSE;
  free_slots (store);
  return TRUE;
}

/* ---- Constants ---- */

guint32
pt_vk_store_find (const PtVkStore *store, const PtVkStoreKey *key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (store->index, key)) - 1;
}

/* Finds room for @bytes at the end of the last block, or in a new one. */
static gboolean
take_range (PtVkStore *store, gsize bytes, PtVkRange *range, GError **error)
{
  guint64 needed = ((guint64) MAX (bytes, 4) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  PtVkBuffer *last = store->blocks->len > 0
                         ? &g_array_index (store->blocks, PtVkBuffer, store->blocks->len - 1)
                         : NULL;

  if (last == NULL || last->size - store->used < needed) {
    guint64 rest = store->expected > store->stored ? store->expected - store->stored : 0;
    guint64 size = MAX (needed, CLAMP (rest, MIN_BLOCK, MAX_BLOCK));
    PtVkBuffer block;

    if (!pt_vk_buffer_init (store->context, &block,
                            MIN (size, MAX (needed, store->context->max_allocation)),
                            PT_VK_MEMORY_DEVICE, "Loading the weights", error))
      return FALSE;
    g_array_append_val (store->blocks, block);
    last = &g_array_index (store->blocks, PtVkBuffer, store->blocks->len - 1);
    store->used = 0;
  }
  *range = (PtVkRange){ last->buffer, store->used, MAX (bytes, 4) };
  store->used += needed;
  store->stored += needed;
  return TRUE;
}

guint32
pt_vk_store_add (PtVkStore *store, const PtVkStoreKey *key, PtVkFill fill, gpointer data,
                 GError **error)
{
  PtVkRange range;

  if (!take_range (store, key->bytes, &range, error) ||
      !pt_vk_store_write (store, range.buffer, range.offset, key->bytes, fill, data, error))
    return G_MAXUINT32;
  range.size = (range.size + 3) / 4 * 4; /* shaders read whole words */
  g_array_append_val (store->ranges, range);
  g_hash_table_insert (store->index, g_memdup2 (key, sizeof *key),
                       GUINT_TO_POINTER (store->ranges->len));
  return store->ranges->len - 1;
}
