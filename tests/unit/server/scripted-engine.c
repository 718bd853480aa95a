/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/server/scripted-engine.h"

#include <string.h>

#define CALLS                                                                                     \
  "[{\"name\": \"look\", \"arguments\": {\"at\": \"fern\"}}, {\"name\": \"run\", \"arguments\": " \
  "{}}]"
#define FLOOD (32 << 20)

typedef struct {
  guint64 number;
  PtJobKind kind;
  char *text;   /* of the last message */
  char *schema; /* or NULL */
  gboolean must_call;
  int device;
  char *called; /* or NULL */
  gboolean begun, cancelled;
} ScriptedJob;

struct _PtEngine {
  PtEventFunc func;
  gpointer user_data;
  GQueue jobs; /* ScriptedJob */
  guint64 last;
  int device; /* of the model that was loaded */
  GSource *source;
};

static GMutex mutex; /* of what follows */
static guint n_loads, n_frees;
static GString *order, *places;
static gboolean going;
static guint end_ms;

guint
scripted_loads (void)
{
  guint n;

  g_mutex_lock (&mutex);
  n = n_loads;
  g_mutex_unlock (&mutex);
  return n;
}

guint
scripted_frees (void)
{
  guint n;

  g_mutex_lock (&mutex);
  n = n_frees;
  g_mutex_unlock (&mutex);
  return n;
}

static char *
take (GString **list)
{
  char *text;

  g_mutex_lock (&mutex);
  text = *list != NULL ? g_string_free (g_steal_pointer (list), FALSE) : g_strdup ("");
  g_mutex_unlock (&mutex);
  return text;
}

char *
scripted_take_order (void)
{
  return take (&order);
}

char *
scripted_take_places (void)
{
  return take (&places);
}

void
scripted_go (gboolean go)
{
  g_mutex_lock (&mutex);
  going = go;
  g_mutex_unlock (&mutex);
}

void
scripted_end_in (guint ms)
{
  g_mutex_lock (&mutex);
  end_ms = ms;
  g_mutex_unlock (&mutex);
}

static gboolean
may_go (void)
{
  gboolean go;

  g_mutex_lock (&mutex);
  go = going;
  g_mutex_unlock (&mutex);
  return go;
}

static void
note_begin (PtEngine *self, const ScriptedJob *job)
{
  g_mutex_lock (&mutex);
  if (job->kind == PT_JOB_LOAD) {
    n_loads++;
    self->device = job->device;
  } else {
    order = order != NULL ? order : g_string_new (NULL);
    places = places != NULL ? places : g_string_new (NULL);
    g_string_append_printf (order, "%s,", job->text);
    g_string_append_printf (places, "%d:%s,", self->device, job->text);
  }
  g_mutex_unlock (&mutex);
}

static void
job_free (gpointer data)
{
  g_free (((ScriptedJob *) data)->text);
  g_free (((ScriptedJob *) data)->schema);
  g_free (((ScriptedJob *) data)->called);
  g_free (data);
}

static void
send (PtEngine *self, const ScriptedJob *job, PtEvent event)
{
  event.job = job->number;
  self->func (&event, self->user_data);
}

static void
say (PtEngine *self, const ScriptedJob *job, const char *text)
{
  for (; *text != '\0'; text++) {
    const char piece[] = { *text, '\0' };

    send (self, job, (PtEvent){ .kind = PT_EVENT_TEXT, .text = piece });
  }
}

/* The sentences of @text, and what is behind them. */
static void
think (PtEngine *self, const ScriptedJob *job, const char *text)
{
  const char *answer = strrchr (text, '.');

  answer = answer != NULL ? answer + 1 : text;
  send (self, job, (PtEvent){ .kind = PT_EVENT_TEXT, .text = "<think>\n", .part = PT_ANSWER_MARK });
  for (; text < answer; text++) {
    const char piece[] = { *text, '\0' };

    send (self, job, (PtEvent){ .kind = PT_EVENT_TEXT, .text = piece, .part = PT_ANSWER_THOUGHT });
  }
  send (self, job,
        (PtEvent){ .kind = PT_EVENT_TEXT, .text = "\n</think>", .part = PT_ANSWER_MARK });
  say (self, job, answer);
}

static void
flood (PtEngine *self, const ScriptedJob *job)
{
  g_autofree char *piece = g_strnfill (64 << 10, 'x');

  for (guint i = 0; i < FLOOD / (64 << 10); i++)
    send (self, job, (PtEvent){ .kind = PT_EVENT_TEXT, .text = piece });
}

