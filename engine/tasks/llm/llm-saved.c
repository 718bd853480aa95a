/* SPDX-License-Identifier: BSD-3-Clause */

/* Keeps the KV caches of other conversations as copies, where a method has one cache in planned
 * memory: CPU operators know its address. Copying some megabytes takes milliseconds, and reading a
 * prompt again takes seconds. */

#include <string.h>

#include "engine/runtime/memory.h"
#include "engine/tasks/llm/llm-private.h"

/* All copies together take at most this part of the machine's memory, and never more than that. */
#define MEMORY_PART 8
#define MEMORY_MOST (G_GUINT64_CONSTANT (2) << 30)

/* A cache of keys or values: @outer blocks of @stride bytes; each begins with the cells of the
 * first positions, of @cell bytes each. */
typedef struct {
  guint8 *data;
  gsize outer, stride, cell;
} Cache;

/* ---- which tensors are caches ---- */

/* The operators that write caches by position, and which arguments these are. */
static const struct {
  const char *name;
  guint first, last;
} WRITERS[] = {
  { "llama::update_cache", 1, 1 }, { "llama::sdpa_with_kv_cache", 3, 4 }, { "aten::copy_", 0, 0 },
  { "aten::index_put_", 0, 0 },    { "aten::index_copy_", 0, 0 },
};

/* Whether @name is @wanted, maybe with an overload ("op.out"). */
static gboolean
is_named (const char *name, const char *wanted)
{
  gsize n = strlen (wanted);

  return strncmp (name, wanted, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

/* An operator that writes into one of its arguments, in a way that is not known here. */
static gboolean
is_other_writer (const char *name)
{
  gsize n = strcspn (name, ".");

  return (n > 0 && name[n - 1] == '_') || g_str_has_prefix (name, "llama::update_cache");
}

/* The dimension of the positions; -1: it is not clear. */
static int
position_dim (const PtTensor *tensor, guint context)
{
  int found = -1;

  for (guint i = 0; i + 1 < tensor->rank; i++)
    if (tensor->sizes[i] >= (gint64) context) {
      if (found >= 0)
        return -1;
      found = (int) i;
    }
  return found;
}

static gboolean
add_cache (PtLlm *self, const PtValue *value)
{
  const PtTensor *tensor = value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
  Cache cache;
  int dim;

  if (tensor == NULL || tensor->data == NULL || tensor->is_constant ||
      tensor->device_type != PT_DEVICE_CPU || tensor->numel == 0)
    return FALSE;
  dim = position_dim (tensor, self->context);
  cache = (Cache){ tensor->data, 1, tensor->numel * pt_dtype_size (tensor->dtype), 0 };
  if (dim >= 0) {
    for (int i = 0; i < dim; i++)
      cache.outer *= (gsize) tensor->sizes[i];
    cache.stride /= cache.outer;
    cache.cell = cache.stride / (gsize) tensor->sizes[dim];
  }
  for (guint i = 0; i < self->caches->len; i++)
    if (g_array_index (self->caches, Cache, i).data == cache.data)
      return TRUE;
  g_array_append_val (self->caches, cache);
  return TRUE;
}

static gboolean
add_written (PtLlm *self, const PtMethod *method, const PtInstruction *instruction)
{
  const PtPlan *plan = pt_method_plan (method);
  const char *name;

  if (instruction->kind != PT_INSTRUCTION_KERNEL)
    return TRUE;
  name = plan->operators[instruction->op];
  for (gsize i = 0; i < G_N_ELEMENTS (WRITERS); i++) {
    if (!is_named (name, WRITERS[i].name))
      continue;
    if (WRITERS[i].last >= instruction->n_args)
      return FALSE;
    for (guint k = WRITERS[i].first; k <= WRITERS[i].last; k++)
      if (!add_cache (self, pt_method_value (method, (guint) instruction->args[k])))
        return FALSE;
    return TRUE;
  }
  return !is_other_writer (name);
}

static gboolean
add_caches (PtLlm *self, const PtMethod *method)
{
  const PtPlan *plan = pt_method_plan (method);

  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++)
      if (!add_written (self, method, &plan->chains[c].instructions[i]))
        return FALSE;
  return TRUE;
}

gboolean
pt_llm_can_save (PtLlm *self)
{
  if (!self->can_rewind || pt_method_has_own_state (self->prompt.method) ||
      pt_method_has_own_state (self->step.method))
    return FALSE;
  g_clear_pointer (&self->caches, g_array_unref);
  self->caches = g_array_new (FALSE, FALSE, sizeof (Cache));
  if (!add_caches (self, self->prompt.method) ||
      (self->step.method != self->prompt.method && !add_caches (self, self->step.method)) ||
      self->caches->len == 0) {
    g_clear_pointer (&self->caches, g_array_unref);
    return FALSE;
  }
  self->most_saved = MIN (pt_physical_memory () / MEMORY_PART, MEMORY_MOST);
  return TRUE;
}

/* ---- copies ---- */

/* Bytes of a block of @cache that belong to the first @n positions. */
static gsize
part_of (const Cache *cache, guint n)
{
  return cache->cell == 0 ? cache->stride : MIN (cache->cell * n, cache->stride);
}

static guint64
size_of (const PtLlm *self, guint n)
{
  guint64 size = 0;

  for (guint i = 0; i < self->caches->len; i++) {
    const Cache *cache = &g_array_index (self->caches, Cache, i);

    size += (guint64) cache->outer * part_of (cache, n);
  }
  return size;
}

/* Copies the first @n positions between the caches and a copy that has @n_saved positions. */
static void
copy (const PtLlm *self, guint8 *saved, guint n_saved, guint n, gboolean restore)
{
  for (guint i = 0; i < self->caches->len; i++) {
    const Cache *cache = &g_array_index (self->caches, Cache, i);

    for (gsize k = 0; k < cache->outer; k++) {
      guint8 *block = cache->data + k * cache->stride;

      if (restore)
        memcpy (block, saved, part_of (cache, n));
      else
        memcpy (saved, block, part_of (cache, n));
      saved += part_of (cache, n_saved);
    }
  }
}

static void
forget_saved (PtLlm *self, PtLlmConversation *conversation)
{
  self->saved_bytes -= conversation->saved_size;
  conversation->saved_size = 0;
  g_clear_pointer (&conversation->saved, g_free);
}

void
pt_llm_close_conversation (PtLlm *self, PtLlmConversation *conversation)
{
  forget_saved (self, conversation);
  g_clear_pointer (&conversation->cached, g_array_unref);
}

/* Closes the conversations that were used the longest time ago, until @size more bytes may be
 * saved. */
static gboolean
make_room (PtLlm *self, guint64 size)
{
  if (size > self->most_saved)
    return FALSE;
  while (self->saved_bytes > self->most_saved - size) {
    PtLlmConversation *oldest = NULL;

    for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++) {
      PtLlmConversation *other = &self->conversations[i];

      if (other->saved != NULL && (oldest == NULL || other->used < oldest->used))
        oldest = other;
    }
    if (oldest == NULL)
      return FALSE;
    pt_llm_close_conversation (self, oldest);
  }
  return TRUE;
}

