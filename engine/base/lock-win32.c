/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/base/lock.h"

#include <windows.h>

#include "engine/base/long-paths.h"

/* Windows sends no notification when another process closes a file, so poll. */
#define POLL_MS 20
#define MAX_DENIED 100

struct _PtLock {
  HANDLE file;
};

/* The lock is a file that is open without sharing. Windows deletes it when the handle is closed. */
static HANDLE
open_alone (const gunichar2 *path)
{
  return CreateFileW ((const wchar_t *) path, GENERIC_READ | GENERIC_WRITE | DELETE, 0, NULL,
                      OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_DELETE_ON_CLOSE, NULL);
}

/*
 * Access is denied for a moment while Windows deletes the file, but also in a folder without write
 * permission. Therefore the number of denied attempts is limited.
 */
static HANDLE
wait_for (const gunichar2 *path, gboolean wait)
{
  guint n_denied = 0;
  HANDLE file;

  while ((file = open_alone (path)) == INVALID_HANDLE_VALUE) {
    DWORD problem = GetLastError ();

    if (problem == ERROR_ACCESS_DENIED ? ++n_denied > MAX_DENIED
                                       : !wait || problem != ERROR_SHARING_VIOLATION)
      return INVALID_HANDLE_VALUE;
    Sleep (POLL_MS);
  }
  return file;
}

PtLock *
pt_lock_take (const char *path, gboolean wait, GError **error)
{
  g_autofree gunichar2 *wide = pt_long_path (path);
  HANDLE file = wide != NULL ? wait_for (wide, wait) : INVALID_HANDLE_VALUE;
  DWORD problem = wide != NULL ? GetLastError () : ERROR_INVALID_NAME;
  PtLock *self;

  if (file == INVALID_HANDLE_VALUE) {
    g_autofree char *reason = g_win32_error_message ((int) problem);

    if (problem == ERROR_SHARING_VIOLATION)
      pt_fail (error, PT_ERROR_BUSY,
               "“%s” is locked by another program. Wait until it is done, and try again.", path);
    else
      pt_fail (error, PT_ERROR_FILE, "“%s” cannot be locked: %s", path, reason);
    return NULL;
  }
  self = g_new (PtLock, 1);
  self->file = file;
  return self;
}

void
pt_lock_free (PtLock *self)
{
  if (self == NULL)
    return;
  CloseHandle (self->file);
  g_free (self);
}
