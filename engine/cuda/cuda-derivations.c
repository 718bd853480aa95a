/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-derivations.h"

#include <string.h>

/* Smaller numbers are sizes or strides: no device address is that small. */
#define MIN_ADDRESS (G_GUINT64_CONSTANT (1) << 32)

struct _PtCudaDerivations {
  PtCudaFindMemory find;
  gpointer user_data;
  GHashTable *known;    /* start of a block -> PtCudaDerivation */
  GHashTable *versions; /* start of a block -> number of times that it was written */
};

PtCudaDerivations *
pt_cuda_derivations_new (void)
{
  PtCudaDerivations *self = g_new0 (PtCudaDerivations, 1);

  self->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->versions = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return self;
}

void
pt_cuda_derivations_free (PtCudaDerivations *self)
{
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->versions);
  g_free (self);
}

void
pt_cuda_derivations_begin (PtCudaDerivations *self, PtCudaFindMemory find, gpointer user_data)
{
  self->find = find;
  self->user_data = user_data;
  g_hash_table_remove_all (self->known);
  g_hash_table_remove_all (self->versions);
}

static gboolean
find_block (PtCudaDerivations *self, PtCuPointer pointer, PtCuPointer *start, gsize *size)
{
  return pointer != 0 && self->find (pointer, start, size, self->user_data);
}

static guint
version_of (PtCudaDerivations *self, PtCuPointer block)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->versions, &block));
}

static void
note_write (PtCudaDerivations *self, PtCuPointer block)
{
  guint version = version_of (self, block) + 1;

  g_hash_table_replace (self->versions, g_memdup2 (&block, sizeof block),
                        GUINT_TO_POINTER (version));
  g_hash_table_remove (self->known, &block);
}

static PtCuPointer
read_word (const PtPtxEffects *effects, void *const *arguments, guint i)
{
  PtCuPointer pointer;

  memcpy (&pointer,
          (const guint8 *) arguments[effects->words[i].parameter] + effects->words[i].offset,
          sizeof pointer);
  return pointer;
}

/* The only address among @words; 0: there is not just one. */
static PtCuPointer
read_address (const PtPtxEffects *effects, void *const *arguments, guint64 words)
{
  PtCuPointer address = 0;

  for (guint i = 0; i < effects->n_words; i++) {
    PtCuPointer word = (words >> i & 1) != 0 ? read_word (effects, arguments, i) : 0;

    if (word < MIN_ADDRESS)
      continue;
    if (address != 0)
      return 0;
    address = word;
  }
  return address;
}

static gboolean
add_source (PtCudaDerivations *self, PtCudaDerivation *derivation, PtCuPointer pointer)
{
  guint n = derivation->n_sources;

  if (n == G_N_ELEMENTS (derivation->sources) ||
      !find_block (self, pointer, &derivation->sources[n].block, &derivation->sources[n].size))
    return FALSE;
  derivation->sources[n].pointer = pointer;
  derivation->sources[n].version = version_of (self, derivation->sources[n].block);
  derivation->n_sources++;
  return TRUE;
}

/* Remembers what a kernel computes one block from, if that is all it does. */
static void
note_derivation (PtCudaDerivations *self, const PtPtxEffects *effects, void *const *arguments)
{
  PtCudaDerivation derivation = { 0 };
  PtCuPointer block;
  gsize size;

  for (guint i = 0; i < effects->n_accesses; i++) {
    PtCuPointer pointer = read_address (effects, arguments, effects->accesses[i].words);

    if (pointer == 0 || (effects->accesses[i].is_write && derivation.written != 0))
      return;
    if (effects->accesses[i].is_write)
      derivation.written = pointer;
    else if (!add_source (self, &derivation, pointer))
      return;
  }
  if (derivation.n_sources == 0 || !find_block (self, derivation.written, &block, &size))
    return;
  for (guint i = 0; i < derivation.n_sources; i++)
    if (derivation.sources[i].block == block)
      return;
  g_hash_table_replace (self->known, g_memdup2 (&block, sizeof block),
                        g_memdup2 (&derivation, sizeof derivation));
}

void
pt_cuda_derivations_note (PtCudaDerivations *self, const PtPtxEffects *effects,
                          void *const *arguments)
{
  if (effects == NULL || !effects->is_known) {
    g_hash_table_remove_all (self->known);
    return;
  }
  for (guint i = 0; i < effects->n_accesses; i++)
    for (guint w = 0; effects->accesses[i].is_write && w < effects->n_words; w++) {
      PtCuPointer block;
      gsize size;

      if ((effects->accesses[i].words >> w & 1) != 0 &&
          find_block (self, read_word (effects, arguments, w), &block, &size))
        note_write (self, block);
    }
  note_derivation (self, effects, arguments);
}

const PtCudaDerivation *
pt_cuda_derivations_find (PtCudaDerivations *self, PtCuPointer pointer)
{
  PtCuPointer block;
  gsize size;
  const PtCudaDerivation *derivation;

  if (!find_block (self, pointer, &block, &size))
    return NULL;
  derivation = g_hash_table_lookup (self->known, &block);
  if (derivation == NULL || derivation->written != pointer)
    return NULL;
  for (guint i = 0; i < derivation->n_sources; i++)
    if (version_of (self, derivation->sources[i].block) != derivation->sources[i].version)
      return NULL;
  return derivation;
}
