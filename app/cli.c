/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef G_OS_WIN32
#include <fcntl.h>
#include <io.h>
#define isatty _isatty
#define _exit _Exit
#else
#include <unistd.h>
#endif

#include "app/console.h"
#include "engine/base/clean.h"

/* How often a waiting command looks whether Ctrl-C was pressed. */
#define INTERRUPT_POLL_MS 50

struct _PterisCli {
  PtEngine *engine;
  guint64 job;
  gboolean cancelled;
  gboolean show_progress;
  gboolean progress_shown;
  PtEventFunc func;
  gpointer user_data;
  int status; /* -1: still running */
};

/* ---- output ---- */

static void
write_text (const char *text)
{
  g_autofree char *clean = pteris_is_terminal (1) ? pt_clean_text (text, "\n\t", '\0') : NULL;

  fputs (clean != NULL ? clean : text, stdout);
}

void
pteris_put (const char *text)
{
  write_text (text);
  fflush (stdout);
}

void
pteris_putf (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  write_text (text);
}

void
pteris_put_line (const char *format, ...)
{
  g_autofree char *text = NULL, *clean = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  clean = pt_clean_text (text, NULL, ' ');
  fputs (clean, stdout);
  fputc ('\n', stdout);
}

void
pteris_put_json (const char *json)
{
  g_autoptr (GString) line = g_string_new (NULL);

  for (const char *at = json; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar c = g_utf8_get_char (at);

    if (pt_is_control (c) && c != '\n')
      g_string_append_printf (line, "\\u%04x", c);
    else
      g_string_append_len (line, at, g_utf8_next_char (at) - at);
  }
  if (!g_str_has_suffix (line->str, "\n"))
    g_string_append_c (line, '\n');
  fputs (line->str, stdout);
  fflush (stdout);
}

gboolean
pteris_put_bytes (gconstpointer data, gsize size)
{
  gboolean written;

#ifdef G_OS_WIN32
  fflush (stdout);
  _setmode (1, _O_BINARY);
#endif
  written = fwrite (data, 1, size, stdout) == size;
  return fflush (stdout) == 0 && written;
}

void
pteris_clear_screen (void)
{
  if (pteris_is_terminal (1))
    fputs ("\033[H\033[J", stdout);
}

static void G_GNUC_PRINTF (2, 0) write_line (const char *before, const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);
  g_autofree char *clean = pt_clean_text (text, NULL, ' ');

  fprintf (stderr, "%s%s\n", before, clean);
}

void
pteris_complain (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  write_line ("pteris: ", format, args);
  va_end (args);
}

void
pteris_note (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  write_line ("", format, args);
  va_end (args);
}

int
pteris_usage_error (const char *command, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  write_line ("pteris: ", format, args);
  va_end (args);
  pteris_note ("“pteris %s --help” shows the options.", command);
  return PTERIS_EXIT_USAGE;
}

gboolean
pteris_is_terminal (int fd)
{
  return isatty (fd) != 0;
}

const char *
pteris_format_bytes (guint64 bytes, char *buffer, gsize size)
{
  static const char *const units[] = { "kB", "MB", "GB", "TB" };
  double value = (double) bytes / 1000;
  guint unit = 0;

  if (bytes < 1000) {
    g_snprintf (buffer, size, "%u bytes", (guint) bytes);
    return buffer;
  }
  while (value >= 1000 && unit + 1 < G_N_ELEMENTS (units)) {
    value /= 1000;
    unit++;
  }
  g_snprintf (buffer, size, "%.1f %s", value, units[unit]);
  return buffer;
}

/* ---- options ---- */

/* Set while a command is asked for its options. */
static struct {
  PterisOptionsFunc func;
  gpointer user_data;
} asking;

void
pteris_options_ask (int (*command) (int argc, char **argv), PterisOptionsFunc func,
                    gpointer user_data)
{
  char *argv[] = { (char *) "pteris", NULL };

  asking.func = func;
  asking.user_data = user_data;
  command (1, argv);
  asking.func = NULL;
}

static char *
command_of (const char *usage)
{
  return g_strndup (usage, strcspn (usage, " "));
}

