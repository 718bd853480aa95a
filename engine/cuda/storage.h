/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/shim-tensor.h"
#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * Storages: the bytes of constants, on the GPU or the host. The delegates of one loaded program
 * share storages by key (docs/formats/cuda.md, section 5.5), so that the KV cache that one method
 * writes is the one that another method reads. Engine thread.
 */

/** Memory of the GPU that contains several storages. */
typedef struct _PtCudaSlab PtCudaSlab;

/** Data that the delegates of one loaded program share. */
typedef struct {
  guint n_references;
  gconstpointer identity;
  PtCudaContext *context;
  GHashTable *storages; /* key -> PtCudaStorage, not owned */
  guint64 n_calls;      /* number of calls of its delegates; each call may change state */
} PtCudaScope;

/** The bytes of a storage for a state that is not selected. */
typedef struct {
  gpointer data; /* NULL when unused */
  PtCudaSlab *slab;
} PtCudaParked;

typedef struct {
  guint n_references;
  PtCudaScope *scope;
  GBytes *key;   /* NULL: used by one delegate only */
  gpointer data; /* NULL when @size is 0 */
  gsize size;
  PtDeviceType device_type;
  const guint8 *initial; /* [size], the initial bytes, in the data file */
  guint64 reset_at;      /* @scope->n_calls when the storage last had its initial bytes */
  gint8 is_zero;         /* whether the initial bytes are all zero; -1: not checked yet */
  gboolean is_borrowed;  /* @data is owned by somebody else */
  PtCudaSlab *slab;      /* memory of @data, on the GPU */
  guint state;           /* the state that the bytes at @data belong to */
  GArray *parked;        /* PtCudaParked by state; NULL: only one state so far */
  PtShimTensor *view;    /* the layout that the first delegate used, where it is known */
} PtCudaStorage;

/** The properties of a storage to create or find. */
typedef struct {
  const char *key;
  gsize key_length;
  gsize size;
  PtDeviceType device_type;
  const guint8 *initial; /* [size]; must live as long as the storage */
} PtCudaStorageSpec;

/** Reference the scope of all delegates with the same @identity on one GPU. */
PtCudaScope *pt_cuda_scope_ref (gconstpointer identity, PtCudaContext *context);
void pt_cuda_scope_unref (PtCudaScope *scope);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaScope, pt_cuda_scope_unref)

/** The storage with @key, or NULL. Adds no reference. */
PtCudaStorage *pt_cuda_scope_find (const PtCudaScope *scope, const char *key, gsize key_length);

/**
 * Find or create the storages of @specs, in which keys may repeat. New storages share few pieces of
 * memory and are uploaded together. FALSE with an error when an existing storage has another size
 * or device, or memory is short; nothing is created then.
 *
 * @storages: [n], set to references.
 */
gboolean pt_cuda_scope_take (PtCudaScope *scope, const PtCudaStorageSpec *specs, guint n,
                             PtCudaStorage **storages, GError **error);

/**
 * Make a slab of memory from the driver, which the last reference frees. Takes ownership of
 * @memory.
 */
PtCudaSlab *pt_cuda_slab_new (PtCudaContext *context, PtCuPointer memory);
PtCudaSlab *pt_cuda_slab_ref (PtCudaSlab *slab);
void pt_cuda_slab_unref (PtCudaSlab *slab);

/**
 * Make a storage of existing bytes at @data, which lie in @slab, or, where it is NULL, in memory
 * that outlives the storage. The key of @spec must be new, or NULL: the storage is not shared.
 */
PtCudaStorage *pt_cuda_scope_adopt (PtCudaScope *scope, const PtCudaStorageSpec *spec,
                                    gpointer data, PtCudaSlab *slab);

PtCudaStorage *pt_cuda_storage_ref (PtCudaStorage *storage);
void pt_cuda_storage_unref (PtCudaStorage *storage);

/** Whether all initial bytes are zero, as in KV caches. Reads them once. */
gboolean pt_cuda_storage_is_zero (PtCudaStorage *storage);

/**
 * Write the initial bytes again, in order with work on the GPU, if there was a call since the last
 * time.
 */
gboolean pt_cuda_storage_reset (PtCudaStorage *storage, GError **error);

/**
 * Select state @state for @storages: its bytes, or the initial ones for a new state, are moved into
 * place, and the former bytes are kept elsewhere. FALSE with PT_ERROR_MEMORY, and nothing changed.
 */
gboolean pt_cuda_storages_select (PtCudaStorage *const *storages, guint n, guint state,
                                  GError **error);

/** Free the bytes of @state, unless it is selected. */
void pt_cuda_storage_forget (PtCudaStorage *storage, guint state);

G_END_DECLS
