/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/memory-needs.h"

#include <string.h>

#include "engine/kernels/worker-pool.h"
#include "engine/runtime/backend.h"
#include "engine/tasks/models/model-set.h"

/* GPU memory of a CUDA context, 552 MB on an H200 with driver 580, and of its kernels. How much a
 * model's library allocates while it runs is not known before. */
#define GPU_OVERHEAD (600u << 20)

/* Planned bytes that a method touches: [begin, end) of one buffer. */
typedef struct {
  guint32 buffer;
  gboolean state;
  guint64 begin, end;
} Range;

typedef struct {
  const PtProgram *program;
  const PtDataMap *data;
  PtModelTask task;
  PtDelegateNeeds delegates;
  PtNeeds *needs;
  gboolean on_gpu;
  PtPool *pool;
} Measure;

static void
add (guint64 *sum, guint64 bytes)
{
  *sum += MIN (bytes, G_MAXUINT64 - *sum);
}

/* ---- planned memory ---- */

static void
mark (const PtPlan *plan, const PtInstruction *call, guint arg, GHashTable *state)
{
  const PtValueSpec *value;

  if (arg >= call->n_args)
    return;
  value = &plan->values[call->args[arg]];
  if (value->kind == PT_VALUE_TENSOR)
    g_hash_table_add (state, (gpointer) value->as_tensor);
}

/* Marks the tensors that are state: operators write into them and the next call reads them. */
static void
find_caches (const PtPlan *plan, GHashTable *state)
{
  for (guint c = 0; c < plan->n_chains; c++) {
    for (guint i = 0; i < plan->chains[c].n_instructions; i++) {
      const PtInstruction *call = &plan->chains[c].instructions[i];
      const char *name;

      if (call->kind != PT_INSTRUCTION_KERNEL)
        continue;
      name = plan->operators[call->op];
      if (g_str_has_prefix (name, "llama::update_cache"))
        mark (plan, call, 1, state);
      else if (g_str_has_prefix (name, "llama::sdpa_with_kv_cache")) {
        mark (plan, call, 3, state);
        mark (plan, call, 4, state);
      } else if (g_str_equal (name, "aten::copy_"))
        mark (plan, call, 0, state);
    }
  }
}

/* Whether @spec is the logits [1, n, width] of a task that has only their last row computed. */
static gboolean
is_logits (const Measure *self, const PtPlan *plan, const PtTensorSpec *spec)
{
  const PtValueSpec *first;

  if ((self->task != PT_TASK_CHAT && self->task != PT_TASK_TRANSCRIBE) || plan->n_outputs == 0 ||
      spec->rank < 2 || spec->dynamism != PT_DYNAMISM_BOUND ||
      g_str_has_prefix (plan->name, "encode"))
    return FALSE;
  first = &plan->values[plan->outputs[0]];
  return first->kind == PT_VALUE_TENSOR && first->as_tensor == spec;
}

static guint64
touched_bytes (const Measure *self, const PtPlan *plan, const PtTensorSpec *spec)
{
  if (is_logits (self, plan, spec) && spec->sizes[spec->rank - 2] > 0)
    return spec->nbytes / (guint64) spec->sizes[spec->rank - 2];
  return spec->nbytes;
}

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const Range *x = a, *y = b;

  if (x->buffer != y->buffer)
    return x->buffer < y->buffer ? -1 : 1;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Adds up the bytes of the ranges, which overlap where the planner reuses memory. @state: only of
 * those that are state. */
static void
add_ranges (Measure *self, const PtPlan *plan, const GArray *ranges, gboolean state)
{
  guint64 end = 0;
  guint32 buffer = 0;

  for (guint i = 0; i < ranges->len; i++) {
    const Range *range = &g_array_index (ranges, Range, i);
    guint64 begin = range->begin;
    gboolean on_gpu = plan->buffers[range->buffer].device_type != PT_DEVICE_CPU;

    if (range->buffer != buffer)
      end = 0;
    buffer = range->buffer;
    if (state && !range->state)
      continue;
    begin = MAX (begin, end);
    if (range->end <= begin)
      continue;
    end = range->end;
    if (state)
      add (&self->needs->state, end - begin);
    else
      add (on_gpu ? &self->needs->gpu : &self->needs->working, end - begin);
  }
}