static int
check_options (const PterisOptions *options, const char *command)
{
  static const char *const backends[] = { "auto", "cpu", "cuda", "openvino", "vulkan", NULL };

  if (options->backend != NULL && !g_strv_contains (backends, options->backend))
    return pteris_usage_error (command,
                               "“%s” is not a backend. Use auto, cpu, cuda, openvino or "
                               "vulkan.",
                               options->backend);
  if (options->threads < 0 || options->threads > 1024)
    return pteris_usage_error (command, "--threads must be between 1 and 1024.");
  return -1;
}

static gboolean
has_device (const PterisOptions *options, guint64 number)
{
  for (guint i = 0; i < options->n_devices; i++)
    if (options->devices[i] == (int) number)
      return TRUE;
  return FALSE;
}

/* Reads --device. */
static int
read_devices (PterisOptions *options, const char *command)
{
  g_auto (GStrv) words = g_strsplit (options->device_text != NULL ? options->device_text : "0", ",",
                                     PTERIS_MOST_DEVICES + 1);

  options->n_devices = 0;
  for (guint i = 0; words[i] != NULL; i++) {
    guint64 number;

    if (i == PTERIS_MOST_DEVICES ||
        !g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXINT, &number, NULL))
      return pteris_usage_error (command, "--device must be a GPU number, starting at 0%s.",
                                 options->several_devices ? ", or several with commas" : "");
    if (has_device (options, number))
      return pteris_usage_error (command, "--device names GPU %d twice.", (int) number);
    options->devices[options->n_devices++] = (int) number;
  }
  if (options->n_devices == 0)
    return pteris_usage_error (command, "--device must be a GPU number, starting at 0.");
  if (options->n_devices > 1 && !options->several_devices)
    return pteris_usage_error (command,
                               "A model runs on one GPU: name one with --device. Only “pteris "
                               "serve” uses several, each for other conversations.");
  return -1;
}

static int
show_help (GOptionContext *context, const char *usage, const char *summary)
{
  g_autofree char *text = g_option_context_get_help (context, TRUE, NULL);
  const char *rest = strstr (text, "Options");

  pteris_putf ("Usage:\n  pteris %s [OPTION…]\n\n%s\n%s", usage, summary, rest != NULL ? rest : "");
  return PTERIS_EXIT_DONE;
}

static int
check_arguments (const PterisOptions *options, const char *command, const char *usage, guint least,
                 guint most)
{
  guint n = g_strv_length (options->arguments);

  if (n < least)
    return pteris_usage_error (command, "An argument is missing: pteris %s.", usage);
  if (n > most)
    return pteris_usage_error (command, "Unexpected argument “%s”: pteris %s.",
                               options->arguments[most], usage);
  return -1;
}

