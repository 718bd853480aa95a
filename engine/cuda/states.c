/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Several states of a model (docs/formats/cuda.md, section 5.6). One of them, the selected one, is
 * in the memory that is bound to the library.
 */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/cuda/storage.h"

/* Size of the buffer for an exchange of bytes. */
#define CHUNK ((gsize) 16 << 20)
#define ALIGNMENT ((gsize) 256)
/* The state was never reset. */
#define NEVER G_MAXUINT64

static PtCudaParked *
parked (PtCudaStorage *storage, guint state)
{
  if (storage->parked == NULL)
    storage->parked = g_array_new (FALSE, TRUE, sizeof (PtCudaParked));
  if (storage->parked->len <= state)
    g_array_set_size (storage->parked, state + 1);
  return &g_array_index (storage->parked, PtCudaParked, state);
}

static void
free_parked (const PtCudaStorage *storage, PtCudaParked *bytes)
{
  if (bytes->slab != NULL)
    pt_cuda_slab_unref (bytes->slab);
  else if (storage->device_type == PT_DEVICE_CPU)
    g_free (bytes->data);
  *bytes = (PtCudaParked){ NULL, NULL };
}

void
pt_cuda_storage_forget (PtCudaStorage *storage, guint state)
{
  if (storage->parked != NULL && state < storage->parked->len)
    free_parked (storage, parked (storage, state));
}

/* ---- memory for the former state ---- */

/* Whether @state has no bytes in this storage yet. */
static gboolean
is_new (PtCudaStorage *storage, guint state)
{
  return storage->size > 0 && storage->state != state && parked (storage, state)->data == NULL;
}

static gsize
aligned (gsize size)
{
  return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/* Allocates one piece of memory for all storages on the GPU. @rooms: [n]. */
static gboolean
make_room_on_device (PtCudaStorage *const *storages, guint n, guint state, PtCudaParked *rooms,
                     GError **error)
{
  PtCudaContext *context = NULL;
  PtCuPointer memory;
  PtCudaSlab *slab;
  gsize size = 0;

  for (guint i = 0; i < n; i++)
    if (storages[i]->device_type != PT_DEVICE_CPU && is_new (storages[i], state)) {
      context = storages[i]->scope->context;
      size += aligned (storages[i]->size);
    }
  if (size == 0)
    return TRUE;
  memory = pt_cuda_context_allocate (context, size, error);
  if (memory == 0)
    return FALSE;
  slab = pt_cuda_slab_new (context, memory);
  for (guint i = 0; i < n; i++)
    if (storages[i]->device_type != PT_DEVICE_CPU && is_new (storages[i], state)) {
      rooms[i] = (PtCudaParked){ (gpointer) (guintptr) memory, pt_cuda_slab_ref (slab) };
      memory += aligned (storages[i]->size);
    }
  pt_cuda_slab_unref (slab);
  return TRUE;
}

static gboolean
make_room (PtCudaStorage *const *storages, guint n, guint state, PtCudaParked *rooms,
           GError **error)
{
  for (guint i = 0; i < n; i++)
    if (storages[i]->device_type == PT_DEVICE_CPU && is_new (storages[i], state)) {
      rooms[i].data = pt_allocate (storages[i]->size, 1, error);
      if (rooms[i].data == NULL)
        return FALSE;
    }
  return make_room_on_device (storages, n, state, rooms, error);
}

/* ---- the exchange ---- */

static gboolean
move (PtCudaContext *context, PtCuPointer to, PtCuPointer from, gsize size, GError **error)
{
  return pt_cuda_context_check (context,
                                context->cu->cuMemcpyDtoDAsync (to, from, size, context->stream),
                                "Changing the model's state", error);
}

/* Starts a new state: moves the current bytes to @room, and writes the initial ones. */
static gboolean
begin (PtCudaStorage *storage, const PtCudaParked *room, GError **error)
{
  PtCudaContext *context = storage->scope->context;
  PtCuPointer place = (PtCuPointer) (guintptr) storage->data;

  if (storage->device_type == PT_DEVICE_CPU)
    memcpy (room->data, storage->data, storage->size);
  else if (!move (context, (PtCuPointer) (guintptr) room->data, place, storage->size, error))
    return FALSE;
  storage->reset_at = NEVER;
  return pt_cuda_storage_reset (storage, error);
}

static gboolean
exchange_on_device (PtCudaStorage *storage, PtCuPointer other, PtCuPointer spare, GError **error)
{
  PtCudaContext *context = storage->scope->context;
  PtCuPointer place = (PtCuPointer) (guintptr) storage->data;

  for (gsize at = 0, n; at < storage->size; at += n) {
    n = MIN (storage->size - at, CHUNK);
    if (!move (context, spare, place + at, n, error) ||
        !move (context, place + at, other + at, n, error) ||
        !move (context, other + at, spare, n, error))
      return FALSE;
  }
  return TRUE;
}

static void
exchange_on_host (PtCudaStorage *storage, guint8 *other)
{
  guint8 *place = storage->data;

  for (gsize i = 0; i < storage->size; i++) {
    guint8 byte = place[i];

    place[i] = other[i];
    other[i] = byte;
  }
}

/* Exchanges the current bytes with those of an existing state. */
static gboolean
resume (PtCudaStorage *storage, gpointer other, PtCuPointer spare, GError **error)
{
  storage->reset_at = NEVER;
  if (storage->device_type != PT_DEVICE_CPU)
    return exchange_on_device (storage, (PtCuPointer) (guintptr) other, spare, error);
  exchange_on_host (storage, other);
  return TRUE;
}

/* Size of the buffer for the exchange; 0: no exchange is needed. */
static gsize
measure_exchange (PtCudaStorage *const *storages, guint n, guint state)
{
  gsize size = 0;

  for (guint i = 0; i < n; i++)
    if (storages[i]->device_type != PT_DEVICE_CPU && storages[i]->state != state &&
        parked (storages[i], state)->data != NULL)
      size = MAX (size, MIN (storages[i]->size, CHUNK));
  return size;
}

static gboolean
change (PtCudaStorage *storage, guint state, const PtCudaParked *room, PtCuPointer spare,
        GError **error)
{
  PtCudaParked bytes = *parked (storage, state);

  if (storage->size > 0 && !(bytes.data != NULL ? resume (storage, bytes.data, spare, error)
                                                : begin (storage, room, error)))
    return FALSE;
  *parked (storage, state) = (PtCudaParked){ NULL, NULL };
  *parked (storage, storage->state) = bytes.data != NULL ? bytes : *room;
  storage->state = state;
  return TRUE;
}

gboolean
pt_cuda_storages_select (PtCudaStorage *const *storages, guint n, guint state, GError **error)
{
  g_autofree PtCudaParked *rooms = g_new0 (PtCudaParked, n + 1);
  gsize exchanged = measure_exchange (storages, n, state);
  PtCudaContext *context = n > 0 ? storages[0]->scope->context : NULL;
  PtCuPointer spare = 0;
  gboolean ok = make_room (storages, n, state, rooms, error);

  if (ok && exchanged > 0) {
    spare = pt_cuda_pool_allocate (context->tensors, exchanged, error);
    ok = spare != 0;
  }
  for (guint i = 0; ok && i < n; i++)
    if (storages[i]->state != state) {
      ok = change (storages[i], state, &rooms[i], spare, error);
      if (ok)
        rooms[i] = (PtCudaParked){ NULL, NULL };
    }
  if (spare != 0)
    pt_cuda_pool_release (context->tensors, spare);
  for (guint i = 0; i < n; i++)
    free_parked (storages[i], &rooms[i]);
  return ok;
}
