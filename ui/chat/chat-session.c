/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-session.h"

#include <string.h>

#include "ui/chat/chat-context.h"
#include "ui/chat/chat-store.h"
#include "ui/i18n.h"
#include "ui/parts/format.h"
#include "ui/settings.h"
#include "ui/history/history-store.h"

struct _PterisChatSession {
  PterisListObject parent_instance;

  PterisEngineClient *client;
  PterisLibrary *library;
  PterisChatHistory *history;
  GListStore *messages;             /* the parent's */
  PterisConversation *conversation; /* NULL before the first message */
  PterisChatSettings settings;      /* settings of the next conversation */
  GCancellable *reading;            /* reading of messages from the history, or NULL */

  PterisMessage *answer; /* the answer in progress, or NULL */
  guint64 job;
};

G_DEFINE_FINAL_TYPE (PterisChatSession, pteris_chat_session, PTERIS_TYPE_LIST_OBJECT)

enum { PROP_0, PROP_BUSY, PROP_CONVERSATION, N_PROPS };
static GParamSpec *properties[N_PROPS];

enum { SIGNAL_DELETED, SIGNAL_SETTINGS, SIGNAL_MODEL, SIGNAL_FIGURES, SIGNAL_REACH, N_SIGNALS };
static guint signals[N_SIGNALS];

static guint
count (PterisChatSession *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->messages));
}

/* A borrowed reference; the list owns it. */
static PterisMessage *
message_at (PterisChatSession *self, guint i)
{
  g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (self->messages), i);

  return message;
}

/* Updates the places after a change of the first message or of the messages. */
static void
update_places (PterisChatSession *self)
{
  pteris_chat_context_mark (G_LIST_MODEL (self), pteris_chat_session_get_settings (self)->start);
}

static gboolean
is_question (PterisMessage *message)
{
  return !pteris_message_is_answer (message);
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
  g_autofree char *step = pteris_format_step (event);
  g_autofree char *status = NULL;

  if (event->fraction >= 0)
    status = g_strdup_printf ("%s… %.0f %%", step, event->fraction * 100);
  else
    status = g_strdup_printf ("%s…", step);
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
  case PT_EVENT_STATS:
    pteris_message_set_stats (self->answer, &event->stats);
    g_signal_emit (self, signals[SIGNAL_FIGURES], 0);
    break;
  case PT_EVENT_DONE:
    pteris_message_finish (self->answer, PTERIS_MESSAGE_DONE, event->reason);
    end_answer (self);
    break;
  case PT_EVENT_STOPPED:
    pteris_message_finish (self->answer, PTERIS_MESSAGE_STOPPED, PT_REASON_STOPPED);
    end_answer (self);
    break;
  case PT_EVENT_FAILED:
    pteris_message_set_alternative (self->answer, event->alternative);
    pteris_message_set_report (self->answer, event->host != NULL ? event->host->report : NULL);
    pteris_message_fail (self->answer, event->code, event->text);
    end_answer (self);
    break;
  default: break;
  }
}

static void
set_waiting_status (PterisChatSession *self, PterisModel *model)
{
  gboolean ready = pteris_engine_client_get_state (self->client) == PTERIS_MODEL_READY &&
                   pteris_model_equal (pteris_engine_client_get_model (self->client), model);
  g_autofree char *loading =
      g_strdup_printf (_ ("Loading %s…"), pteris_model_get_info (model)->title);

  pteris_message_set_status (self->answer, ready ? _ ("Reading…") : loading);
}

