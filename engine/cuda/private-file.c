/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/private-file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"

/* Not defined in the headers of some systems. */
#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

#define MAX_TRIES 100

struct _PtPrivateFile {
  int fd;
  char *path;
  char *name; /* path of a file in a folder, until it is deleted; or NULL */
};

static gboolean
write_all (int fd, const guint8 *bytes, gsize size)
{
  while (size > 0) {
    gssize n = write (fd, bytes, MIN (size, 1u << 30));

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    bytes += n;
    size -= (gsize) n;
  }
  return TRUE;
}

/*
 * Whether code can be loaded from the folder: it may be mounted with noexec, or a policy may forbid
 * it.
 */
static gboolean
allows_code (int fd)
{
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gpointer map = mmap (NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

  if (map == MAP_FAILED)
    return FALSE;
  munmap (map, page);
  return TRUE;
}

static const char *
folder_of (PtPrivatePlace place)
{
  switch (place) {
  case PT_PRIVATE_RUNTIME: return g_getenv ("XDG_RUNTIME_DIR");
  case PT_PRIVATE_SHARED: return "/dev/shm";
  case PT_PRIVATE_TEMP: return g_get_tmp_dir ();
  default: return NULL;
  }
}

static int
open_memory (void)
{
#ifdef MFD_ALLOW_SEALING
  int fd = memfd_create ("pteris", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

  /* Kernels before 6.3 do not know the last flag, and do not need it. */
  if (fd < 0 && errno == EINVAL)
    fd = memfd_create ("pteris", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return fd;
#else
  errno = ENOSYS;
  return -1;
#endif
}

/* Makes a new file that only this user can open. */
static int
open_in_folder (const char *folder, char **name)
{
  int fd = -1;

  errno = ENOENT;
  for (guint i = 0; i < MAX_TRIES && folder != NULL && fd < 0; i++) {
    g_autofree char *random = g_uuid_string_random ();
    g_autofree char *file = g_strdup_printf (".pteris-%s", random);

    g_free (*name);
    *name = g_build_filename (folder, file, NULL);
    fd = open (*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0)
    g_clear_pointer (name, g_free);
  return fd;
}

/* Seals the file, so that no process can change it, this one included. */
static void
seal (int fd)
{
#ifdef F_ADD_SEALS
  fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
#endif
}

/*
 * glibc compares paths first: for a path that it has opened before, it returns the old library,
 * even when the descriptor in the path is another file by now. Adding "./" and ".//" makes a new
 * path of the same meaning without making it long.
 */
static char *
descriptor_path (int fd)
{
  static guint counter;
  GString *path = g_string_new ("/proc/self/");
  guint number = (guint) g_atomic_int_add ((gint *) &counter, 1);

  for (; number != 0; number >>= 1)
    g_string_append (path, (number & 1) != 0 ? ".//" : "./");
  g_string_append_printf (path, "fd/%d", fd);
  return g_string_free (path, FALSE);
}

static void
choose_path (PtPrivateFile *file)
{
  g_autofree char *path = descriptor_path (file->fd);

  if (access (path, R_OK) == 0) {
    file->path = g_steal_pointer (&path);
    if (file->name != NULL)
      g_unlink (file->name);
    g_clear_pointer (&file->name, g_free);
  } else {
    file->path = g_strdup (file->name);
  }
}

static gboolean
fail_place (GError **error, const char *folder, const char *what)
{
  return pt_fail (error, PT_ERROR_FILE, "A library cannot be put into %s: %s.",
                  folder != NULL ? folder : "memory", what);
}

PtPrivateFile *
pt_private_file_new_in (PtPrivatePlace place, gconstpointer bytes, gsize size, GError **error)
{
  g_autoptr (PtPrivateFile) file = g_new0 (PtPrivateFile, 1);
  const char *folder = folder_of (place);

  file->fd = place == PT_PRIVATE_MEMORY ? open_memory () : open_in_folder (folder, &file->name);
  if (file->fd < 0 || !write_all (file->fd, bytes, size)) {
    fail_place (error, folder, g_strerror (errno));
    return NULL;
  }
  if (place == PT_PRIVATE_MEMORY)
    seal (file->fd);
  if (!allows_code (file->fd)) {
    fail_place (error, folder, "the system allows no code there");
    return NULL;
  }
  choose_path (file);
  if (file->path != NULL)
    return g_steal_pointer (&file);
  fail_place (error, folder, "there is no /proc");
  return NULL;
}

PtPrivateFile *
pt_private_file_new (gconstpointer bytes, gsize size, GError **error)
{
  g_autoptr (GString) reasons = g_string_new (NULL);

  for (guint place = 0; place < PT_PRIVATE_PLACES; place++) {
    g_autoptr (GError) reason = NULL;
    PtPrivateFile *file = NULL;

    if (place == PT_PRIVATE_MEMORY || folder_of ((PtPrivatePlace) place) != NULL)
      file = pt_private_file_new_in ((PtPrivatePlace) place, bytes, size, &reason);
    if (file != NULL)
      return file;
    if (reason != NULL)
      g_string_append_printf (reasons, " %s", reason->message);
  }
  pt_fail (error, PT_ERROR_FILE, "The model's library cannot be loaded.%s", reasons->str);
  return NULL;
}

const char *
pt_private_file_path (const PtPrivateFile *file)
{
  return file->path;
}

void
pt_private_file_free (PtPrivateFile *file)
{
  if (file->name != NULL)
    g_unlink (file->name);
  if (file->fd >= 0)
    close (file->fd);
  g_free (file->name);
  g_free (file->path);
  g_free (file);
}
