/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/upload.h"

#include <string.h>

#include "engine/base/set-error.h"

/*
 * A ring of slots of pinned memory. The engine thread puts pieces (source and target) into a slot
 * and gives it to the reader threads, which fill it from the file. Then the engine thread starts
 * the copies to the GPU, in the order of the slots, and records an event behind them. When the
 * event has happened, the slot is used again. About half of the slots are being filled while the
 * others are being copied.
 */
#define SLOT_SIZE ((gsize) 2 << 20)
#define N_SLOTS 16
#define MOST_AHEAD 10 /* maximum of slots that readers fill at a time */
#define MOST_PIECES 64
#define PIECE_ALIGNMENT 256
#define MOST_READERS 8 /* one reads 5 GB/s from a mapped file, the bus takes 25 to 55 */

typedef struct {
  gconstpointer from;
  PtCuPointer to;
  gsize offset, size; /* offset in the slot */
} Piece;

typedef struct {
  guint8 *data;
  Piece pieces[MOST_PIECES];
  guint n_pieces;
  gsize used;
  gboolean is_filled; /* protected by the lock */
  PtCuEvent event;    /* recorded after its copies */
} Slot;

struct _PtCudaUpload {
  PtCudaContext *context;
  gpointer pinned;
  Slot slots[N_SLOTS];
  guint64 n_given;    /* number of slots given to readers; the next slot is being put together */
  guint64 n_sent;     /* number of slots whose copies have been started */
  gboolean is_open;   /* the slot that is being put together is empty */
  gboolean is_broken; /* an error has occurred */

  GThread *readers[MOST_READERS];
  guint n_readers;
  GMutex lock;
  GCond work, filled;
  guint64 n_ready, n_taken; /* as seen by readers; protected by the lock */
  gboolean is_stopping;
};

/* ---- Readers ---- */

static void
fill (Slot *slot)
{
  for (guint i = 0; i < slot->n_pieces; i++) {
    const Piece *piece = &slot->pieces[i];

    memcpy (slot->data + piece->offset, piece->from, piece->size);
  }
}

static gpointer
read_slots (gpointer data)
{
  PtCudaUpload *upload = data;

  g_mutex_lock (&upload->lock);
  while (!upload->is_stopping) {
    Slot *slot;

    if (upload->n_taken == upload->n_ready) {
      g_cond_wait (&upload->work, &upload->lock);
      continue;
    }
    slot = &upload->slots[upload->n_taken++ % N_SLOTS];
    g_mutex_unlock (&upload->lock);
    fill (slot);
    g_mutex_lock (&upload->lock);
    slot->is_filled = TRUE;
    g_cond_signal (&upload->filled);
  }
  g_mutex_unlock (&upload->lock);
  return NULL;
}

/* ---- Slots ---- */

static gboolean
check (PtCudaUpload *upload, PtCuResult code, GError **error)
{
  return pt_cuda_context_check (upload->context, code, "Copying weights to the GPU", error);
}

/* Whether the slot is filled. Waits for the readers if @must_wait. */
static gboolean
is_filled (PtCudaUpload *upload, Slot *slot, gboolean must_wait)
{
  gboolean is_filled;

  g_mutex_lock (&upload->lock);
  while (must_wait && !slot->is_filled)
    g_cond_wait (&upload->filled, &upload->lock);
  is_filled = slot->is_filled;
  g_mutex_unlock (&upload->lock);
  return is_filled;
}

/* Starts the copies of the oldest slot that has not been copied. */
static gboolean
send_slot (PtCudaUpload *upload, GError **error)
{
  const PtCuda *cu = upload->context->cu;
  Slot *slot = &upload->slots[upload->n_sent % N_SLOTS];

  is_filled (upload, slot, TRUE);
  for (guint i = 0; i < slot->n_pieces; i++) {
    const Piece *piece = &slot->pieces[i];

    if (!check (upload,
                cu->cuMemcpyHtoDAsync (piece->to, slot->data + piece->offset, piece->size,
                                       upload->context->stream),
                error))
      return FALSE;
  }
  upload->n_sent++;
  return check (upload, cu->cuEventRecord (slot->event, upload->context->stream), error);
}

/* Starts the copies of filled slots, and waits for more until readers have at most @ahead slots. */
static gboolean
send_slots (PtCudaUpload *upload, guint64 ahead, GError **error)
{
  while (upload->n_sent < upload->n_given &&
         (upload->n_given - upload->n_sent > ahead ||
          is_filled (upload, &upload->slots[upload->n_sent % N_SLOTS], FALSE)))
    if (!send_slot (upload, error))
      return FALSE;
  return TRUE;
}

/* The next slot of the ring, empty. */
static Slot *
open_slot (PtCudaUpload *upload, GError **error)
{
  Slot *slot = &upload->slots[upload->n_given % N_SLOTS];

  if (upload->is_open)
    return slot;
  if (!send_slots (upload, MOST_AHEAD, error))
    return NULL;
  if (upload->n_given >= N_SLOTS &&
      !check (upload, upload->context->cu->cuEventSynchronize (slot->event), error))
    return NULL;
  slot->n_pieces = 0;
  slot->used = 0;
  slot->is_filled = FALSE;
  upload->is_open = TRUE;
  return slot;
}

