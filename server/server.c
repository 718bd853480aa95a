/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/server.h"

#include <string.h>

#include "server/front-door.h"
#include "server/recent.h"

struct _PterisServer {
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  char *address, *url;
  char *key;
  char **origins, **hosts, **models;
  PterisServerOptions options;

  /* Of the thread. */
  SoupServer *soup;
  PterisConnections *connections;
  PterisGuard *guard;
  PterisFrontDoor *door;
  PterisServing serving;
  GSource *watch;

  GMutex mutex; /* of what follows */
  GCond started;
  gboolean is_started;
  GError *error; /* why it did not start */
  guint port;
  PterisServerStatus status;
  PterisRecent *recent;
};

/* ---- the server's thread ---- */

static void
on_record (const PterisRecord *record, gpointer data)
{
  PterisServer *self = data;
  const PterisServerEntry entry = {
    .connection = record->number,
    .method = record->method,
    .program = record->program,
    .route = record->route,
    .model = record->model,
    .fault = record->fault,
    .code = record->code,
    .status = record->status,
    .prompt_tokens = record->prompt_tokens,
    .reused_tokens = record->reused_tokens,
    .new_tokens = record->new_tokens,
    .seconds = record->seconds,
  };

  g_mutex_lock (&self->mutex);
  self->status.requests++;
  pteris_recent_add (self->recent, g_get_monotonic_time (), record->new_tokens, record->decode_s);
  g_mutex_unlock (&self->mutex);
  if (self->options.func != NULL)
    self->options.func (&entry, self->options.user_data);
}

static gboolean
on_watch (gpointer data)
{
  PterisServer *self = data;
  guint running, waiting;

  pteris_model_pool_count (self->serving.pool, &running, &waiting);
  g_mutex_lock (&self->mutex);
  self->status.connections = pteris_connections_count (self->connections);
  self->status.running = running;
  self->status.waiting = waiting;
  g_mutex_unlock (&self->mutex);
  return G_SOURCE_CONTINUE;
}

static gboolean
begin (PterisServer *self, GError **error)
{
  const PterisServerOptions *options = &self->options;
  const PterisPoolOptions pool = {
    .model = options->model,
    .devices = options->devices,
    .n_devices = options->n_devices,
    .keep_device = options->keep_device,
    .engine = options->engine,
    .most_models = options->most_models,
    .most_waiting = options->most_waiting,
    .unload_seconds = options->unload_seconds,
    .job_seconds = options->request_seconds,
  };

  self->soup = soup_server_new ("server-header", "Pteris", NULL);
  self->connections = pteris_connections_new (self->soup, options->most_connections);
  self->guard = pteris_guard_new (self->key, (const char *const *) self->origins,
                                  (const char *const *) self->hosts);
  self->serving = (PterisServing){
    .models = pteris_served_models_new ((const char *const *) self->models),
    .pool = pteris_model_pool_new (&pool),
    .most_tokens = options->most_tokens,
    .version = PTERIS_VERSION,
  };
  self->door = pteris_front_door_new (self->soup, self->guard, &self->serving, options->most_bytes,
                                      on_record, self);
  self->watch = g_timeout_source_new (200);
  g_source_set_callback (self->watch, on_watch, self, NULL);
  g_source_attach (self->watch, self->context);
  return pteris_connections_listen (self->connections, self->address, options->port,
                                    PTERIS_SERVER_PORT, error);
}

/* Lets what was cut off end, so that it frees what it has. */
static void
run_rest (GMainContext *context)
{
  for (guint i = 0; i < 1000 && g_main_context_iteration (context, FALSE); i++)
    ;
}

