/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/engine.h>

G_BEGIN_DECLS

/*
 * The helpers of all commands. Results go to stdout as UTF-8, whatever the locale; everything else
 * goes to stderr. Commands write through these functions only, because texts of files and models
 * may hold control characters of a terminal.
 */

#define PTERIS_EXIT_DONE 0
#define PTERIS_EXIT_FAILED 1
#define PTERIS_EXIT_USAGE 2
#define PTERIS_EXIT_STOPPED 130

/** The most GPUs of one command. */
#define PTERIS_MOST_DEVICES 64

/** The arguments of the command line, besides a command's own options. */
typedef struct {
  char **arguments; /* without options; never NULL */
  char **data;
  char *tokenizer;
  char *preprocessor;
  char *family;
  char *variant;
  char *backend;
  char *device_text;                /* "1", "0,1" */
  int devices[PTERIS_MOST_DEVICES]; /* the numbers in it; without it: 0 */
  guint n_devices;                  /* 1, unless @several_devices */
  int threads;
  gboolean exact;
  gboolean trust;
  gboolean isolate;
  gboolean no_isolate;
  gboolean json;
  gboolean several_devices; /* set before reading: the command uses several GPUs */
  gboolean no_model; /* set before reading: the command loads none, and has no options for that */
} PterisOptions;

/**
 * Read the options of a command. Returns -1 to go on, or the exit status: 0 after --help, 2 with
 * a message after wrong usage.
 *
 * @usage: "chat MODEL". @own: the command's options.
 */
int pteris_options_parse (PterisOptions *options, const char *usage, const char *summary,
                          const GOptionEntry *own, guint min_arguments, guint max_arguments,
                          int argc, char **argv);
void pteris_options_clear (PterisOptions *options);

/** Reads more options of the command line; @entries ends with a name of NULL. */
typedef void (*PterisOptionsFunc) (const GOptionEntry *entries, gpointer user_data);
/** Have @command tell @func its options, list by list, and do nothing else. */
void pteris_options_ask (int (*command) (int argc, char **argv), PterisOptionsFunc func,
                         gpointer user_data);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PterisOptions, pteris_options_clear)

/** "pteris: message" and where help is; returns 2. */
int pteris_usage_error (const char *command, const char *format, ...) G_GNUC_PRINTF (2, 3);
/** "pteris: message" on stderr, without control characters. */
void pteris_complain (const char *format, ...) G_GNUC_PRINTF (1, 2);
/** A line about progress on stderr, without control characters. */
void pteris_note (const char *format, ...) G_GNUC_PRINTF (1, 2);
/** Text to stdout at once: as it is, but to a terminal without control characters other than the
 * ends of lines and tabs. */
void pteris_put (const char *text);
void pteris_putf (const char *format, ...) G_GNUC_PRINTF (1, 2);
/** A line of a report to stdout, without control characters, and its end. */
void pteris_put_line (const char *format, ...) G_GNUC_PRINTF (1, 2);
/** JSON to stdout at once, control characters in its strings escaped, and the end of the line. */
void pteris_put_json (const char *json);
/** Bytes to stdout, as they are. FALSE: they could not be written. */
gboolean pteris_put_bytes (gconstpointer data, gsize size);
/** On a terminal: begin again at its top. */
void pteris_clear_screen (void);

/** A job on the model that the options name. Strings belong to @options. */
PtJob pteris_options_job (const PterisOptions *options, PtJobKind kind, const char *model);

/**
 * PterisCli: an engine, and a loop that waits for its jobs. Ctrl-C stops the job that runs; a
 * second one ends the program.
 */
typedef struct _PterisCli PterisCli;

PterisCli *pteris_cli_new (const PterisOptions *options);
void pteris_cli_free (PterisCli *cli);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisCli, pteris_cli_free)

/**
 * Do @job and wait for its end; @func gets every event but those of progress and failure, which are
 * shown here. Returns the exit status: 0, 1 or 130.
 */
int pteris_cli_run (PterisCli *cli, const PtJob *job, PtEventFunc func, gpointer user_data);

/**
 * A line from stdin without its end. NULL: there is none, and *@status is the exit status, done at
 * the end, stopped after Ctrl-C, failed with a message when a line is longer than any message.
 */
char *pteris_cli_read_line (int *status);

/** From now on Ctrl-C is noted instead of ending the program; a second one ends it. */
void pteris_catch_interrupts (void);
/** Whether Ctrl-C was pressed since then. */
gboolean pteris_was_interrupted (void);

/**
 * The texts of the command line, of which "-" stands for the lines of stdin. NULL: there are none,
 * and *@status is the exit status. Free with g_strfreev().
 */
char **pteris_read_texts (char **arguments, int *status);

/** All of stdin with "\n" at the ends of lines, also of the last one if it has an end there; or
 * NULL, as above. Free with g_free(). */
char *pteris_cli_read_all (int *status);

/** TRUE when a person looks at it. */
gboolean pteris_is_terminal (int fd);

/** "135.5 MB" into @buffer. */
const char *pteris_format_bytes (guint64 bytes, char *buffer, gsize size);

/* The commands. Each returns the exit status. */
int pteris_chat_command (int argc, char **argv);
int pteris_transcribe_command (int argc, char **argv);
int pteris_classify_command (int argc, char **argv);
int pteris_look_command (int argc, char **argv);
int pteris_speak_command (int argc, char **argv);
int pteris_run_command (int argc, char **argv);
int pteris_inspect_command (int argc, char **argv);
int pteris_bench_command (int argc, char **argv);
int pteris_stats_command (int argc, char **argv);
int pteris_get_command (int argc, char **argv);
int pteris_models_command (int argc, char **argv);
int pteris_remove_command (int argc, char **argv);
int pteris_embed_command (int argc, char **argv);
int pteris_privacy_command (int argc, char **argv);
int pteris_serve_command (int argc, char **argv);
int pteris_update_command (int argc, char **argv);

typedef struct {
  const char *name;
  const char *arguments; /* "MODEL" */
  const char *summary;
  int (*run) (int argc, char **argv);
} PterisCommand;

/** All of them; ends with a name of NULL. */
extern const PterisCommand pteris_commands[];

/** Answers the shells' completions ("pteris --complete WORD…", app/complete.c). */
int pteris_complete_command (int argc, char **argv);

G_END_DECLS
