/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat-session.h"

#include "ui/chat-store.h"
#include "ui/journal.h"
#include "ui/settings.h"

#define KIND "chats"

struct _PterisChatSession {
  GObject parent_instance;

  PterisEngineClient *client;
  PterisLibrary *library;
  GListStore *messages;
  char *path; /* of the journal; NULL before the first message */

  PterisMessage *answer; /* the one being worked on, or NULL */
  guint64 job;
};

static GType
session_get_item_type (GListModel *list)
{
  return PTERIS_TYPE_MESSAGE;
}

static guint
session_get_n_items (GListModel *list)
{
  return g_list_model_get_n_items (G_LIST_MODEL (PTERIS_CHAT_SESSION (list)->messages));
}

static gpointer
session_get_item (GListModel *list, guint position)
{
  return g_list_model_get_item (G_LIST_MODEL (PTERIS_CHAT_SESSION (list)->messages), position);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = session_get_item_type;
  iface->get_n_items = session_get_n_items;
  iface->get_item = session_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (PterisChatSession, pteris_chat_session, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

enum { PROP_0, PROP_BUSY, N_PROPS };
static GParamSpec *properties[N_PROPS];

static guint
count (PterisChatSession *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->messages));
}

/* A borrowed reference: the list holds it. */
static PterisMessage *
message_at (PterisChatSession *self, guint i)
{
  g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (self->messages), i);

  return message;
}

/* ---- answering ---- */

static void
end_answer (PterisChatSession *self)
{
  pteris_chat_store_end (self->path, self->answer);
  g_clear_object (&self->answer);
  self->job = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
show_progress (PterisChatSession *self, const PtEvent *event)
{
  g_autofree char *status = NULL;

  if (event->fraction >= 0)
    status =
        g_strdup_printf ("%s… %.0f %%", event->text != NULL ? event->text : "Loading the model",
                         event->fraction * 100);
  else
    status = g_strdup_printf ("%s…", event->text != NULL ? event->text : "Loading the model");
  pteris_message_set_status (self->answer, status);
}

static void
on_job_event (const PtEvent *event, gpointer user_data)
{
  PterisChatSession *self = PTERIS_CHAT_SESSION (user_data);

  if (self->answer == NULL || event->job != self->job)
    return;
  switch (event->kind) {
  case PT_EVENT_PROGRESS: show_progress (self, event); break;
  case PT_EVENT_TEXT:
    pteris_chat_store_text (self->path, event->text);
    pteris_message_append (self->answer, event->text);
    break;
  case PT_EVENT_STATS: pteris_message_set_stats (self->answer, &event->stats); break;
  case PT_EVENT_DONE:
    pteris_message_finish (self->answer, PTERIS_MESSAGE_DONE, event->text);
    end_answer (self);
    break;
  case PT_EVENT_STOPPED:
    pteris_message_finish (self->answer, PTERIS_MESSAGE_STOPPED, "stopped");
    end_answer (self);
    break;
  case PT_EVENT_FAILED:
    pteris_message_fail (self->answer, event->code, event->text);
    end_answer (self);
    break;
  default: break;
  }
}

/* What the model reads: every message that says something, up to the answer. */
static GArray *
collect_messages (PterisChatSession *self)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (PtMessage));

  for (guint i = 0; i < count (self); i++) {
    PterisMessage *message = message_at (self, i);
    PtMessage plain = {
      .role = pteris_message_is_answer (message) ? "assistant" : "user",
      .text = pteris_message_get_text (message),
    };

    if (message != self->answer && plain.text[0] != '\0')
      g_array_append_val (array, plain);
  }
  return array;
}

static void
set_waiting_status (PterisChatSession *self, PterisModel *model)
{
  gboolean ready = pteris_engine_client_get_state (self->client) == PTERIS_MODEL_READY &&
                   pteris_model_equal (pteris_engine_client_get_model (self->client), model);
  g_autofree char *loading = g_strdup_printf ("Loading %s…", pteris_model_get_info (model)->title);

  if (pteris_engine_client_has_job (self->client, PT_JOB_TRANSCRIBE))
    pteris_message_set_status (self->answer, "Waiting for the transcription to end…");
  else
    pteris_message_set_status (self->answer, ready ? "Reading…" : loading);
}

static void
submit (PterisChatSession *self, PterisModel *model)
{
  g_autoptr (GArray) messages = collect_messages (self);
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.messages = (const PtMessage *) messages->data;
  job.n_messages = messages->len;
  /* What SmolLM2's authors recommend: small models wander off when they may pick unlikely words. */
  job.temperature = 0.2;
  job.top_p = 0.9;
  set_waiting_status (self, model);
  self->job = pteris_engine_client_submit (self->client, model, &job, on_job_event,
                                           g_object_ref (self), g_object_unref);
  pteris_settings_set_string (PTERIS_SETTING_LAST_CHAT, pteris_model_get_info (model)->path);
}

/* Give the answer to a model, as soon as it is known which there are. */
static void
start_answer (PterisChatSession *self)
{
  PterisModel *model = pteris_chat_session_get_model (self);

  if (self->answer == NULL || self->job != 0)
    return;
  if (model != NULL) {
    const char *title = pteris_model_get_info (model)->title;

    pteris_chat_store_answer (self->path, title);
    pteris_message_set_author (self->answer, title);
    submit (self, model);
    return;
  }
  if (!pteris_library_is_ready (self->library)) {
    pteris_message_set_status (self->answer, "Looking for models…");
    return;
  }
  pteris_chat_store_answer (self->path, "Pteris");
  pteris_message_fail (self->answer, PT_ERROR_NOT_FOUND,
                       "There is no chat model yet. Open one, or get the starter models; your "
                       "message is kept.");
  end_answer (self);
}