/* TRUE: the job has ended with @last. */
static gboolean
play (PtEngine *self, const ScriptedJob *job, PtEvent *last)
{
  static const PtHostExit crash = { .kind = PT_HOST_EXIT_SIGNAL, .code = 11 };
  static const PtLoadedModel loaded = { .context_size = 2048 };
  const PtStats stats = {
    .prompt_tokens = 12, .reused_tokens = 5, .new_tokens = 7, .thought_tokens = 3, .decode_s = 0.1
  };

  *last = (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP };
  if (job->kind == PT_JOB_LOAD && job->device == 7) {
    *last = (PtEvent){ .kind = PT_EVENT_FAILED,
                       .code = PT_ERROR_MISSING_BACKEND,
                       .text = "No such GPU." };
    return TRUE;
  }
  if (job->kind == PT_JOB_LOAD) {
    send (self, job, (PtEvent){ .kind = PT_EVENT_LOADED, .loaded = &loaded });
    return TRUE;
  }
  if (g_str_has_prefix (job->text, "wait") && !may_go ())
    return FALSE;
  if (g_str_has_prefix (job->text, "say "))
    say (self, job, job->text + strlen ("say "));
  if (g_str_has_prefix (job->text, "call "))
    say (self, job, job->text + strlen ("call "));
  if (g_str_has_prefix (job->text, "schema"))
    say (self, job, job->schema != NULL ? job->schema : "none");
  if (g_str_has_prefix (job->text, "must"))
    say (self, job, !job->must_call ? "no" : job->called != NULL ? job->called : "any");
  if (g_str_has_prefix (job->text, "think "))
    think (self, job, job->text + strlen ("think "));
  if (g_str_has_prefix (job->text, "flood"))
    flood (self, job);
  send (self, job, (PtEvent){ .kind = PT_EVENT_STATS, .stats = stats });
  if (g_str_has_prefix (job->text, "call "))
    send (self, job, (PtEvent){ .kind = PT_EVENT_TOOL_CALLS, .text = CALLS });
  if (g_str_has_prefix (job->text, "fail"))
    *last = (PtEvent){ .kind = PT_EVENT_FAILED, .code = PT_ERROR_MEMORY, .text = "No memory." };
  if (g_str_has_prefix (job->text, "crash"))
    *last = (PtEvent){
      .kind = PT_EVENT_FAILED, .code = PT_ERROR_HOST, .text = "It ended.", .host = &crash
    };
  return TRUE;
}

/* Ends the first job that was cancelled. FALSE: there is none. */
static gboolean
stop_one (PtEngine *self)
{
  for (GList *link = self->jobs.head; link != NULL; link = link->next) {
    ScriptedJob *job = link->data;

    if (!job->cancelled)
      continue;
    g_queue_delete_link (&self->jobs, link);
    send (self, job, (PtEvent){ .kind = PT_EVENT_STOPPED, .reason = PT_REASON_STOPPED });
    job_free (job);
    return TRUE;
  }
  return FALSE;
}

static gboolean
step (gpointer data)
{
  PtEngine *self = data;
  ScriptedJob *job;
  PtEvent last;

  while (stop_one (self))
    ;
  job = g_queue_peek_head (&self->jobs);
  if (job == NULL)
    return G_SOURCE_CONTINUE;
  if (!job->begun)
    note_begin (self, job);
  job->begun = TRUE;
  if (!play (self, job, &last))
    return G_SOURCE_CONTINUE;
  g_queue_remove (&self->jobs, job);
  send (self, job, last);
  job_free (job);
  return G_SOURCE_CONTINUE;
}

PtEngine *
pt_engine_new_with_options (const PtEngineOptions *options, GMainContext *context, PtEventFunc func,
                            gpointer user_data)
{
  PtEngine *self = g_new0 (PtEngine, 1);

  self->func = func;
  self->user_data = user_data;
  g_queue_init (&self->jobs);
  self->source = g_timeout_source_new (1);
  g_source_set_callback (self->source, step, self, NULL);
  g_source_attach (self->source, context);
  return self;
}

void
pt_engine_free (PtEngine *self)
{
  guint ms;

  if (self == NULL)
    return;
  g_mutex_lock (&mutex);
  n_frees++;
  ms = end_ms;
  g_mutex_unlock (&mutex);
  g_usleep (ms * 1000);
  g_source_destroy (self->source);
  g_source_unref (self->source);
  g_queue_clear_full (&self->jobs, job_free);
  g_free (self);
}

guint64
pt_engine_submit (PtEngine *self, const PtJob *job)
{
  ScriptedJob *copy = g_new0 (ScriptedJob, 1);

  copy->number = ++self->last;
  copy->kind = job->kind;
  copy->device = job->model.device;
  if (job->kind == PT_JOB_CHAT) {
    copy->text = g_strdup (job->chat.messages[job->chat.n_messages - 1].text);
    copy->schema = g_strdup (job->chat.json_schema);
    copy->must_call = job->chat.must_call;
    copy->called = g_strdup (job->chat.called);
  }
  g_queue_push_tail (&self->jobs, copy);
  return copy->number;
}

/* The event comes later, as that of the real engine does. */
void
pt_engine_cancel (PtEngine *self, guint64 job)
{
  for (GList *link = self->jobs.head; link != NULL; link = link->next)
    if (((ScriptedJob *) link->data)->number == job)
      ((ScriptedJob *) link->data)->cancelled = TRUE;
}
