/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-store.h"

#include <jansson.h>
#include <string.h>

#include "engine/base/sampling-json.h"
#include "ui/history/history-store.h"
#include "ui/history/meaning-store.h"

/* Limits of the rows that are read; a file may have any number. */
#define MAX_CONVERSATIONS 100000
#define MAX_MESSAGES 100000

/* Longest JSON of a row in characters; parsed values take more memory than the text. */
#define MAX_JSON (1024 * 1024)

/* Limit of times in microseconds that calendars can represent. */
#define MAX_TIME ((gint64) 250000000000 * G_USEC_PER_SEC)

static json_t *
parse (const char *text)
{
  return text != NULL && strlen (text) <= MAX_JSON ? json_loads (text, 0, NULL) : NULL;
}

/* Longest settings; those that we write are shorter. */
#define MAX_SETTINGS (1024 * 1024)

/* ---- settings and statistics as JSON ---- */

static char *
dump (json_t *json)
{
  char *text = json_dumps (json, JSON_COMPACT);
  char *copy = g_strdup (text);

  free (text);
  json_decref (json);
  return copy;
}

char *
pteris_chat_settings_to_json (const PterisChatSettings *settings)
{
  json_t *json = pteris_chat_settings_write (settings);

  json_object_set_new (json, "start", json_integer (settings->start));
  return dump (json);
}

json_t *
pteris_chat_settings_write (const PterisChatSettings *settings)
{
  json_t *json = json_pack ("{s:s?, s:s*, s:i, s:I, s:i}", "system", settings->system, "stop",
                            settings->stop, "max_new_tokens", settings->max_new_tokens, "seed",
                            (json_int_t) settings->seed, "thinking", (int) settings->thinking);

  pt_sampling_to_json (&settings->sampling, json);
  return json;
}

static double
get_number (const json_t *object, const char *key, double fallback)
{
  json_t *value = json_object_get (object, key);

  return json_is_number (value) ? json_number_value (value) : fallback;
}

static guint
get_count (const json_t *object, const char *key)
{
  return (guint) CLAMP (get_number (object, key, 0), 0, G_MAXINT);
}

static gint64
get_id (const json_t *object, const char *key)
{
  return MAX (json_integer_value (json_object_get (object, key)), 0);
}

static void
read_settings (PterisConversation *conversation, const char *text)
{
  g_auto (PterisChatSettings) settings = pteris_chat_settings_from_json (text);

  pteris_conversation_set_settings (conversation, &settings);
}

PterisChatSettings
pteris_chat_settings_from_json (const char *text)
{
  gboolean plausible = text != NULL && strlen (text) <= MAX_SETTINGS;
  json_t *json = plausible ? json_loads (text, 0, NULL) : NULL;
  PterisChatSettings settings = pteris_chat_settings_read (json);

  settings.start = get_id (json, "start");
  json_decref (json);
  return settings;
}

PterisChatSettings
pteris_chat_settings_read (const json_t *json)
{
  PterisChatSettings settings = {
    .system = g_strdup (json_string_value (json_object_get (json, "system"))),
    .stop = g_strdup (json_string_value (json_object_get (json, "stop"))),
    .sampling = pt_sampling_from_json (json),
    .max_new_tokens = (int) get_count (json, "max_new_tokens"),
    .seed = (guint64) get_id (json, "seed"),
    .thinking =
        (PtThinking) CLAMP (get_number (json, "thinking", 0), PT_THINKING_DEFAULT, PT_THINKING_OFF),
  };

  if (settings.stop != NULL && settings.stop[0] == '\0')
    g_clear_pointer (&settings.stop, g_free);
  return settings;
}

static char *
write_stats (const PtStats *stats, double thinking)
{
  return dump (json_pack ("{s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f}", "prompt_tokens",
                          (int) stats->prompt_tokens, "reused_tokens", (int) stats->reused_tokens,
                          "new_tokens", (int) stats->new_tokens, "context_used",
                          (int) stats->context_used, "context_size", (int) stats->context_size,
                          "first_token_s", stats->first_token_s, "prefill_s", stats->prefill_s,
                          "decode_s", stats->decode_s, "thinking_s", thinking));
}