static void
submit (PterisChatSession *self, PterisModel *model)
{
  const PterisChatSettings *settings = pteris_chat_session_get_settings (self);
  g_autoptr (PterisChatContext) context =
      pteris_chat_context_new (G_LIST_MODEL (self), settings->system, self->answer);
  const char *const stop[] = { settings->stop, NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.chat.messages = (const PtMessage *) context->messages->data;
  job.chat.n_messages = context->messages->len;
  job.chat.sampling = settings->sampling;
  job.chat.stop = settings->stop != NULL ? stop : NULL;
  job.chat.max_new_tokens = settings->max_new_tokens > 0 ? settings->max_new_tokens : -1;
  job.chat.seed = settings->seed;
  job.chat.thinking = settings->thinking;
  job.model.path = pteris_model_get_info (model)->path;
  set_waiting_status (self, model);
  self->job = pteris_engine_client_submit (self->client, model, &job, on_job_event,
                                           g_object_ref (self), g_object_unref);
  if (pteris_engine_client_is_waiting (self->client)) {
    pteris_message_set_status (
        self->answer,
        _ ("Waiting for the transcription to finish: memory does not suffice for both models."));
    pteris_message_set_may_go_first (self->answer);
  }
  pteris_settings_set_string (PTERIS_SETTING_LAST_CHAT, pteris_model_get_info (model)->path);
}

/* Starts the job of the answer as soon as the library is scanned. */
static void
start_answer (PterisChatSession *self)
{
  PterisModel *model = pteris_chat_session_get_model (self);
  g_autofree char *held = NULL;

  if (self->answer == NULL || self->job != 0)
    return;
  if (model != NULL) {
    const char *title = pteris_model_get_info (model)->title;

    pteris_message_set_author (self->answer, title);
    submit (self, model);
    return;
  }
  if (!pteris_library_is_ready (self->library)) {
    pteris_message_set_status (self->answer, _ ("Searching for models…"));
    return;
  }
  held = pteris_library_explain_held (self->library, PTERIS_TASK_CHAT);
  if (held != NULL)
    pteris_message_fail (self->answer, PT_ERROR_STATE, held);
  else
    pteris_message_fail (self->answer, PT_ERROR_NOT_FOUND,
                         _ ("There is no chat model yet. Open one, or use the starter models; your "
                            "message is kept."));
  end_answer (self);
}

/* Appends @message to the shown ones. */
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

/* Creates the conversation with its first message. */
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
  pteris_chat_session_send_with (self, text, NULL);
}

void
pteris_chat_session_send_with (PterisChatSession *self, const char *text, GPtrArray *attachments)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autoptr (PterisMessage) message = NULL;
  gboolean empty = trimmed[0] == '\0' && (attachments == NULL || attachments->len == 0);

  if (empty || self->answer != NULL || self->reading != NULL)
    return;
  if (self->conversation == NULL)
    begin (self, trimmed);
  message = pteris_message_new (NULL, trimmed);
  pteris_message_set_attachments (message, attachments);
  append (self, message);
  answer (self);
}

/* Removes the messages from @position on, before another version is added. */
static void
cut (PterisChatSession *self, guint position)
{
  g_list_store_splice (self->messages, position, count (self) - position, NULL, 0);
}

/* Marks the message at @position as the newest of its versions. */
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
    g_autoptr (PterisMessage) last = g_object_ref (message_at (self, n - 1));

    pteris_message_get_version (last, &n_versions);
    cut (self, --n);
    /* An answer without text is not kept as a version. */
    if (pteris_message_get_text (last)[0] == '\0' && n_versions > 0) {
      pteris_chat_store_drop (last);
      n_versions--;
    }
  }
  answer (self);
  show_version (self, n, n_versions + 1);
}

gboolean
pteris_chat_session_can_continue (PterisChatSession *self)
{
  PterisMessage *last = count (self) > 0 ? message_at (self, count (self) - 1) : NULL;

  return self->answer == NULL && last != NULL && !is_question (last) &&
         pteris_message_may_go_on (last);
}

void
pteris_chat_session_continue (PterisChatSession *self)
{
  if (!pteris_chat_session_can_continue (self))
    return;
  self->answer = g_object_ref (message_at (self, count (self) - 1));
  pteris_message_resume (self->answer);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
  start_answer (self);
}

