/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/chat/chat-export.h"
#include "ui/i18n.h"

#define ACTION(name) \
  static void name (GSimpleAction *action, GVariant *parameter, gpointer user_data)

/* A borrowed reference; NULL: there is no such conversation. */
static PterisConversation *
find (PterisWindow *self, GVariant *parameter)
{
  return pteris_chat_history_find (self->history, g_variant_get_int64 (parameter));
}

static void
show_chat (PterisWindow *self, PterisConversation *conversation)
{
  pteris_chat_session_open (self->session, conversation);
  pteris_window_show_page (self, "chat");
  _pteris_window_fold (self);
}

ACTION (new_chat)
{
  show_chat (PTERIS_WINDOW (user_data), NULL);
}

ACTION (open_chat)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisConversation *conversation = find (self, parameter);

  if (conversation != NULL)
    show_chat (self, conversation);
}

void
pteris_window_open_chat (PterisWindow *self, gint64 id)
{
  PterisConversation *conversation = pteris_chat_history_find (self->history, id);

  if (conversation != NULL)
    show_chat (self, conversation);
  else
    self->wanted_chat = id;
}

/* Opens a chat at one of its messages: (chat, message). */
ACTION (open_message)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisConversation *conversation;
  gint64 id, message;

  g_variant_get (parameter, "(xx)", &id, &message);
  conversation = pteris_chat_history_find (self->history, id);
  if (conversation == NULL)
    return;
  pteris_chat_session_open_message (self->session, conversation, message);
  pteris_window_show_page (self, "chat");
  _pteris_window_fold (self);
}

ACTION (rename_chat)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisConversation *conversation = find (self, parameter);

  if (conversation != NULL)
    pteris_history_list_rename (pteris_sidebar_get_chats (self->sidebar), conversation);
}

/* Opens the conversation @step rows below; from a new chat, the newest one. */
static void
step (PterisWindow *self, int by)
{
  GListModel *list = G_LIST_MODEL (self->history);
  PterisConversation *current = pteris_chat_session_get_conversation (self->session);
  int n = (int) g_list_model_get_n_items (list);
  int at = -1;

  for (int i = 0; i < n && current != NULL && at < 0; i++) {
    g_autoptr (PterisConversation) conversation = g_list_model_get_item (list, (guint) i);

    if (conversation == current)
      at = i;
  }
  if (at + by >= 0 && at + by < n) {
    g_autoptr (PterisConversation) next = g_list_model_get_item (list, (guint) (at + by));

    show_chat (self, next);
  }
}

ACTION (previous_chat)
{
  step (PTERIS_WINDOW (user_data), -1);
}

ACTION (next_chat)
{
  step (PTERIS_WINDOW (user_data), 1);
}

ACTION (focus_message)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  pteris_window_show_page (self, "chat");
  pteris_chat_page_focus (self->chat_page);
}

ACTION (search)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  adw_flap_set_reveal_flap (self->flap, TRUE);
  pteris_sidebar_search (self->sidebar);
}

/* ---- deleting ---- */

static gboolean
restore_chat (PterisWindow *self, gpointer conversation)
{
  pteris_chat_history_put_back (self->history, conversation);
  show_chat (self, conversation);
  return TRUE;
}

ACTION (delete_chat)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisConversation *conversation = find (self, parameter);
  g_autofree char *text = NULL;

  if (conversation == NULL)
    return;
  text = g_strdup_printf (_ ("“%s” deleted"), pteris_conversation_get_title (conversation));
  g_object_ref (conversation);
  if (conversation == pteris_chat_session_get_conversation (self->session))
    pteris_chat_session_open (self->session, NULL);
  pteris_chat_history_remove (self->history, conversation);
  _pteris_window_offer_undo (self, text, restore_chat, conversation, g_object_unref);
  /* The focus was in the menu of the deleted row. */
  if (g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "chat") == 0)
    pteris_chat_page_focus (self->chat_page);
}

typedef struct {
  PterisConversation *conversation;
  GPtrArray *messages;
} Deleted;

static void
deleted_free (gpointer data)
{
  Deleted *deleted = data;

  g_object_unref (deleted->conversation);
  g_ptr_array_unref (deleted->messages);
  g_free (deleted);
}

static gboolean
restore_messages (PterisWindow *self, gpointer what)
{
  const Deleted *deleted = what;

  /* If the chat was deleted as well, undo restores the chat first. */
  if (pteris_chat_history_find (self->history,
                                pteris_conversation_get_id (deleted->conversation)) == NULL ||
      !pteris_chat_session_put_back (self->session, deleted->conversation, deleted->messages))
    return FALSE;
  pteris_window_show_page (self, "chat");
  return TRUE;
}