/* Texts are read as file names are: byte by byte, not through the locale, which may be plain C. */
int
pteris_options_parse (PterisOptions *options, const char *usage, const char *summary,
                      const GOptionEntry *own, guint min_arguments, guint max_arguments, int argc,
                      char **argv)
{
  const GOptionEntry for_models[] = {
    { "data", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->data,
      "Data file, if not beside the model", "F.ptd" },
    { "tokenizer", 0, 0, G_OPTION_ARG_FILENAME, &options->tokenizer,
      "Tokenizer file, if not beside the model", "F" },
    { "preprocessor", 0, 0, G_OPTION_ARG_FILENAME, &options->preprocessor,
      "Audio preprocessor, if not beside the model", "F.pte" },
    { "family", 0, 0, G_OPTION_ARG_FILENAME, &options->family,
      "Model type, if not detected: text-llm, whisper, …", "NAME" },
    { "variant", 0, 0, G_OPTION_ARG_FILENAME, &options->variant,
      "Which of the model's programs: 8da4w, bf16, …; default: the best here", "NAME" },
    { "backend", 0, 0, G_OPTION_ARG_FILENAME, &options->backend,
      "Backend: auto, cpu, cuda, openvino or vulkan; default: auto", "B" },
    { "device", 0, 0, G_OPTION_ARG_FILENAME, &options->device_text, "GPU number; default: 0", "N" },
    { "exact", 0, 0, G_OPTION_ARG_NONE, &options->exact,
      "With OpenVINO, compute floats as the model has them, which may be slower", NULL },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options->threads,
      "CPU threads; default: one per fast core", "N" },
    { "trust", 0, 0, G_OPTION_ARG_NONE, &options->trust,
      "Allow this model's native code to run, now and in future", NULL },
    { "isolate", 0, 0, G_OPTION_ARG_NONE, &options->isolate,
      "Run every model in a process of its own, also without native code", NULL },
    { "no-isolate", 0, 0, G_OPTION_ARG_NONE, &options->no_isolate,
      "Run the model in this process, also with native code", NULL },
    { NULL },
  };
  const GOptionEntry common[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print JSON", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments, NULL, NULL },
    { NULL },
  };
  g_autofree char *command = command_of (usage);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  gboolean help = FALSE;
  const GOptionEntry help_entries[] = {
    { "help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help", NULL },
    { NULL },
  };
  const GOptionEntry *const lists[] = { help_entries, own,
                                        max_arguments > 0 && !options->no_model ? for_models : NULL,
                                        common };
  int status;

  g_option_context_set_help_enabled (context, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    if (lists[i] != NULL && asking.func != NULL)
      asking.func (lists[i], asking.user_data);
    else if (lists[i] != NULL)
      g_option_context_add_main_entries (context, lists[i], NULL);
  }
  if (asking.func != NULL)
    return PTERIS_EXIT_DONE;
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return pteris_usage_error (command, "%s.", error->message);
  if (help)
    return show_help (context, usage, summary);
  if (options->arguments == NULL)
    options->arguments = g_new0 (char *, 1);
  status = check_arguments (options, command, usage, min_arguments, max_arguments);
  if (status < 0)
    status = read_devices (options, command);
  return status < 0 ? check_options (options, command) : status;
}

void
pteris_options_clear (PterisOptions *options)
{
  g_strfreev (options->arguments);
  g_strfreev (options->data);
  g_free (options->tokenizer);
  g_free (options->preprocessor);
  g_free (options->family);
  g_free (options->variant);
  g_free (options->backend);
  g_free (options->device_text);
}

PtJob
pteris_options_job (const PterisOptions *options, PtJobKind kind, const char *model)
{
  PtJob job = PT_JOB_INIT (kind);

  job.model.path = model;
  job.model.data = (const char *const *) options->data;
  job.model.tokenizer = options->tokenizer;
  job.model.preprocessor = options->preprocessor;
  job.model.family = options->family;
  job.model.variant = options->variant;
  job.model.device = options->devices[0];
  job.keep_device = options->device_text != NULL;
  job.model.exact = options->exact;
  job.model.trust = options->trust ? PT_TRUST_AS_READ : NULL;
  if (g_strcmp0 (options->backend, "cpu") == 0)
    job.model.backend = PT_BACKEND_CPU;
  else if (g_strcmp0 (options->backend, "cuda") == 0)
    job.model.backend = PT_BACKEND_CUDA;
  else if (g_strcmp0 (options->backend, "openvino") == 0)
    job.model.backend = PT_BACKEND_OPENVINO;
  else if (g_strcmp0 (options->backend, "vulkan") == 0)
    job.model.backend = PT_BACKEND_VULKAN;
  return job;
}

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t n_interrupts;

static void
on_interrupt (int number)
{
  n_interrupts++;
  if (n_interrupts > 1)
    _exit (PTERIS_EXIT_STOPPED);
#ifdef G_OS_WIN32
  signal (SIGINT, on_interrupt);
#endif
}

void
pteris_catch_interrupts (void)
{
#ifdef G_OS_WIN32
  signal (SIGINT, on_interrupt);
#else
  /* Without SA_RESTART, so that reading a line ends too. */
  struct sigaction action = { .sa_handler = on_interrupt };

  sigaction (SIGINT, &action, NULL);
#endif
}

gboolean
pteris_was_interrupted (void)
{
  return n_interrupts > 0;
}

static gboolean
look_for_interrupt (gpointer data)
{
  PterisCli *self = data;

  if (n_interrupts > 0 && !self->cancelled) {
    self->cancelled = TRUE;
    pt_engine_cancel (self->engine, self->job);
  }
  return G_SOURCE_CONTINUE;
}

