/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-replacements.h"

#include <string.h>

#include "engine/cuda/cuda-comparison.h"

/* Blocks that are compared are not larger. */
#define MAX_OUTPUT ((gsize) 16 << 20)

/* What a launch computes, for ours. */
typedef struct {
  PtPatternKind kind;
  union {
    PtCudaAttention attention;
    PtCudaRow row;
  };
} Operation;

/* What is read in place of the tensors of the launch. */
typedef enum { READ_COPIES, READ_SOURCES, N_KINDS } Kind;

/* A kernel of the library. */
typedef struct {
  gint64 n_outputs; /* of a product; 0: not known yet */
  guint n_compared[N_KINDS];
  gboolean differs[N_KINDS];
} Candidate;

/* A block that a kernel wrote, which reads only one other block. */
typedef struct {
  PtCuPointer written, source; /* as given to the kernel */
  PtCuPointer source_block;
  gsize source_size;
  guint version; /* of the source when it was read */
} Copy;

struct _PtCudaReplacements {
  PtCudaContext *context;
  PtCudaReplaceMode mode;
  PtCudaFindMemory find;
  gpointer user_data;
  GHashTable *candidates; /* PtCuFunction -> Candidate */
  GHashTable *copies;     /* start of a block -> Copy, in this call */
  GHashTable *versions;   /* start of a block -> number of times that it was written in this call */
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

  self->context = context;
  self->candidates = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->copies = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->versions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->old_scratch = g_array_new (FALSE, FALSE, sizeof (PtCuPointer));
  return self;
}

void
pt_cuda_replacements_free (PtCudaReplacements *self)
{
  for (guint i = 0; i < self->old_scratch->len; i++)
    pt_cuda_context_free (self->context, g_array_index (self->old_scratch, PtCuPointer, i));
  pt_cuda_context_free (self->context, self->scratch);
  g_hash_table_unref (self->candidates);
  g_hash_table_unref (self->copies);
  g_hash_table_unref (self->versions);
  g_array_unref (self->old_scratch);
  g_free (self);
}

void
pt_cuda_replacements_begin (PtCudaReplacements *self, PtCudaReplaceMode mode, PtCudaFindMemory find,
                            gpointer user_data)
{
  if (g_strcmp0 (g_getenv ("PTERIS_CUDA_REPLACE"), "0") == 0 ||
      !pt_cuda_kernels_prepare (self->context, NULL))
    mode = PT_CUDA_REPLACE_NOTHING;
  self->mode = mode;
  self->find = find;
  self->user_data = user_data;
  g_hash_table_remove_all (self->copies);
  g_hash_table_remove_all (self->versions);
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
  self->find = NULL;
}

gboolean
pt_cuda_replacements_are_active (const PtCudaReplacements *self)
{
  return self->mode != PT_CUDA_REPLACE_NOTHING;
}

static gboolean
find_block (PtCudaReplacements *self, PtCuPointer pointer, PtCuPointer *start, gsize *size)
{
  return pointer != 0 && self->find (pointer, start, size, self->user_data);
}

/* ---- copies ---- */

static guint
version_of (PtCudaReplacements *self, PtCuPointer block)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->versions, &block));
}

static void
forget_everything (PtCudaReplacements *self)
{
  g_hash_table_remove_all (self->copies);
}

static void
note_write (PtCudaReplacements *self, PtCuPointer block)
{
  guint version = version_of (self, block) + 1;

  g_hash_table_replace (self->versions, g_memdup2 (&block, sizeof block),
                        GUINT_TO_POINTER (version));
  g_hash_table_remove (self->copies, &block);
}

static PtCuPointer
read_word (const PtCudaLaunch *launch, guint64 words)
{
  const PtPtxEffects *effects = launch->effects;
  PtCuPointer pointer = 0;

  for (guint i = 0; i < effects->n_words; i++)
    if (words == G_GUINT64_CONSTANT (1) << i)
      memcpy (&pointer,
              (const guint8 *) launch->arguments[effects->words[i].parameter] +
                  effects->words[i].offset,
              sizeof pointer);
  return pointer;
}

