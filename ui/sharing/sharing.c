/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sharing/sharing.h"

#include <string.h>

#include <pteris/server-key.h>

#include "ui/i18n.h"
#include "ui/settings.h"

#define MOST_PROGRAMS 8
#define MOST_ERRORS 5

struct _PterisSharing {
  GObject parent_instance;

  PterisServer *server; /* NULL: it does not run */
  PterisSharingState state;
  gboolean serves_key; /* the server that runs asks for a key */
  gboolean keeps_key;  /* the secret store has it */
  char **origins;      /* of pages that may use the server that runs */
  gboolean ended;      /* nothing is started any more */
  char *error;
  char *key;
  GPtrArray *programs; /* PterisSharingProgram */
  GPtrArray *errors;   /* char * */
};

G_DEFINE_FINAL_TYPE (PterisSharing, pteris_sharing, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static const PterisServerFunctions *functions;

static void update (PterisSharing *self);

void
pteris_sharing_use (const PterisServerFunctions *given)
{
  functions = given;
}

gboolean
pteris_sharing_is_possible (void)
{
  return functions != NULL;
}

/* ---- requests ---- */

/* What is told of a request, on its way to the UI thread. */
typedef struct {
  PterisSharing *self;
  char *program, *fault;
} Told;

static void
told_free (gpointer data)
{
  Told *told = data;

  g_object_unref (told->self);
  g_free (told->program);
  g_free (told->fault);
  g_free (told);
}

static void
program_free (gpointer data)
{
  g_free (((PterisSharingProgram *) data)->name);
  g_free (data);
}

static void
count_program (PterisSharing *self, const char *name)
{
  PterisSharingProgram *program = NULL;

  for (guint i = 0; i < self->programs->len && program == NULL; i++)
    if (g_str_equal (((PterisSharingProgram *) self->programs->pdata[i])->name, name))
      program = g_ptr_array_steal_index (self->programs, i);
  if (program == NULL) {
    program = g_new0 (PterisSharingProgram, 1);
    program->name = g_strdup (name);
  }
  program->requests++;
  program->last = g_get_monotonic_time ();
  g_ptr_array_insert (self->programs, 0, program);
  if (self->programs->len > MOST_PROGRAMS)
    g_ptr_array_set_size (self->programs, MOST_PROGRAMS);
}

static gboolean
on_told (gpointer data)
{
  Told *told = data;
  PterisSharing *self = told->self;

  count_program (self, told->program);
  if (told->fault != NULL) {
    g_ptr_array_insert (self->errors, 0, g_steal_pointer (&told->fault));
    if (self->errors->len > MOST_ERRORS)
      g_ptr_array_set_size (self->errors, MOST_ERRORS);
  }
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

/* In the server's thread. */
static void
on_request (const PterisServerEntry *entry, gpointer data)
{
  Told *told = g_new0 (Told, 1);

  told->self = g_object_ref (data);
  told->program = g_utf8_make_valid (entry->program != NULL ? entry->program : "", -1);
  told->fault = g_strdup (entry->fault);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, on_told, told, told_free);
}

/* ---- starting and stopping, each in another thread ---- */

static void
set_state (PterisSharing *self, PterisSharingState state, const char *error)
{
  self->state = state;
  g_free (self->error);
  self->error = g_strdup (error);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* What a server is started with, and what came of it. */
typedef struct {
  gboolean with_key, keeps_key;
  char *key; /* of this run; NULL: not known yet */
  char **origins;
  PterisServer *server;
} Start;

static void
start_free (gpointer data)
{
  Start *self = data;

  g_free (self->key);
  g_strfreev (self->origins);
  g_free (self);
}

/* The key stays the same, so that programs need it once. Without a secret store it is one for this
 * run. */
static gboolean
find_key (Start *self, GError **error)
{
  g_autoptr (GError) refused = NULL;

  if (self->key != NULL)
    return TRUE;
  self->key = pt_server_key_load (NULL, &refused);
  self->keeps_key = self->key != NULL;
  if (refused != NULL && !g_error_matches (refused, PT_ERROR, PT_ERROR_UNSUPPORTED)) {
    g_propagate_error (error, g_steal_pointer (&refused));
    return FALSE;
  }
  if (self->key == NULL)
    self->key = pt_server_key_new ();
  if (self->key == NULL) {
    g_set_error_literal (error, PT_ERROR, PT_ERROR_UNSUPPORTED,
                         _ ("No key could be made. Turn the key off, or restart the computer."));
    return FALSE;
  }
  if (refused == NULL && !self->keeps_key)
    self->keeps_key = pt_server_key_keep (self->key, NULL, NULL);
  return TRUE;
}

static void
start_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  Start *start = data;
  GError *error = NULL;

  if (start->with_key && !find_key (start, &error)) {
    g_task_return_error (task, error);
    return;
  }
  options.key = start->with_key ? start->key : NULL;
  options.origins = (const char *const *) start->origins;
  options.engine.gives_way = TRUE;
  options.engine.isolation = PT_ISOLATION_NATIVE;
  options.func = on_request;
  options.user_data = source;
  start->server = functions->start (&options, &error);
  if (start->server != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_started (GObject *object, GAsyncResult *result, gpointer data)
{
  PterisSharing *self = PTERIS_SHARING (object);
  Start *start = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  self->server = start->server;
  if (self->key == NULL && start->key != NULL) {
    self->key = g_steal_pointer (&start->key);
    self->keeps_key = start->keeps_key;
  }
  if (self->ended) {
    g_clear_pointer (&self->server, functions->stop);
    return;
  }
  set_state (self, self->server != NULL ? PTERIS_SHARING_ON : PTERIS_SHARING_FAILED,
             error != NULL ? error->message : NULL);
  if (self->server != NULL)
    update (self);
}

static void
start (PterisSharing *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_started, NULL);
  Start *data = g_new0 (Start, 1);

  self->serves_key = pteris_settings_get_boolean (PTERIS_SETTING_SERVE_WITH_KEY);
  g_strfreev (self->origins);
  self->origins = pteris_settings_get_list (PTERIS_SETTING_SERVE_ORIGINS);
  set_state (self, PTERIS_SHARING_CHANGING, NULL);
  data->with_key = self->serves_key;
  data->key = g_strdup (self->key);
  data->origins = g_strdupv (self->origins);
  g_task_set_task_data (task, data, start_free);
  g_task_run_in_thread (task, start_in_thread);
}

static void
stop_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  functions->stop (data);
  g_task_return_boolean (task, TRUE);
}

static void
on_stopped (GObject *object, GAsyncResult *result, gpointer data)
{
  set_state (PTERIS_SHARING (object), PTERIS_SHARING_OFF, NULL);
  update (PTERIS_SHARING (object));
}

static void
stop (PterisSharing *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_stopped, NULL);

  g_task_set_task_data (task, g_steal_pointer (&self->server), NULL);
  set_state (self, PTERIS_SHARING_CHANGING, NULL);
  g_task_run_in_thread (task, stop_in_thread);
}

