/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#ifdef G_OS_WIN32
#include <io.h>
#define OPEN_FLAGS (O_WRONLY | O_CREAT | O_APPEND | O_BINARY)
#else
#include <unistd.h>
#define OPEN_FLAGS (O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC)
#endif

/* A journal larger than this was not written by us. */
#define MAX_BYTES (64 * 1024 * 1024)

typedef struct {
  char *path; /* NULL: only a mark, for flushing */
  char *line; /* NULL: delete @path */
} Work;

static GMutex lock;
static GCond drained;
static guint pending;

static char *
journal_folder (const char *kind)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", kind, NULL);
}

static gboolean
write_all (int fd, const char *bytes, gsize length)
{
  while (length > 0) {
    gssize n = write (fd, bytes, (unsigned int) MIN (length, G_MAXINT));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    bytes += n;
    length -= (gsize) n;
  }
  return TRUE;
}

static void
append_line (const char *path, const char *line)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd;

  g_mkdir_with_parents (folder, 0700);
  fd = g_open (path, OPEN_FLAGS, 0600);
  /* One write for a line: an appended line is there as a whole or, after a crash, cut short at the
   * end. */
  if (fd < 0 || !write_all (fd, line, strlen (line)))
    g_message ("“%s” could not be written: %s", path, g_strerror (errno));
  if (fd >= 0)
    g_close (fd, NULL);
}

static void
do_work (gpointer data, gpointer user_data)
{
  Work *work = data;

  if (work->line != NULL)
    append_line (work->path, work->line);
  else
    g_unlink (work->path);
  g_free (work->path);
  g_free (work->line);
  g_free (work);

  g_mutex_lock (&lock);
  if (--pending == 0)
    g_cond_broadcast (&drained);
  g_mutex_unlock (&lock);
}

static void
push (const char *path, char *line)
{
  static GThreadPool *pool;
  Work *work = g_new0 (Work, 1);

  work->path = g_strdup (path);
  work->line = line;
  g_mutex_lock (&lock);
  /* One thread, so that lines keep their order. */
  if (pool == NULL)
    pool = g_thread_pool_new (do_work, NULL, 1, FALSE, NULL);
  pending++;
  g_mutex_unlock (&lock);
  g_thread_pool_push (pool, work, NULL);
}

char *
pteris_journal_new_path (const char *kind)
{
  static guint counter;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *folder = journal_folder (kind);
  g_autofree char *stamp = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *name = g_strdup_printf ("%s-%06d-%04u.jsonl", stamp,
                                           g_date_time_get_microsecond (now), counter++ % 10000);

  return g_build_filename (folder, name, NULL);
}

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) b, *(const char *const *) a);
}

char **
pteris_journal_list (const char *kind)
{
  g_autofree char *folder = journal_folder (kind);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  GPtrArray *paths = g_ptr_array_new ();
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".jsonl"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_newest_first);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

void
pteris_journal_append (const char *path, json_t *record)
{
  char *text = json_dumps (record, JSON_COMPACT);

  json_decref (record);
  g_return_if_fail (text != NULL);
  push (path, g_strconcat (text, "\n", NULL));
  free (text);
}

void
pteris_journal_delete (const char *path)
{
  push (path, NULL);
}

void
pteris_journal_flush (void)
{
  g_mutex_lock (&lock);
  while (pending > 0)
    g_cond_wait (&drained, &lock);
  g_mutex_unlock (&lock);
}

static void
release (gpointer record)
{
  json_decref (record);
}

GPtrArray *
pteris_journal_read (const char *path)
{
  GPtrArray *records = g_ptr_array_new_with_free_func (release);
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  const char *bytes = file != NULL ? g_mapped_file_get_contents (file) : NULL;
  gsize length = bytes != NULL ? g_mapped_file_get_length (file) : 0;

  if (length > MAX_BYTES)
    return records;
  while (length > 0) {
    const char *newline = memchr (bytes, '\n', length);
    gsize n = newline != NULL ? (gsize) (newline - bytes) : length;
    json_t *record = newline != NULL ? json_loadb (bytes, n, 0, NULL) : NULL;

    if (json_is_object (record))
      g_ptr_array_add (records, record);
    else
      json_decref (record);
    /* A line cut short must not swallow the one that is appended next. */
    if (newline == NULL)
      push (path, g_strdup ("\n"));
    n = MIN (n + 1, length);
    bytes += n;
    length -= n;
  }
  return records;
}