static void
release_slot (PtCudaUpload *upload)
{
  upload->is_open = FALSE;
  upload->n_given++;
  g_mutex_lock (&upload->lock);
  upload->n_ready = upload->n_given;
  g_cond_signal (&upload->work);
  g_mutex_unlock (&upload->lock);
}

/* Puts as much of the piece into the open slot as fits. Returns how many bytes. */
static gsize
add_piece (PtCudaUpload *upload, Slot *slot, PtCuPointer to, gconstpointer from, gsize size)
{
  Piece *piece = &slot->pieces[slot->n_pieces++];
  gsize used;

  *piece = (Piece){ from, to, slot->used, MIN (size, SLOT_SIZE - slot->used) };
  used = slot->used + piece->size;
  slot->used = (used + PIECE_ALIGNMENT - 1) & ~(gsize) (PIECE_ALIGNMENT - 1);
  if (slot->used == SLOT_SIZE || slot->n_pieces == MOST_PIECES)
    release_slot (upload);
  return piece->size;
}

/* ---- The upload ---- */

static gboolean
make_slots (PtCudaUpload *upload, GError **error)
{
  const PtCuda *cu = upload->context->cu;

  if (!check (upload, cu->cuMemHostAlloc (&upload->pinned, N_SLOTS * SLOT_SIZE, 0), error))
    return FALSE;
  for (guint i = 0; i < N_SLOTS; i++) {
    upload->slots[i].data = (guint8 *) upload->pinned + i * SLOT_SIZE;
    if (!check (upload, cu->cuEventCreate (&upload->slots[i].event, PT_CU_EVENT_DISABLE_TIMING),
                error))
      return FALSE;
  }
  return TRUE;
}

/* One reader is enough. */
static gboolean
start_readers (PtCudaUpload *upload, GError **error)
{
  guint n = CLAMP (g_get_num_processors () - 1, 1, MOST_READERS);
  g_autoptr (GError) cause = NULL;

  while (upload->n_readers < n) {
    GThread *thread = g_thread_try_new ("upload", read_slots, upload, &cause);

    if (thread == NULL)
      break;
    upload->readers[upload->n_readers++] = thread;
  }
  return upload->n_readers > 0 ||
         pt_fail (error, PT_ERROR_MEMORY, "No thread can be started: %s.", cause->message);
}

PtCudaUpload *
pt_cuda_upload_new (PtCudaContext *context, GError **error)
{
  g_autoptr (PtCudaUpload) upload = NULL;

  if (!pt_cuda_context_enter (context, error))
    return NULL;
  upload = g_new0 (PtCudaUpload, 1);
  upload->context = context;
  context->n_references++;
  g_mutex_init (&upload->lock);
  g_cond_init (&upload->work);
  g_cond_init (&upload->filled);
  if (!make_slots (upload, error) || !start_readers (upload, error))
    return NULL;
  return g_steal_pointer (&upload);
}

static gboolean
copy (PtCudaUpload *upload, PtCuPointer to, const guint8 *from, gsize size,
      GCancellable *cancellable, GError **error)
{
  while (size > 0) {
    gsize done;
    Slot *slot;

    if (g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Copying weights to the GPU was stopped.");
    slot = open_slot (upload, error);
    if (slot == NULL)
      return FALSE;
    done = add_piece (upload, slot, to, from, size);
    to += done;
    from += done;
    size -= done;
  }
  return TRUE;
}

static gboolean
check_whole (const PtCudaUpload *upload, GError **error)
{
  return !upload->is_broken ||
         pt_fail (error, PT_ERROR_STATE, "Copying weights to the GPU failed before.");
}

gboolean
pt_cuda_upload_copy (PtCudaUpload *upload, PtCuPointer to, gconstpointer from, gsize size,
                     GCancellable *cancellable, GError **error)
{
  if (!check_whole (upload, error))
    return FALSE;
  upload->is_broken = !copy (upload, to, from, size, cancellable, error);
  return !upload->is_broken;
}

gboolean
pt_cuda_upload_finish (PtCudaUpload *upload, GError **error)
{
  if (!check_whole (upload, error))
    return FALSE;
  if (upload->is_open)
    release_slot (upload);
  upload->is_broken =
      !send_slots (upload, 0, error) || !pt_cuda_context_synchronize (upload->context, error);
  return !upload->is_broken;
}

static void
stop_readers (PtCudaUpload *upload)
{
  g_mutex_lock (&upload->lock);
  upload->is_stopping = TRUE;
  g_cond_broadcast (&upload->work);
  g_mutex_unlock (&upload->lock);
  for (guint i = 0; i < upload->n_readers; i++)
    g_thread_join (upload->readers[i]);
}

void
pt_cuda_upload_free (PtCudaUpload *upload)
{
  const PtCuda *cu = upload->context->cu;

  stop_readers (upload);
  cu->cuStreamSynchronize (upload->context->stream);
  for (guint i = 0; i < N_SLOTS; i++)
    if (upload->slots[i].event != NULL)
      cu->cuEventDestroy (upload->slots[i].event);
  if (upload->pinned != NULL)
    cu->cuMemFreeHost (upload->pinned);
  pt_cuda_context_unref (upload->context);
  g_mutex_clear (&upload->lock);
  g_cond_clear (&upload->work);
  g_cond_clear (&upload->filled);
  g_free (upload);
}