/* Saves the current conversation. If it is empty or there is no memory, it is closed. */
static void
save_or_close (PtLlm *self)
{
  PtLlmConversation *now = self->now;
  guint n = now->cached->len;
  guint64 size = size_of (self, n);

  if (n > 0 && size <= G_MAXSIZE && make_room (self, size))
    now->saved = g_try_malloc ((gsize) size);
  if (now->saved == NULL) {
    pt_llm_close_conversation (self, now);
    return;
  }
  now->saved_size = size;
  self->saved_bytes += size;
  copy (self, now->saved, n, n, FALSE);
}

void
pt_llm_restore (PtLlm *self, PtLlmConversation *other)
{
  g_autofree guint8 *saved = g_steal_pointer (&other->saved);

  forget_saved (self, other);
  save_or_close (self);
  copy (self, saved, other->cached->len, other->cached->len, TRUE);
  self->now = other;
}

void
pt_llm_fork (PtLlm *self, PtLlmConversation *from, guint n, PtLlmConversation *empty)
{
  gboolean is_now = from == self->now;

  empty->cached = g_array_new (FALSE, FALSE, sizeof (gint32));
  empty->broken = FALSE;
  g_array_append_vals (empty->cached, from->cached->data, n);
  /* Others go first, if room is needed. */
  from->used = ++self->clock;
  save_or_close (self);
  if (!is_now && from->saved == NULL)
    g_array_set_size (empty->cached, 0);
  else if (!is_now)
    copy (self, from->saved, from->cached->len, n, TRUE);
  self->now = empty;
}