/* Bytes of a text that is read at once. */
#define PTERIS_MAX_INPUT (16 << 20)
/* More than a model reads; less than would take memory from others. */
#define MAX_LINE (4u << 20)

/* Appends what there is of a line, without its end; FALSE at the end of the input, and where a line
 * becomes too long. */
static gboolean
read_line (GString *line)
{
  int c = '\n';
#ifdef G_OS_WIN32
  gboolean is_console;
  g_autofree char *typed = pteris_console_read_line (&is_console);

  if (is_console) {
    if (typed != NULL)
      g_string_append_len (line, typed, (gssize) strcspn (typed, "\n"));
    return typed != NULL;
  }
#endif
  errno = 0;
  while (line->len <= MAX_LINE && (c = getc (stdin)) != EOF && c != '\n')
    g_string_append_c (line, (char) c);
  return line->len <= MAX_LINE && c != EOF;
}

/* pteris_cli_read_line(); @ended: set to whether the line has an end. */
static char *
take_line (int *status, gboolean *ended)
{
  g_autoptr (GString) line = g_string_new (NULL);
  gboolean more = *ended = read_line (line);

  *status = PTERIS_EXIT_DONE;
  if (n_interrupts > 0) {
    *status = PTERIS_EXIT_STOPPED;
    return NULL;
  }
  if (line->len > MAX_LINE) {
    pteris_complain ("A line of the standard input is longer than %u MB, the most that a message "
                     "may have. Shorten it.",
                     MAX_LINE >> 20);
    *status = PTERIS_EXIT_FAILED;
    return NULL;
  }
  if (!more && line->len == 0)
    return NULL;
  if (line->len > 0 && line->str[line->len - 1] == '\r')
    g_string_truncate (line, line->len - 1);
  return g_string_free (g_steal_pointer (&line), FALSE);
}

char *
pteris_cli_read_line (int *status)
{
  gboolean ended;

  return take_line (status, &ended);
}

char *
pteris_cli_read_all (int *status)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean ended;
  char *line;

  while ((line = take_line (status, &ended)) != NULL) {
    g_string_append (text, line);
    if (ended)
      g_string_append_c (text, '\n');
    g_free (line);
    if (text->len > PTERIS_MAX_INPUT) {
      pteris_complain ("The standard input is longer than %d MB. Divide it.",
                       PTERIS_MAX_INPUT >> 20);
      *status = PTERIS_EXIT_FAILED;
      return NULL;
    }
  }
  if (*status != PTERIS_EXIT_DONE)
    return NULL;
  if (text->len > 0)
    return g_string_free (g_steal_pointer (&text), FALSE);
  pteris_complain ("The standard input is empty.");
  *status = PTERIS_EXIT_FAILED;
  return NULL;
}

char **
pteris_read_texts (char **arguments, int *status)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; arguments[i] != NULL; i++) {
    char *line;

    if (strcmp (arguments[i], "-") != 0) {
      g_ptr_array_add (texts, g_strdup (arguments[i]));
      continue;
    }
    while (texts->len <= PT_EMBED_MAX_TEXTS && (line = pteris_cli_read_line (status)) != NULL)
      g_ptr_array_add (texts, line);
    if (*status == PTERIS_EXIT_STOPPED || *status == PTERIS_EXIT_FAILED)
      return NULL;
  }
  *status = PTERIS_EXIT_FAILED;
  if (texts->len == 0) {
    pteris_complain ("The standard input is empty.");
    return NULL;
  }
  g_ptr_array_add (texts, NULL);
  return (char **) g_ptr_array_steal (texts, NULL);
}

/* ---- jobs ---- */

