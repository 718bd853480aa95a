/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hostile/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gmodule.h>

#include "engine/runtime/memory.h"

#if defined(__GLIBC__) && defined(__linux__)
#define CAN_FAIL 1
#ifndef PT_ADDRESS_SANITIZER
#define OWNS_MEMORY 1
#endif
#endif

static gint armed = FAULT_NONE;
static gint countdown; /* requests until one fails; fails at 0 */
static gsize smallest; /* bytes of a request that counts */

#ifdef CAN_FAIL
static gboolean
fails (Fault fault)
{
  gint left;

  if (g_atomic_int_get (&armed) != (gint) fault)
    return FALSE;
  left = g_atomic_int_add (&countdown, -1);
  return left == 0 || (left < 0 && (fault == FAULT_NO_MEMORY || fault == FAULT_READ_END));
}

static gboolean
refuse (gsize size)
{
  if (size < smallest || (!fails (FAULT_MEMORY) && !fails (FAULT_NO_MEMORY)))
    return FALSE;
  errno = ENOMEM;
  return TRUE;
}
#endif

/* ---- the allocator ---- */

#ifdef OWNS_MEMORY
static gint n_maps, n_blocks;

/* Address range of a library whose functions handle failed allocations. */
static struct {
  guintptr begin, end;
} careful[8];
static guint n_careful;

static int
note_library (struct dl_phdr_info *info, size_t size, void *data)
{
  static const char *const names[] = { "libjansson.", "libpcre2-8.", "libsamplerate." };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    for (guint i = 0; strstr (info->dlpi_name, names[k]) != NULL && i < info->dlpi_phnum; i++) {
      const ElfW (Phdr) *part = &info->dlpi_phdr[i];

      if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0 ||
          n_careful == G_N_ELEMENTS (careful))
        continue;
      careful[n_careful].begin = info->dlpi_addr + part->p_vaddr;
      careful[n_careful].end = careful[n_careful].begin + part->p_memsz;
      n_careful++;
    }
  return 0;
}

static gboolean
is_careful (const void *caller)
{
  guintptr at = (guintptr) caller;

  for (guint i = 0; i < n_careful; i++)
    if (at >= careful[i].begin && at < careful[i].end)
      return TRUE;
  return FALSE;
}

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *data, size_t size);
void *__libc_memalign (size_t alignment, size_t size);
void __libc_free (void *data);

static void *
count (void *data)
{
  if (data != NULL)
    g_atomic_int_inc (&n_blocks);
  return data;
}

static gboolean
refuse_block (size_t size, const void *caller)
{
  return g_atomic_int_get (&armed) != FAULT_NONE && (size >= FAULTS_LARGE || is_careful (caller)) &&
         refuse (size);
}

#define REFUSED(size) refuse_block ((size), __builtin_return_address (0))

G_MODULE_EXPORT void *
malloc (size_t size)
{
  return REFUSED (size) ? NULL : count (__libc_malloc (size));
}

G_MODULE_EXPORT void *
calloc (size_t n, size_t size)
{
  gsize bytes = size > 0 && n < G_MAXSIZE / size ? n * size : 0;

  return REFUSED (bytes) ? NULL : count (__libc_calloc (n, size));
}

G_MODULE_EXPORT void *
realloc (void *data, size_t size)
{
  void *moved;

  if (size > 0 && REFUSED (size))
    return NULL;
  moved = __libc_realloc (data, size);
  if (data == NULL)
    count (moved);
  else if (size == 0)
    g_atomic_int_add (&n_blocks, -1);
  return moved;
}

G_MODULE_EXPORT void
free (void *data)
{
  if (data != NULL)
    g_atomic_int_add (&n_blocks, -1);
  __libc_free (data);
}

G_MODULE_EXPORT void *
aligned_alloc (size_t alignment, size_t size)
{
  return REFUSED (size) ? NULL : count (__libc_memalign (alignment, size));
}

G_MODULE_EXPORT int
posix_memalign (void **data, size_t alignment, size_t size)
{
  *data = REFUSED (size) ? NULL : count (__libc_memalign (alignment, size));
  return *data != NULL ? 0 : ENOMEM;
}
#endif

/* ---- GLib's functions that may return NULL ---- */

#ifdef CAN_FAIL
G_MODULE_EXPORT
gpointer (g_try_malloc) (gsize size)
{
  return size == 0 || refuse (size) ? NULL : malloc (size);
}

G_MODULE_EXPORT
gpointer (g_try_malloc0) (gsize size)
{
  return size == 0 || refuse (size) ? NULL : calloc (1, size);
}

G_MODULE_EXPORT
gpointer (g_try_malloc_n) (gsize n, gsize size)
{
  return size > 0 && n > G_MAXSIZE / size ? NULL : g_try_malloc (n * size);
}

G_MODULE_EXPORT
gpointer (g_try_malloc0_n) (gsize n, gsize size)
{
  return size > 0 && n > G_MAXSIZE / size ? NULL : g_try_malloc0 (n * size);
}
#endif

/* ---- maps ---- */

static char *to_shorten;
static gsize shortened_size;

void
faults_shorten (const char *path, gsize size)
{
  g_free (to_shorten);
  to_shorten = g_strdup (path);
  shortened_size = size;
}