static void
read_stats (PterisMessage *answer, const char *text)
{
  json_t *json = parse (text);
  PtStats stats = {
    .prompt_tokens = get_count (json, "prompt_tokens"),
    .reused_tokens = get_count (json, "reused_tokens"),
    .new_tokens = get_count (json, "new_tokens"),
    .context_used = get_count (json, "context_used"),
    .context_size = get_count (json, "context_size"),
    .first_token_s = get_number (json, "first_token_s", 0),
    .prefill_s = get_number (json, "prefill_s", 0),
    .decode_s = get_number (json, "decode_s", 0),
  };

  pteris_message_set_stats (answer, &stats);
  pteris_message_set_thinking_time (answer, get_number (json, "thinking_s", 0));
  json_decref (json);
}

/* ---- writing ---- */

/* Adds the text to the search index; a message needs new vectors then. */
static void
write_words (gint64 id, const char *text, gint64 conversation)
{
  pteris_store_write (
      "INSERT OR REPLACE INTO words (rowid, text, owner, kind) VALUES (?1, ?2, ?3, 'chat')", "isi",
      id, text, conversation);
  if (id != conversation)
    pteris_meaning_forget (id);
}

void
pteris_chat_store_save (PterisConversation *conversation)
{
  gint64 id = pteris_conversation_get_id (conversation);
  const char *title = pteris_conversation_get_title (conversation);
  g_autofree char *settings =
      pteris_chat_settings_to_json (pteris_conversation_get_settings (conversation));

  pteris_store_write (
      "INSERT INTO conversation (id, title, is_named, updated, leaf, settings)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET title = ?2, is_named = ?3,"
      " updated = ?4, leaf = ?5, settings = ?6",
      "isiiis", id, title, (gint64) pteris_conversation_is_named (conversation),
      pteris_conversation_get_updated (conversation), pteris_conversation_get_leaf (conversation),
      settings);
  write_words (id, title, id);
}

void
pteris_chat_store_set_deleted (PterisConversation *conversation, gboolean deleted)
{
  pteris_store_write ("UPDATE conversation SET deleted = ?2 WHERE id = ?1", "ii",
                      pteris_conversation_get_id (conversation),
                      deleted ? g_get_real_time () : (gint64) 0);
  pteris_meaning_forget_owner (pteris_conversation_get_id (conversation));
}

void
pteris_chat_store_add (PterisConversation *conversation, PterisMessage *message)
{
  g_autofree char *attachments =
      pteris_attachments_to_json (pteris_message_get_attachments (message));
  gint64 id = pteris_message_get_id (message), owner = pteris_conversation_get_id (conversation);

  pteris_conversation_set_leaf (conversation, id);
  pteris_conversation_set_updated (conversation, g_get_real_time ());
  pteris_chat_store_save (conversation);
  pteris_store_write (
      "INSERT INTO message (id, conversation, parent, author, text, state, attachments)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      "iiissis", id, owner, pteris_message_get_parent (message),
      pteris_message_is_answer (message) ? pteris_message_get_author (message) : NULL,
      pteris_message_get_text (message), (gint64) pteris_message_get_state (message), attachments);
  if (!pteris_message_is_answer (message))
    write_words (id, pteris_message_get_text (message), owner);
}

void
pteris_chat_store_text (PterisMessage *answer, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  pteris_store_write ("UPDATE message SET text = text || ?2 WHERE id = ?1", "is",
                      pteris_message_get_id (answer), valid);
}

