/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/storage.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/cuda/upload.h"
#include "engine/program/mapping.h"

/* Alignment of storages in a slab. */
#define ALIGNMENT ((gsize) 256)
/* Size of a slab. It is limited so that it can be allocated when memory is fragmented. */
#define SLAB_BYTES ((gsize) 512 << 20)

struct _PtCudaSlab {
  guint n_references;
  PtCudaContext *context;
  PtCuPointer memory;
};

/* All scopes of this thread; there is one for each loaded program and GPU. */
static _Thread_local GPtrArray *scopes;

/* ---- scopes ---- */

PtCudaScope *
pt_cuda_scope_ref (gconstpointer identity, PtCudaContext *context)
{
  PtCudaScope *scope;
  guint i;

  for (i = 0; scopes != NULL && i < scopes->len; i++) {
    scope = scopes->pdata[i];
    if (scope->identity == identity && scope->context == context) {
      scope->n_references++;
      return scope;
    }
  }
  scope = g_new0 (PtCudaScope, 1);
  scope->n_references = 1;
  scope->identity = identity;
  scope->context = context;
  scope->storages = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  if (scopes == NULL)
    scopes = g_ptr_array_new ();
  g_ptr_array_add (scopes, scope);
  return scope;
}

void
pt_cuda_scope_unref (PtCudaScope *scope)
{
  if (--scope->n_references > 0)
    return;
  g_ptr_array_remove_fast (scopes, scope);
  if (scopes->len == 0)
    g_clear_pointer (&scopes, g_ptr_array_unref);
  g_hash_table_unref (scope->storages);
  g_free (scope);
}

PtCudaStorage *
pt_cuda_scope_find (const PtCudaScope *scope, const char *key, gsize key_length)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (key, key_length);

  return g_hash_table_lookup (scope->storages, bytes);
}

/* ---- storages ---- */

PtCudaSlab *
pt_cuda_slab_new (PtCudaContext *context, PtCuPointer memory)
{
  PtCudaSlab *slab = g_new0 (PtCudaSlab, 1);

  slab->n_references = 1;
  slab->context = context;
  slab->memory = memory;
  return slab;
}

PtCudaSlab *
pt_cuda_slab_ref (PtCudaSlab *slab)
{
  slab->n_references++;
  return slab;
}

void
pt_cuda_slab_unref (PtCudaSlab *slab)
{
  if (--slab->n_references > 0)
    return;
  pt_cuda_context_free (slab->context, slab->memory);
  g_free (slab);
}

static PtCudaStorage *
storage_new (PtCudaScope *scope, const PtCudaStorageSpec *spec)
{
  PtCudaStorage *storage = g_new0 (PtCudaStorage, 1);

  storage->n_references = 1;
  storage->scope = scope;
  scope->n_references++;
  storage->size = spec->size;
  storage->device_type = spec->device_type;
  storage->initial = spec->initial;
  storage->reset_at = scope->n_calls;
  storage->is_zero = -1;
  if (spec->key != NULL) {
    storage->key = g_bytes_new (spec->key, spec->key_length);
    g_hash_table_insert (scope->storages, storage->key, storage);
  }
  return storage;
}

PtCudaStorage *
pt_cuda_storage_ref (PtCudaStorage *storage)
{
  storage->n_references++;
  return storage;
}

void
pt_cuda_storage_unref (PtCudaStorage *storage)
{
  if (--storage->n_references > 0)
    return;
  if (storage->key != NULL) {
    g_hash_table_remove (storage->scope->storages, storage->key);
    g_bytes_unref (storage->key);
  }
  g_clear_pointer (&storage->view, pt_shim_tensor_free);
  for (guint i = 0; storage->parked != NULL && i < storage->parked->len; i++)
    pt_cuda_storage_forget (storage, i);
  g_clear_pointer (&storage->parked, g_array_unref);
  if (storage->slab != NULL)
    pt_cuda_slab_unref (storage->slab);
  else if (!storage->is_borrowed)
    g_free (storage->data);
  pt_cuda_scope_unref (storage->scope);
  g_free (storage);
}

gboolean
pt_cuda_storage_is_zero (PtCudaStorage *storage)
{
  const guint8 *bytes = storage->initial;

  if (storage->is_zero < 0)
    storage->is_zero =
        storage->size == 0 || (bytes[0] == 0 && memcmp (bytes, bytes + 1, storage->size - 1) == 0);
  return storage->is_zero;
}

static gboolean
put_first_bytes (PtCudaStorage *storage, GError **error)
{
  PtCudaContext *context = storage->scope->context;
  PtCuPointer to = (PtCuPointer) (guintptr) storage->data;
  PtCuResult code;

  storage->reset_at = storage->scope->n_calls;
  if (storage->device_type == PT_DEVICE_CPU) {
    memcpy (storage->data, storage->initial, storage->size);
    return TRUE;
  }
  if (pt_cuda_storage_is_zero (storage))
    code = context->cu->cuMemsetD8Async (to, 0, storage->size, context->stream);
  else
    code = context->cu->cuMemcpyHtoDAsync (to, storage->initial, storage->size, context->stream);
  return pt_cuda_context_check (context, code, "Putting the model's state back", error);
}

gboolean
pt_cuda_storage_reset (PtCudaStorage *storage, GError **error)
{
  return storage->size == 0 || storage->reset_at == storage->scope->n_calls ||
         put_first_bytes (storage, error);
}