#ifdef OWNS_MEMORY
static void
shorten (int fd)
{
  struct stat mapped, wanted;

  if (fd < 0 || to_shorten == NULL || fstat (fd, &mapped) != 0 || stat (to_shorten, &wanted) != 0 ||
      mapped.st_ino != wanted.st_ino || mapped.st_dev != wanted.st_dev)
    return;
  g_assert (truncate (to_shorten, (off_t) shortened_size) == 0);
  g_clear_pointer (&to_shorten, g_free);
}

/* By whichever of its names a library calls it. */
void *map (void *address, size_t size, int protection, int flags, int fd,
           off_t offset) __asm__("mmap");
void *map_64 (void *address, size_t size, int protection, int flags, int fd,
              off_t offset) __asm__("mmap64");

G_MODULE_EXPORT void *
map_64 (void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  void *data = MAP_FAILED;

  if (!refuse (size))
    data = (void *) syscall (SYS_mmap, address, size, protection, flags, fd, offset);
  if (data != MAP_FAILED) {
    g_atomic_int_inc (&n_maps);
    shorten (fd);
  }
  return data;
}

G_MODULE_EXPORT void *
map (void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  return map_64 (address, size, protection, flags, fd, offset);
}

G_MODULE_EXPORT int
munmap (void *address, size_t size)
{
  g_atomic_int_add (&n_maps, -1);
  return (int) syscall (SYS_munmap, address, size);
}
#endif

/* ---- reads ---- */

#ifdef CAN_FAIL
static gboolean
is_regular (int fd)
{
  struct stat info;

  /* Files that the kernel generates have no size. */
  return fstat (fd, &info) == 0 && S_ISREG (info.st_mode) && info.st_size > 0;
}

static ssize_t
read_or_fail (int fd, void *data, size_t n)
{
  if (g_atomic_int_get (&armed) >= FAULT_READ_ERROR && is_regular (fd)) {
    if (fails (FAULT_READ_END))
      return 0;
    if (fails (FAULT_READ_SHORT))
      n = (n + 1) / 2;
    if (fails (FAULT_READ_ERROR)) {
      errno = EIO;
      return -1;
    }
  }
  return syscall (SYS_read, fd, data, n);
}

G_MODULE_EXPORT ssize_t
read (int fd, void *data, size_t n)
{
  return read_or_fail (fd, data, n);
}

/* Streams read past our read(): while reads may fail they are made of it. */
static ssize_t
read_stream (void *cookie, char *data, size_t n)
{
  return read_or_fail (GPOINTER_TO_INT (cookie), data, n);
}

static int
seek_stream (void *cookie, off64_t *offset, int whence)
{
  *offset = lseek (GPOINTER_TO_INT (cookie), *offset, whence);
  return *offset < 0 ? -1 : 0;
}

static int
close_stream (void *cookie)
{
  return close (GPOINTER_TO_INT (cookie));
}

FILE *open_stream (const char *path, const char *mode) __asm__("fopen");
FILE *open_stream_64 (const char *path, const char *mode) __asm__("fopen64");

G_MODULE_EXPORT FILE *
open_stream_64 (const char *path, const char *mode)
{
  static const cookie_io_functions_t functions = { .read = read_stream,
                                                   .seek = seek_stream,
                                                   .close = close_stream };
  gboolean writes = mode[0] != 'r' || strchr (mode, '+') != NULL;
  int flags = mode[0] == 'a' ? O_APPEND | O_CREAT : mode[0] == 'w' ? O_TRUNC | O_CREAT : 0;
  int fd = open (path, flags | (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0666);

  if (fd < 0)
    return NULL;
  if (writes || g_atomic_int_get (&armed) < FAULT_READ_ERROR)
    return fdopen (fd, mode);
  return fopencookie (GINT_TO_POINTER (fd), "r", functions);
}

G_MODULE_EXPORT FILE *
open_stream (const char *path, const char *mode)
{
  return open_stream_64 (path, mode);
}
#endif

/* ---- what the tests call ---- */

void
faults_begin (Fault fault, guint n, gsize size)
{
  smallest = size;
#ifdef OWNS_MEMORY
  if (n_careful == 0)
    dl_iterate_phdr (note_library, NULL);
#endif
  g_atomic_int_set (&countdown, (gint) n);
  g_atomic_int_set (&armed, (gint) fault);
}

gboolean
faults_end (void)
{
  g_atomic_int_set (&armed, FAULT_NONE);
  return g_atomic_int_get (&countdown) < 0;
}

gint
faults_n_maps (void)
{
#ifdef OWNS_MEMORY
  return g_atomic_int_get (&n_maps);
#else
  return 0;
#endif
}

gint
faults_n_blocks (void)
{
#ifdef OWNS_MEMORY
  return g_atomic_int_get (&n_blocks);
#else
  return 0;
#endif
}

gboolean
faults_possible (void)
{
#ifdef CAN_FAIL
  return TRUE;
#else
  return FALSE;
#endif
}

gboolean
faults_own_memory (void)
{
#ifdef OWNS_MEMORY
  return TRUE;
#else
  return FALSE;
#endif
}