gboolean
pteris_chat_session_leave_out (PterisChatSession *self)
{
  g_auto (PterisChatSettings) settings = PTERIS_CHAT_SETTINGS_INIT;
  gint64 now = pteris_chat_session_get_settings (self)->start;
  gint64 start =
      self->answer == NULL ? pteris_chat_context_choose_start (G_LIST_MODEL (self), now) : 0;

  if (start == 0)
    return FALSE;
  pteris_chat_settings_assign (&settings, pteris_chat_session_get_settings (self));
  settings.start = start;
  pteris_chat_session_set_settings (self, &settings);
  return TRUE;
}

static void
show_error (PterisChatSession *self, const GError *error)
{
  g_autoptr (PterisMessage) message = pteris_message_new ("Pteris", NULL);

  pteris_message_fail (message, PT_ERROR_FILE, error->message);
  g_list_store_append (self->messages, message);
}

static void
on_alternative (GObject *library, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisChatSession) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisModel) model =
      pteris_library_add_finish (PTERIS_LIBRARY (library), result, &error);

  if (model == NULL) {
    show_error (self, error);
    return;
  }
  pteris_engine_client_load (self->client, model);
  pteris_chat_session_regenerate (self);
}

void
pteris_chat_session_use_model (PterisChatSession *self, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  pteris_library_add_async (self->library, file, NULL, on_alternative, g_object_ref (self));
}

/* ---- deleting ---- */

PterisMessage *
pteris_chat_session_find_message (PterisChatSession *self, gint64 id)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (self), i);

    if (pteris_message_get_id (message) == id)
      return message;
  }
  return NULL;
}

void
pteris_chat_session_delete (PterisChatSession *self, PterisMessage *message)
{
  g_autoptr (GPtrArray) removed = g_ptr_array_new_with_free_func (g_object_unref);
  PterisMessage *question;
  guint position, n = 1;

  if (self->answer != NULL || self->conversation == NULL ||
      !g_list_store_find (self->messages, message, &position))
    return;
  if (pteris_message_is_answer (message) && position > 0)
    position--;
  question = message_at (self, position);
  if (!is_question (question))
    return;
  if (position + 1 < count (self) && !is_question (message_at (self, position + 1)))
    n = 2;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (removed, g_object_ref (message_at (self, position + i)));
  g_list_store_splice (self->messages, position, n, NULL, 0);
  pteris_conversation_set_leaf (
      self->conversation,
      count (self) > 0 ? pteris_message_get_id (message_at (self, count (self) - 1)) : 0);
  if (position < count (self)) {
    PterisMessage *next = message_at (self, position);

    pteris_message_set_ids (next, pteris_message_get_id (next),
                            pteris_message_get_parent (question));
  }
  pteris_chat_store_remove (self->conversation, question);
  update_places (self);
  g_signal_emit (self, signals[SIGNAL_DELETED], 0, removed);
}

/* ---- versions ---- */

void
pteris_chat_session_edit (PterisChatSession *self, PterisMessage *message, const char *text)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autoptr (GPtrArray) attachments = NULL;
  guint position, n_versions;

  if (self->answer != NULL || trimmed[0] == '\0' || pteris_message_is_answer (message) ||
      !g_list_store_find (self->messages, message, &position))
    return;
  pteris_message_get_version (message, &n_versions);
  attachments = pteris_message_get_attachments (message);
  if (attachments != NULL)
    g_ptr_array_ref (attachments);
  cut (self, position);
  pteris_chat_session_send_with (self, trimmed, attachments);
  show_version (self, position, n_versions + 1);
}

/* Ends the answer at once, without waiting for the events of its job.
 */