/* Remembers that @launch writes one block from one other, if that is all it does. */
static void
note_copy (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  const PtPtxEffects *effects = launch->effects;
  PtCuPointer block;
  gsize size;
  Copy copy = { 0 };

  if (effects->n_accesses != 2 || effects->accesses[0].is_write == effects->accesses[1].is_write)
    return;
  for (guint i = 0; i < 2; i++)
    *(effects->accesses[i].is_write ? &copy.written : &copy.source) =
        read_word (launch, effects->accesses[i].words);
  if (!find_block (self, copy.written, &block, &size) ||
      !find_block (self, copy.source, &copy.source_block, &copy.source_size) ||
      copy.source_block == block)
    return;
  copy.version = version_of (self, copy.source_block);
  g_hash_table_replace (self->copies, g_memdup2 (&block, sizeof block),
                        g_memdup2 (&copy, sizeof copy));
}

static void
note_writes (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  const PtPtxEffects *effects = launch->effects;

  if (effects == NULL || !effects->is_known) {
    forget_everything (self);
    return;
  }
  for (guint i = 0; i < effects->n_accesses; i++)
    for (guint w = 0; effects->accesses[i].is_write && w < effects->n_words; w++) {
      PtCuPointer block;
      gsize size;

      if ((effects->accesses[i].words >> w & 1) != 0 &&
          find_block (self, read_word (launch, G_GUINT64_CONSTANT (1) << w), &block, &size))
        note_write (self, block);
    }
  note_copy (self, launch);
}

/* What @pointer is a copy of, if that has not changed since; NULL: of nothing. */
static const Copy *
find_copy (PtCudaReplacements *self, PtCuPointer pointer)
{
  PtCuPointer block;
  gsize size;
  const Copy *copy;

  if (!find_block (self, pointer, &block, &size))
    return NULL;
  copy = g_hash_table_lookup (self->copies, &block);
  if (copy == NULL || copy->written != pointer || copy->source != copy->source_block ||
      version_of (self, copy->source_block) != copy->version)
    return NULL;
  return copy;
}

/*
 * Makes attention read the sources of its keys and values: caches [heads][length][dim] of fewer
 * heads. FALSE: they are no copies, or their sizes do not fit.
 */
static gboolean
use_sources (PtCudaReplacements *self, Operation *operation)
{
  PtCudaAttention *attention = &operation->attention;
  const Copy *keys, *values;
  gint64 head, n;

  if (operation->kind != PT_PATTERN_ATTENTION)
    return FALSE;
  keys = find_copy (self, attention->keys);
  values = find_copy (self, attention->values);
  head = attention->length * attention->dim;
  if (keys == NULL || values == NULL || keys->source_size != values->source_size)
    return FALSE;
  n = (gint64) keys->source_size / (head * 2);
  if (n < 1 || (gint64) keys->source_size != n * head * 2 || attention->heads % n != 0)
    return FALSE;
  attention->keys = keys->source;
  attention->values = values->source;
  attention->kv_heads = n;
  attention->key_head = attention->value_head = head;
  attention->key_row = attention->value_row = attention->dim;
  return pt_cuda_attention_fits (attention);
}

/* ---- what a launch computes ---- */

/* All but the sizes of a product. */
static gboolean
read_operation (const PtCudaLaunch *launch, Operation *operation)
{
  operation->kind = launch->pattern->kind;
  if (operation->kind == PT_PATTERN_ATTENTION)
    return pt_attention_pattern_read (&launch->pattern->attention, launch->arguments, launch->grid,
                                      &operation->attention);
  return pt_product_pattern_read (&launch->pattern->product, launch->arguments, &operation->row);
}

/* Whether the block that contains @pointer has @n more bf16 from there. */
static gboolean
has_numbers (PtCudaReplacements *self, PtCuPointer pointer, gint64 n)
{
  PtCuPointer start = 0;
  gsize size = 0;

  return find_block (self, pointer, &start, &size) && (gint64) (size - (pointer - start)) / 2 >= n;
}

