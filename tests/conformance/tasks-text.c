/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/conformance/tasks.h"

#include <string.h>

#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/llm/llm.h"
#include "engine/text/sampler.h"

/* Text models: the prompt by the tokenizer, read whole, in pieces and one by one, and greedily
 * continued. */

/* Number of ids of a piece, for cases that define their pieces. */
#define PIECE 3

typedef struct {
  TaskCase *c;
  PtLlm *llm;
  PtSampler *sampler;
  const json_t *generate;
} Text;

static const gint32 *
ids_of (const GArray *ids)
{
  return (const gint32 *) (gconstpointer) ids->data;
}

static gboolean
text_open (Text *t)
{
  g_autoptr (GError) error = NULL;

  t->llm = pt_llm_new (t->c->module, &error);
  if (t->llm == NULL)
    return task_fail (t->c, "%s", error->message);
  t->sampler = pt_sampler_new (pt_llm_width (t->llm), NULL);
  return TRUE;
}

static void
text_close (Text *t)
{
  g_clear_pointer (&t->sampler, pt_sampler_free);
  g_clear_pointer (&t->llm, pt_llm_free);
}

/* The prompt begins and ends as the tokenizer's post-processor says. */
static gboolean
check_prompt (Text *t, GArray *ids)
{
  const char *text = json_string_value (json_object_get (t->generate, "prompt_text"));
  g_autoptr (GError) error = NULL;

  if (text == NULL || t->c->tokenizer == NULL)
    return TRUE;
  g_array_set_size (ids, 0);
  if (!pt_tokenizer_encode (t->c->tokenizer, text, -1, PT_ENCODE_SPECIAL | PT_ENCODE_ADD, ids,
                            &error))
    return task_fail (t->c, "%s", error->message);
  return task_same_ids (t->c, "prompt", ids, json_object_get (t->generate, "prompt_ids"));
}

static gboolean
check_text (Text *t)
{
  const char *text = json_string_value (json_object_get (t->generate, "generated_text"));
  g_autoptr (GArray) ids = task_ids (json_object_get (t->generate, "generated_ids"));
  GString *got;
  gboolean same;

  if (text == NULL || t->c->tokenizer == NULL)
    return TRUE;
  got = pt_tokenizer_decode (t->c->tokenizer, ids_of (ids), ids->len, FALSE);
  same = strcmp (got->str, text) == 0 || strlen (got->str) < got->len;
  if (!same)
    task_fail (t->c, "text: “%s” and not “%s”", got->str, text);
  g_string_free (got, TRUE);
  return same;
}

static gboolean
read_in_pieces (Text *t, const GArray *prompt, guint first, guint piece)
{
  g_autoptr (GError) error = NULL;

  for (guint i = first; i < prompt->len; i += piece)
    if (!pt_llm_read (t->llm, ids_of (prompt) + i, MIN (piece, prompt->len - i), NULL, &error))
      return task_fail (t->c, "%s", error->message);
  return TRUE;
}

/* The next id. Where the logits leave it open which one that is, the wanted one. */
static gboolean
choose (Text *t, gint32 want, gint32 *id, GError **error)
{
  PtDType dtype;
  gconstpointer row;

  if (!pt_llm_sample (t->llm, t->sampler, pt_llm_width (t->llm), id, error))
    return FALSE;
  if (*id == want)
    return TRUE;
  row = pt_llm_logits (t->llm, &dtype, error);
  if (row != NULL && task_as_likely (t->c, row, dtype, pt_llm_width (t->llm), want, *id))
    *id = want;
  return row != NULL;
}

/* The logits that chose the last id are compared, too. */
static gboolean
continue_greedily (Text *t, const char *what, const json_t *want, const json_t *logits)
{
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (gint32)), ids = task_ids (want);
  g_autoptr (GError) error = NULL;
  gsize width = pt_llm_width (t->llm);
  gconstpointer row;
  PtDType dtype;
  gint32 id;

  while (got->len < ids->len) {
    if (!choose (t, ids_of (ids)[got->len], &id, &error) ||
        (g_array_append_val (got, id),
         got->len < ids->len && !pt_llm_read (t->llm, &id, 1, NULL, &error)))
      return task_fail (t->c, "%s: %s", what, error->message);
  }
  if (!task_same_ids (t->c, what, got, want) || logits == NULL)
    return t->c->why->len == 0;
  row = pt_llm_logits (t->llm, &dtype, &error);
  return row != NULL ? task_same_numbers (t->c, what, row, dtype, width, logits)
                     : task_fail (t->c, "%s: %s", what, error->message);
}

