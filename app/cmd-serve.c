/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris serve: the models for other programs, over HTTP. */

#include "app/cli.h"

#ifdef PTERIS_HAVE_SERVER

#include <string.h>

#include <jansson.h>
#ifdef G_OS_UNIX
#include <glib-unix.h>
#endif

#include "engine/base/json.h"
#include "server/server.h"

/* How often it looks whether Ctrl-C was pressed. */
#define POLL_MS 50
/* Bytes of a file with a key. */
#define MOST_KEY 4096

typedef struct {
  const PterisOptions *common;
  GMainLoop *loop;
  gboolean quiet;
} Serve;

/* A line for each request. Texts of users and models are in none. */
static void
log_request (const PterisServerEntry *entry, gpointer data)
{
  const Serve *self = data;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%H:%M:%S");
  g_autofree char *tokens = NULL;

  if (self->quiet)
    return;
  if (entry->new_tokens > 0)
    tokens = g_strdup_printf ("  %u tokens read, %u of them kept, %u written", entry->prompt_tokens,
                              entry->reused_tokens, entry->new_tokens);
  pteris_note ("%s  %" G_GUINT64_FORMAT "  %s %s  %u  %.2f s%s%s%s%s%s", time, entry->connection,
               entry->method, *entry->route != '\0' ? entry->route : "?", entry->status,
               entry->seconds, entry->model != NULL ? "  " : "",
               entry->model != NULL ? entry->model : "", tokens != NULL ? tokens : "",
               entry->code != NULL ? "  " : "", entry->code != NULL ? entry->code : "");
}

static gboolean
look_for_interrupt (gpointer data)
{
  if (pteris_was_interrupted ())
    g_main_loop_quit (((Serve *) data)->loop);
  return G_SOURCE_CONTINUE;
}

#ifdef G_OS_UNIX
static gboolean
on_terminate (gpointer data)
{
  g_main_loop_quit (((Serve *) data)->loop);
  return G_SOURCE_CONTINUE;
}
#endif

static void
show_address (const Serve *self, PterisServer *server)
{
  if (self->common->json) {
    g_autofree char *text =
        pt_json_steal_text (json_pack ("{s:s, s:i}", "address", pteris_server_get_address (server),
                                       "port", (int) pteris_server_get_port (server)));

    pteris_put_json (text);
    return;
  }
  pteris_putf ("%s\n", pteris_server_get_address (server));
  pteris_put ("");
  pteris_note ("OpenAI's interface is at %s/v1, Ollama's at %s. Ctrl-C ends the server.",
               pteris_server_get_address (server), pteris_server_get_address (server));
}

static int
serve (Serve *self, PterisServerOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisServer) server = NULL;

  options->func = log_request;
  options->user_data = self;
  server = pteris_server_new (options, &error);
  if (server == NULL) {
    pteris_complain ("%s", error->message);
    return PTERIS_EXIT_FAILED;
  }
  show_address (self, server);
  self->loop = g_main_loop_new (NULL, FALSE);
  pteris_catch_interrupts ();
  g_timeout_add (POLL_MS, look_for_interrupt, self);
#ifdef G_OS_UNIX
  g_unix_signal_add (SIGTERM, on_terminate, self);
#endif
  g_main_loop_run (self->loop);
  g_clear_pointer (&server, pteris_server_free);
  g_main_loop_unref (self->loop);
  return PTERIS_EXIT_DONE;
}