void
_pteris_window_on_deleted (PterisWindow *self, GPtrArray *messages)
{
  Deleted *deleted = g_new (Deleted, 1);

  deleted->conversation = g_object_ref (pteris_chat_session_get_conversation (self->session));
  deleted->messages = g_ptr_array_ref (messages);
  _pteris_window_offer_undo (self, _ ("Question and answer deleted"), restore_messages, deleted,
                             deleted_free);
}

/* ---- files ---- */

typedef struct {
  PterisWindow *window;
  GPtrArray *conversations; /* NULL: import */
} Dialog;

static void
dialog_free (Dialog *dialog)
{
  g_object_unref (dialog->window);
  g_clear_pointer (&dialog->conversations, g_ptr_array_unref);
  g_free (dialog);
}

static void
on_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisWindow) self = user_data;
  g_autoptr (GError) error = NULL;

  if (pteris_chat_export_finish (result, &error))
    pteris_window_say (self, _ ("Exported"));
  else
    pteris_window_say (self, error->message);
}

static void
on_imported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = pteris_chat_import_finish (result, &error);
  g_autofree char *text = NULL;

  if (list == NULL) {
    pteris_window_say (self, error->message);
    return;
  }
  for (guint i = 0; i < list->len && self->history != NULL; i++)
    pteris_chat_history_take (self->history, list->pdata[i]);
  text = g_strdup_printf (ngettext ("%u chat imported", "%u chats imported", list->len), list->len);
  pteris_window_say (self, text);
}

static void
on_response (GtkNativeDialog *native, int response, Dialog *dialog)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (native));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL && dialog->conversations != NULL)
    pteris_chat_export_async (dialog->conversations, file, on_exported,
                              g_object_ref (dialog->window));
  else if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    pteris_chat_import_async (file, on_imported, g_object_ref (dialog->window));
  dialog_free (dialog);
  g_object_unref (native);
}

static void
add_filter (GtkFileChooser *chooser, const char *name, const char *suffix)
{
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, name);
  gtk_file_filter_add_suffix (filter, suffix);
  gtk_file_chooser_add_filter (chooser, filter);
}

/* @conversations: taken; NULL: import. */
static void
show_dialog (PterisWindow *self, const char *title, GPtrArray *conversations, const char *name)
{
  gboolean saves = conversations != NULL;
  GtkFileChooserNative *native = gtk_file_chooser_native_new (
      title, GTK_WINDOW (self), saves ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN,
      saves ? _ ("_Export") : _ ("_Import"), _ ("_Cancel"));
  Dialog *dialog = g_new0 (Dialog, 1);

  dialog->window = g_object_ref (self);
  dialog->conversations = conversations;
  if (saves) {
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (native), name);
    add_filter (GTK_FILE_CHOOSER (native), _ ("Markdown"), "md");
  }
  add_filter (GTK_FILE_CHOOSER (native), _ ("JSON"), "json");
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (native), TRUE);
  g_signal_connect (native, "response", G_CALLBACK (on_response), dialog);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (native));
}

ACTION (export_chat)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisConversation *conversation = find (self, parameter);
  g_autofree char *name = NULL;
  GPtrArray *one;

  if (conversation == NULL)
    return;
  one = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (one, g_object_ref (conversation));
  name = g_strconcat (pteris_conversation_get_title (conversation), ".md", NULL);
  g_strdelimit (name, "/\\:*?\"<>|", '-');
  show_dialog (self, _ ("Export Chat"), one, name);
}

ACTION (export_chats)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->history));
  GPtrArray *all = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, g_list_model_get_item (G_LIST_MODEL (self->history), i));
  show_dialog (self, _ ("Export All Chats"), all, "pteris-chats.json");
}

ACTION (import_chats)
{
  show_dialog (PTERIS_WINDOW (user_data), _ ("Import Chats"), NULL, NULL);
}

void
_pteris_window_add_chat_actions (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = {
    { "new-chat", new_chat, NULL, NULL, NULL },
    { "open-chat", open_chat, "x", NULL, NULL },
    { "open-message", open_message, "(xx)", NULL, NULL },
    { "rename-chat", rename_chat, "x", NULL, NULL },
    { "delete-chat", delete_chat, "x", NULL, NULL },
    { "export-chat", export_chat, "x", NULL, NULL },
    { "export-chats", export_chats, NULL, NULL, NULL },
    { "import-chats", import_chats, NULL, NULL, NULL },
    { "previous-chat", previous_chat, NULL, NULL, NULL },
    { "next-chat", next_chat, NULL, NULL, NULL },
    { "focus-message", focus_message, NULL, NULL, NULL },
    { "search", search, NULL, NULL, NULL },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
}
