/* SPDX-License-Identifier: BSD-3-Clause */

/* The pipe on Windows: a named pipe, and file mappings whose handles are duplicated. */

#include "engine/host/link.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>

#include "engine/base/set-error.h"

#define PIPE_BYTES (64 * 1024)
/* Of the last lines on stderr. */
#define STDERR_BYTES 4096
/* How often a waiting writer looks whether it was cancelled. */
#define CANCEL_POLL_MS 20
/* The status of a process that we end. */
#define KILLED_STATUS 0xC000013Au

struct _PtLink {
  HANDLE pipe;
  HANDLE shut; /* an event: nothing more is read or written */
  HANDLE read_event, write_event;
  GMutex mutex; /* of writing and of @stderr_tail */
  gboolean broken;
  gboolean is_server;
  /* Of a host that we started. */
  HANDLE process, job; /* NULL: it is not ours */
  PtLinkEnd end;
  HANDLE stderr_pipe;
  GThread *stderr_thread;
  GString *stderr_tail;
  int stderr_done;
};

static gboolean
fail_last (GError **error, const char *what)
{
  g_autofree char *reason = g_win32_error_message ((int) GetLastError ());

  return pt_fail (error, PT_ERROR_HOST, "The model's process %s: %s", what, reason);
}

static PtLink *
link_new (HANDLE pipe)
{
  PtLink *link = g_new0 (PtLink, 1);

  link->pipe = pipe;
  link->shut = CreateEventW (NULL, TRUE, FALSE, NULL);
  link->read_event = CreateEventW (NULL, TRUE, FALSE, NULL);
  link->write_event = CreateEventW (NULL, TRUE, FALSE, NULL);
  link->stderr_tail = g_string_new (NULL);
  g_mutex_init (&link->mutex);
  return link;
}

/* ---- starting ---- */

/* Both ends of a pipe that nobody else can open. */
static gboolean
make_pipe (HANDLE *server, HANDLE *client, GError **error)
{
  static int last;
  SECURITY_ATTRIBUTES inherit = { sizeof inherit, NULL, TRUE };
  g_autofree char *name =
      g_strdup_printf ("\\\\.\\pipe\\pteris-%lu-%d-%08x", (gulong) GetCurrentProcessId (),
                       g_atomic_int_add (&last, 1), g_random_int ());
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (name, -1, NULL, NULL, NULL);

  *server = CreateNamedPipeW (
      (LPCWSTR) wide, PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
      PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, 1, PIPE_BYTES, PIPE_BYTES, 0, NULL);
  if (*server == INVALID_HANDLE_VALUE)
    return fail_last (error, "cannot be started");
  *client = CreateFileW ((LPCWSTR) wide, GENERIC_READ | GENERIC_WRITE, 0, &inherit, OPEN_EXISTING,
                         FILE_FLAG_OVERLAPPED, NULL);
  if (*client != INVALID_HANDLE_VALUE)
    return TRUE;
  fail_last (error, "cannot be started");
  CloseHandle (*server);
  return FALSE;
}

static wchar_t *
program_path (const char *program)
{
  wchar_t *path;

  if (program != NULL)
    return (wchar_t *) g_utf8_to_utf16 (program, -1, NULL, NULL, NULL);
  path = g_new0 (wchar_t, 32768);
  GetModuleFileNameW (NULL, path, 32767);
  return path;
}

/* Our environment and PTERIS_HOST. */
static wchar_t *
make_environment (void)
{
  static const wchar_t OWN[] = L"PTERIS_HOST=1";
  wchar_t *ours = GetEnvironmentStringsW ();
  gsize n = 0;
  wchar_t *all;

  while (ours[n] != 0)
    n += wcslen (ours + n) + 1;
  all = g_new0 (wchar_t, n + G_N_ELEMENTS (OWN) + 1);
  memcpy (all, ours, n * sizeof *all);
  memcpy (all + n, OWN, sizeof OWN);
  FreeEnvironmentStringsW (ours);
  return all;
}

/* It ends with us. */
static HANDLE
make_job (void)
{
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };
  HANDLE job = CreateJobObjectW (NULL, NULL);

  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  SetInformationJobObject (job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  return job;
}