static void
finish (PterisServer *self)
{
  /* It looks at the jobs. */
  g_source_destroy (self->watch);
  g_clear_pointer (&self->watch, g_source_unref);
  /* First the jobs, whose answers hold exchanges. */
  pteris_model_pool_end (self->serving.pool);
  g_clear_pointer (&self->connections, pteris_connections_free);
  /* Requests that came last may still ask the pool. */
  run_rest (self->context);
  soup_server_disconnect (self->soup);
  run_rest (self->context);
  g_clear_pointer (&self->serving.pool, pteris_model_pool_free);
  g_clear_pointer (&self->door, pteris_front_door_free);
  g_clear_pointer (&self->serving.models, pteris_served_models_free);
  g_clear_object (&self->soup);
  g_clear_pointer (&self->guard, pteris_guard_free);
}

static gpointer
server_main (gpointer data)
{
  PterisServer *self = data;
  gboolean listens;

  g_main_context_push_thread_default (self->context);
  listens = begin (self, &self->error);
  g_mutex_lock (&self->mutex);
  self->is_started = TRUE;
  self->port = pteris_connections_get_port (self->connections);
  g_cond_signal (&self->started);
  g_mutex_unlock (&self->mutex);
  if (listens)
    g_main_loop_run (self->loop);
  finish (self);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

/* ---- the handle ---- */

static gboolean
check_options (const PterisServer *self, GError **error)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (self->address);

  if (address == NULL || g_inet_address_get_is_loopback (address) || self->key != NULL)
    return TRUE;
  return pteris_fault_set (error, 0, NULL, NULL,
                           "Other machines can reach %s: set a key, too (--key-file).",
                           self->address);
}

static char *
make_url (const PterisServer *self)
{
  gboolean six = strchr (self->address, ':') != NULL;

  return g_strdup_printf (six ? "http://[%s]:%u" : "http://%s:%u", self->address, self->port);
}

PterisServer *
pteris_server_new (const PterisServerOptions *options, GError **error)
{
  g_autoptr (PterisServer) self = g_new0 (PterisServer, 1);

  self->options = *options;
  self->address = g_strdup (options->address != NULL ? options->address : "127.0.0.1");
  self->key = g_strdup (options->key);
  self->origins = g_strdupv ((char **) options->origins);
  self->hosts = g_strdupv ((char **) options->hosts);
  self->models = g_strdupv ((char **) options->models);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->started);
  self->recent = pteris_recent_new ();
  if (!check_options (self, error))
    return NULL;
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  self->thread = g_thread_new ("pteris-server", server_main, self);
  g_mutex_lock (&self->mutex);
  while (!self->is_started)
    g_cond_wait (&self->started, &self->mutex);
  g_mutex_unlock (&self->mutex);
  if (self->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&self->error));
    return NULL;
  }
  self->url = make_url (self);
  return g_steal_pointer (&self);
}

static gboolean
on_quit (gpointer data)
{
  g_main_loop_quit (((PterisServer *) data)->loop);
  return G_SOURCE_REMOVE;
}

void
pteris_server_free (PterisServer *self)
{
  if (self == NULL)
    return;
  if (self->thread != NULL) {
    g_main_context_invoke (self->context, on_quit, self);
    g_thread_join (self->thread);
  }
  g_clear_pointer (&self->loop, g_main_loop_unref);
  g_clear_pointer (&self->context, g_main_context_unref);
  pteris_recent_free (self->recent);
  g_clear_error (&self->error);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->started);
  g_strfreev (self->origins);
  g_strfreev (self->hosts);
  g_strfreev (self->models);
  g_free (self->key);
  g_free (self->address);
  g_free (self->url);
  g_free (self);
}

guint
pteris_server_get_port (PterisServer *self)
{
  return self->port;
}

const char *
pteris_server_get_address (PterisServer *self)
{
  return self->url;
}

void
pteris_server_get_status (PterisServer *self, PterisServerStatus *status)
{
  g_mutex_lock (&self->mutex);
  *status = self->status;
  pteris_recent_get (self->recent, g_get_monotonic_time (), &status->requests_per_minute,
                     &status->tokens_per_second);
  g_mutex_unlock (&self->mutex);
}

const PterisServerFunctions pteris_server_functions = {
  .start = pteris_server_new,
  .stop = pteris_server_free,
  .get_address = pteris_server_get_address,
  .get_status = pteris_server_get_status,
};
