/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-export.h"

#include <jansson.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "ui/chat/chat-store.h"
#include "ui/history/history-store.h"
#include "ui/i18n.h"
#include "ui/parts/overwrite.h"

/* In bytes; the files that we write are smaller. */
#define MAX_BYTES (32 * 1024 * 1024)
#define MAX_CONVERSATIONS 10000
#define MAX_MESSAGES 200000

/* Most messages in the queue of the history's writer. */
#define MAX_WAITING 1000

typedef struct {
  GPtrArray *conversations;
  GFile *file;
} Export;

static void
export_free (Export *export)
{
  g_ptr_array_unref (export->conversations);
  g_object_unref (export->file);
  g_free (export);
}

/* ---- Markdown ---- */

static gboolean
add_markdown (GString *out, PterisConversation *conversation, GError **error)
{
  g_autoptr (GPtrArray) messages = pteris_chat_store_read (conversation, 0, error);

  if (messages == NULL)
    return FALSE;
  g_string_append_printf (out, "%s# %s\n", out->len > 0 ? "\n" : "",
                          pteris_conversation_get_title (conversation));
  for (guint i = 0; i < messages->len; i++) {
    PterisMessage *message = messages->pdata[i];
    const char *author = pteris_message_get_author (message);

    g_string_append_printf (out, "\n## %s\n\n%s\n", author != NULL ? author : _ ("You"),
                            pteris_message_get_text (message));
  }
  return TRUE;
}

/* ---- JSON ---- */

static json_t *
message_to_json (PterisMessage *message)
{
  gboolean answer = pteris_message_is_answer (message);
  json_t *json =
      json_pack ("{s:I, s:I, s:s, s:s}", "id", (json_int_t) pteris_message_get_id (message),
                 "parent", (json_int_t) pteris_message_get_parent (message), "role",
                 answer ? "assistant" : "user", "text", pteris_message_get_text (message));

  if (json != NULL && answer)
    json_object_set_new (json, "model", json_string (pteris_message_get_author (message)));
  return json;
}

static json_t *
conversation_to_json (PterisConversation *conversation, GError **error)
{
  const PterisChatSettings *settings = pteris_conversation_get_settings (conversation);
  g_autoptr (GPtrArray) messages = pteris_chat_store_read_all (conversation, error);
  json_t *list = json_array ();

  if (messages == NULL) {
    json_decref (list);
    return NULL;
  }
  for (guint i = 0; i < messages->len; i++)
    json_array_append_new (list, message_to_json (messages->pdata[i]));
  return json_pack ("{s:s, s:f, s:o, s:I, s:o}", "title",
                    pteris_conversation_get_title (conversation), "updated",
                    (double) pteris_conversation_get_updated (conversation) / G_USEC_PER_SEC,
                    "settings", pteris_chat_settings_write (settings), "leaf",
                    (json_int_t) pteris_conversation_get_leaf (conversation), "messages", list);
}

static char *
to_json (GPtrArray *conversations, GError **error)
{
  json_t *list = json_array (), *root;
  char *text, *copy;

  for (guint i = 0; i < conversations->len; i++) {
    json_t *json = conversation_to_json (conversations->pdata[i], error);

    if (json == NULL) {
      json_decref (list);
      return NULL;
    }
    json_array_append_new (list, json);
  }
  root = json_pack ("{s:i, s:o}", "pteris", 1, "conversations", list);
  text = json_dumps (root, JSON_INDENT (1));
  copy = g_strconcat (text, "\n", NULL);
  free (text);
  json_decref (root);
  return copy;
}

static char *
to_markdown (GPtrArray *conversations, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < conversations->len; i++)
    if (!add_markdown (out, conversations->pdata[i], error))
      return NULL;
  return g_strdup (out->str);
}

static void
export_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Export *export = data;
  g_autofree char *name = g_file_get_basename (export->file);
  GError *error = NULL;
  g_autofree char *text = g_str_has_suffix (name, ".json")
                              ? to_json (export->conversations, &error)
                              : to_markdown (export->conversations, &error);

  if (text != NULL && pteris_write_text (export->file, text, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
pteris_chat_export_async (GPtrArray *conversations, GFile *file, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Export *export = g_new0 (Export, 1);

  export->conversations = g_ptr_array_ref (conversations);
  export->file = g_object_ref (file);
  g_task_set_source_tag (task, pteris_chat_export_async);
  g_task_set_task_data (task, export, (GDestroyNotify) export_free);
  g_task_run_in_thread (task, export_in_thread);
}

gboolean
pteris_chat_export_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}

static void
markdown_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autoptr (GString) out = g_string_new (NULL);

  if (add_markdown (out, data, &error))
    g_task_return_pointer (task, g_strdup (out->str), g_free);
  else
    g_task_return_error (task, error);
}

void
pteris_chat_markdown_async (PterisConversation *conversation, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_source_tag (task, pteris_chat_markdown_async);
  g_task_set_task_data (task, g_object_ref (conversation), g_object_unref);
  g_task_run_in_thread (task, markdown_in_thread);
}

char *
pteris_chat_markdown_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- bringing in ---- */