static HANDLE
inheritable (DWORD which)
{
  HANDLE handle = GetStdHandle (which), copy = NULL;

  if (handle == NULL || handle == INVALID_HANDLE_VALUE ||
      !DuplicateHandle (GetCurrentProcess (), handle, GetCurrentProcess (), &copy, 0, TRUE,
                        DUPLICATE_SAME_ACCESS))
    return NULL;
  return copy;
}

/* Only the handles in @inherited go to the new process. */
static gboolean
create (PtLink *link, const char *program, STARTUPINFOEXW *startup, HANDLE *inherited,
        guint n_inherited, HANDLE client, GError **error)
{
  g_autofree wchar_t *path = program_path (program), *environment = make_environment ();
  g_autofree char *arguments = g_strdup_printf ("pteris " PT_LINK_ARGUMENT " %" G_GUINT64_FORMAT,
                                                (guint64) (guintptr) client);
  g_autofree gunichar2 *line = g_utf8_to_utf16 (arguments, -1, NULL, NULL, NULL);
  DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT |
                (GetConsoleWindow () == NULL ? CREATE_NO_WINDOW : 0);
  PROCESS_INFORMATION info;

  if (!UpdateProcThreadAttribute (startup->lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                  inherited, n_inherited * sizeof *inherited, NULL, NULL) ||
      !CreateProcessW (path, (LPWSTR) line, NULL, NULL, TRUE, flags, environment, NULL,
                       &startup->StartupInfo, &info))
    return fail_last (error, "cannot be started");
  link->process = info.hProcess;
  link->job = make_job ();
  AssignProcessToJobObject (link->job, info.hProcess);
  ResumeThread (info.hThread);
  CloseHandle (info.hThread);
  return TRUE;
}

static gboolean
spawn (PtLink *link, const char *program, HANDLE client, HANDLE words, GError **error)
{
  SIZE_T size = 0;
  g_autofree gpointer list = NULL;
  STARTUPINFOEXW startup = { 0 };
  HANDLE in = inheritable (STD_INPUT_HANDLE), out = inheritable (STD_OUTPUT_HANDLE);
  HANDLE inherited[4];
  guint n = 0;
  gboolean started;

  InitializeProcThreadAttributeList (NULL, 1, 0, &size);
  list = g_malloc0 (size);
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = in;
  startup.StartupInfo.hStdOutput = out;
  startup.StartupInfo.hStdError = words;
  startup.lpAttributeList = list;
  inherited[n++] = client;
  inherited[n++] = words;
  if (in != NULL)
    inherited[n++] = in;
  if (out != NULL)
    inherited[n++] = out;
  started = InitializeProcThreadAttributeList (list, 1, 0, &size)
                ? create (link, program, &startup, inherited, n, client, error)
                : fail_last (error, "cannot be started");
  if (in != NULL)
    CloseHandle (in);
  if (out != NULL)
    CloseHandle (out);
  return started;
}

static gpointer
stderr_main (gpointer data)
{
  PtLink *link = data;
  char bytes[1024];
  DWORD n;

  while (ReadFile (link->stderr_pipe, bytes, sizeof bytes, &n, NULL) && n > 0) {
    fwrite (bytes, 1, n, stderr);
    fflush (stderr);
    g_mutex_lock (&link->mutex);
    g_string_append_len (link->stderr_tail, bytes, (gssize) n);
    if (link->stderr_tail->len > STDERR_BYTES)
      g_string_erase (link->stderr_tail, 0, (gssize) (link->stderr_tail->len - STDERR_BYTES));
    g_mutex_unlock (&link->mutex);
  }
  g_atomic_int_set (&link->stderr_done, 1);
  return NULL;
}