/* Brings the server to what the settings say; it is asked again when that has happened. */
static void
update (PterisSharing *self)
{
  gboolean wanted = pteris_settings_get_boolean (PTERIS_SETTING_SERVE);
  gboolean with_key = pteris_settings_get_boolean (PTERIS_SETTING_SERVE_WITH_KEY);
  g_auto (GStrv) origins = pteris_settings_get_list (PTERIS_SETTING_SERVE_ORIGINS);

  if (functions == NULL || self->ended || self->state == PTERIS_SHARING_CHANGING)
    return;
  if (self->server != NULL &&
      (!wanted || with_key != self->serves_key ||
       !g_strv_equal ((const char *const *) origins, (const char *const *) self->origins)))
    stop (self);
  else if (self->server == NULL && wanted)
    start (self);
  else if (!wanted)
    set_state (self, PTERIS_SHARING_OFF, NULL);
}

static void
on_setting (gpointer self)
{
  update (self);
}

/* ---- what is shown ---- */

PterisSharingState
pteris_sharing_get_state (PterisSharing *self)
{
  return self->state;
}

const char *
pteris_sharing_get_address (PterisSharing *self)
{
  return self->server != NULL ? functions->get_address (self->server) : NULL;
}

const char *
pteris_sharing_get_error (PterisSharing *self)
{
  return self->error;
}