/* The sizes of a product with @n outputs. FALSE: something is smaller than that, or is no constant
 * of such a size. */
static gboolean
read_sizes (PtCudaReplacements *self, Operation *operation, gint64 n)
{
  PtCudaRow *row = &operation->row;
  PtCuPointer start = 0;
  gsize size = 0;

  if (operation->kind != PT_PATTERN_PRODUCT)
    return TRUE;
  if (n <= 0 || !find_block (self, row->weights, &start, &size) || start != row->weights ||
      size > G_MAXINT64 || (gint64) size % (2 * n) != 0)
    return FALSE;
  row->n = n;
  row->k = (gint64) size / (2 * n);
  return pt_cuda_row_fits (row) && has_numbers (self, row->input, row->k) &&
         has_numbers (self, row->output, n) &&
         (row->end == PT_CUDA_ROW_PLAIN || has_numbers (self, row->other, n));
}

static PtCuPointer
output_of (const Operation *operation)
{
  return operation->kind == PT_PATTERN_ATTENTION ? operation->attention.output
                                                 : operation->row.output;
}

/* Whether an input lies in the block that is written. */
static gboolean
is_in_place (PtCudaReplacements *self, const Operation *operation, PtCuPointer block)
{
  const PtCudaAttention *attention = &operation->attention;
  const PtCudaRow *row = &operation->row;
  const PtCuPointer of_attention[] = { attention->queries, attention->keys, attention->values,
                                       attention->mask };
  const PtCuPointer of_row[] = { row->input, row->weights, row->other };
  gboolean is_attention = operation->kind == PT_PATTERN_ATTENTION;
  const PtCuPointer *inputs = is_attention ? of_attention : of_row;
  guint n = is_attention ? G_N_ELEMENTS (of_attention) : G_N_ELEMENTS (of_row);

  for (guint i = 0; i < n; i++) {
    PtCuPointer start = 0;
    gsize size;

    if (inputs[i] != 0 && (!find_block (self, inputs[i], &start, &size) || start == block))
      return TRUE;
  }
  return FALSE;
}

/* ---- launching ---- */

