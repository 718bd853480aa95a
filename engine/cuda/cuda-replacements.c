/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-replacements.h"

#include <math.h>
#include <string.h>

/* Blocks that are compared are not larger. */
#define MAX_OUTPUT ((gsize) 16 << 20)
/*
 * Results agree when the norm of their difference is at most this part of their norm, and no
 * difference is larger than the second part of the largest number. A result that is rounded to
 * bf16 has an error of up to 2^-9 of its size; weights are rounded, too. One key more or less of a
 * thousand gives a difference of about 2^-5.
 */
#define MAX_NORM (1.0 / 128)
#define MAX_DIFFERENCE (1.0 / 32)
#define JUNK 0xff
#define JUNK_NUMBER 0xffff

/* What is read in place of the tensors of the launch. */
typedef enum { READ_COPIES, READ_SOURCES, N_KINDS } Kind;

typedef struct {
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
  guint n_seen, n_replaced, n_from_sources;
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
  if (mode == PT_CUDA_REPLACE_USE)
    self->n_seen = self->n_replaced = self->n_from_sources = 0;
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
 * Makes @attention read the sources of its keys and values: caches [heads][length][dim] of fewer
 * heads. FALSE: they are no copies, or their sizes do not fit.
 */
static gboolean
use_sources (PtCudaReplacements *self, PtCudaAttention *attention)
{
  const Copy *keys = find_copy (self, attention->keys);
  const Copy *values = find_copy (self, attention->values);
  gint64 head = attention->length * attention->dim;
  gint64 n;

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

/* ---- launching ours ---- */

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
launch_attention (PtCudaReplacements *self, const PtCudaAttention *attention)
{
  return provide_scratch (self, pt_cuda_attention_scratch (attention)) &&
         pt_cuda_kernel_attention (self->context, attention, self->scratch, NULL);
}

/* ---- comparing ---- */

static float
from_bf16 (guint16 x)
{
  guint32 bits = (guint32) x << 16;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* @n bf16; numbers that neither kernel wrote are junk in both. */
static gboolean
agree (PtCudaReplacements *self, const guint16 *theirs, const guint16 *ours, gsize n)
{
  double norm = 0, difference = 0, largest = 0, largest_difference = 0;

  for (gsize i = 0; i < n; i++) {
    double a = (double) from_bf16 (theirs[i]), b = (double) from_bf16 (ours[i]);

    if (theirs[i] == JUNK_NUMBER && ours[i] == JUNK_NUMBER)
      continue;
    norm += a * a;
    difference += (a - b) * (a - b);
    largest = MAX (largest, fabs (a));
    largest_difference = MAX (largest_difference, fabs (a - b));
  }
  /* Not a number, also if only one of them wrote an element: FALSE. */
  if (!(sqrt (difference) <= sqrt (norm) * MAX_NORM) ||
      !(largest_difference <= largest * MAX_DIFFERENCE))
    return FALSE;
  if (norm > 0)
    self->largest = MAX (self->largest, sqrt (difference / norm));
  return TRUE;
}

static gboolean
launch_theirs (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  PtCudaContext *context = self->context;

  return context->cu->cuLaunchKernel (launch->function, launch->grid[0], launch->grid[1],
                                      launch->grid[2], launch->block[0], launch->block[1],
                                      launch->block[2], launch->shared_bytes, context->stream,
                                      launch->arguments, NULL) == PT_CU_SUCCESS;
}

/* The bytes of a block after a kernel wrote into junk; NULL: something failed. */
static guint8 *
run_into_junk (PtCudaReplacements *self, const PtCudaLaunch *launch,
               const PtCudaAttention *attention, PtCuPointer block, gsize size)
{
  PtCudaContext *context = self->context;
  g_autofree guint8 *bytes = g_malloc (size);

  if (context->cu->cuMemsetD8Async (block, JUNK, size, context->stream) != PT_CU_SUCCESS ||
      !(attention != NULL ? launch_attention (self, attention) : launch_theirs (self, launch)) ||
      context->cu->cuMemcpyDtoHAsync (bytes, block, size, context->stream) != PT_CU_SUCCESS ||
      !pt_cuda_context_synchronize (context, NULL))
    return NULL;
  return g_steal_pointer (&bytes);
}

/* Whether an input of the attention lies in the block that it writes. */
static gboolean
is_in_place (PtCudaReplacements *self, const PtCudaAttention *attention, PtCuPointer block)
{
  const PtCuPointer inputs[] = { attention->queries, attention->keys, attention->values,
                                 attention->mask };

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    PtCuPointer start = 0;
    gsize size;

    if (inputs[i] != 0 && (!find_block (self, inputs[i], &start, &size) || start == block))
      return TRUE;
  }
  return FALSE;
}

static void
compare_kind (PtCudaReplacements *self, const PtCudaLaunch *launch, Candidate *candidate, Kind kind,
              const PtCudaAttention *attention)
{
  PtCuPointer block;
  gsize size;
  g_autofree guint8 *theirs = NULL, *ours = NULL;
  gboolean ok;

  if (candidate->differs[kind] || !find_block (self, attention->output, &block, &size) ||
      size > MAX_OUTPUT || size % 2 != 0 || is_in_place (self, attention, block))
    return;
  ours = run_into_junk (self, launch, attention, block, size);
  /* Last, so that its result is what the following kernels read. */
  theirs = run_into_junk (self, launch, NULL, block, size);
  ok = ours != NULL && theirs != NULL &&
       agree (self, (const guint16 *) (gpointer) theirs, (const guint16 *) (gpointer) ours,
              size / 2);
  candidate->n_compared[kind]++;
  candidate->differs[kind] = !ok;
  if (!ok)
    g_debug ("Attention of a model differs from ours (%s) and is not replaced.",
             kind == READ_SOURCES ? "unexpanded keys" : "keys as they are");
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

static void
compare (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  Candidate *candidate = candidate_of (self, launch);
  PtCudaAttention attention;

  if (!pt_attention_pattern_read (launch->attention, launch->arguments, launch->grid, &attention))
    return;
  compare_kind (self, launch, candidate, READ_COPIES, &attention);
  if (use_sources (self, &attention))
    compare_kind (self, launch, candidate, READ_SOURCES, &attention);
}

/* ---- calls ---- */

void
pt_cuda_replacements_note (PtCudaReplacements *self, const PtCudaLaunch *launch)
{
  if (self->mode == PT_CUDA_REPLACE_WATCH && launch->attention != NULL)
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
  PtCudaAttention attention, unexpanded;
  const Candidate *candidate;
  gboolean from_sources;

  if (self->mode != PT_CUDA_REPLACE_USE || launch->attention == NULL)
    return FALSE;
  self->n_seen++;
  candidate = candidate_of (self, launch);
  if (!is_proved (candidate, READ_COPIES) ||
      !pt_attention_pattern_read (launch->attention, launch->arguments, launch->grid, &attention))
    return FALSE;
  unexpanded = attention;
  from_sources = is_proved (candidate, READ_SOURCES) && use_sources (self, &unexpanded);
  if (!launch_attention (self, from_sources ? &unexpanded : &attention))
    return FALSE;
  self->n_replaced++;
  self->n_from_sources += from_sources;
  note_writes (self, launch);
  return TRUE;
}

char *
pt_cuda_replacements_describe (const PtCudaReplacements *self)
{
  if (self->n_seen == 0)
    return NULL;
  return g_strdup_printf ("attention: %u of %u replaced, %u of these with unexpanded keys and "
                          "values; the results differed by at most %.2g",
                          self->n_replaced, self->n_seen, self->n_from_sources, self->largest);
}
