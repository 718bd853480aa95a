/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-context.h"

#include <string.h>

#include <pteris/chat.h>

/* A borrowed reference: the list holds it. */
static PterisMessage *
message_at (GListModel *conversation, guint i)
{
  g_autoptr (PterisMessage) message = g_list_model_get_item (conversation, i);

  return message;
}

/* ---- what is read ---- */

static char **
list_files (PterisMessage *message)
{
  GPtrArray *attachments = pteris_message_get_attachments (message);
  guint n = attachments != NULL ? attachments->len : 0;
  char **files = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    files[i] = g_strdup (pteris_attachment_get_path (attachments->pdata[i]));
  return files;
}

static void
add_message (PterisChatContext *context, PterisMessage *message, gboolean is_earlier)
{
  const char *text = pteris_message_get_text (message);
  gboolean is_answer = pteris_message_is_answer (message);
  char **files = list_files (message);
  PtMessage plain = {
    .role = is_answer ? "assistant" : "user",
    .text = is_answer && is_earlier ? pt_thinking_split (text).answer : text,
    .files = files[0] != NULL ? (const char *const *) files : NULL,
  };

  g_ptr_array_add (context->files, files);
  if (plain.text[0] != '\0' || plain.files != NULL)
    g_array_append_val (context->messages, plain);
}

PterisChatContext *
pteris_chat_context_new (GListModel *conversation, const char *system, PterisMessage *answer)
{
  PterisChatContext *context = g_new0 (PterisChatContext, 1);
  PtMessage first = { .role = "system", .text = system };

  context->messages = g_array_new (FALSE, FALSE, sizeof (PtMessage));
  context->files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  if (system != NULL && system[0] != '\0')
    g_array_append_val (context->messages, first);
  for (guint i = 0; i < g_list_model_get_n_items (conversation); i++) {
    PterisMessage *message = message_at (conversation, i);

    if (pteris_message_get_place (message) != PTERIS_MESSAGE_LEFT_OUT)
      add_message (context, message, message != answer);
  }
  return context;
}

void
pteris_chat_context_free (PterisChatContext *context)
{
  g_array_unref (context->messages);
  g_ptr_array_unref (context->files);
  g_free (context);
}

/* ---- where it starts ---- */

void
pteris_chat_context_mark (GListModel *conversation, gint64 start)
{
  gboolean left_out = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (conversation); i++) {
    PterisMessage *message = message_at (conversation, i);
    gboolean old = pteris_message_get_id (message) < start;

    pteris_message_set_place (message, old        ? PTERIS_MESSAGE_LEFT_OUT
                                       : left_out ? PTERIS_MESSAGE_FIRST_READ
                                                  : PTERIS_MESSAGE_READ);
    left_out = old;
  }
}

/* Average tokens per byte of text in this conversation. */
static double
token_rate (GListModel *conversation, guint *context)
{
  gsize bytes = 0;
  double rate = 0.3;

  *context = 0;
  for (guint i = 0; i < g_list_model_get_n_items (conversation); i++) {
    PterisMessage *message = message_at (conversation, i);
    const PtStats *stats = pteris_message_get_stats (message);

    bytes += pteris_message_get_place (message) == PTERIS_MESSAGE_LEFT_OUT
                 ? 0
                 : strlen (pteris_message_get_text (message));
    if (stats->context_size == 0)
      continue;
    *context = stats->context_size;
    if (bytes > 0 && stats->context_used > 0)
      rate = (double) stats->context_used / (double) bytes;
  }
  return rate;
}

gint64
pteris_chat_context_choose_start (GListModel *conversation, gint64 start)
{
  guint n = g_list_model_get_n_items (conversation), context;
  double rate = token_rate (conversation, &context), tokens = 0;
  gboolean all_read =
      start == 0 || (n > 0 && pteris_message_get_id (message_at (conversation, 0)) >= start);
  gint64 chosen = 0;

  for (guint i = n; i-- > 0;) {
    PterisMessage *message = message_at (conversation, i);
    gint64 id = pteris_message_get_id (message);

    tokens += rate * (double) strlen (pteris_message_get_text (message));
    if (pteris_message_is_answer (message))
      continue;
    if (chosen != 0 && (context > 0 ? tokens > context / 2.0 : i < n / 2))
      break;
    if (id <= start || (all_read && i == 0))
      break;
    chosen = id;
  }
  return chosen;
}
