/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/host-exit.h"

#include <signal.h>
#include <string.h>

#include "engine/base/clean.h"

const char *
pt_host_exit_name (PtHostExitKind kind)
{
  static const char *const names[] = {
    [PT_HOST_EXIT_START] = "start",
    [PT_HOST_EXIT_STATUS] = "status",
    [PT_HOST_EXIT_SIGNAL] = "signal",
    [PT_HOST_EXIT_ABORT] = "abort",
    [PT_HOST_EXIT_MEMORY] = "memory",
    [PT_HOST_EXIT_GPU] = "gpu",
    [PT_HOST_EXIT_GPU_TIMEOUT] = "gpu-timeout",
    [PT_HOST_EXIT_KILLED] = "killed",
    [PT_HOST_EXIT_SILENT] = "silent",
    [PT_HOST_EXIT_PROTOCOL] = "protocol",
  };
  G_STATIC_ASSERT (G_N_ELEMENTS (names) == PT_N_HOST_EXITS);

  return (guint) kind < PT_N_HOST_EXITS ? names[kind] : "unknown";
}

/* ---- the kind ---- */

/* Messages that allocators of GLib, C++ and others write before they abort. */
static gboolean
tells_of_memory (const char *words)
{
  static const char *const signs[] = { "failed to allocate", "std::bad_alloc", "out of memory",
                                       "Out of memory", "Cannot allocate memory" };

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (strstr (words, signs[i]) != NULL)
      return TRUE;
  return FALSE;
}

#ifdef G_OS_WIN32
#define STATUS_NO_MEMORY_CODE 0xC0000017u
#define STATUS_FAST_FAIL_CODE 0xC0000409u
#define BREAKPOINT_CODE 0x80000003u
/* The exit status that abort() of the C library leaves. */
#define ABORT_STATUS 3

static PtHostExitKind
kind_of (const PtLinkEnd *end, const char *words)
{
  guint code = (guint) end->code;

  if (code == STATUS_NO_MEMORY_CODE)
    return PT_HOST_EXIT_MEMORY;
  if (code == STATUS_FAST_FAIL_CODE || code == BREAKPOINT_CODE || code == ABORT_STATUS)
    return tells_of_memory (words) ? PT_HOST_EXIT_MEMORY : PT_HOST_EXIT_ABORT;
  return end->died ? PT_HOST_EXIT_SIGNAL : PT_HOST_EXIT_STATUS;
}
#else
static PtHostExitKind
kind_of (const PtLinkEnd *end, const char *words)
{
  if (!end->died)
    return PT_HOST_EXIT_STATUS;
  switch (end->code) {
  case SIGABRT:
  case SIGTRAP: return tells_of_memory (words) ? PT_HOST_EXIT_MEMORY : PT_HOST_EXIT_ABORT;
  case SIGKILL: return end->oom ? PT_HOST_EXIT_MEMORY : PT_HOST_EXIT_KILLED;
  case SIGTERM:
  case SIGINT:
  case SIGHUP:
  case SIGQUIT:
  case SIGPIPE:
  case SIGALRM:
  case SIGUSR1:
  case SIGUSR2:
  case SIGXCPU: return PT_HOST_EXIT_KILLED;
  default: return PT_HOST_EXIT_SIGNAL;
  }
}
#endif

void
pt_host_exit_judge (PtHostExit *exit, const PtLinkEnd *end, const char *words)
{
  g_autofree char *text = pt_clean_text (words, "\n", ' ');

  exit->kind = kind_of (end, words);
  exit->code = end->code;
  g_strstrip (text);
  exit->detail = *text != '\0' ? g_steal_pointer (&text) : NULL;
}

/* ---- the sentence ---- */

/* Whose number the code of a failed GPU is: VK_TIMEOUT is 2, other failures of Vulkan are below 0.
 */
static const char *
driver_of (const PtHostExit *exit)
{
  return exit->code < 0 || exit->code == 2 ? "Vulkan" : "CUDA";
}

