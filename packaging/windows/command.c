/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * pteris.exe of the folder "command", which the installer puts on PATH: starts bin\pteris.exe with
 * the same arguments. Were bin itself on PATH, other programs would find our DLLs there.
 */

#include <windows.h>

/* The longest path and the longest command line there are. */
#define MAX_CHARS 32768

static wchar_t program[MAX_CHARS];
static wchar_t line[MAX_CHARS];

/* Ctrl-C is the other program's. */
static BOOL WINAPI
on_console_event (DWORD event)
{
  return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
}

/* C:\…\command\pteris.exe becomes C:\…\bin\pteris.exe. */
static BOOL
find_program (void)
{
  static const wchar_t name[] = L"bin\\pteris.exe";
  DWORD n = GetModuleFileNameW (NULL, program, MAX_CHARS);
  int n_separators = 0;

  if (n == 0 || n >= MAX_CHARS - ARRAYSIZE (name))
    return FALSE;
  while (n > 0 && n_separators < 2)
    if (program[--n] == L'\\')
      n_separators++;
  if (n_separators < 2)
    return FALSE;
  lstrcpyW (program + n + 1, name);
  return TRUE;
}

/* The command line without the name that this program was called by, which is quoted or has no
 * spaces. */
static const wchar_t *
arguments (void)
{
  const wchar_t *at = GetCommandLineW ();
  BOOL quoted = FALSE;

  for (; *at != 0 && (quoted || (*at != L' ' && *at != L'\t')); at++)
    if (*at == L'"')
      quoted = !quoted;
  return at;
}

static void
complain (void)
{
  static const char message[] = "pteris: Pteris is not whole; install it again.\n";
  DWORD n;

  WriteFile (GetStdHandle (STD_ERROR_HANDLE), message, sizeof message - 1, &n, NULL);
}

int
main (void)
{
  STARTUPINFOW start = { .cb = sizeof start };
  PROCESS_INFORMATION process;
  const wchar_t *rest = arguments ();
  DWORD status = 1;

  if (!find_program () || lstrlenW (program) + lstrlenW (rest) + 3 > MAX_CHARS) {
    complain ();
    return 1;
  }
  lstrcpyW (line, L"\"");
  lstrcatW (line, program);
  lstrcatW (line, L"\"");
  lstrcatW (line, rest);
  SetConsoleCtrlHandler (on_console_event, TRUE);
  if (!CreateProcessW (program, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) {
    complain ();
    return 1;
  }
  WaitForSingleObject (process.hProcess, INFINITE);
  GetExitCodeProcess (process.hProcess, &status);
  return (int) status;
}