void
pteris_chat_store_end (PterisConversation *conversation, PterisMessage *answer)
{
  g_autofree char *stats =
      write_stats (pteris_message_get_stats (answer), pteris_message_get_thinking_time (answer));
  gint64 id = pteris_message_get_id (answer);
  PtError code;
  const char *error = pteris_message_get_error (answer, &code);

  pteris_store_write (
      "UPDATE message SET author = ?2, state = ?3, reason = ?4, code = ?5,"
      " error = ?6, stats = ?7 WHERE id = ?1",
      "isisiss", id, pteris_message_get_author (answer), (gint64) pteris_message_get_state (answer),
      pt_reason_name (pteris_message_get_reason (answer)), (gint64) code, error, stats);
  write_words (id, pteris_message_get_text (answer), pteris_conversation_get_id (conversation));
}

void
pteris_chat_store_remove (PterisConversation *conversation, PterisMessage *question)
{
  gint64 owner = pteris_conversation_get_id (conversation), id = pteris_message_get_id (question);

  pteris_store_write ("UPDATE message SET deleted = ?3 WHERE conversation = ?1 AND"
                      " (id = ?2 OR parent = ?2)",
                      "iii", owner, id, g_get_real_time ());
  pteris_store_write ("DELETE FROM words WHERE rowid IN (SELECT id FROM message"
                      " WHERE conversation = ?1 AND (id = ?2 OR parent = ?2))",
                      "ii", owner, id);
  pteris_store_write ("DELETE FROM meaning WHERE unit IN (SELECT id FROM message"
                      " WHERE conversation = ?1 AND (id = ?2 OR parent = ?2))",
                      "ii", owner, id);
  pteris_meaning_touch ();
  pteris_chat_store_save (conversation);
}

void
pteris_chat_store_restore (PterisConversation *conversation, PterisMessage *question,
                           PterisMessage *last, PterisMessage *follower)
{
  gint64 owner = pteris_conversation_get_id (conversation), id = pteris_message_get_id (question);

  pteris_store_write ("UPDATE message SET deleted = 0 WHERE conversation = ?1 AND"
                      " (id = ?2 OR parent = ?2)",
                      "ii", owner, id);
  pteris_store_write ("INSERT OR REPLACE INTO words (rowid, text, owner, kind)"
                      " SELECT id, text, conversation, 'chat' FROM message"
                      " WHERE conversation = ?1 AND (id = ?2 OR parent = ?2)",
                      "ii", owner, id);
  pteris_meaning_touch ();
  /* The id of a message is above that of the message before it. */
  if (follower != NULL && pteris_message_get_id (follower) > pteris_message_get_id (last))
    pteris_store_write ("UPDATE message SET parent = ?2 WHERE id = ?1", "ii",
                        pteris_message_get_id (follower), pteris_message_get_id (last));
}

void
pteris_chat_store_drop (PterisMessage *answer)
{
  pteris_store_write ("DELETE FROM message WHERE id = ?1", "i", pteris_message_get_id (answer));
  pteris_meaning_forget (pteris_message_get_id (answer));
}

/* ---- reading ---- */

static void
add_conversation (const PterisRow *row, gpointer list)
{
  PterisConversation *conversation =
      pteris_conversation_new (pteris_row_int (row, 0), pteris_row_text (row, 1),
                               CLAMP (pteris_row_int (row, 2), 0, MAX_TIME));

  pteris_conversation_set_leaf (conversation, pteris_row_int (row, 3));
  pteris_conversation_set_named (conversation, pteris_row_int (row, 4) != 0);
  read_settings (conversation, pteris_row_text (row, 5));
  g_ptr_array_add (list, conversation);
}

GPtrArray *
pteris_chat_store_list (GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);

  if (!pteris_store_read (error, add_conversation, list,
                          "SELECT id, title, updated, leaf, is_named, settings FROM conversation"
                          " WHERE NOT deleted ORDER BY updated DESC LIMIT ?1",
                          "i", (gint64) MAX_CONVERSATIONS))
    return NULL;
  return g_steal_pointer (&list);
}

