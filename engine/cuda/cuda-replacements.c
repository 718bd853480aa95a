/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-replacements.h"

#include <string.h>

#include "engine/cuda/cuda-operation.h"

/* A kernel of the library. */
typedef struct {
  gint64 n_outputs;  /* of a product; 0: not known yet */
  gboolean is_other; /* than it looks */
  guint n_compared[PT_CUDA_WAYS];
  gboolean differs[PT_CUDA_WAYS];
} Candidate;

struct _PtCudaReplacements {
  PtCudaReplaceMode mode;
  PtCudaSurroundings around;
  GHashTable *candidates; /* PtCuFunction -> Candidate */
  PtCuPointer scratch;
  gsize scratch_size;
  GArray *old_scratch; /* PtCuPointer: recorded graphs may use it */
  /* Launches of the latest call, by pattern. */
  guint n_seen[PT_N_PATTERNS], n_replaced[PT_N_PATTERNS], n_from_sources;
  double largest; /* difference of norms */
};

PtCudaReplacements *
pt_cuda_replacements_new (PtCudaContext *context)
{
  PtCudaReplacements *self = g_new0 (PtCudaReplacements, 1);

  self->around.context = context;
  self->around.derivations = pt_cuda_derivations_new ();
  self->candidates = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->old_scratch = g_array_new (FALSE, FALSE, sizeof (PtCuPointer));
  return self;
}

void
pt_cuda_replacements_free (PtCudaReplacements *self)
{
  PtCudaContext *context = self->around.context;

  for (guint i = 0; i < self->old_scratch->len; i++)
    pt_cuda_context_free (context, g_array_index (self->old_scratch, PtCuPointer, i));
  pt_cuda_context_free (context, self->scratch);
  pt_cuda_derivations_free (self->around.derivations);
  g_hash_table_unref (self->candidates);
  g_array_unref (self->old_scratch);
  g_free (self);
}

void
pt_cuda_replacements_begin (PtCudaReplacements *self, PtCudaReplaceMode mode, PtCudaFindMemory find,
                            gpointer user_data)
{
  if (g_strcmp0 (g_getenv ("PTERIS_CUDA_REPLACE"), "0") == 0 ||
      !pt_cuda_kernels_prepare (self->around.context, NULL))
    mode = PT_CUDA_REPLACE_NOTHING;
  self->mode = mode;
  self->around.find = find;
  self->around.user_data = user_data;
  pt_cuda_derivations_begin (self->around.derivations, find, user_data);
  if (mode == PT_CUDA_REPLACE_USE) {
    memset (self->n_seen, 0, sizeof self->n_seen);
    memset (self->n_replaced, 0, sizeof self->n_replaced);
    self->n_from_sources = 0;
  }
}

void
pt_cuda_replacements_end (PtCudaReplacements *self)
{
  self->mode = PT_CUDA_REPLACE_NOTHING;
  self->around.find = NULL;
}

gboolean
pt_cuda_replacements_are_active (const PtCudaReplacements *self)
{
  return self->mode != PT_CUDA_REPLACE_NOTHING;
}

/* ---- launching ---- */

/* Memory that a graph uses is kept. */
static gboolean
provide_scratch (PtCudaReplacements *self, gsize size)
{
  PtCudaContext *context = self->around.context;
  PtCuPointer scratch;

  if (size <= self->scratch_size)
    return TRUE;
  if (self->mode == PT_CUDA_REPLACE_USE)
    return FALSE;
  scratch = pt_cuda_context_allocate (context, size, NULL);
  if (scratch == 0)
    return FALSE;
  if (self->scratch != 0)
    g_array_append_val (self->old_scratch, self->scratch);
  self->scratch = scratch;
  self->scratch_size = size;
  return context->cu->cuMemsetD8Async (scratch, 0, size, context->stream) == PT_CU_SUCCESS;
}

static gboolean
launch_ours (PtCudaReplacements *self, const PtCudaOperation *operation)
{
  return provide_scratch (self, pt_cuda_operation_scratch (operation)) &&
         pt_cuda_operation_launch (operation, self->around.context, self->scratch);
}

/* One of the two. */
typedef struct {
  PtCudaReplacements *self;
  const PtCudaLaunch *theirs;
  const PtCudaOperation *ours;
} Run;

static gboolean
launch_one (gpointer data)
{
  const Run *run = data;
  const PtCudaContext *context = run->self->around.context;
  const PtCudaLaunch *launch = run->theirs;

  if (launch == NULL)
    return launch_ours (run->self, run->ours);
  return context->cu->cuLaunchKernel (launch->function, launch->grid[0], launch->grid[1],
                                      launch->grid[2], launch->block[0], launch->block[1],
                                      launch->block[2], launch->shared_bytes, context->stream,
                                      launch->arguments, NULL) == PT_CU_SUCCESS;
}

/* ---- comparing ---- */

static const char *
name_of (const PtCudaOperation *operation)
{
  switch (operation->kind) {
  case PT_PATTERN_PRODUCT: return "A product";
  case PT_PATTERN_NORM: return "RMSNorm";
  case PT_PATTERN_ROTARY: return "One way to turn heads";
  case PT_PATTERN_GATE: return "One way to use a gate";
  default: return operation->reads_sources ? "Attention with unexpanded keys" : "Attention";
  }
}

static Candidate *
candidate_of (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  Candidate *candidate = g_hash_table_lookup (self->candidates, launch->function);

  if (candidate == NULL) {
    candidate = g_new0 (Candidate, 1);
    g_hash_table_insert (self->candidates, launch->function, candidate);
  }
  return candidate;
}