/* Memory that a graph uses is kept. */
static gboolean
provide_scratch (PtCudaReplacements *self, gsize size)
{
  PtCudaContext *context = self->context;
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
launch_ours (PtCudaReplacements *self, const Operation *operation)
{
  if (operation->kind == PT_PATTERN_PRODUCT)
    return pt_cuda_kernel_row (self->context, &operation->row, NULL);
  return provide_scratch (self, pt_cuda_attention_scratch (&operation->attention)) &&
         pt_cuda_kernel_attention (self->context, &operation->attention, self->scratch, NULL);
}

/* One of the two. */
typedef struct {
  PtCudaReplacements *self;
  const PtCudaLaunch *theirs;
  const Operation *ours;
} Run;

static gboolean
launch_one (gpointer data)
{
  const Run *run = data;
  const PtCudaContext *context = run->self->context;
  const PtCudaLaunch *launch = run->theirs;

  if (launch == NULL)
    return launch_ours (run->self, run->ours);
  return context->cu->cuLaunchKernel (launch->function, launch->grid[0], launch->grid[1],
                                      launch->grid[2], launch->block[0], launch->block[1],
                                      launch->block[2], launch->shared_bytes, context->stream,
                                      launch->arguments, NULL) == PT_CU_SUCCESS;
}

/* ---- comparing ---- */

/* @theirs: what the library's kernel wrote into a block of [size] bytes */
static void
compare_kind (PtCudaReplacements *self, Candidate *candidate, Kind kind, const Operation *operation,
              PtCuPointer block, gsize size, const guint16 *theirs)
{
  Run run = { self, NULL, operation };
  g_autofree guint16 *ours = NULL;

  if (candidate->differs[kind])
    return;
  ours = pt_cuda_run_into_junk (self->context, block, size, launch_one, &run);
  candidate->n_compared[kind]++;
  candidate->differs[kind] =
      ours == NULL || !pt_cuda_results_agree (theirs, ours, size / 2, &self->largest);
  if (candidate->differs[kind])
    g_debug ("%s of a model differs from ours and is not replaced.",
             operation->kind == PT_PATTERN_PRODUCT ? "A product"
             : kind == READ_SOURCES                ? "Attention with unexpanded keys"
                                                   : "Attention");
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

/* What a kernel writes must be the same number of elements in each launch. */
static gboolean
learn_sizes (PtCudaReplacements *self, Candidate *candidate, Operation *operation, gsize written)
{
  if (operation->kind != PT_PATTERN_PRODUCT)
    return TRUE;
  if (candidate->n_outputs == 0)
    candidate->n_outputs = (gint64) written;
  if (candidate->n_outputs == (gint64) written && read_sizes (self, operation, (gint64) written))
    return TRUE;
  candidate->differs[READ_COPIES] = TRUE;
  return FALSE;
}

static void
compare (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  PtCudaContext *context = self->context;
  Candidate *candidate = candidate_of (self, launch);
  Operation operation;
  Run run = { self, launch, NULL };
  g_autofree guint16 *theirs = NULL;
  PtCuPointer block;
  gsize size;

  if (candidate->differs[READ_COPIES] || !read_operation (launch, &operation) ||
      !find_block (self, output_of (&operation), &block, &size) || size > MAX_OUTPUT ||
      size % 2 != 0 || is_in_place (self, &operation, block) ||
      (operation.kind == PT_PATTERN_PRODUCT && block != operation.row.output))
    return;
  theirs = pt_cuda_run_into_junk (context, block, size, launch_one, &run);
  if (theirs == NULL ||
      !learn_sizes (self, candidate, &operation, pt_cuda_count_written (theirs, size / 2)))
    return;
  compare_kind (self, candidate, READ_COPIES, &operation, block, size, theirs);
  if (use_sources (self, &operation))
    compare_kind (self, candidate, READ_SOURCES, &operation, block, size, theirs);
  /* The following kernels read the library's result. */
  if (context->cu->cuMemcpyHtoDAsync (block, theirs, size, context->stream) != PT_CU_SUCCESS ||
      !pt_cuda_context_synchronize (context, NULL))
    candidate->differs[READ_COPIES] = TRUE;
}

/* ---- calls ---- */

void
pt_cuda_replacements_note (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  if (self->mode == PT_CUDA_REPLACE_WATCH && launch->pattern != NULL)
    compare (self, launch);
  note_writes (self, launch);
}

/* A kernel that was compared only with sources must agree with copies, too: it computes the same.
 */
static gboolean
is_proved (const Candidate *candidate, Kind kind)
{
  return candidate->n_compared[kind] > 0 && !candidate->differs[kind] &&
         !candidate->differs[READ_COPIES];
}

gboolean
pt_cuda_replacements_take (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  Operation operation, unexpanded;
  const Candidate *candidate;
  gboolean from_sources;

  if (self->mode != PT_CUDA_REPLACE_USE || launch->pattern == NULL)
    return FALSE;
  self->n_seen[launch->pattern->kind]++;
  candidate = candidate_of (self, launch);
  if (!is_proved (candidate, READ_COPIES) || !read_operation (launch, &operation) ||
      !read_sizes (self, &operation, candidate->n_outputs))
    return FALSE;
  unexpanded = operation;
  from_sources = is_proved (candidate, READ_SOURCES) && use_sources (self, &unexpanded);
  if (!launch_ours (self, from_sources ? &unexpanded : &operation))
    return FALSE;
  self->n_replaced[operation.kind]++;
  self->n_from_sources += from_sources;
  note_writes (self, launch);
  return TRUE;
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
  if (self->n_seen[PT_PATTERN_PRODUCT] > 0)
    g_string_append_printf (text, "products: %u of %u replaced; ",
                            self->n_replaced[PT_PATTERN_PRODUCT], self->n_seen[PT_PATTERN_PRODUCT]);
  if (text->len > 0)
    g_string_append_printf (text, "the results differed by at most %.2g", self->largest);
  return g_string_free (text, text->len == 0);
}