static void
end_as_stopped (PterisChatSession *self)
{
  pteris_message_finish (self->answer, PTERIS_MESSAGE_STOPPED, PT_REASON_STOPPED);
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
  pteris_chat_settings_assign (&self->settings, settings);
  if (self->conversation != NULL) {
    pteris_conversation_set_settings (self->conversation, &self->settings);
    pteris_chat_store_save (self->conversation);
  }
  update_places (self);
  g_signal_emit (self, signals[SIGNAL_SETTINGS], 0);
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

/* The arguments of read_in_thread(). */
typedef struct {
  PterisConversation *conversation;
  PterisMessage *versions; /* the message whose other version is wanted, or NULL */
  int offset;
  gint64 through; /* a message; show it and the messages that followed it; or 0 */
  gint64 place;   /* a message to scroll to, by whatever path it is on; or 0 */
  gint64 leaf;    /* id of the last message that was read; 0: as saved */
} Reading;

static void
reading_free (Reading *reading)
{
  g_object_unref (reading->conversation);
  g_clear_object (&reading->versions);
  g_free (reading);
}

/* The position of the message with @id in @messages; -1: it is not there. */
static int
find_position (GPtrArray *messages, gint64 id)
{
  for (guint i = 0; i < messages->len; i++)
    if (pteris_message_get_id (messages->pdata[i]) == id)
      return (int) i;
  return -1;
}

/* Reads the path to the wanted place if the saved one does not pass it. */
static GPtrArray *
read_path (Reading *reading, GError **error)
{
  gint64 id = pteris_conversation_get_id (reading->conversation);
  GPtrArray *messages = pteris_chat_store_read (reading->conversation, reading->leaf, error);

  if (messages == NULL || reading->place == 0 || find_position (messages, reading->place) >= 0)
    return messages;
  g_ptr_array_unref (messages);
  reading->leaf = pteris_chat_store_find_leaf (id, reading->place);
  return pteris_chat_store_read (reading->conversation, reading->leaf, error);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Reading *reading = data;
  gint64 id = pteris_conversation_get_id (reading->conversation);
  GError *error = NULL;
  GPtrArray *messages;

  if (reading->versions != NULL)
    reading->through =
        pteris_chat_store_sibling (reading->conversation, reading->versions, reading->offset);
  if (reading->through != 0)
    reading->leaf = pteris_chat_store_find_leaf (id, reading->through);
  messages = read_path (reading, &error);
  if (messages != NULL)
    g_task_return_pointer (task, messages, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisChatSession *self = PTERIS_CHAT_SESSION (source);
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* another request has replaced this one */
  g_clear_object (&self->reading);
  if (messages == NULL) {
    show_error (self, error);
    return;
  }
  g_list_store_splice (self->messages, 0, count (self), messages->pdata, messages->len);
  update_places (self);
  g_signal_emit (self, signals[SIGNAL_FIGURES], 0);
  if (reading->leaf != 0) {
    pteris_conversation_set_leaf (self->conversation, reading->leaf);
    pteris_chat_store_save (self->conversation);
  }
  if (reading->place != 0 && find_position (messages, reading->place) >= 0)
    g_signal_emit (self, signals[SIGNAL_REACH], 0,
                   (guint) find_position (messages, reading->place));
}

/* @reading: taken; its conversation is not set yet. */
static void
begin_reading (PterisChatSession *self, Reading *reading)
{
  g_autoptr (GTask) task = NULL;

  reading->conversation = g_object_ref (self->conversation);
  self->reading = g_cancellable_new ();
  task = g_task_new (self, self->reading, on_read, NULL);
  g_task_set_source_tag (task, begin_reading);
  g_task_set_task_data (task, reading, (GDestroyNotify) reading_free);
  g_task_run_in_thread (task, read_in_thread);
}

static void
read_messages (PterisChatSession *self, gint64 through, gint64 place)
{
  Reading *reading = g_new0 (Reading, 1);

  reading->through = through;
  reading->place = place;
  begin_reading (self, reading);
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

/* @through, @place: as in Reading. */
static void
show (PterisChatSession *self, PterisConversation *conversation, gint64 through, gint64 place)
{
  let_go (self);
  g_list_store_remove_all (self->messages);
  g_set_object (&self->conversation, conversation);
  if (conversation == NULL)
    self->settings.start = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONVERSATION]);
  g_signal_emit (self, signals[SIGNAL_SETTINGS], 0);
  if (conversation != NULL)
    read_messages (self, through, place);
}

void
pteris_chat_session_open (PterisChatSession *self, PterisConversation *conversation)
{
  if (conversation == NULL || conversation != self->conversation)
    show (self, conversation, 0, 0);
}

void
pteris_chat_session_open_message (PterisChatSession *self, PterisConversation *conversation,
                                  gint64 id)
{
  guint n = conversation == self->conversation ? count (self) : 0;

  for (guint i = 0; i < n; i++)
    if (pteris_message_get_id (message_at (self, i)) == id) {
      g_signal_emit (self, signals[SIGNAL_REACH], 0, i);
      return;
    }
  show (self, conversation, 0, id);
}

/* The message shown after the one with @id (0: the first message); NULL: there is none, or @id is
   not shown. A borrowed reference. */
static PterisMessage *
shown_after (PterisChatSession *self, gint64 id)
{
  guint n = count (self), at = 0;

  while (id != 0 && at < n && pteris_message_get_id (message_at (self, at)) != id)
    at++;
  at += id != 0;
  return at < n ? message_at (self, at) : NULL;
}

gboolean
pteris_chat_session_put_back (PterisChatSession *self, PterisConversation *conversation,
                              GPtrArray *messages)
{
  PterisMessage *question = messages->pdata[0], *last = messages->pdata[messages->len - 1];
  PterisMessage *follower = NULL;

  if (conversation == self->conversation) {
    if (self->answer != NULL || self->reading != NULL)
      return FALSE;
    follower = shown_after (self, pteris_message_get_parent (question));
  }
  pteris_chat_store_restore (conversation, question, last, follower);
  if (conversation == self->conversation)
    read_messages (self, pteris_message_get_id (last), 0);
  else
    show (self, conversation, pteris_message_get_id (last), 0);
  return TRUE;
}

void
pteris_chat_session_switch (PterisChatSession *self, PterisMessage *message, int offset)
{
  Reading *reading;

  if (self->answer != NULL || self->reading != NULL || self->conversation == NULL)
    return;
  reading = g_new0 (Reading, 1);
  reading->versions = g_object_ref (message);
  reading->offset = offset;
  begin_reading (self, reading);
}

/* ---- the object ---- */

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
  g_clear_object (&self->history);
  g_clear_object (&self->conversation);
  g_clear_object (&self->reading);
  pteris_chat_settings_clear (&self->settings);
  G_OBJECT_CLASS (pteris_chat_session_parent_class)->finalize (object);
}

static void
pteris_chat_session_class_init (PterisChatSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = pteris_chat_session_finalize;
  object_class->get_property = pteris_chat_session_get_property;

  signals[SIGNAL_DELETED] = g_signal_new ("deleted", PTERIS_TYPE_CHAT_SESSION, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_PTR_ARRAY);
  signals[SIGNAL_SETTINGS] = g_signal_new ("settings", PTERIS_TYPE_CHAT_SESSION, G_SIGNAL_RUN_LAST,
                                           0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_MODEL] = g_signal_new ("model", PTERIS_TYPE_CHAT_SESSION, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_FIGURES] = g_signal_new ("figures", PTERIS_TYPE_CHAT_SESSION, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_REACH] = g_signal_new ("reach", PTERIS_TYPE_CHAT_SESSION, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
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
  self->messages = pteris_list_object_begin (PTERIS_LIST_OBJECT (self), PTERIS_TYPE_MESSAGE);
}

static void
on_model (PterisChatSession *self)
{
  g_signal_emit (self, signals[SIGNAL_MODEL], 0);
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
  g_signal_connect_object (library, "scanned", G_CALLBACK (on_model), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "changed", G_CALLBACK (on_model), self, G_CONNECT_SWAPPED);
  return self;
}
