/* SPDX-License-Identifier: BSD-3-Clause */

/* The thought before an answer, and the grammar that an answer, or a call in it, is bound to behind
 * it. */

#include <string.h>

#include "engine/tasks/chat/chat-private.h"

/* The first mark of a thought has at most this many tokens. */
#define MAX_MARK 12

const char *
pt_chat_continued_text (const PtChatOptions *request)
{
  const PtMessage *last = &request->messages[request->n_messages - 1];

  if (request->raw)
    return NULL;
  return strcmp (last->role, "assistant") == 0 ? last->text : NULL;
}

void
pt_chat_begin_thinking (PtChatTurn *turn, const GArray *prompt)
{
  const char *beginning = pt_chat_continued_text (turn->request);
  const gint32 *ids = (const gint32 *) (gconstpointer) prompt->data;
  g_autoptr (GString) end = NULL;
  guint n = 0;

  pt_thinking_stream_init (&turn->thinking);
  if (turn->request->raw) {
    pt_thinking_stream_answer (&turn->thinking);
  } else if (beginning != NULL) {
    pt_thinking_stream_push (&turn->thinking, beginning, strlen (beginning), NULL, NULL);
    pt_thinking_stream_finish (&turn->thinking, NULL, NULL);
  } else {
    /* Ids below 0 stand for pictures and recordings. */
    while (n < MAX_MARK && n < prompt->len && ids[prompt->len - n - 1] >= 0)
      n++;
    end = pt_tokenizer_decode (turn->chat->tokenizer, ids + prompt->len - n, n, FALSE);
    pt_thinking_stream_see_prompt (&turn->thinking, end->str);
  }
}

gboolean
pt_chat_begin_constraint (PtChatTurn *turn, GError **error)
{
  PtChat *self = turn->chat;
  const char *beginning = pt_chat_continued_text (turn->request);
  PtThought thought = { .answer = beginning };
  const char *mark;

  if (beginning != NULL)
    thought = pt_thinking_split (beginning);
  turn->constraint =
      pt_chat_constraint (self, turn->request, thought.open ? NULL : thought.answer, error);
  if (turn->constraint == NULL)
    return FALSE;
  turn->mask = g_new (guint32, self->token_trie->n_ids / 32 + 1);
  if (turn->thinking.place != PT_STREAM_BEGIN)
    return TRUE;
  for (guint i = 0; turn->request->thinking == PT_THINKING_ON && turn->mark < 0 &&
                    (mark = pt_thinking_mark (i)) != NULL;
       i++)
    turn->mark = pt_tokenizer_find (self->tokenizer, mark);
  if (turn->mark < 0 || (guint) turn->mark >= self->token_trie->n_ids) {
    turn->mark = -1;
    pt_thinking_stream_answer (&turn->thinking);
  }
  return TRUE;
}

/* The answer goes on with @text, @n bytes, outside of calls. */
static gboolean
watch_for_call (PtChatTurn *turn, const char *text, gsize n, GError **error)
{
  const char *begun = pt_call_watch_push (&turn->calls, text, n);

  if (begun == NULL)
    return TRUE;
  if (!pt_constraint_restart (turn->constraint, error))
    return FALSE;
  /* What only looks like the beginning of a call is text. */
  if (!pt_constraint_accept_text (turn->constraint, begun, -1))
    pt_call_watch_leave (&turn->calls);
  return TRUE;
}

gboolean
pt_chat_begin_strict_calls (PtChatTurn *turn, GError **error)
{
  const char *beginning = pt_chat_continued_text (turn->request);

  turn->constraint = pt_chat_constraint (turn->chat, turn->request, NULL, error);
  if (turn->constraint == NULL)
    return FALSE;
  turn->strict = TRUE;
  pt_call_watch_init (&turn->calls);
  if (beginning != NULL)
    beginning = pt_thinking_split (beginning).answer;
  return beginning == NULL || watch_for_call (turn, beginning, strlen (beginning), error);
}

