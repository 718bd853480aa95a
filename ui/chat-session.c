/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat-session.h"

#include "ui/chat-store.h"
#include "ui/i18n.h"
#include "ui/settings.h"
#include "ui/store.h"

/* What SmolLM2's authors recommend: small models wander off when they may pick unlikely words. */
#define DEFAULT_TEMPERATURE 0.2
#define DEFAULT_TOP_P 0.9

struct _PterisChatSession {
  GObject parent_instance;

  PterisEngineClient *client;
  PterisLibrary *library;
  PterisChatHistory *history;
  GListStore *messages;
  PterisConversation *conversation; /* NULL before the first message */
  PterisChatSettings settings;      /* for the next conversation, until there is one */
  GCancellable *reading;            /* of messages from the history, or NULL */

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

enum { PROP_0, PROP_BUSY, PROP_CONVERSATION, N_PROPS };
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
  pteris_chat_store_end (self->conversation, self->answer);
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
    pteris_chat_store_text (self->answer, event->text);
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
  const char *system = pteris_chat_session_get_settings (self)->system;
  GArray *array = g_array_new (FALSE, FALSE, sizeof (PtMessage));
  PtMessage first = { .role = "system", .text = system };

  if (system != NULL && system[0] != '\0')
    g_array_append_val (array, first);
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
  const PterisChatSettings *settings = pteris_chat_session_get_settings (self);
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.messages = (const PtMessage *) messages->data;
  job.n_messages = messages->len;
  job.temperature = settings->temperature >= 0 ? settings->temperature : DEFAULT_TEMPERATURE;
  job.top_p = settings->top_p >= 0 ? settings->top_p : DEFAULT_TOP_P;
  job.max_new_tokens = settings->max_new_tokens;
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

    pteris_message_set_author (self->answer, title);
    submit (self, model);
    return;
  }
  if (!pteris_library_is_ready (self->library)) {
    pteris_message_set_status (self->answer, "Looking for models…");
    return;
  }
  pteris_message_fail (self->answer, PT_ERROR_NOT_FOUND,
                       "There is no chat model yet. Open one, or get the starter models; your "
                       "message is kept.");
  end_answer (self);
}

/* @message follows what is shown. */
static void
append (PterisChatSession *self, PterisMessage *message)
{
  guint n = count (self);
  gint64 parent = n > 0 ? pteris_message_get_id (message_at (self, n - 1)) : 0;

  pteris_message_set_ids (message, pteris_store_new_id (), parent);
  pteris_chat_store_add (self->conversation, message);
  pteris_chat_history_touch (self->history, self->conversation);
  g_list_store_append (self->messages, message);
}

static void
answer (PterisChatSession *self)
{
  self->answer = pteris_message_new ("Pteris", NULL);
  append (self, self->answer);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
  start_answer (self);
}

/* The first message makes the conversation. */
static void
begin (PterisChatSession *self, const char *text)
{
  g_set_object (&self->conversation, pteris_chat_history_add (self->history, text));
  pteris_conversation_set_settings (self->conversation, &self->settings);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONVERSATION]);
}

void
pteris_chat_session_send (PterisChatSession *self, const char *text)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autoptr (PterisMessage) message = NULL;

  if (trimmed[0] == '\0' || self->answer != NULL || self->reading != NULL)
    return;
  if (self->conversation == NULL)
    begin (self, trimmed);
  message = pteris_message_new (NULL, trimmed);
  append (self, message);
  answer (self);
}

/* Another version of the message at @position is about to come: what is shown ends before it. */
static void
cut (PterisChatSession *self, guint position)
{
  g_list_store_splice (self->messages, position, count (self) - position, NULL, 0);
}

/* The message at @position is the newest of its versions. */
static void
show_version (PterisChatSession *self, guint position, guint n_versions)
{
  if (position < count (self))
    pteris_message_set_version (message_at (self, position), n_versions - 1, n_versions);
}

void
pteris_chat_session_regenerate (PterisChatSession *self)
{
  guint n = count (self), n_versions = 0;

  if (self->answer != NULL || n == 0)
    return;
  if (pteris_message_is_answer (message_at (self, n - 1))) {
    pteris_message_get_version (message_at (self, n - 1), &n_versions);
    cut (self, --n);
  }
  answer (self);
  show_version (self, n, n_versions + 1);
}

void
pteris_chat_session_edit (PterisChatSession *self, PterisMessage *message, const char *text)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  guint position, n_versions;

  if (self->answer != NULL || trimmed[0] == '\0' || pteris_message_is_answer (message) ||
      !g_list_store_find (self->messages, message, &position))
    return;
  pteris_message_get_version (message, &n_versions);
  cut (self, position);
  pteris_chat_session_send (self, trimmed);
  show_version (self, position, n_versions + 1);
}

/* An answer that nobody works on yet, or that nobody wants to hear of any more, ends here and now.
 */