static char *
what_happened (const PtHostExit *exit)
{
  switch (exit->kind) {
  case PT_HOST_EXIT_START: return g_strdup ("could not be started");
  case PT_HOST_EXIT_STATUS: return g_strdup_printf ("left with status %d", exit->code);
#ifdef G_OS_WIN32
  case PT_HOST_EXIT_SIGNAL: return g_strdup_printf ("crashed (exception 0x%08x)", exit->code);
  case PT_HOST_EXIT_KILLED: return g_strdup ("was ended from outside");
#else
  case PT_HOST_EXIT_SIGNAL:
    return g_strdup_printf ("crashed (%s, signal %d)", g_strsignal (exit->code), exit->code);
  case PT_HOST_EXIT_KILLED:
    return g_strdup_printf ("was ended from outside (%s, signal %d)", g_strsignal (exit->code),
                            exit->code);
#endif
  case PT_HOST_EXIT_ABORT: return g_strdup ("gave up");
  case PT_HOST_EXIT_MEMORY: return g_strdup ("ended because there was not enough memory");
  case PT_HOST_EXIT_GPU:
    return g_strdup_printf ("ended because a program on the GPU failed (%s error %d)",
                            driver_of (exit), exit->code);
  case PT_HOST_EXIT_GPU_TIMEOUT:
    return g_strdup_printf ("ended because the GPU took too long (%s error %d)", driver_of (exit),
                            exit->code);
  case PT_HOST_EXIT_SILENT: return g_strdup ("did not answer any more and was ended");
  case PT_HOST_EXIT_PROTOCOL: return g_strdup ("sent damaged messages and was ended");
  case PT_N_HOST_EXITS: break;
  }
  return g_strdup ("ended");
}

/* The last line of @detail that says something. */
static char *
last_line (const char *detail)
{
  g_auto (GStrv) lines = g_strsplit (detail, "\n", -1);

  for (guint i = g_strv_length (lines); i-- > 0;)
    if (*g_strstrip (lines[i]) != '\0')
      return g_strdup (lines[i]);
  return g_strdup ("");
}

static const char *
advice (PtHostExitKind kind)
{
  switch (kind) {
  case PT_HOST_EXIT_START: return "Install Pteris again.";
  case PT_HOST_EXIT_MEMORY: return "Close other programs or choose a smaller model, then load it.";
  default: return "Load the model again to go on.";
  }
}

char *
pt_host_exit_to_text (const PtHostExit *exit, const PtJob *job, const char *model)
{
  static const char *const doing[] = {
    [PT_JOB_LOAD] = "loaded the model",
    [PT_JOB_UNLOAD] = "unloaded the model",
    [PT_JOB_CHAT] = "answered",
    [PT_JOB_TRANSCRIBE] = "transcribed",
    [PT_JOB_CLASSIFY] = "classified images",
    [PT_JOB_INSPECT] = "inspected the model",
    [PT_JOB_RUN] = "ran a method",
    [PT_JOB_BENCH] = "measured the model",
    [PT_JOB_EMBED] = "made vectors",
    [PT_JOB_PRIVACY] = "looked for names and secrets",
    [PT_JOB_LOOK] = "looked at images",
    [PT_JOB_SPEAK] = "read a text aloud",
  };
  g_autofree char *happened = what_happened (exit), *said = NULL, *line = NULL;
  GString *text = g_string_new (NULL);
  G_STATIC_ASSERT (G_N_ELEMENTS (doing) == PT_N_JOBS);

  if (model != NULL)
    g_string_append_printf (text, "The process of “%s” %s", model, happened);
  else
    g_string_append_printf (text, "The model's process %s", happened);
  if (job != NULL && exit->kind != PT_HOST_EXIT_START && (guint) job->kind < PT_N_JOBS)
    g_string_append_printf (text, " while it %s", doing[job->kind]);
  said = exit->detail != NULL ? last_line (exit->detail) : NULL;
  if (said != NULL && *said != '\0')
    g_string_append_printf (text, ": %s", said);
  if (text->str[text->len - 1] != '.')
    g_string_append_c (text, '.');
  g_string_append_printf (text, " %s", advice (exit->kind));
  line = g_string_free (text, FALSE);
  return pt_clean_text (line, NULL, ' ');
}