static gboolean
read_operation (PtCudaReplacements *self, const PtCudaLaunch *launch, guint way, gint64 n_outputs,
                PtCudaOperation *operation)
{
  return pt_cuda_operation_read (operation, launch->pattern, launch->arguments, launch->grid, way,
                                 n_outputs, &self->around);
}

/* What a product writes must be the same number of elements in each launch. */
static gboolean
learn_sizes (PtCudaReplacements *self, const PtCudaLaunch *launch, Candidate *candidate,
             PtCudaOperation *operation, gsize written)
{
  if (operation->kind != PT_PATTERN_PRODUCT)
    return TRUE;
  if (candidate->n_outputs == 0)
    candidate->n_outputs = (gint64) written;
  if (written > 0 && candidate->n_outputs == (gint64) written &&
      read_operation (self, launch, 0, candidate->n_outputs, operation))
    return TRUE;
  candidate->is_other = TRUE;
  return FALSE;
}

/* Runs both; the memory is as before afterwards. */
static void
compare_way (PtCudaReplacements *self, const PtCudaLaunch *launch, Candidate *candidate, guint way,
             PtCudaOperation *operation)
{
  g_autoptr (GArray) memory = g_array_new (FALSE, FALSE, sizeof (PtCudaResult));
  PtCudaContext *context = self->around.context;
  Run run_theirs = { self, launch, NULL }, run_ours = { self, NULL, operation };
  g_autofree guint8 *before = NULL, *theirs = NULL, *ours = NULL;
  const PtCudaResult *results;

  if (!pt_cuda_operation_results (operation, &self->around, memory))
    return;
  results = (const PtCudaResult *) (gpointer) memory->data;
  before = pt_cuda_results_read (context, results, memory->len);
  if (before == NULL)
    return;
  theirs = pt_cuda_results_run (context, results, memory->len, before, launch_one, &run_theirs);
  if (theirs != NULL && learn_sizes (self, launch, candidate, operation,
                                     pt_cuda_count_written (theirs, results[0].size))) {
    ours = pt_cuda_results_run (context, results, memory->len, before, launch_one, &run_ours);
    candidate->n_compared[way]++;
    if (ours == NULL ||
        !pt_cuda_results_agree (results, memory->len, theirs, ours, &self->largest)) {
      candidate->differs[way] = TRUE;
      g_debug ("%s of a model differs from ours and is not used.", name_of (operation));
    }
  }
  if (!pt_cuda_results_restore (context, results, memory->len, before))
    candidate->is_other = TRUE;
}

static void
compare (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  Candidate *candidate = candidate_of (self, launch);

  for (guint way = 0; way < PT_CUDA_WAYS && !candidate->is_other; way++) {
    PtCudaOperation operation;

    if (!candidate->differs[way] &&
        read_operation (self, launch, way, candidate->n_outputs, &operation))
      compare_way (self, launch, candidate, way, &operation);
    /* A kernel that agrees with sources must agree with copies, too: it computes the same. */
    if (launch->pattern->kind == PT_PATTERN_ATTENTION)
      candidate->is_other |= candidate->differs[0];
  }
}

/* ---- calls ---- */

void
pt_cuda_replacements_note (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  pt_cuda_derivations_note (self->around.derivations, launch->effects, launch->arguments);
}

/* The last way that is proved: attention reads sources rather than copies. */
static gboolean
find_proved (PtCudaReplacements *self, const PtCudaLaunch *launch, PtCudaOperation *operation)
{
  const Candidate *candidate = candidate_of (self, launch);

  for (guint way = PT_CUDA_WAYS; way-- > 0 && !candidate->is_other;)
    if (candidate->n_compared[way] > 0 && !candidate->differs[way] &&
        read_operation (self, launch, way, candidate->n_outputs, operation))
      return TRUE;
  return FALSE;
}

gboolean
pt_cuda_replacements_take (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  PtCudaOperation operation;

  if (launch->pattern == NULL)
    return FALSE;
  if (self->mode == PT_CUDA_REPLACE_WATCH)
    compare (self, launch);
  if (self->mode != PT_CUDA_REPLACE_USE)
    return FALSE;
  self->n_seen[launch->pattern->kind]++;
  if (!find_proved (self, launch, &operation) || !launch_ours (self, &operation))
    return FALSE;
  self->n_replaced[operation.kind]++;
  self->n_from_sources += operation.kind == PT_PATTERN_ATTENTION && operation.reads_sources;
  pt_cuda_replacements_note (self, launch);
  return TRUE;
}

static void
describe_pattern (const PtCudaReplacements *self, PtPatternKind kind, const char *name,
                  GString *text)
{
  if (self->n_seen[kind] > 0)
    g_string_append_printf (text, "%s: %u of %u replaced; ", name, self->n_replaced[kind],
                            self->n_seen[kind]);
}

char *
pt_cuda_replacements_describe (const PtCudaReplacements *self)
{
  GString *text = g_string_new (NULL);

  if (self->n_seen[PT_PATTERN_ATTENTION] > 0)
    g_string_append_printf (text,
                            "attention: %u of %u replaced, %u of these with unexpanded keys and "
                            "values; ",
                            self->n_replaced[PT_PATTERN_ATTENTION],
                            self->n_seen[PT_PATTERN_ATTENTION], self->n_from_sources);
  describe_pattern (self, PT_PATTERN_PRODUCT, "products", text);
  describe_pattern (self, PT_PATTERN_NORM, "RMSNorm", text);
  describe_pattern (self, PT_PATTERN_ROTARY, "rotary positions", text);
  describe_pattern (self, PT_PATTERN_GATE, "gates", text);
  if (text->len > 0)
    g_string_append_printf (text, "the results differed by at most %.2g", self->largest);
  return g_string_free (text, text->len == 0);
}