/* In English, as all of the command line. */
static const char *const STEPS[] = {
  [PT_STEP_OPENING] = "Opening the model",
  [PT_STEP_TOKENIZER] = "Reading the tokenizer",
  [PT_STEP_PREPARING] = "Preparing the model",
  [PT_STEP_READY] = "Ready",
  [PT_STEP_TRANSCRIBING] = "Transcribing",
  [PT_STEP_LOADING] = "Loading",
  [PT_STEP_RUNNING] = "Running",
  [PT_STEP_TESTING] = "Test",
  [PT_STEP_CALLING] = "Step",
  [PT_STEP_MEASURING] = "Run",
  [PT_STEP_READING] = "Text",
  [PT_STEP_LOOKING] = "Looking at the image",
  [PT_STEP_SPEAKING] = "Speaking",
};
G_STATIC_ASSERT (G_N_ELEMENTS (STEPS) == PT_N_STEPS);

static void
show_progress (PterisCli *self, const PtEvent *event)
{
  g_autofree char *text = NULL;

  if (!self->show_progress)
    return;
  text = event->count > 1
             ? g_strdup_printf ("%s %u of %u", STEPS[event->step], event->number, event->count)
             : g_strdup (STEPS[event->step]);
  if (event->fraction >= 0)
    fprintf (stderr, "\r\033[K%s %.0f %%", text, event->fraction * 100);
  else
    fprintf (stderr, "\r\033[K%s", text);
  fflush (stderr);
  self->progress_shown = TRUE;
}

static void
hide_progress (PterisCli *self)
{
  if (self->progress_shown)
    fputs ("\r\033[K", stderr);
  fflush (stderr);
  self->progress_shown = FALSE;
}

/* What the user can do about an error of @code, or "". */
static const char *
advice (PtError code)
{
  return code == PT_ERROR_UNTRUSTED ? " Use --trust to allow it, now and in future." : "";
}

static void
complain_about (const PtEvent *event)
{
  pteris_complain ("%s%s", event->text, advice (event->code));
  if (event->host != NULL && event->host->report != NULL)
    pteris_complain ("A report for the developers, without your texts, is in “%s”.",
                     event->host->report);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  PterisCli *self = user_data;

  if (event->job != self->job)
    return;
  if (event->kind == PT_EVENT_PROGRESS) {
    show_progress (self, event);
    return;
  }
  if (event->kind != PT_EVENT_STATS)
    hide_progress (self);
  switch (event->kind) {
  case PT_EVENT_FALLBACK:
    complain_about (event);
    pteris_complain ("The model continues on the CPU, with “%s”.", event->alternative);
    return;
  case PT_EVENT_FAILED:
    complain_about (event);
    if (event->alternative != NULL)
      pteris_complain ("“%s” is the CPU version of this model. Use it, or --backend cpu.",
                       event->alternative);
    self->status = PTERIS_EXIT_FAILED;
    return;
  case PT_EVENT_STOPPED: self->status = PTERIS_EXIT_STOPPED; break;
  case PT_EVENT_DONE: self->status = PTERIS_EXIT_DONE; break;
  default: break;
  }
  if (self->func != NULL)
    self->func (event, self->user_data);
}

PterisCli *
pteris_cli_new (const PterisOptions *options)
{
  PterisCli *self = g_new0 (PterisCli, 1);
  PtEngineOptions engine = PT_ENGINE_OPTIONS_INIT;

  pteris_catch_interrupts ();
  if (options->threads > 0)
    pt_engine_set_threads ((guint) options->threads);
  self->show_progress = pteris_is_terminal (2) && !options->json;
  engine.isolation = options->isolate      ? PT_ISOLATION_ALL
                     : options->no_isolate ? PT_ISOLATION_NONE
                                           : PT_ISOLATION_NATIVE;
  self->engine = pt_engine_new_with_options (&engine, NULL, on_event, self);
  return self;
}

void
pteris_cli_free (PterisCli *self)
{
  if (self == NULL)
    return;
  pt_engine_free (self->engine);
  g_free (self);
}

int
pteris_cli_run (PterisCli *self, const PtJob *job, PtEventFunc func, gpointer user_data)
{
  guint poll = g_timeout_add (INTERRUPT_POLL_MS, look_for_interrupt, self);

  self->func = func;
  self->user_data = user_data;
  self->status = -1;
  self->cancelled = FALSE;
  self->job = pt_engine_submit (self->engine, job);
  while (self->status < 0)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (poll);
  n_interrupts = 0;
  return self->status;
}