const char *
pteris_sharing_get_key (PterisSharing *self)
{
  return pteris_settings_get_boolean (PTERIS_SETTING_SERVE_WITH_KEY) ? self->key : NULL;
}

gboolean
pteris_sharing_keeps_key (PterisSharing *self)
{
  return self->keeps_key;
}

/* "https://example.org", perhaps with a port: what browsers send. */
static gboolean
is_origin (const char *text)
{
  g_autoptr (GUri) uri = g_uri_parse (text, G_URI_FLAGS_NONE, NULL);
  const char *scheme = uri != NULL ? g_uri_get_scheme (uri) : NULL;

  return scheme != NULL && g_uri_get_host (uri) != NULL && *g_uri_get_host (uri) != '\0' &&
         *g_uri_get_path (uri) == '\0' && g_uri_get_query (uri) == NULL &&
         g_uri_get_fragment (uri) == NULL && g_uri_get_userinfo (uri) == NULL;
}

char *
pteris_sharing_allow_pages (const char *text)
{
  g_auto (GStrv) words = g_strsplit_set (text, " ,;\t\n", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) origins = NULL;

  for (guint i = 0; words[i] != NULL; i++) {
    if (*words[i] == '\0')
      continue;
    if (!is_origin (words[i]))
      return g_strdup (words[i]);
    g_strv_builder_add (builder, words[i]);
  }
  origins = g_strv_builder_end (builder);
  pteris_settings_set_list (PTERIS_SETTING_SERVE_ORIGINS, (const char *const *) origins);
  return NULL;
}

gboolean
pteris_sharing_get_status (PterisSharing *self, PterisServerStatus *status)
{
  *status = (PterisServerStatus){ 0 };
  if (self->server == NULL)
    return FALSE;
  functions->get_status (self->server, status);
  return TRUE;
}

const GPtrArray *
pteris_sharing_get_programs (PterisSharing *self)
{
  return self->programs;
}

const GPtrArray *
pteris_sharing_get_errors (PterisSharing *self)
{
  return self->errors;
}

/* ---- life ---- */

static void
pteris_sharing_dispose (GObject *object)
{
  PterisSharing *self = PTERIS_SHARING (object);
  PterisServer *server = g_steal_pointer (&self->server);

  self->ended = TRUE;
  if (server != NULL)
    functions->stop (server);
  G_OBJECT_CLASS (pteris_sharing_parent_class)->dispose (object);
}

static void
pteris_sharing_finalize (GObject *object)
{
  PterisSharing *self = PTERIS_SHARING (object);

  g_free (self->error);
  g_free (self->key);
  g_strfreev (self->origins);
  g_ptr_array_unref (self->programs);
  g_ptr_array_unref (self->errors);
  G_OBJECT_CLASS (pteris_sharing_parent_class)->finalize (object);
}

static void
pteris_sharing_class_init (PterisSharingClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_sharing_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_sharing_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_SHARING, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_sharing_init (PterisSharing *self)
{
  self->programs = g_ptr_array_new_with_free_func (program_free);
  self->errors = g_ptr_array_new_with_free_func (g_free);
  if (functions == NULL)
    return;
  pteris_settings_watch (PTERIS_SETTING_SERVE, on_setting, self);
  pteris_settings_watch (PTERIS_SETTING_SERVE_WITH_KEY, on_setting, self);
  pteris_settings_watch (PTERIS_SETTING_SERVE_ORIGINS, on_setting, self);
  update (self);
}

PterisSharing *
pteris_sharing_new (void)
{
  return g_object_new (PTERIS_TYPE_SHARING, NULL);
}