static void
end_as_stopped (PterisChatSession *self)
{
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

const PterisChatSettings *
pteris_chat_session_get_settings (PterisChatSession *self)
{
  return self->conversation != NULL ? pteris_conversation_get_settings (self->conversation)
                                    : &self->settings;
}

void
pteris_chat_session_set_settings (PterisChatSession *self, const PterisChatSettings *settings)
{
  char *system = g_strdup (settings->system);

  g_free (self->settings.system);
  self->settings = *settings;
  self->settings.system = system;
  if (self->conversation == NULL)
    return;
  pteris_conversation_set_settings (self->conversation, &self->settings);
  pteris_chat_store_save (self->conversation);
}

PterisConversation *
pteris_chat_session_get_conversation (PterisChatSession *self)
{
  return self->conversation;
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

/* ---- opening ---- */

/* What is to be read, in a thread. */
typedef struct {
  PterisConversation *conversation;
  PterisMessage *versions; /* of which another version is wanted; NULL: as it was left */
  int offset;
  gint64 leaf; /* what was read ends here */
} Reading;

static void
reading_free (Reading *reading)
{
  g_object_unref (reading->conversation);
  g_clear_object (&reading->versions);
  g_free (reading);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  gint64 id = pteris_conversation_get_id (reading->conversation);
  GError *error = NULL;
  GPtrArray *messages;

  if (reading->versions != NULL)
    reading->leaf = pteris_chat_store_find_leaf (
        id, pteris_chat_store_sibling (reading->conversation, reading->versions, reading->offset));
  messages = pteris_chat_store_read (reading->conversation, reading->leaf, &error);
  if (messages != NULL)
    g_task_return_pointer (task, messages, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
show_error (PterisChatSession *self, const GError *error)
{
  g_autoptr (PterisMessage) message = pteris_message_new ("Pteris", NULL);

  pteris_message_fail (message, PT_ERROR_FILE, error->message);
  g_list_store_append (self->messages, message);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisChatSession *self = PTERIS_CHAT_SESSION (source);
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* something else is wanted by now */
  g_clear_object (&self->reading);
  if (messages == NULL) {
    show_error (self, error);
    return;
  }
  g_list_store_splice (self->messages, 0, count (self), messages->pdata, messages->len);
  if (reading->leaf != 0) {
    pteris_conversation_set_leaf (self->conversation, reading->leaf);
    pteris_chat_store_save (self->conversation);
  }
}

static void
read_messages (PterisChatSession *self, PterisMessage *versions, int offset)
{
  Reading *reading = g_new0 (Reading, 1);
  g_autoptr (GTask) task = NULL;

  reading->conversation = g_object_ref (self->conversation);
  reading->versions = versions != NULL ? g_object_ref (versions) : NULL;
  reading->offset = offset;
  self->reading = g_cancellable_new ();
  task = g_task_new (self, self->reading, on_read, NULL);
  g_task_set_source_tag (task, read_messages);
  g_task_set_task_data (task, reading, (GDestroyNotify) reading_free);
  g_task_run_in_thread (task, read_in_thread);
}

static void
let_go (PterisChatSession *self)
{
  if (self->answer != NULL) {
    pteris_engine_client_cancel (self->client, self->job);
    end_as_stopped (self);
  }
  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
}

void
pteris_chat_session_open (PterisChatSession *self, PterisConversation *conversation)
{
  if (conversation != NULL && conversation == self->conversation)
    return;
  let_go (self);
  g_list_store_remove_all (self->messages);
  g_set_object (&self->conversation, conversation);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONVERSATION]);
  if (conversation != NULL)
    read_messages (self, NULL, 0);
}

void
pteris_chat_session_switch (PterisChatSession *self, PterisMessage *message, int offset)
{
  if (self->answer != NULL || self->reading != NULL || self->conversation == NULL)
    return;
  read_messages (self, message, offset);
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
  PterisChatSession *self = PTERIS_CHAT_SESSION (object);

  switch (id) {
  case PROP_BUSY: g_value_set_boolean (value, self->answer != NULL); break;
  case PROP_CONVERSATION: g_value_set_object (value, self->conversation); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
pteris_chat_session_finalize (GObject *object)
{
  PterisChatSession *self = PTERIS_CHAT_SESSION (object);

  g_clear_object (&self->client);
  g_clear_object (&self->library);
  g_clear_object (&self->answer);
  g_clear_object (&self->messages);
  g_clear_object (&self->history);
  g_clear_object (&self->conversation);
  g_clear_object (&self->reading);
  g_free (self->settings.system);
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
  properties[PROP_CONVERSATION] =
      g_param_spec_object ("conversation", NULL, NULL, PTERIS_TYPE_CONVERSATION,
                           G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
pteris_chat_session_init (PterisChatSession *self)
{
  self->settings = (PterisChatSettings) PTERIS_CHAT_SETTINGS_INIT;
  self->messages = g_list_store_new (PTERIS_TYPE_MESSAGE);
  g_signal_connect (self->messages, "items-changed", G_CALLBACK (on_items_changed), self);
}

PterisChatSession *
pteris_chat_session_new (PterisEngineClient *client, PterisLibrary *library,
                         PterisChatHistory *history)
{
  PterisChatSession *self = g_object_new (PTERIS_TYPE_CHAT_SESSION, NULL);

  self->client = g_object_ref (client);
  self->library = g_object_ref (library);
  self->history = g_object_ref (history);
  g_signal_connect_object (library, "scanned", G_CALLBACK (start_answer), self, G_CONNECT_SWAPPED);
  return self;
}