static double
get_number (json_t *object, const char *key, double fallback)
{
  json_t *value = json_object_get (object, key);

  return json_is_number (value) ? json_number_value (value) : fallback;
}

/* Imported messages get new ids, in the file's order. */
static void
import_message (PterisConversation *conversation, json_t *json, GHashTable *ids)
{
  const char *text = json_string_value (json_object_get (json, "text"));
  const char *role = json_string_value (json_object_get (json, "role"));
  const char *model = json_string_value (json_object_get (json, "model"));
  gint64 old = json_integer_value (json_object_get (json, "id"));
  gint64 parent = json_integer_value (json_object_get (json, "parent"));
  gint64 *new_parent = g_hash_table_lookup (ids, &parent);
  gboolean answer = g_strcmp0 (role, "assistant") == 0;
  g_autoptr (PterisMessage) message =
      pteris_message_new (answer ? (model != NULL ? model : "") : NULL, text);
  gint64 id = pteris_store_new_id ();

  pteris_message_set_ids (message, id, new_parent != NULL ? *new_parent : 0);
  if (answer)
    pteris_message_finish (message, PTERIS_MESSAGE_DONE, PT_REASON_STOP);
  pteris_chat_store_add (conversation, message);
  if (answer)
    pteris_chat_store_end (conversation, message);
  g_hash_table_insert (ids, g_memdup2 (&old, sizeof old), g_memdup2 (&id, sizeof id));
  if (g_hash_table_size (ids) % MAX_WAITING == 0)
    pteris_store_flush ();
}

static PterisConversation *
import_conversation (json_t *json)
{
  const char *title = json_string_value (json_object_get (json, "title"));
  json_t *settings = json_object_get (json, "settings"), *message;
  g_autoptr (GHashTable) ids = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  gint64 leaf = json_integer_value (json_object_get (json, "leaf")), *new_leaf;
  double now = (double) g_get_real_time () / G_USEC_PER_SEC;
  double updated = CLAMP (get_number (json, "updated", now), 0, now);
  PterisConversation *conversation =
      pteris_conversation_new (pteris_store_new_id (), title, (gint64) (updated * G_USEC_PER_SEC));
  g_auto (PterisChatSettings) plain = pteris_chat_settings_read (settings);
  gsize i;

  pteris_conversation_set_settings (conversation, &plain);
  pteris_chat_store_save (conversation);
  json_array_foreach (json_object_get (json, "messages"), i, message)
    import_message (conversation, message, ids);
  new_leaf = g_hash_table_lookup (ids, &leaf);
  if (new_leaf != NULL)
    pteris_conversation_set_leaf (conversation, *new_leaf);
  pteris_conversation_set_updated (conversation, (gint64) (updated * G_USEC_PER_SEC));
  pteris_chat_store_save (conversation);
  return conversation;
}

/* Checks the whole file before anything is written. */
static gboolean
check (json_t *root, const char *name, GError **error)
{
  json_t *conversations = json_object_get (root, "conversations"), *conversation, *message;
  gboolean good = json_is_array (conversations) && json_array_size (conversations) > 0;
  gsize i, j, n = 0;

  json_array_foreach (conversations, i, conversation) {
    json_t *messages = json_object_get (conversation, "messages");

    good &= json_is_array (messages) != 0;
    n += json_array_size (messages);
    json_array_foreach (messages, j, message)
      good &= json_is_string (json_object_get (message, "text")) &&
              json_is_integer (json_object_get (message, "id"));
  }
  if (json_array_size (conversations) > MAX_CONVERSATIONS || n > MAX_MESSAGES)
    return pt_fail (error, PT_ERROR_FORMAT,
                    _ ("“%s” contains too many chats to import. Export fewer chats at a time."),
                    name);
  return good ||
         pt_fail (error, PT_ERROR_FORMAT,
                  _ ("“%s” contains no chats. Choose a JSON file exported by Pteris."), name);
}

static json_t *
load (GFile *file, const char *name, GError **error)
{
  const char *path = g_file_peek_path (file);

  if (path != NULL)
    return pt_json_load (path, MAX_BYTES, error);
  pt_fail (error, PT_ERROR_FILE,
           _ ("“%s” is not on this computer. Copy it to this computer first."), name);
  return NULL;
}

static void
import_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GFile *file = data;
  g_autofree char *name = g_file_get_basename (file);
  GPtrArray *list = g_ptr_array_new_with_free_func (g_object_unref);
  GError *error = NULL;
  json_t *root = load (file, name, &error), *conversation;
  gsize i;

  if (root == NULL || !check (root, name, &error)) {
    g_task_return_error (task, error);
    g_ptr_array_unref (list);
    json_decref (root);
    return;
  }
  json_array_foreach (json_object_get (root, "conversations"), i, conversation)
    g_ptr_array_add (list, import_conversation (conversation));
  pteris_store_flush ();
  json_decref (root);
  g_task_return_pointer (task, list, (GDestroyNotify) g_ptr_array_unref);
}

void
pteris_chat_import_async (GFile *file, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_source_tag (task, pteris_chat_import_async);
  g_task_set_task_data (task, g_object_ref (file), g_object_unref);
  g_task_run_in_thread (task, import_in_thread);
}

GPtrArray *
pteris_chat_import_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