PtCudaStorage *
pt_cuda_scope_adopt (PtCudaScope *scope, const PtCudaStorageSpec *spec, gpointer data,
                     PtCudaSlab *slab)
{
  PtCudaStorage *storage = storage_new (scope, spec);

  storage->data = data;
  storage->slab = slab;
  storage->is_borrowed = slab == NULL;
  if (slab != NULL)
    slab->n_references++;
  return storage;
}

/* ---- creating many at once ---- */

/* Sets *out to the existing storage for @spec, or NULL. FALSE when its size or device differs. */
static gboolean
find_existing (PtCudaScope *scope, const PtCudaStorageSpec *spec, PtCudaStorage **out,
               GError **error)
{
  PtCudaStorage *storage = pt_cuda_scope_find (scope, spec->key, spec->key_length);

  *out = storage;
  if (storage == NULL)
    return TRUE;
  if (storage->size == spec->size && storage->device_type == spec->device_type)
    return TRUE;
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The program is damaged: two methods want the same weights in different sizes or "
                  "places (ExecuTorch error 0x23).");
}

static gsize
aligned (gsize size)
{
  return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/* How many of the storages from @first on fit into one slab, and the size of the slab. */
static guint
measure_slab (PtCudaStorage *const *fresh, guint first, guint n, gsize *size)
{
  guint i;

  *size = aligned (fresh[first]->size);
  for (i = first + 1; i < n; i++) {
    gsize more = aligned (fresh[i]->size);

    if (*size >= SLAB_BYTES || more > SLAB_BYTES - *size)
      break;
    *size += more;
  }
  return i - first;
}

static gboolean
place_on_device (PtCudaScope *scope, PtCudaStorage **fresh, guint n, GError **error)
{
  guint first, count, i;
  gsize size, offset;

  for (first = 0; first < n; first += count) {
    PtCudaSlab *slab;
    PtCuPointer memory;

    count = measure_slab (fresh, first, n, &size);
    memory = pt_cuda_context_allocate (scope->context, size, error);
    if (memory == 0)
      return FALSE;
    slab = pt_cuda_slab_new (scope->context, memory);
    for (i = first, offset = 0; i < first + count; i++) {
      fresh[i]->slab = slab;
      slab->n_references++;
      fresh[i]->data = (gpointer) (guintptr) (memory + offset);
      offset += aligned (fresh[i]->size);
    }
    pt_cuda_slab_unref (slab);
  }
  return TRUE;
}

static gboolean
upload (PtCudaScope *scope, PtCudaStorage **fresh, guint n, GError **error)
{
  g_autoptr (PtCudaUpload) copies = n > 0 ? pt_cuda_upload_new (scope->context, error) : NULL;
  guint i;

  if (n == 0)
    return TRUE;
  if (copies == NULL)
    return FALSE;
  for (i = 0; i < n; i++)
    if (!pt_cuda_upload_copy (copies, (PtCuPointer) (guintptr) fresh[i]->data, fresh[i]->initial,
                              fresh[i]->size, NULL, error))
      return FALSE;
  if (!pt_cuda_upload_finish (copies, error))
    return FALSE;
  for (i = 0; i < n; i++)
    pt_mapping_forget (fresh[i]->initial, fresh[i]->size);
  return TRUE;
}

static gboolean
fill_on_host (PtCudaStorage *storage, GError **error)
{
  storage->data = pt_allocate (storage->size, 1, error);
  if (storage->data == NULL)
    return FALSE;
  memcpy (storage->data, storage->initial, storage->size);
  return TRUE;
}

/* Allocates and fills the new storages. */
static gboolean
fill (PtCudaScope *scope, GPtrArray *fresh, GError **error)
{
  g_autoptr (GPtrArray) on_device = g_ptr_array_new ();
  guint i;

  for (i = 0; i < fresh->len; i++) {
    PtCudaStorage *storage = fresh->pdata[i];

    if (storage->size == 0)
      continue;
    if (storage->device_type != PT_DEVICE_CPU)
      g_ptr_array_add (on_device, storage);
    else if (!fill_on_host (storage, error))
      return FALSE;
  }
  return place_on_device (scope, (PtCudaStorage **) on_device->pdata, on_device->len, error) &&
         upload (scope, (PtCudaStorage **) on_device->pdata, on_device->len, error);
}

static gboolean
take (PtCudaScope *scope, const PtCudaStorageSpec *specs, guint n, PtCudaStorage **storages,
      GError **error)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new ();
  guint i;

  for (i = 0; i < n; i++) {
    if (!find_existing (scope, &specs[i], &storages[i], error))
      return FALSE;
    if (storages[i] != NULL) {
      pt_cuda_storage_ref (storages[i]);
      continue;
    }
    storages[i] = storage_new (scope, &specs[i]);
    g_ptr_array_add (fresh, storages[i]);
  }
  return fill (scope, fresh, error);
}

gboolean
pt_cuda_scope_take (PtCudaScope *scope, const PtCudaStorageSpec *specs, guint n,
                    PtCudaStorage **storages, GError **error)
{
  guint i;

  for (i = 0; i < n; i++)
    storages[i] = NULL;
  if (take (scope, specs, n, storages, error))
    return TRUE;
  for (i = 0; i < n; i++)
    g_clear_pointer (&storages[i], pt_cuda_storage_unref);
  return FALSE;
}