/* In a fresh model. */
static gboolean
generate (Text *t, const char *what, const GArray *prompt, guint piece, const json_t *want)
{
  gboolean ok = task_reopen (t->c) && text_open (t) && read_in_pieces (t, prompt, 0, piece) &&
                continue_greedily (t, what, want, json_object_get (t->generate, "last_logits"));

  text_close (t);
  return ok;
}

/* Back to the prompt after something else, in the same model. */
static gboolean
generate_again (Text *t, const GArray *prompt, const json_t *want)
{
  g_autoptr (GError) error = NULL;
  gint32 other[2] = { g_array_index (prompt, gint32, prompt->len - 1), 1 };
  gboolean ok = task_reopen (t->c) && text_open (t) && read_in_pieces (t, prompt, 0, prompt->len);
  guint kept;

  ok = ok && (pt_llm_read (t->llm, other, 2, NULL, &error) ||
              task_fail (t->c, "again: %s", error->message));
  ok = ok && (pt_llm_rewind (t->llm, ids_of (prompt), prompt->len, &kept, &error) ||
              task_fail (t->c, "again: %s", error->message));
  ok = ok && read_in_pieces (t, prompt, kept, prompt->len) &&
       continue_greedily (t, "again", want, NULL);
  text_close (t);
  return ok;
}

/* The context of a small model may be full; then this error is the only one allowed. */
static gboolean
answer (TaskCase *c, PtChat *chat, const PtChatOptions *request)
{
  g_autoptr (GError) error = NULL;
  PtStats stats;

  return pt_chat_answer (chat, request, NULL, NULL, NULL, &stats, &error) != PT_REASON_NONE ||
         g_error_matches (error, PT_ERROR, PT_ERROR_CONTEXT_FULL) ||
         task_fail (c, "chat: %s", error->message);
}

/* A conversation of two questions, without a check of the answers. */
static gboolean
talk (TaskCase *c)
{
  PtMessage messages[] = { { "user", "Hi", NULL },
                           { "assistant", NULL, NULL },
                           { "user", "?", NULL } };
  PtChatOptions request = { .messages = messages,
                            .n_messages = 1,
                            .max_new_tokens = 2,
                            .sampling = PT_SAMPLING_GREEDY,
                            .seed = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtChat) chat = NULL;

  if (!task_reopen (c))
    return FALSE;
  chat = pt_chat_new (c->module, c->tokenizer, c->folder, &error);
  if (chat == NULL)
    return task_fail (c, "chat: %s", error->message);
  if (!answer (c, chat, &request))
    return FALSE;
  messages[1].text = "Hello";
  request.n_messages = 3;
  return answer (c, chat, &request);
}

gboolean
task_text_llm (TaskCase *c)
{
  Text t = { .c = c, .generate = json_object_get (c->root, "generate") };
  const json_t *want = json_object_get (t.generate, "generated_ids");
  const json_t *pieces = json_object_get (t.generate, "chunked_prefill");
  g_autoptr (GArray) prompt = task_ids (json_object_get (t.generate, "prompt_ids"));
  guint piece = (guint) json_integer_value (json_object_get (pieces, "chunk"));

  if (prompt->len == 0 || !json_is_array (want))
    return task_fail (c, "the case says nothing of what is generated");
  if (!check_prompt (&t, prompt) || !check_text (&t) ||
      !generate (&t, "whole prompt", prompt, prompt->len, want) ||
      !generate (&t, "one by one", prompt, 1, want) ||
      !generate (&t, "in pieces", prompt, piece > 0 ? piece : PIECE,
                 pieces != NULL ? json_object_get (pieces, "generated_ids") : want) ||
      !generate_again (&t, prompt, want))
    return FALSE;
  return c->tokenizer == NULL || talk (c);
}
