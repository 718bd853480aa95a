/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/mapping.h"

#include <glib/gstdio.h>

#ifdef G_OS_UNIX
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* A map of at least this many bytes is unmapped in a thread of its own. */
#define LARGE ((gsize) 256 * 1024 * 1024)

static guint n_lost; /* atomic */

guint
pt_mappings_lost (void)
{
  return (guint) g_atomic_int_get (&n_lost);
}

/* Windows has no such signals, and does not allow a mapped file to be shortened. */
#ifdef G_OS_UNIX

/*
 * One map in a list that the signal handler may read at any time. Therefore entries are never
 * freed. An entry with @end = 0 is unused and can be taken again.
 */
typedef struct _Range Range;

struct _Range {
  Range *next;
  guintptr begin, end; /* atomic */
  gint is_lost;        /* atomic */
  GMappedFile *file;
  int fd;
};

static Range *ranges; /* atomic */
static GMutex lock;   /* protects changes of the list */
static guintptr page_size;
static struct sigaction previous;

static Range *
find_range (gconstpointer address)
{
  guintptr at = (guintptr) address;
  Range *range;

  for (range = g_atomic_pointer_get (&ranges); range != NULL; range = range->next)
    if (at >= (guintptr) g_atomic_pointer_get (&range->begin) &&
        at < (guintptr) g_atomic_pointer_get (&range->end))
      return range;
  return NULL;
}

static void
mark_lost (Range *range)
{
  if (g_atomic_int_compare_and_exchange (&range->is_lost, FALSE, TRUE))
    g_atomic_int_inc (&n_lost);
}

/* Returns TRUE when the access can be repeated. */
static gboolean
replace_by_zeros (Range *range, gpointer address)
{
  guintptr from = (guintptr) address & ~(page_size - 1);
  gsize size = range->end - from;
  int saved = errno;
  gboolean ok = mmap ((gpointer) from, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                      0) != MAP_FAILED;

  errno = saved;
  if (ok)
    mark_lost (range);
  return ok;
}

static void
on_bus_error (int number, siginfo_t *info, void *context)
{
  Range *range = find_range (info->si_addr);

  if (range != NULL && replace_by_zeros (range, info->si_addr))
    return;
  /* The address is not in one of our maps: call the handler that was installed before. */
  if ((previous.sa_flags & SA_SIGINFO) != 0)
    previous.sa_sigaction (number, info, context);
  else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    previous.sa_handler (number);
  else
    sigaction (number, &previous, NULL);
}

static void
watch (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };

    page_size = (guintptr) sysconf (_SC_PAGESIZE);
    action.sa_sigaction = on_bus_error;
    sigemptyset (&action.sa_mask);
    sigaction (SIGBUS, NULL, &previous);
    sigaction (SIGBUS, &action, NULL);
    g_once_init_leave (&once, 1);
  }
}

static Range *
add_range (GMappedFile *file, int fd)
{
  guintptr begin = (guintptr) g_mapped_file_get_contents (file);
  Range *range;

  g_mutex_lock (&lock);
  for (range = ranges; range != NULL && range->end != 0; range = range->next)
    ;
  if (range == NULL) {
    range = g_new0 (Range, 1);
    range->next = ranges;
    g_atomic_pointer_set (&ranges, range);
  }
  range->file = file;
  range->fd = fd;
  g_atomic_int_set (&range->is_lost, FALSE);
  g_atomic_pointer_set (&range->begin, begin);
  g_atomic_pointer_set (&range->end, begin + g_mapped_file_get_length (file));
  g_mutex_unlock (&lock);
  return range;
}

static gpointer
unmap (gpointer file)
{
  g_mapped_file_unref (file);
  return NULL;
}

/*
 * Unmaps in a thread, because gigabytes take seconds, and a user who stops a job should not wait.
 */
static void
unmap_beside (GMappedFile *file)
{
  GThread *thread = g_mapped_file_get_length (file) >= LARGE
                        ? g_thread_try_new ("pteris-unmap", unmap, file, NULL)
                        : NULL;

  if (thread != NULL)
    g_thread_unref (thread);
  else
    unmap (file);
}

static void
remove_range (gpointer data)
{
  Range *range = data;
  GMappedFile *file = range->file;
  int fd = range->fd;

  /* Clear the entry before another map can get these addresses. */
  g_mutex_lock (&lock);
  g_atomic_pointer_set (&range->end, 0);
  g_mutex_unlock (&lock);
  unmap_beside (file);
  g_close (fd, NULL);
}

GBytes *
pt_mapping_bytes (GMappedFile *file, int fd)
{
  if (g_mapped_file_get_length (file) == 0) {
    g_mapped_file_unref (file);
    g_close (fd, NULL);
    return g_bytes_new (NULL, 0);
  }
  watch ();
  return g_bytes_new_with_free_func (g_mapped_file_get_contents (file),
                                     g_mapped_file_get_length (file), remove_range,
                                     add_range (file, fd));
}

static void
look (Range *range)
{
  struct stat now;

  if (fstat (range->fd, &now) != 0 || (guint64) now.st_size < range->end - range->begin)
    mark_lost (range);
}

void
pt_mappings_look (void)
{
  g_mutex_lock (&lock);
  for (Range *range = ranges; range != NULL; range = range->next)
    if (range->end != 0)
      look (range);
  g_mutex_unlock (&lock);
}

void
pt_mapping_forget (gconstpointer data, gsize size)
{
  guintptr begin, end = (guintptr) data + size;

  if (size == 0 || find_range (data) == NULL)
    return;
  begin = ((guintptr) data + page_size - 1) & ~(page_size - 1);
  end &= ~(page_size - 1);
  if (begin < end)
    madvise ((gpointer) begin, end - begin, MADV_DONTNEED);
}

gboolean
pt_mapping_is_intact (GBytes *bytes)
{
  gconstpointer data = g_bytes_get_data (bytes, NULL);
  Range *range = data != NULL ? find_range (data) : NULL;

  if (range == NULL)
    return TRUE;
  look (range);
  return !g_atomic_int_get (&range->is_lost);
}

#else

void
pt_mapping_forget (gconstpointer data, gsize size)
{
}

GBytes *
pt_mapping_bytes (GMappedFile *file, int fd)
{
  GBytes *bytes = g_mapped_file_get_bytes (file);

  g_mapped_file_unref (file);
  g_close (fd, NULL);
  return bytes;
}

void
pt_mappings_look (void)
{
}

gboolean
pt_mapping_is_intact (GBytes *bytes)
{
  return TRUE;
}

#endif
