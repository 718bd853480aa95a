/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat-store.h"

#include "ui/journal.h"

void
pteris_chat_store_user (const char *path, const char *text)
{
  pteris_journal_append (path, json_pack ("{s:s, s:s}", "do", "user", "text", text));
}

void
pteris_chat_store_answer (const char *path, const char *model)
{
  pteris_journal_append (path, json_pack ("{s:s, s:s}", "do", "answer", "model", model));
}

void
pteris_chat_store_text (const char *path, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  pteris_journal_append (path, json_pack ("{s:s, s:s}", "do", "text", "text", valid));
}

void
pteris_chat_store_end (const char *path, PterisMessage *answer)
{
  const PtStats *stats = pteris_message_get_stats (answer);
  const char *reason = pteris_message_get_reason (answer);
  PtError code;
  const char *error = pteris_message_get_error (answer, &code);

  if (pteris_message_get_state (answer) == PTERIS_MESSAGE_FAILED) {
    pteris_journal_append (
        path, json_pack ("{s:s, s:i, s:s}", "do", "fail", "code", (int) code, "text", error));
    return;
  }
  pteris_journal_append (
      path,
      json_pack ("{s:s, s:s, s:s, s:{s:i, s:i, s:i, s:f, s:f}}", "do", "end", "state",
                 pteris_message_get_state (answer) == PTERIS_MESSAGE_DONE ? "done" : "stopped",
                 "reason", reason != NULL ? reason : "", "stats", "new_tokens",
                 (int) stats->new_tokens, "context_used", (int) stats->context_used, "context_size",
                 (int) stats->context_size, "first_token_s", stats->first_token_s, "decode_s",
                 stats->decode_s));
}

void
pteris_chat_store_drop (const char *path)
{
  pteris_journal_append (path, json_pack ("{s:s}", "do", "drop"));
}

static guint
get_count (json_t *object, const char *key)
{
  json_int_t value = json_integer_value (json_object_get (object, key));

  return (guint) CLAMP (value, 0, G_MAXINT);
}

static const char *
get_text (json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));

  return text != NULL ? text : "";
}

static void
read_end (PterisMessage *answer, json_t *record)
{
  json_t *json = json_object_get (record, "stats");
  gboolean done = g_str_equal (get_text (record, "state"), "done");
  PtStats stats = {
    .new_tokens = get_count (json, "new_tokens"),
    .context_used = get_count (json, "context_used"),
    .context_size = get_count (json, "context_size"),
    .first_token_s = json_number_value (json_object_get (json, "first_token_s")),
    .decode_s = json_number_value (json_object_get (json, "decode_s")),
  };

  pteris_message_set_stats (answer, &stats);
  pteris_message_finish (answer, done ? PTERIS_MESSAGE_DONE : PTERIS_MESSAGE_STOPPED,
                         get_text (record, "reason"));
}

/* The answer that is open at the end of @messages, or NULL. */
static PterisMessage *
open_answer (GPtrArray *messages)
{
  PterisMessage *last = messages->len > 0 ? messages->pdata[messages->len - 1] : NULL;

  if (last == NULL || !pteris_message_is_answer (last) ||
      pteris_message_get_state (last) > PTERIS_MESSAGE_STREAMING)
    return NULL;
  return last;
}

static void
close_answer (GPtrArray *messages)
{
  PterisMessage *answer = open_answer (messages);

  if (answer != NULL)
    pteris_message_finish (answer, PTERIS_MESSAGE_STOPPED, "interrupted");
}

static void
replay (GPtrArray *messages, json_t *record)
{
  const char *what = get_text (record, "do");
  PterisMessage *answer;

  if (g_str_equal (what, "user") || g_str_equal (what, "answer")) {
    close_answer (messages);
    if (what[0] == 'u')
      g_ptr_array_add (messages, pteris_message_new (NULL, get_text (record, "text")));
    else
      g_ptr_array_add (messages, pteris_message_new (get_text (record, "model"), NULL));
    return;
  }
  if (g_str_equal (what, "drop") && messages->len > 0) {
    g_ptr_array_remove_index (messages, messages->len - 1);
    return;
  }
  answer = open_answer (messages);
  if (answer == NULL)
    return;
  if (g_str_equal (what, "text"))
    pteris_message_append (answer, get_text (record, "text"));
  else if (g_str_equal (what, "end"))
    read_end (answer, record);
  else if (g_str_equal (what, "fail"))
    pteris_message_fail (answer, (PtError) get_count (record, "code"), get_text (record, "text"));
}

GPtrArray *
pteris_chat_store_read (const char *path)
{
  GPtrArray *messages = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) records = pteris_journal_read (path);

  for (guint i = 0; i < records->len; i++)
    replay (messages, records->pdata[i]);
  close_answer (messages);
  return messages;
}