/* Models that are named must exist. Returns an exit status, or -1. */
static int
check_models (char **models)
{
  for (guint i = 0; models[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = pt_library_find (models[i], NULL, &error);

    if (path == NULL) {
      pteris_complain ("%s", error->message);
      return PTERIS_EXIT_FAILED;
    }
  }
  return -1;
}

/* Returns an exit status, or -1. */
static int
read_key (const char *path, char **key)
{
  g_autoptr (GError) error = NULL;
  gsize length;
  g_autofree char *text = pt_text_load (path, MOST_KEY, &length, &error);

  if (text == NULL) {
    pteris_complain ("%s", error->message);
    return PTERIS_EXIT_FAILED;
  }
  *key = g_strdup (g_strstrip (text));
  if (**key != '\0')
    return -1;
  pteris_complain ("The file “%s” has no key. Write one line into it.", path);
  return PTERIS_EXIT_FAILED;
}

#endif

typedef struct {
  char *address, *key_file;
  char **origins, **hosts;
  int port, max_request, max_tokens, max_time, max_connections, max_models, unload;
  gboolean quiet;
} ServeOptions;

static int
check_numbers (const ServeOptions *options)
{
  const struct {
    const char *name;
    int value, least, most;
  } numbers[] = {
    { "port", options->port, 0, 65535 },
    { "max-request", options->max_request, 1, 4095 },
    { "max-tokens", options->max_tokens, 0, G_MAXINT },
    { "max-time", options->max_time, 0, G_MAXINT },
    { "max-connections", options->max_connections, 1, 10000 },
    { "max-models", options->max_models, 1, 64 },
    { "unload-after", options->unload, 0, G_MAXINT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].value < numbers[i].least || numbers[i].value > numbers[i].most)
      return pteris_usage_error ("serve", "--%s must be a whole number from %d to %d.",
                                 numbers[i].name, numbers[i].least, numbers[i].most);
  return -1;
}

#ifdef PTERIS_HAVE_SERVER
static int
run (const PterisOptions *common, const ServeOptions *options)
{
  PterisServerOptions server = PTERIS_SERVER_OPTIONS_INIT;
  const PtJob job = pteris_options_job (common, PT_JOB_LOAD, NULL);
  Serve self = { .common = common, .quiet = options->quiet };
  g_autofree char *key = NULL;
  int status = check_models (common->arguments);

  if (status < 0 && options->key_file != NULL)
    status = read_key (options->key_file, &key);
  if (status >= 0)
    return status;
  if (common->threads > 0)
    pt_engine_set_threads ((guint) common->threads);
  server.address = options->address;
  server.port = (guint) options->port;
  server.key = key;
  server.origins = (const char *const *) options->origins;
  server.hosts = (const char *const *) options->hosts;
  server.models = common->arguments[0] != NULL ? (const char *const *) common->arguments : NULL;
  server.model = job.model;
  server.devices = common->devices;
  server.n_devices = common->n_devices;
  server.keep_device = common->device_text != NULL;
  server.engine.isolation = common->isolate      ? PT_ISOLATION_ALL
                            : common->no_isolate ? PT_ISOLATION_NONE
                                                 : PT_ISOLATION_NATIVE;
  server.most_bytes = (guint64) options->max_request << 20;
  server.most_tokens = (guint) options->max_tokens;
  server.request_seconds = (guint) options->max_time;
  server.most_connections = (guint) options->max_connections;
  server.most_models = (guint) options->max_models;
  server.unload_seconds = (guint) options->unload;
  return serve (&self, &server);
}
#else
static int
run (const PterisOptions *common, const ServeOptions *options)
{
  pteris_complain ("Pteris was built without its server, for which it needs libsoup 3.");
  return PTERIS_EXIT_FAILED;
}
#endif

int
pteris_serve_command (int argc, char **argv)
{
  ServeOptions options = {
    .max_request = 64, .max_time = 1800, .max_connections = 128, .max_models = 3, .unload = 600
  };
  g_auto (PterisOptions) common = { .no_model = TRUE, .several_devices = TRUE };
  const GOptionEntry entries[] = {
    { "address", 'a', 0, G_OPTION_ARG_FILENAME, &options.address,
      "Address to listen on; others than this machine's own need --key-file; default: 127.0.0.1",
      "IP" },
    { "port", 'p', 0, G_OPTION_ARG_INT, &options.port,
      "Port; default: 11435, or the next one that is free", "N" },
    { "key-file", 0, 0, G_OPTION_ARG_FILENAME, &options.key_file,
      "File with the key that clients have to send", "F" },
    { "allow-origin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.origins,
      "Pages that may use the server, such as https://example.org; repeat for several", "ORIGIN" },
    { "allow-host", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.hosts,
      "Name of this machine that clients may use; repeat for several", "NAME" },
    { "max-tokens", 0, 0, G_OPTION_ARG_INT, &options.max_tokens,
      "Most tokens of an answer; default: up to the end of the context", "N" },
    { "max-time", 0, 0, G_OPTION_ARG_INT, &options.max_time,
      "Stop a request after so many seconds, 0 for never; default: 1800", "S" },
    { "max-request", 0, 0, G_OPTION_ARG_INT, &options.max_request,
      "Largest request in MB; default: 64", "MB" },
    { "max-connections", 0, 0, G_OPTION_ARG_INT, &options.max_connections,
      "Most connections at a time; default: 128", "N" },
    { "max-models", 0, 0, G_OPTION_ARG_INT, &options.max_models,
      "Most models that are loaded at a time; default: 3", "N" },
    { "unload-after", 0, 0, G_OPTION_ARG_INT, &options.unload,
      "Unload a model that was not used for so many seconds, 0 for never; default: 600", "S" },
    { "backend", 0, 0, G_OPTION_ARG_FILENAME, &common.backend,
      "Backend: auto, cpu or cuda; default: auto", "B" },
    { "device", 0, 0, G_OPTION_ARG_FILENAME, &common.device_text,
      "GPU number, or several: 0,1 spreads conversations over two GPUs; default: 0", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &common.threads, "CPU threads; default: one per fast core",
      "N" },
    { "trust", 0, 0, G_OPTION_ARG_NONE, &common.trust,
      "Allow native code of models to run, now and in future", NULL },
    { "isolate", 0, 0, G_OPTION_ARG_NONE, &common.isolate,
      "Run every model in a process of its own, also without native code", NULL },
    { "no-isolate", 0, 0, G_OPTION_ARG_NONE, &common.no_isolate,
      "Run models in this process, also with native code", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Write no line for each request", NULL },
    { NULL },
  };
  int status = pteris_options_parse (
      &common, "serve [MODEL…]",
      "Let other programs use the models of this machine, by OpenAI's and Ollama's interfaces over "
      "HTTP. Without MODEL, all models of the library.",
      entries, 0, G_MAXUINT, argc, argv);

  if (status < 0)
    status = check_numbers (&options);
  if (status < 0)
    status = run (&common, &options);
  g_free (options.address);
  g_free (options.key_file);
  g_strfreev (options.origins);
  g_strfreev (options.hosts);
  return status;
}