static void
read_end (PterisMessage *answer, const PterisRow *row)
{
  PterisMessageState state = (PterisMessageState) pteris_row_int (row, 4);

  read_stats (answer, pteris_row_text (row, 8));
  if (state == PTERIS_MESSAGE_FAILED)
    pteris_message_fail (answer, (PtError) CLAMP (pteris_row_int (row, 6), 0, PT_ERROR_INTERNAL),
                         pteris_row_text (row, 7));
  else if (state == PTERIS_MESSAGE_DONE || state == PTERIS_MESSAGE_STOPPED)
    pteris_message_finish (answer, state, pt_reason_find (pteris_row_text (row, 5)));
  else
    pteris_message_finish (answer, PTERIS_MESSAGE_STOPPED, PT_REASON_INTERRUPTED);
}

static gint64 *
key (gint64 number)
{
  return g_memdup2 (&number, sizeof number);
}

/* Messages without the deleted ones, whose ids map to the message before them. */
typedef struct {
  GPtrArray *messages;
  GHashTable *deleted; /* gint64 -> gint64 */
} Present;

static GHashTable *
new_numbers (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
}

/* Rows are ordered by id, parents first. FALSE: the row is deleted. */
static gboolean
find_parent (GHashTable *deleted, const PterisRow *row, int deleted_column, gint64 *parent)
{
  const gint64 *before;

  *parent = pteris_row_int (row, 1);
  before = g_hash_table_lookup (deleted, parent);
  if (before != NULL)
    *parent = *before;
  if (pteris_row_int (row, deleted_column) == 0)
    return TRUE;
  g_hash_table_insert (deleted, key (pteris_row_int (row, 0)), key (*parent));
  return FALSE;
}

static void
add_message (const PterisRow *row, gpointer user_data)
{
  Present *present = user_data;
  const char *text = pteris_row_text (row, 3);
  PterisMessage *message;
  const char *author = pteris_row_text (row, 2);
  gint64 parent;

  if (!find_parent (present->deleted, row, 10, &parent))
    return;
  if (author == NULL) {
    g_autoptr (GPtrArray) attachments = pteris_attachments_from_json (pteris_row_text (row, 9));

    message = pteris_message_new (NULL, text);
    pteris_message_set_attachments (message, attachments);
  } else {
    message = pteris_message_new (author, text);
    read_end (message, row);
  }
  pteris_message_set_ids (message, pteris_row_int (row, 0), parent);
  g_ptr_array_add (present->messages, message);
}

/* Sets the index of @message among the versions that follow the same message. */
static void
count_versions (GHashTable *by_parent, PterisMessage *message)
{
  gint64 parent = pteris_message_get_parent (message);
  GPtrArray *versions = g_hash_table_lookup (by_parent, &parent);
  guint index = 0;

  if (versions != NULL && g_ptr_array_find (versions, message, &index))
    pteris_message_set_version (message, index, versions->len);
}

typedef struct {
  GHashTable *by_id;     /* gint64 -> PterisMessage */
  GHashTable *by_parent; /* gint64 -> GPtrArray of PterisMessage */
} Tree;

static Tree
make_tree (GPtrArray *all)
{
  Tree tree = {
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_ptr_array_unref),
  };

  for (guint i = 0; i < all->len; i++) {
    PterisMessage *message = all->pdata[i];
    gint64 parent = pteris_message_get_parent (message);
    GPtrArray *versions = g_hash_table_lookup (tree.by_parent, &parent);

    if (versions == NULL) {
      versions = g_ptr_array_new ();
      g_hash_table_insert (tree.by_parent, key (parent), versions);
    }
    g_ptr_array_add (versions, message);
    g_hash_table_insert (tree.by_id, key (pteris_message_get_id (message)), message);
  }
  return tree;
}

static void
tree_clear (Tree *tree)
{
  g_hash_table_unref (tree->by_id);
  g_hash_table_unref (tree->by_parent);
}

/* From the first message to @leaf. A damaged file may contain cycles, so ids must decrease toward
 * the root. */