PtLink *
pt_link_start (const char *program, GError **error)
{
  SECURITY_ATTRIBUTES inherit = { sizeof inherit, NULL, TRUE };
  HANDLE server, client = INVALID_HANDLE_VALUE, words;
  PtLink *link;
  gboolean started;

  if (!make_pipe (&server, &client, error))
    return NULL;
  link = link_new (server);
  link->is_server = TRUE;
  if (!CreatePipe (&link->stderr_pipe, &words, &inherit, 0)) {
    fail_last (error, "cannot be started");
    CloseHandle (client);
    pt_link_free (link);
    return NULL;
  }
  SetHandleInformation (link->stderr_pipe, HANDLE_FLAG_INHERIT, 0);
  started = spawn (link, program, client, words, error);
  CloseHandle (client);
  CloseHandle (words);
  if (!started) {
    pt_link_free (link);
    return NULL;
  }
  link->stderr_thread = g_thread_new ("pteris-host-err", stderr_main, link);
  return link;
}

PtLink *
pt_link_adopt (int argc, char **argv, GError **error)
{
  guint64 value = 0;
  HANDLE pipe;

  if (argc > 2)
    g_ascii_string_to_unsigned (argv[2], 10, 1, G_MAXUINT64, &value, NULL);
  pipe = (HANDLE) (guintptr) value;
  if (value == 0 || GetFileType (pipe) != FILE_TYPE_PIPE) {
    pt_fail (error, PT_ERROR_HOST,
             "%s is for Pteris itself, which starts a model's process with it.", PT_LINK_ARGUMENT);
    return NULL;
  }
  SetHandleInformation (pipe, HANDLE_FLAG_INHERIT, 0);
  /* Ctrl-C is for the program that started us; no window tells of a crash. */
  SetConsoleCtrlHandler (NULL, TRUE);
  SetErrorMode (SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  return link_new (pipe);
}

static void
close_handle (HANDLE *handle)
{
  if (*handle != NULL && *handle != INVALID_HANDLE_VALUE)
    CloseHandle (*handle);
  *handle = NULL;
}

void
pt_link_free (PtLink *link)
{
  PtLinkEnd ignored;

  if (link == NULL)
    return;
  if (link->process != NULL) {
    pt_link_kill (link);
    pt_link_wait (link, G_MAXUINT, &ignored);
  }
  /* Programs that the process started may hold the other end of the pipe; they end with the job
   * object. */
  close_handle (&link->job);
  while (link->stderr_thread != NULL && !g_atomic_int_get (&link->stderr_done)) {
    CancelIoEx (link->stderr_pipe, NULL);
    g_usleep (1000);
  }
  g_clear_pointer (&link->stderr_thread, g_thread_join);
  close_handle (&link->pipe);
  close_handle (&link->shut);
  close_handle (&link->read_event);
  close_handle (&link->write_event);
  close_handle (&link->process);
  close_handle (&link->job);
  close_handle (&link->stderr_pipe);
  g_string_free (link->stderr_tail, TRUE);
  g_mutex_clear (&link->mutex);
  g_free (link);
}

/* ---- reading ---- */

static gboolean
is_closed (DWORD code)
{
  return code == ERROR_BROKEN_PIPE || code == ERROR_PIPE_NOT_CONNECTED || code == ERROR_NO_DATA ||
         code == ERROR_OPERATION_ABORTED || code == ERROR_INVALID_HANDLE;
}

gssize
pt_link_read (PtLink *link, guint8 *bytes, gsize size, GError **error)
{
  OVERLAPPED overlapped = { .hEvent = link->read_event };
  HANDLE events[] = { link->read_event, link->shut };
  DWORD n = 0;

  if (WaitForSingleObject (link->shut, 0) == WAIT_OBJECT_0)
    return 0;
  if (!ReadFile (link->pipe, bytes, (DWORD) size, NULL, &overlapped) &&
      GetLastError () != ERROR_IO_PENDING) {
    if (is_closed (GetLastError ()))
      return 0;
    fail_last (error, "cannot be read");
    return -1;
  }
  if (WaitForMultipleObjects (2, events, FALSE, INFINITE) != WAIT_OBJECT_0)
    CancelIoEx (link->pipe, &overlapped);
  if (GetOverlappedResult (link->pipe, &overlapped, &n, TRUE))
    return (gssize) n;
  if (is_closed (GetLastError ()))
    return 0;
  fail_last (error, "cannot be read");
  return -1;
}

/* ---- shared memory ---- */

struct _PtShared {
  HANDLE mapping;
  guint8 *data;
};

PtShared *
pt_shared_new (gsize size, GError **error)
{
  PtShared *shared = g_new0 (PtShared, 1);

  shared->mapping = CreateFileMappingW (INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE,
                                        (DWORD) ((guint64) size >> 32), (DWORD) size, NULL);
  if (shared->mapping != NULL)
    shared->data = MapViewOfFile (shared->mapping, FILE_MAP_WRITE, 0, 0, size);
  if (shared->data != NULL)
    return shared;
  pt_fail (error, PT_ERROR_MEMORY, "There are no %" G_GSIZE_FORMAT " bytes of shared memory.",
           size);
  pt_shared_free (shared);
  return NULL;
}

guint8 *
pt_shared_data (PtShared *shared)
{
  return shared->data;
}

void
pt_shared_free (PtShared *shared)
{
  if (shared->data != NULL)
    UnmapViewOfFile (shared->data);
  close_handle (&shared->mapping);
  g_free (shared);
}

/* The handle of @note as one of this process: the engine duplicates what goes to the host and what
 * comes from it. */
static HANDLE
take_handle (PtLink *link, const PtSharedNote *note)
{
  HANDLE theirs = (HANDLE) (guintptr) note->handle, ours = NULL;

  if (link->process == NULL)
    return theirs;
  DuplicateHandle (link->process, theirs, GetCurrentProcess (), &ours, FILE_MAP_READ, FALSE,
                   DUPLICATE_CLOSE_SOURCE);
  return ours;
}

/* Nothing seals a mapping: what the other process could change is copied, and a page that is not
 * there is an error instead of a fault. */
GBytes *
pt_link_take_shared (const PtSharedNote *note, gpointer user_data, GError **error)
{
  HANDLE mapping = take_handle (user_data, note);
  gsize size = (gsize) note->size;
  guint8 *copy = g_try_malloc (size);
  gpointer view = mapping != NULL ? MapViewOfFile (mapping, FILE_MAP_READ, 0, 0, size) : NULL;
  SIZE_T n = 0;
  gboolean copied = copy != NULL && view != NULL &&
                    ReadProcessMemory (GetCurrentProcess (), view, copy, size, &n) && n == size;

  if (view != NULL)
    UnmapViewOfFile (view);
  close_handle (&mapping);
  if (copied)
    return g_bytes_new_take (copy, size);
  g_free (copy);
  pt_fail (error, copy != NULL ? PT_ERROR_HOST : PT_ERROR_MEMORY,
           "Shared memory of %" G_GSIZE_FORMAT " bytes cannot be read.", size);
  return NULL;
}

/* ---- writing ---- */

/* Waits for the end of a write. */
static gboolean
wait_for_write (PtLink *link, OVERLAPPED *overlapped, gint64 deadline, GCancellable *cancellable,
                DWORD *n, GError **error)
{
  HANDLE events[] = { link->write_event, link->shut };
  DWORD found = WAIT_TIMEOUT;

  while (found == WAIT_TIMEOUT) {
    if (g_cancellable_is_cancelled (cancellable) ||
        (deadline != 0 && g_get_monotonic_time () >= deadline))
      break;
    found = WaitForMultipleObjects (
        2, events, FALSE, deadline != 0 || cancellable != NULL ? CANCEL_POLL_MS : INFINITE);
  }
  if (found != WAIT_OBJECT_0)
    CancelIoEx (link->pipe, overlapped);
  if (GetOverlappedResult (link->pipe, overlapped, n, TRUE))
    return TRUE;
  if (g_cancellable_is_cancelled (cancellable))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  return pt_fail (error, PT_ERROR_HOST, "The other process does not read.");
}

static gboolean
write_all (PtLink *link, const guint8 *bytes, gsize size, gint64 deadline,
           GCancellable *cancellable, GError **error)
{
  while (size > 0) {
    OVERLAPPED overlapped = { .hEvent = link->write_event };
    DWORD n = 0;

    if (WaitForSingleObject (link->shut, 0) == WAIT_OBJECT_0)
      return pt_fail (error, PT_ERROR_HOST, "The pipe is closed.");
    if (!WriteFile (link->pipe, bytes, (DWORD) MIN (size, PIPE_BYTES), NULL, &overlapped) &&
        GetLastError () != ERROR_IO_PENDING)
      return fail_last (error, "cannot be reached");
    if (!wait_for_write (link, &overlapped, deadline, cancellable, &n, error))
      return FALSE;
    bytes += n;
    size -= n;
  }
  return TRUE;
}

/* Gives @shared to the other process and notes its handle in @frame. */
static gboolean
give_shared (PtLink *link, PtShared *shared, guint8 *frame, GError **error)
{
  HANDLE handle = shared->mapping;
  guint64 value;

  UnmapViewOfFile (shared->data);
  shared->data = NULL;
  if (link->process != NULL && !DuplicateHandle (GetCurrentProcess (), shared->mapping,
                                                 link->process, &handle, FILE_MAP_READ, FALSE, 0))
    return fail_last (error, "cannot share memory");
  /* The engine takes the handle out of the host. */
  if (link->process == NULL)
    shared->mapping = NULL;
  value = (guint64) (guintptr) handle;
  memcpy (frame + 8 + G_STRUCT_OFFSET (PtSharedNote, handle), &value, sizeof value);
  return TRUE;
}

gboolean
pt_link_write (PtLink *link, const guint8 *bytes, gsize size, PtShared *shared, guint patience_ms,
               GCancellable *cancellable, GError **error)
{
  gint64 deadline = patience_ms > 0 ? g_get_monotonic_time () + (gint64) patience_ms * 1000 : 0;
  guint8 frame[8 + sizeof (PtSharedNote)];
  gboolean written;

  if (shared != NULL) {
    memcpy (frame, bytes, sizeof frame);
    if (!give_shared (link, shared, frame, error))
      return FALSE;
    bytes = frame;
  }
  g_mutex_lock (&link->mutex);
  written = !link->broken ? write_all (link, bytes, size, deadline, cancellable, error)
                          : pt_fail (error, PT_ERROR_HOST, "The other process does not read.");
  link->broken |= !written;
  g_mutex_unlock (&link->mutex);
  return written;
}

gboolean
pt_link_give_file (PtLink *link, const char *path, guint patience_ms, GCancellable *cancellable,
                   GError **error)
{
  return TRUE;
}

int
pt_link_take_file (PtLink *link, GError **error)
{
  pt_fail (error, PT_ERROR_HOST, "The pipe carries a frame of an unknown kind.");
  return -1;
}

void
pt_link_shut (PtLink *link)
{
  SetEvent (link->shut);
  if (link->is_server)
    DisconnectNamedPipe (link->pipe);
  else
    close_handle (&link->pipe);
}

/* ---- the process at the other end ---- */

void
pt_link_kill (PtLink *link)
{
  if (link->process != NULL)
    TerminateProcess (link->process, KILLED_STATUS);
}

gboolean
pt_link_wait (PtLink *link, guint ms, PtLinkEnd *end)
{
  DWORD code = 0;

  if (link->process != NULL) {
    if (WaitForSingleObject (link->process, ms == G_MAXUINT ? INFINITE : ms) != WAIT_OBJECT_0)
      return FALSE;
    GetExitCodeProcess (link->process, &code);
    link->end.code = (int) code;
    link->end.died = code >= 0x80000000u;
  }
  *end = link->end;
  return TRUE;
}

char *
pt_link_last_words (PtLink *link)
{
  char *words;

  /* All of it: the process has ended. */
  for (guint i = 0; i < 100 && !g_atomic_int_get (&link->stderr_done); i++)
    g_usleep (1000);
  g_mutex_lock (&link->mutex);
  words = g_utf8_make_valid (link->stderr_tail->str, (gssize) link->stderr_tail->len);
  g_mutex_unlock (&link->mutex);
  return words;
}

char *
pt_link_trace (PtLink *link)
{
  return NULL;
}

guint64
pt_link_pid (PtLink *link)
{
  return link->process != NULL ? GetProcessId (link->process) : 0;
}