static gboolean
check_strict_token (PtChatTurn *turn, gint32 id, GError **error)
{
  const PtTokenizer *tokenizer = turn->chat->tokenizer;
  gsize length = 0;
  const char *bytes;

  if (turn->calls.inside) {
    if (!pt_constraint_accept (turn->constraint, tokenizer, id, error))
      return FALSE;
  } else {
    bytes = pt_tokenizer_bytes (tokenizer, id, &length);
    if (bytes == NULL || pt_thinking_is_mark (bytes, length))
      return TRUE;
    if (!watch_for_call (turn, bytes, length, error))
      return FALSE;
  }
  if (turn->calls.inside && pt_constraint_must_end (turn->constraint))
    pt_call_watch_leave (&turn->calls);
  return TRUE;
}

void
pt_chat_decode_token (PtChatTurn *turn, gint32 id, GString *text)
{
  const PtTokenizer *tokenizer = turn->chat->tokenizer;
  gsize length = 0;
  const char *bytes;

  pt_stream_decoder_push (&turn->decoder, id, text);
  if (turn->thinking.place >= PT_STREAM_ANSWERS || !pt_tokenizer_is_special (tokenizer, id))
    return;
  bytes = pt_tokenizer_bytes (tokenizer, id, &length);
  if (bytes != NULL && pt_thinking_is_mark (bytes, length))
    g_string_append_len (text, bytes, (gssize) length);
}

#define SET_BIT(mask, i) ((mask)[(i) / 32] |= 1u << ((i) % 32))
#define CLEAR_BIT(mask, i) ((mask)[(i) / 32] &= ~(1u << ((i) % 32)))

/* A thought may have any tokens but those that would end the answer before it begins. */
static const guint32 *
thought_mask (PtChatTurn *turn)
{
  const PtChat *self = turn->chat;
  guint n = self->token_trie->n_ids;

  memset (turn->mask, 0xff, (n + 31) / 32 * sizeof *turn->mask);
  for (guint i = 0; i < self->end_ids->len; i++) {
    gint32 id = g_array_index (self->end_ids, gint32, i);

    if (id >= 0 && (guint) id < n)
      CLEAR_BIT (turn->mask, (guint) id);
  }
  return turn->mask;
}

/* Where a thought may begin, its mark is allowed, too. */
static const guint32 *
answer_mask (PtChatTurn *turn, GError **error)
{
  const guint32 *mask = pt_constraint_mask (turn->constraint, error);

  if (mask == NULL || turn->mark < 0)
    return mask;
  memcpy (turn->mask, mask, (turn->chat->token_trie->n_ids + 31) / 32 * sizeof *turn->mask);
  SET_BIT (turn->mask, (guint) turn->mark);
  return turn->mask;
}

gboolean
pt_chat_constrain (PtChatTurn *turn, GError **error)
{
  const guint32 *mask;

  if (turn->constraint == NULL)
    return TRUE;
  if (turn->strict && !turn->calls.inside) {
    pt_sampler_set_mask (turn->chat->sampler, NULL, 0);
    return TRUE;
  }
  mask =
      pt_thinking_stream_thinks (&turn->thinking) ? thought_mask (turn) : answer_mask (turn, error);
  if (mask != NULL)
    pt_sampler_set_mask (turn->chat->sampler, mask, turn->chat->token_trie->n_ids);
  return mask != NULL;
}

gboolean
pt_chat_check_token (PtChatTurn *turn, gint32 id, GError **error)
{
  gboolean begins = turn->mark >= 0 && id == turn->mark;

  turn->checked = FALSE;
  turn->mark = -1;
  if (turn->constraint == NULL || begins || pt_thinking_stream_thinks (&turn->thinking))
    return TRUE;
  if (turn->strict)
    return check_strict_token (turn, id, error);
  turn->checked = TRUE;
  if (turn->stats->new_tokens == 0)
    pt_thinking_stream_answer (&turn->thinking);
  return pt_constraint_accept (turn->constraint, turn->chat->tokenizer, id, error);
}

gboolean
pt_chat_begin_bound (PtChatTurn *turn, const char *text, gsize n)
{
  if (turn->constraint == NULL || turn->strict || turn->checked ||
      pt_constraint_accept_text (turn->constraint, text, (gssize) n))
    return TRUE;
  turn->decoded -= n;
  pt_constraint_restart (turn->constraint, NULL);
  return FALSE;
}