static void
add_planned (Measure *self, const PtPlan *plan)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  g_autoptr (GHashTable) state = g_hash_table_new (NULL, NULL);

  find_caches (plan, state);
  for (guint i = 0; i < plan->n_values; i++) {
    const PtTensorSpec *spec = plan->values[i].as_tensor;
    Range range;

    if (plan->values[i].kind != PT_VALUE_TENSOR || spec->nbytes == 0 ||
        (spec->storage != PT_STORAGE_PLANNED && spec->storage != PT_STORAGE_EXTERNAL_PLANNED))
      continue;
    range = (Range){ spec->memory_id,
                     spec->data != NULL || spec->storage == PT_STORAGE_EXTERNAL_PLANNED ||
                         g_hash_table_contains (state, spec),
                     spec->memory_offset, spec->memory_offset + touched_bytes (self, plan, spec) };
    g_array_append_val (ranges, range);
  }
  g_array_sort (ranges, compare_ranges);
  add_ranges (self, plan, ranges, FALSE);
  add_ranges (self, plan, ranges, TRUE);
}

/* ---- weights ---- */

static void
add_constants (Measure *self, const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_values; i++) {
    const PtTensorSpec *spec = plan->values[i].as_tensor;
    const PtDataEntry *entry;
    gconstpointer bytes;

    if (plan->values[i].kind != PT_VALUE_TENSOR || spec->nbytes == 0)
      continue;
    bytes = spec->storage == PT_STORAGE_CONSTANT ? spec->data : NULL;
    if (spec->storage == PT_STORAGE_EXTERNAL_CONSTANT) {
      entry = pt_data_map_find (self->data, spec->name, spec->name_length);
      bytes = entry != NULL ? entry->data : NULL;
    }
    if (bytes != NULL)
      pt_delegate_needs_add (&self->delegates, bytes, spec->nbytes,
                             (guint) pt_dtype_size (spec->dtype) * 8);
  }
}

static void
add_delegates (Measure *self, const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_delegates; i++) {
    const PtBackend *backend = pt_backend_find (plan->delegates[i].id);
    PtDelegateContext context = {
      .program = self->program,
      .data = self->data,
      .spec = &plan->delegates[i],
      .method = plan->name,
      .pool = self->pool,
    };

    if (backend == NULL)
      continue;
    self->on_gpu |= pt_backend_is_gpu (backend);
    if (backend->measure != NULL)
      backend->measure (&context, &self->delegates);
  }
}

static guint64
file_bytes (const Measure *self)
{
  guint64 bytes = pt_program_size (self->program);

  for (guint i = 0; self->data != NULL && i < pt_data_map_n_files (self->data); i++)
    add (&bytes, pt_data_file_size (pt_data_map_file (self->data, i)));
  return bytes;
}

static guint
most_bits (const guint64 *weights)
{
  guint best = 0;

  for (guint i = 1; i < 4; i++)
    if (weights[i] > weights[best])
      best = i;
  return weights[best] > 0 ? 4u << best : 0;
}

void
pt_needs_measure (const PtProgram *program, const PtDataMap *data, PtNeeds *needs,
                  guint *weight_bits)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  /* Only the engine thread may use the pool of the process; this may be another thread. */
  g_autoptr (PtPool) pool = pt_pool_new (1);
  Measure self = {
    program, data, pt_family_info (pt_family_of (program, NULL))->task, { .seen = seen }, needs,
    FALSE,   pool
  };

  *needs = (PtNeeds){ 0 };
  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    add_planned (&self, plan);
    add_constants (&self, plan);
    add_delegates (&self, plan);
  }
  add (&needs->working, self.delegates.workspace);
  add (&needs->gpu, self.delegates.device);
  if (self.on_gpu)
    add (&needs->gpu, GPU_OVERHEAD);
  /* Weights that go to the GPU are read from their file once, and then need no memory here. */
  needs->weights = file_bytes (&self);
  needs->weights -= MIN (needs->weights, self.delegates.device);
  *weight_bits = most_bits (self.delegates.weights);
}
