/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-history.h"

#include "ui/chat/chat-store.h"
#include "ui/history/chat-title.h"
#include "ui/history/history-store.h"

struct _PterisChatHistory {
  PterisListObject parent_instance;

  GListStore *list; /* the parent's */
  char *error;
};

G_DEFINE_FINAL_TYPE (PterisChatHistory, pteris_chat_history, PTERIS_TYPE_LIST_OBJECT)

enum { SIGNAL_READY, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- the list ---- */

static int
compare_newest_first (gconstpointer a, gconstpointer b, gpointer user_data)
{
  gint64 x = pteris_conversation_get_updated (PTERIS_CONVERSATION ((gpointer) a));
  gint64 y = pteris_conversation_get_updated (PTERIS_CONVERSATION ((gpointer) b));

  return (x < y) - (x > y);
}

PterisConversation *
pteris_chat_history_add (PterisChatHistory *self, const char *text)
{
  gint64 id = pteris_store_new_id ();
  g_autofree char *title = pteris_chat_title (text);
  g_autoptr (PterisConversation) conversation = pteris_conversation_new (id, title, id);

  g_list_store_insert (self->list, 0, conversation);
  pteris_chat_store_save (conversation);
  return conversation;
}

void
pteris_chat_history_take (PterisChatHistory *self, PterisConversation *conversation)
{
  g_list_store_insert_sorted (self->list, conversation, compare_newest_first, NULL);
}

void
pteris_chat_history_touch (PterisChatHistory *self, PterisConversation *conversation)
{
  guint position;

  if (!g_list_store_find (self->list, conversation, &position) || position == 0)
    return;
  g_object_ref (conversation);
  g_list_store_remove (self->list, position);
  g_list_store_insert (self->list, 0, conversation);
  g_object_unref (conversation);
}

void
pteris_chat_history_rename (PterisChatHistory *self, PterisConversation *conversation,
                            const char *title)
{
  g_autofree char *stripped = g_strstrip (g_strdup (title));

  if (stripped[0] == '\0')
    return;
  pteris_conversation_set_title (conversation, stripped);
  pteris_conversation_set_named (conversation, TRUE);
  pteris_chat_store_save (conversation);
}

void
pteris_chat_history_remove (PterisChatHistory *self, PterisConversation *conversation)
{
  guint position;

  if (!g_list_store_find (self->list, conversation, &position))
    return;
  pteris_chat_store_set_deleted (conversation, TRUE);
  g_list_store_remove (self->list, position);
}

void
pteris_chat_history_put_back (PterisChatHistory *self, PterisConversation *conversation)
{
  pteris_chat_store_set_deleted (conversation, FALSE);
  g_list_store_insert_sorted (self->list, conversation, compare_newest_first, NULL);
}

PterisConversation *
pteris_chat_history_find (PterisChatHistory *self, gint64 id)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->list));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisConversation) conversation =
        g_list_model_get_item (G_LIST_MODEL (self->list), i);

    if (pteris_conversation_get_id (conversation) == id)
      return conversation; /* the list holds it */
  }
  return NULL;
}

const char *
pteris_chat_history_get_error (PterisChatHistory *self)
{
  return self->error;
}

/* ---- reading ---- */

static void
load_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *list = pteris_chat_store_list (&error);

  if (list != NULL)
    g_task_return_pointer (task, list, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisChatHistory *self = PTERIS_CHAT_HISTORY (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = g_task_propagate_pointer (G_TASK (result), &error);

  if (list == NULL)
    self->error = g_strdup (error->message);
  /* Conversations begun during the reading are in the list already. */
  for (guint i = list != NULL ? list->len : 0; i-- > 0;)
    if (pteris_chat_history_find (self, pteris_conversation_get_id (list->pdata[i])) != NULL)
      g_ptr_array_remove_index (list, i);
  if (list != NULL)
    g_list_store_splice (self->list, g_list_model_get_n_items (G_LIST_MODEL (self->list)), 0,
                         list->pdata, list->len);
  g_signal_emit (self, signals[SIGNAL_READY], 0);
}

void
pteris_chat_history_load (PterisChatHistory *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_loaded, NULL);

  g_task_set_source_tag (task, pteris_chat_history_load);
  g_task_run_in_thread (task, load_in_thread);
}

/* ---- the object ---- */

static void
pteris_chat_history_finalize (GObject *object)
{
  PterisChatHistory *self = PTERIS_CHAT_HISTORY (object);

  g_free (self->error);
  G_OBJECT_CLASS (pteris_chat_history_parent_class)->finalize (object);
}

static void
pteris_chat_history_class_init (PterisChatHistoryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_chat_history_finalize;

  signals[SIGNAL_READY] = g_signal_new ("ready", PTERIS_TYPE_CHAT_HISTORY, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_chat_history_init (PterisChatHistory *self)
{
  self->list = pteris_list_object_begin (PTERIS_LIST_OBJECT (self), PTERIS_TYPE_CONVERSATION);
}

PterisChatHistory *
pteris_chat_history_new (void)
{
  return g_object_new (PTERIS_TYPE_CHAT_HISTORY, NULL);
}
