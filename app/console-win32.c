/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/console.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <windows.h>

/* Line ends and bytes as they are written: what goes into a file is the same on every system. */
static void
use_bytes (void)
{
  FILE *const streams[] = { stdin, stdout, stderr };

  /* The window's program has none of them. */
  for (gsize i = 0; i < G_N_ELEMENTS (streams); i++)
    if (_fileno (streams[i]) >= 0)
      _setmode (_fileno (streams[i]), _O_BINARY);
}

void
pteris_console_init (void)
{
  static const DWORD outputs[] = { STD_OUTPUT_HANDLE, STD_ERROR_HANDLE };
  DWORD mode;

  use_bytes ();
  SetConsoleOutputCP (CP_UTF8);
  /* The progress line clears itself by an escape sequence. */
  for (gsize i = 0; i < G_N_ELEMENTS (outputs); i++) {
    HANDLE console = GetStdHandle (outputs[i]);

    if (GetConsoleMode (console, &mode))
      SetConsoleMode (console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

char *
pteris_console_read_line (gboolean *is_console)
{
  HANDLE console = GetStdHandle (STD_INPUT_HANDLE);
  g_autoptr (GArray) line = g_array_new (FALSE, FALSE, sizeof (wchar_t));
  wchar_t part[256];
  DWORD mode, n;

  *is_console = GetConsoleMode (console, &mode);
  while (*is_console && ReadConsoleW (console, part, G_N_ELEMENTS (part), &n, NULL) && n > 0) {
    g_array_append_vals (line, part, n);
    if (part[n - 1] == L'\n')
      break;
  }
  /* Ctrl-Z alone in a line is the end. */
  if (line->len == 0 || g_array_index (line, wchar_t, 0) == 26)
    return NULL;
  return g_utf16_to_utf8 ((const gunichar2 *) line->data, (glong) line->len, NULL, NULL, NULL);
}