static void
answer (PterisChatSession *self)
{
  self->answer = pteris_message_new ("Pteris", NULL);
  g_list_store_append (self->messages, self->answer);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
  start_answer (self);
}

void
pteris_chat_session_send (PterisChatSession *self, const char *text)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autoptr (PterisMessage) message = NULL;

  if (trimmed[0] == '\0' || self->answer != NULL)
    return;
  if (self->path == NULL)
    self->path = pteris_journal_new_path (KIND);
  message = pteris_message_new (NULL, trimmed);
  pteris_chat_store_user (self->path, trimmed);
  g_list_store_append (self->messages, message);
  answer (self);
}

void
pteris_chat_session_regenerate (PterisChatSession *self)
{
  guint n = count (self);

  if (self->answer != NULL || n == 0)
    return;
  if (pteris_message_is_answer (message_at (self, n - 1))) {
    pteris_chat_store_drop (self->path);
    g_list_store_remove (self->messages, n - 1);
  }
  answer (self);
}

/* An answer that nobody works on yet, or that nobody wants to hear of any more, ends here and now.
 */
static void
end_as_stopped (PterisChatSession *self)
{
  if (self->job == 0)
    pteris_chat_store_answer (self->path, pteris_message_get_author (self->answer));
  pteris_message_finish (self->answer, PTERIS_MESSAGE_STOPPED, "stopped");
  end_answer (self);
}

void
pteris_chat_session_stop (PterisChatSession *self)
{
  if (self->answer != NULL && self->job != 0)
    pteris_engine_client_cancel (self->client, self->job);
  else if (self->answer != NULL)
    end_as_stopped (self);
}

void
pteris_chat_session_clear (PterisChatSession *self)
{
  if (self->answer != NULL) {
    pteris_engine_client_cancel (self->client, self->job);
    end_as_stopped (self);
  }
  g_list_store_remove_all (self->messages);
  g_clear_pointer (&self->path, g_free);
}

PterisModel *
pteris_chat_session_get_model (PterisChatSession *self)
{
  PterisModel *loaded = pteris_engine_client_get_model (self->client);
  g_autofree char *last = NULL;

  if (loaded != NULL && pteris_model_get_task (loaded) == PTERIS_TASK_CHAT)
    return loaded;
  last = pteris_settings_get_string (PTERIS_SETTING_LAST_CHAT);
  return pteris_library_pick (self->library, PTERIS_TASK_CHAT, last);
}

PterisMessage *
pteris_chat_session_get_last_answer (PterisChatSession *self)
{
  for (guint i = count (self); i > 0; i--) {
    PterisMessage *message = message_at (self, i - 1);

    if (pteris_message_is_answer (message) && pteris_message_get_text (message)[0] != '\0')
      return message;
  }
  return NULL;
}

gboolean
pteris_chat_session_is_busy (PterisChatSession *self)
{
  return self->answer != NULL;
}

/* ---- restoring ---- */

typedef struct {
  char *path;
  GPtrArray *messages;
} Restored;

static void
restored_free (Restored *restored)
{
  g_free (restored->path);
  g_clear_pointer (&restored->messages, g_ptr_array_unref);
  g_free (restored);
}

static void
restore_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_auto (GStrv) paths = pteris_journal_list (KIND);
  Restored *restored = g_new0 (Restored, 1);

  if (paths[0] != NULL) {
    restored->path = g_strdup (paths[0]);
    restored->messages = pteris_chat_store_read (paths[0]);
  }
  g_task_return_pointer (task, restored, (GDestroyNotify) restored_free);
}

static void
on_restored (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisChatSession *self = PTERIS_CHAT_SESSION (source);
  Restored *restored = g_task_propagate_pointer (G_TASK (result), NULL);

  /* Whoever has begun to write meanwhile is not interrupted. */
  if (restored->messages != NULL && self->path == NULL) {
    self->path = g_steal_pointer (&restored->path);
    g_list_store_splice (self->messages, 0, 0, restored->messages->pdata, restored->messages->len);
  }
  restored_free (restored);
}

void
pteris_chat_session_restore (PterisChatSession *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_restored, NULL);

  g_task_set_source_tag (task, pteris_chat_session_restore);
  g_task_run_in_thread (task, restore_in_thread);
}

/* ---- the object ---- */

static void
on_items_changed (GListModel *messages, guint position, guint removed, guint added, gpointer self)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
}

static void
pteris_chat_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_BUSY)
    g_value_set_boolean (value, PTERIS_CHAT_SESSION (object)->answer != NULL);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
pteris_chat_session_finalize (GObject *object)
{
  PterisChatSession *self = PTERIS_CHAT_SESSION (object);

  g_clear_object (&self->client);
  g_clear_object (&self->library);
  g_clear_object (&self->answer);
  g_clear_object (&self->messages);
  g_free (self->path);
  G_OBJECT_CLASS (pteris_chat_session_parent_class)->finalize (object);
}

static void
pteris_chat_session_class_init (PterisChatSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = pteris_chat_session_finalize;
  object_class->get_property = pteris_chat_session_get_property;

  properties[PROP_BUSY] =
      g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
pteris_chat_session_init (PterisChatSession *self)
{
  self->messages = g_list_store_new (PTERIS_TYPE_MESSAGE);
  g_signal_connect (self->messages, "items-changed", G_CALLBACK (on_items_changed), self);
}

PterisChatSession *
pteris_chat_session_new (PterisEngineClient *client, PterisLibrary *library)
{
  PterisChatSession *self = g_object_new (PTERIS_TYPE_CHAT_SESSION, NULL);

  self->client = g_object_ref (client);
  self->library = g_object_ref (library);
  g_signal_connect_object (library, "scanned", G_CALLBACK (start_answer), self, G_CONNECT_SWAPPED);
  return self;
}