static GPtrArray *
collect_path (Tree *tree, gint64 leaf)
{
  GPtrArray *path = g_ptr_array_new_with_free_func (g_object_unref);
  PterisMessage *message = g_hash_table_lookup (tree->by_id, &leaf);

  while (message != NULL) {
    gint64 parent = pteris_message_get_parent (message);

    count_versions (tree->by_parent, message);
    g_ptr_array_add (path, g_object_ref (message));
    message = parent < pteris_message_get_id (message) ? g_hash_table_lookup (tree->by_id, &parent)
                                                       : NULL;
  }
  for (guint i = 0; i < path->len / 2; i++) {
    gpointer swap = path->pdata[i];

    path->pdata[i] = path->pdata[path->len - 1 - i];
    path->pdata[path->len - 1 - i] = swap;
  }
  return path;
}

GPtrArray *
pteris_chat_store_read_all (PterisConversation *conversation, GError **error)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) deleted = new_numbers ();
  Present present = { all, deleted };

  if (!pteris_store_read (error, add_message, &present,
                          "SELECT id, parent, author, text, state, reason, code, error, stats,"
                          " attachments, deleted"
                          " FROM message WHERE conversation = ?1 ORDER BY id LIMIT ?2",
                          "ii", pteris_conversation_get_id (conversation), (gint64) MAX_MESSAGES))
    return NULL;
  return g_steal_pointer (&all);
}

GPtrArray *
pteris_chat_store_read (PterisConversation *conversation, gint64 leaf, GError **error)
{
  g_autoptr (GPtrArray) all = pteris_chat_store_read_all (conversation, error);
  GPtrArray *path;
  Tree tree;

  if (all == NULL)
    return NULL;
  tree = make_tree (all);
  path = collect_path (&tree, leaf != 0 ? leaf : pteris_conversation_get_leaf (conversation));
  tree_clear (&tree);
  return path;
}

typedef struct {
  GHashTable *deleted;
  GHashTable *newest_child;
  gint64 parent; /* of @siblings */
  GArray *siblings;
} Family;

/* Rows are ordered by id, so the newest child is kept. */
static void
take_relation (const PterisRow *row, gpointer user_data)
{
  Family *family = user_data;
  gint64 id = pteris_row_int (row, 0), parent;

  if (!find_parent (family->deleted, row, 2, &parent))
    return;
  g_hash_table_insert (family->newest_child, key (parent), key (id));
  if (parent == family->parent)
    g_array_append_val (family->siblings, id);
}

static void
read_family (Family *family, gint64 conversation, gint64 parent)
{
  family->deleted = new_numbers ();
  family->newest_child = new_numbers ();
  family->parent = parent;
  family->siblings = g_array_new (FALSE, FALSE, sizeof (gint64));
  pteris_store_read (NULL, take_relation, family,
                     "SELECT id, parent, deleted FROM message WHERE conversation = ?1 ORDER BY id"
                     " LIMIT ?2",
                     "ii", conversation, (gint64) MAX_MESSAGES);
}

static void
family_clear (Family *family)
{
  g_hash_table_unref (family->deleted);
  g_hash_table_unref (family->newest_child);
  g_array_unref (family->siblings);
}

gint64
pteris_chat_store_find_leaf (gint64 conversation, gint64 message)
{
  Family family;
  const gint64 *child;

  read_family (&family, conversation, -1);
  while ((child = g_hash_table_lookup (family.newest_child, &message)) != NULL && *child > message)
    message = *child;
  family_clear (&family);
  return message;
}

gint64
pteris_chat_store_sibling (PterisConversation *conversation, PterisMessage *message, int offset)
{
  gint64 id = pteris_message_get_id (message), found = id;
  Family family;

  read_family (&family, pteris_conversation_get_id (conversation),
               pteris_message_get_parent (message));
  for (guint i = 0; i < family.siblings->len; i++) {
    gint64 other = (gint64) i + offset;

    if (g_array_index (family.siblings, gint64, i) == id && other >= 0 &&
        other < (gint64) family.siblings->len)
      found = g_array_index (family.siblings, gint64, other);
  }
  family_clear (&family);
  return found;
}
