/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/shim-tensor.h"
#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * The bytes of constants, on the GPU or the host. The delegates of one loaded program share them by
 * key (docs/formats/cuda.md, section 5.5): what one method writes into a KV cache is what another
 * one reads. Engine thread.
 */

/** Memory of the GPU that several storages lie in. */
typedef struct _PtCudaSlab PtCudaSlab;

/** What the delegates of one loaded program have in common. */
typedef struct {
  guint n_references;
  gconstpointer identity;
  PtCudaContext *context;
  GHashTable *storages; /* key -> PtCudaStorage, not owned */
  guint64 n_calls;      /* of its delegates: each may change state */
} PtCudaScope;

/** Bytes of a storage that are not in their place: those of another conversation. */
typedef struct {
  gpointer data; /* NULL: none */
  PtCudaSlab *slab;
} PtCudaParked;

typedef struct {
  guint n_references;
  PtCudaScope *scope;
  GBytes *key;   /* NULL: of one delegate alone */
  gpointer data; /* NULL when @size is 0 */
  gsize size;
  PtDeviceType device_type;
  const guint8 *initial; /* [size], in the data file */
  guint64 reset_at;      /* @scope->n_calls when it had its first bytes */
  gint8 is_zero;         /* those bytes are; -1: nobody has looked */
  gboolean is_borrowed;  /* @data is not ours to free */
  PtCudaSlab *slab;      /* where @data lies, on the GPU */
  guint state;           /* whose bytes are in place */
  GArray *parked;        /* PtCudaParked, by state; NULL: there was never another one */
  PtShimTensor *view;    /* how the first delegate looked at it, where that is known */
} PtCudaStorage;

/** What a storage should be. */
typedef struct {
  const char *key;
  gsize key_length;
  gsize size;
  PtDeviceType device_type;
  const guint8 *initial; /* [size], as long as the storage */
} PtCudaStorageSpec;

/** The scope of all delegates with the same @identity on one GPU. */
PtCudaScope *pt_cuda_scope_ref (gconstpointer identity, PtCudaContext *context);
void pt_cuda_scope_unref (PtCudaScope *scope);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaScope, pt_cuda_scope_unref)

/** The storage under @key, or NULL. Adds no reference. */
PtCudaStorage *pt_cuda_scope_find (const PtCudaScope *scope, const char *key, gsize key_length);

/**
 * The storages of @specs, which may name one twice: those that are there, and new ones with their
 * initial bytes, in few pieces of memory and uploaded together. One that is there must have the
 * same size and device. All is undone after an error.
 *
 * @storages: [n], references.
 */
gboolean pt_cuda_scope_take (PtCudaScope *scope, const PtCudaStorageSpec *specs, guint n,
                             PtCudaStorage **storages, GError **error);

/** Memory from the driver, to be freed with the last reference. Takes @memory. */
PtCudaSlab *pt_cuda_slab_new (PtCudaContext *context, PtCuPointer memory);
PtCudaSlab *pt_cuda_slab_ref (PtCudaSlab *slab);
void pt_cuda_slab_unref (PtCudaSlab *slab);

/**
 * A storage whose bytes are at @data already, in @slab or, where that is NULL, in memory of
 * somebody else who lives longer. The key of @spec is not there yet, or NULL: nobody shall find it.
 */
PtCudaStorage *pt_cuda_scope_adopt (PtCudaScope *scope, const PtCudaStorageSpec *spec,
                                    gpointer data, PtCudaSlab *slab);

PtCudaStorage *pt_cuda_storage_ref (PtCudaStorage *storage);
void pt_cuda_storage_unref (PtCudaStorage *storage);

/** Whether all of its first bytes are zero, as those of caches are. Looks at them once. */
gboolean pt_cuda_storage_is_zero (PtCudaStorage *storage);

/** Put its first bytes back, in order with what runs on the GPU, if there was a call since. */
gboolean pt_cuda_storage_reset (PtCudaStorage *storage, GError **error);

/**
 * Exchange the bytes of @storages: those of state @state come into their place, its first ones when
 * it is new, and those that were there are kept. FALSE with PT_ERROR_MEMORY, and nothing changed.
 */
gboolean pt_cuda_storages_select (PtCudaStorage *const *storages, guint n, guint state,
                                  GError **error);

/** Free the bytes of @state, unless they are in place. */
void pt_cuda_storage_forget (PtCudaStorage *storage, guint state);

G_END_DECLS
