/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/trace.h"

#include <string.h>

#include "engine/base/sanitizer.h"

#if defined(__GLIBC__) && !defined(PT_ADDRESS_SANITIZER)
#include <execinfo.h>
#include <signal.h>

#define MAX_CALLS 48

static int trace_fd = -1;

/* The signal ends the process as soon as this returns. The handler may be called by another one
 * that was set later (engine/program/mapping.c). */
static void
on_fault (int number)
{
  void *calls[MAX_CALLS];
  int n = backtrace (calls, MAX_CALLS);

  backtrace_symbols_fd (calls, n, trace_fd);
  signal (number, SIG_DFL);
  raise (number);
}

void
pt_trace_install (int fd)
{
  static const int FAULTS[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP };
  struct sigaction action = { .sa_handler = on_fault, .sa_flags = (int) SA_RESETHAND };
  void *calls[1];

  /* The first call loads a library, which a crashing process must not do. */
  backtrace (calls, 1);
  trace_fd = fd;
  for (guint i = 0; i < G_N_ELEMENTS (FAULTS); i++)
    sigaction (FAULTS[i], &action, NULL);
}
#else
void
pt_trace_install (int fd)
{
}
#endif

/* "/usr/lib/libc.so.6(abort+0x12)[0x7f…]" without the folder and the address; NULL: another form.
 */
static char *
clean_line (const char *line)
{
  const char *open = strrchr (line, '('), *close = strrchr (line, ')'), *name;
  g_autofree char *module = NULL, *inside = NULL;

  if (open == NULL || close == NULL || close < open || close[1] != '[')
    return NULL;
  module = g_strndup (line, (gsize) (open - line));
  inside = g_strndup (open + 1, (gsize) (close - open - 1));
  name = strrchr (module, '/') != NULL ? strrchr (module, '/') + 1 : module;
  if (strspn (name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._+-") != strlen (name) ||
      strspn (inside, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.@$+") != strlen (inside))
    return NULL;
  return inside[0] == '+' ? g_strconcat (name, inside, NULL)
                          : g_strconcat (name, "(", inside, ")", NULL);
}

char *
pt_trace_clean (const char *written)
{
  g_auto (GStrv) lines = g_strsplit (written, "\n", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *line = clean_line (lines[i]);

    if (line != NULL)
      g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", line);
  }
  return g_string_free (text, text->len == 0);
}
