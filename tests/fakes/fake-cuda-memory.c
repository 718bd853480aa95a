/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory of the stand-in. A range of addresses that are never backed by anything is what device
 * pointers point to; a second range, at a fixed distance, has the bytes.
 */

#include "tests/fakes/fake-cuda-private.h"

#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#define RANGE_SIZE ((gsize) 64 << 30)
#define PAGE ((gsize) 64 << 10) /* of every system a multiple */
#define GUARD ((gsize) 512)     /* on both sides, also the alignment */
#define GUARD_BYTE 0xd7
#define JUNK_BYTE 0xa5
#define MOST_JUNK ((gsize) 4 << 20)

typedef struct {
  guint8 *start; /* of its pages */
  gsize extent;
  gsize size;
  int device;
} Allocation;

static guint8 *addresses, *bytes;
static GArray *allocations; /* sorted */
static GHashTable *pinned;  /* address -> size */

/* ---- The system ---- */

static guint8 *
reserve (gsize size)
{
#ifdef G_OS_WIN32
  guint8 *range = VirtualAlloc (NULL, size, MEM_RESERVE, PAGE_NOACCESS);

  g_assert_nonnull (range);
#else
  guint8 *range = mmap (NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  g_assert_true (range != MAP_FAILED);
#endif
  return range;
}

static void
commit (guint8 *start, gsize size)
{
#ifdef G_OS_WIN32
  g_assert_nonnull (VirtualAlloc (start, size, MEM_COMMIT, PAGE_READWRITE));
#else
  g_assert_cmpint (mprotect (start, size, PROT_READ | PROT_WRITE), ==, 0);
#endif
}

static void
decommit (guint8 *start, gsize size)
{
#ifdef G_OS_WIN32
  VirtualFree (start, size, MEM_DECOMMIT);
#else
  madvise (start, size, MADV_DONTNEED);
  mprotect (start, size, PROT_NONE);
#endif
}

/* ---- Device memory ---- */

static guint8 *
shadow (const Allocation *allocation)
{
  return bytes + (allocation->start - addresses);
}

static void
make_ranges (void)
{
  if (addresses != NULL)
    return;
  addresses = reserve (RANGE_SIZE);
  bytes = reserve (RANGE_SIZE);
  allocations = g_array_new (FALSE, FALSE, sizeof (Allocation));
}

gboolean
fake_is_device_address (PtCuPointer pointer)
{
  return addresses != NULL && pointer >= (gsize) addresses &&
         pointer < (gsize) addresses + RANGE_SIZE;
}

static Allocation *
find_allocation (PtCuPointer pointer, guint *index)
{
  for (guint i = 0; allocations != NULL && i < allocations->len; i++) {
    Allocation *allocation = &g_array_index (allocations, Allocation, i);
    PtCuPointer start = (gsize) allocation->start + GUARD;

    if (pointer >= start && pointer - start < MAX (allocation->size, 1)) {
      *index = i;
      return allocation;
    }
  }
  return NULL;
}

gpointer
fake_device_bytes (PtCuPointer pointer, gsize size)
{
  guint i;
  Allocation *allocation = find_allocation (pointer, &i);
  gsize offset;

  if (allocation == NULL)
    return NULL;
  offset = (gsize) pointer - (gsize) allocation->start - GUARD;
  if (size > allocation->size - offset)
    return NULL;
  return shadow (allocation) + GUARD + offset;
}

/* Finds a gap of @extent bytes, and the index of the allocation. */
static guint8 *
find_gap (gsize extent, guint *index)
{
  guint8 *start = addresses;
  guint i = 0;

  for (; i < allocations->len; i++) {
    const Allocation *next = &g_array_index (allocations, Allocation, i);

    if ((gsize) (next->start - start) >= extent)
      break;
    start = next->start + next->extent;
  }
  *index = i;
  return (gsize) (addresses + RANGE_SIZE - start) >= extent ? start : NULL;
}

PtCuResult
cuMemAlloc (PtCuPointer *pointer, gsize size)
{
  Allocation allocation = { .size = size };
  guint index;
  int device;
  ENTER (NEEDS_CONTEXT);

  device = fake_current ()->device;
  if (fake_check_unsafe () != PT_CU_SUCCESS)
    return CU_CAPTURE_UNSUPPORTED;
  if (size == 0)
    return PT_CU_INVALID_VALUE;
  if (size > fake.total || fake.used[device] > fake.total - size)
    return PT_CU_OUT_OF_MEMORY;
  make_ranges ();
  allocation.extent = (size + 2 * GUARD + PAGE - 1) / PAGE * PAGE;
  allocation.start = find_gap (allocation.extent, &index);
  allocation.device = device;
  if (allocation.start == NULL)
    return PT_CU_OUT_OF_MEMORY;
  g_array_insert_val (allocations, index, allocation);
  commit (shadow (&allocation), allocation.extent);
  memset (shadow (&allocation), GUARD_BYTE, GUARD);
  memset (shadow (&allocation) + GUARD, JUNK_BYTE, MIN (size, MOST_JUNK));
  memset (shadow (&allocation) + GUARD + size, GUARD_BYTE, GUARD);
  *pointer = (gsize) allocation.start + GUARD;
  fake.used[device] += size;
  fake.counts.allocations++;
  fake.counts.bytes += size;
  fake.counts.most_bytes = MAX (fake.counts.most_bytes, fake.counts.bytes);
  return PT_CU_SUCCESS;
}

static void
free_allocation (guint index)
{
  Allocation *allocation = &g_array_index (allocations, Allocation, index);
  guint8 *start = shadow (allocation);

  for (gsize i = 0; i < GUARD; i++)
    if (start[i] != GUARD_BYTE || start[GUARD + allocation->size + i] != GUARD_BYTE)
      g_error ("Device memory was written outside of a block of %" G_GSIZE_FORMAT " bytes",
               allocation->size);
  decommit (start, allocation->extent);
  fake.used[allocation->device] -= allocation->size;
  fake.counts.allocations--;
  fake.counts.bytes -= allocation->size;
  g_array_remove_index (allocations, index);
}

PtCuResult
cuMemFree (PtCuPointer pointer)
{
  Allocation *allocation;
  guint index;
  ENTER (NEEDS_CONTEXT);

  if (pointer == 0)
    return PT_CU_SUCCESS;
  if (fake_check_unsafe () != PT_CU_SUCCESS)
    return CU_CAPTURE_UNSUPPORTED;
  allocation = find_allocation (pointer, &index);
  if (allocation == NULL || pointer != (gsize) allocation->start + GUARD)
    return PT_CU_INVALID_VALUE;
  fake_drain_all ();
  free_allocation (index);
  return PT_CU_SUCCESS;
}

PtCuResult
cuMemGetAddressRange (PtCuPointer *start, gsize *size, PtCuPointer pointer)
{
  const Allocation *allocation;
  guint index;
  ENTER (NEEDS_CONTEXT);

  allocation = find_allocation (pointer, &index);
  if (allocation == NULL)
    return CU_NOT_FOUND;
  *start = (gsize) allocation->start + GUARD;
  *size = allocation->size;
  return PT_CU_SUCCESS;
}

PtCuResult
cuMemGetInfo (gsize *unused, gsize *total)
{
  ENTER (NEEDS_CONTEXT);
  *total = fake.total;
  *unused = fake.total - MIN (fake.total, fake.used[fake_current ()->device]);
  return PT_CU_SUCCESS;
}

guint
fake_memory_free_all (int device)
{
  guint n = 0;

  for (guint i = allocations != NULL ? allocations->len : 0; i > 0; i--)
    if (g_array_index (allocations, Allocation, i - 1).device == device) {
      free_allocation (i - 1);
      n++;
    }
  return n;
}

/* ---- Pinned memory of the host ---- */

PtCuResult
cuMemHostAlloc (void **pointer, gsize size, guint flags)
{
  ENTER (NEEDS_CONTEXT);
  if (fake_check_unsafe () != PT_CU_SUCCESS)
    return CU_CAPTURE_UNSUPPORTED;
  if (size == 0)
    return PT_CU_INVALID_VALUE;
  if (pinned == NULL)
    pinned = g_hash_table_new (NULL, NULL);
  *pointer = g_malloc (size);
  memset (*pointer, JUNK_BYTE, size);
  g_hash_table_insert (pinned, *pointer, GSIZE_TO_POINTER (size));
  fake.counts.host_allocations++;
  fake.counts.host_bytes += size;
  return PT_CU_SUCCESS;
}

PtCuResult
cuMemFreeHost (void *pointer)
{
  gsize size;
  ENTER (NEEDS_CONTEXT);

  if (pinned == NULL || !g_hash_table_contains (pinned, pointer))
    return PT_CU_INVALID_VALUE;
  size = GPOINTER_TO_SIZE (g_hash_table_lookup (pinned, pointer));
  fake_drain_all ();
  g_hash_table_remove (pinned, pointer);
  g_free (pointer);
  fake.counts.host_allocations--;
  fake.counts.host_bytes -= size;
  return PT_CU_SUCCESS;
}

gboolean
fake_is_pinned (gconstpointer pointer)
{
  GHashTableIter iter;
  gpointer start, size;

  if (pinned == NULL)
    return FALSE;
  g_hash_table_iter_init (&iter, pinned);
  while (g_hash_table_iter_next (&iter, &start, &size))
    if ((const guint8 *) pointer >= (guint8 *) start &&
        (gsize) ((const guint8 *) pointer - (guint8 *) start) < GPOINTER_TO_SIZE (size))
      return TRUE;
  return FALSE;
}

PtCuResult
cuPointerGetAttribute (void *value, int attribute, PtCuPointer pointer)
{
  guint type, index;
  ENTER (NEEDS_CONTEXT);

  if (attribute != PT_CU_POINTER_MEMORY_TYPE)
    return PT_CU_INVALID_VALUE;
  if (find_allocation (pointer, &index) != NULL)
    type = PT_CU_MEMORY_DEVICE;
  else if (fake_is_pinned ((gconstpointer) (gsize) pointer))
    type = PT_CU_MEMORY_HOST;
  else
    return PT_CU_INVALID_VALUE;
  memcpy (value, &type, sizeof type);
  return PT_CU_SUCCESS;
}

/* ---- Copies ---- */

static PtCuResult
copy_now (gpointer to, gconstpointer from, gsize size)
{
  PtCuResult code = fake_check_legacy ();

  if (code == PT_CU_SUCCESS)
    code = fake_check_unsafe ();
  if (code != PT_CU_SUCCESS)
    return code;
  if (size > 0 && (to == NULL || from == NULL))
    return PT_CU_INVALID_VALUE;
  fake_drain (NULL);
  if (size > 0)
    memmove (to, from, size);
  return PT_CU_SUCCESS;
}

PtCuResult
cuMemcpyHtoD (PtCuPointer to, const void *from, gsize size)
{
  ENTER (NEEDS_CONTEXT);
  return copy_now (fake_device_bytes (to, size), from, size);
}

PtCuResult
cuMemcpyDtoH (void *to, PtCuPointer from, gsize size)
{
  ENTER (NEEDS_CONTEXT);
  return copy_now (to, fake_device_bytes (from, size), size);
}

/* Pageable memory is read at once, and written before the return, as the driver does. */
static PtCuResult
copy_later (PtCuPointer to, PtCuPointer from, gsize size, PtCuStream stream)
{
  FakeOp op = { .kind = OP_COPY, .to = to, .from = from, .size = size };
  gboolean is_direct = !fake_is_capturing (stream);
  gboolean writes_host = !fake_is_device_address (to);
  PtCuResult code;

  if (size == 0)
    return PT_CU_SUCCESS;
  if ((fake_is_device_address (to) && fake_device_bytes (to, size) == NULL) ||
      (fake_is_device_address (from) && fake_device_bytes (from, size) == NULL) || to == 0 ||
      from == 0)
    return PT_CU_INVALID_VALUE;
  if (is_direct && !fake_is_device_address (from) && !fake_is_pinned ((gconstpointer) (gsize) from))
    op.staged = g_memdup2 ((gconstpointer) (gsize) from, size);
  code = fake_push (stream, &op);
  if (code == PT_CU_SUCCESS && is_direct && writes_host &&
      !fake_is_pinned ((gconstpointer) (gsize) to))
    fake_drain (stream);
  return code;
}

PtCuResult
cuMemcpyHtoDAsync (PtCuPointer to, const void *from, gsize size, PtCuStream stream)
{
  ENTER (NEEDS_CONTEXT);
  if (size > 0 && (!fake_is_device_address (to) || fake_is_device_address ((gsize) from)))
    return PT_CU_INVALID_VALUE;
  return copy_later (to, (gsize) from, size, stream);
}

PtCuResult
cuMemcpyDtoHAsync (void *to, PtCuPointer from, gsize size, PtCuStream stream)
{
  ENTER (NEEDS_CONTEXT);
  if (size > 0 && (fake_is_device_address ((gsize) to) || !fake_is_device_address (from)))
    return PT_CU_INVALID_VALUE;
  return copy_later ((gsize) to, from, size, stream);
}

PtCuResult
cuMemcpyDtoDAsync (PtCuPointer to, PtCuPointer from, gsize size, PtCuStream stream)
{
  ENTER (NEEDS_CONTEXT);
  if (size > 0 && (!fake_is_device_address (to) || !fake_is_device_address (from)))
    return PT_CU_INVALID_VALUE;
  return copy_later (to, from, size, stream);
}

PtCuResult
cuMemcpyAsync (PtCuPointer to, PtCuPointer from, gsize size, PtCuStream stream)
{
  ENTER (NEEDS_CONTEXT);
  return copy_later (to, from, size, stream);
}

PtCuResult
cuMemsetD8Async (PtCuPointer to, guchar value, gsize size, PtCuStream stream)
{
  FakeOp op = { .kind = OP_SET, .to = to, .value = value, .size = size };
  ENTER (NEEDS_CONTEXT);

  if (size == 0)
    return PT_CU_SUCCESS;
  return fake_device_bytes (to, size) != NULL ? fake_push (stream, &op) : PT_CU_INVALID_VALUE;
}
