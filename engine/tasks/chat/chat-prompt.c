/* SPDX-License-Identifier: BSD-3-Clause */

/* What a request asks for, checked, and the tokens of its prompt. */

#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/chat/chat-private.h"

/* ---- checks ---- */

static gboolean
check_files (const PtChat *self, const PtMessage *message, GError **error)
{
  g_autofree char *name = NULL;

  if (message->files == NULL || message->files[0] == NULL)
    return TRUE;
  if (self->media != NULL && strcmp (message->role, "user") == 0)
    return TRUE;
  name = g_filename_display_basename (message->files[0]);
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  self->media == NULL ? "This model supports text only. Remove “%s”."
                                      : "Only user messages can have attachments such as “%s”.",
                  name);
}

static gboolean
check_bias (const PtChat *self, const PtChatOptions *request, GError **error)
{
  for (guint i = 0; i < request->n_logit_bias; i++) {
    const PtLogitBias *bias = &request->logit_bias[i];

    if (bias->id < 0 || (gsize) bias->id >= pt_llm_width (self->llm) || !isfinite (bias->bias))
      return pt_fail (
          error, PT_ERROR_ARGUMENT,
          "The logit bias of token %d cannot be used: the model has tokens 0 to %" G_GSIZE_FORMAT
          ", and a bias is a finite number.",
          bias->id, pt_llm_width (self->llm) - 1);
  }
  return TRUE;
}

/* Checks the options that look at logits. */
static gboolean
check_options (const PtChat *self, const PtChatOptions *request, GError **error)
{
  gboolean needs_logits = request->n_logit_bias > 0 || request->logprobs ||
                          pt_chat_is_bound (request) || pt_chat_is_strict (request);

  if (needs_logits && pt_llm_chooses (self->llm))
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "This model chooses its tokens itself and shows no probabilities: logit bias, "
        "log probabilities, a JSON schema, strict tools and a call that has to be made cannot be "
        "used with it.");
  if (request->top_logprobs > PT_MAX_TOP_LOGPROBS)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The log probabilities of at most %d tokens can be listed for each one, and "
                    "not of %u.",
                    PT_MAX_TOP_LOGPROBS, request->top_logprobs);
  if (request->must_call && request->tools == NULL)
    return pt_fail (error, PT_ERROR_ARGUMENT, "There are no tools that the answer could call.");
  return check_bias (self, request, error);
}

/* Checks a text that is to be continued without a template. */
static gboolean
check_raw (const PtChatOptions *request, GError **error)
{
  const PtMessage *message = &request->messages[0];

  if (request->n_messages != 1 || request->tools != NULL || message->text == NULL ||
      (message->files != NULL && message->files[0] != NULL))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Without a chat template the prompt is one text, without files and tools.");
  return TRUE;
}

static gboolean
check_messages (const PtChat *self, const PtChatOptions *request, GError **error)
{
  if (request->n_messages == 0)
    return pt_fail (error, PT_ERROR_ARGUMENT, "There is nothing to answer.");
  if (request->raw)
    return check_raw (request, error);
  for (guint i = 0; i < request->n_messages; i++) {
    const char *role = request->messages[i].role;

    if (g_strcmp0 (role, "user") != 0 && g_strcmp0 (role, "assistant") != 0 &&
        g_strcmp0 (role, "system") != 0 && g_strcmp0 (role, "tool") != 0)
      return pt_fail (error, PT_ERROR_ARGUMENT,
                      "A message is from “%s”; only “system”, “user”, “assistant” and “tool” are "
                      "known.",
                      role != NULL ? role : "");
    if (request->messages[i].text == NULL)
      return pt_fail (error, PT_ERROR_ARGUMENT, "A message has no text.");
    if (!check_files (self, &request->messages[i], error))
      return FALSE;
  }
  return TRUE;
}

gboolean
pt_chat_check (const PtChat *self, const PtChatOptions *request, GError **error)
{
  return check_messages (self, request, error) && check_options (self, request, error);
}

/* ---- the prompt ---- */

gboolean
pt_chat_known_answer (const char *text, GArray *ids, gpointer user_data)
{
  PtChat *self = user_data;

  for (guint i = self->answers->len; i > 0; i--) {
    const PtChatAnswer *answer = self->answers->pdata[i - 1];

    if (strcmp (answer->text, text) == 0) {
      g_array_append_vals (ids, answer->ids->data, answer->ids->len);
      return TRUE;
    }
  }
  return FALSE;
}

/* Checks that the model knows the tokens of the prompt. Names of embeddings are below 0. */
static gboolean
check_vocabulary (const PtChat *self, const GArray *prompt, GError **error)
{
  for (guint i = 0; i < prompt->len; i++) {
    gint32 id = g_array_index (prompt, gint32, i);

    if (id >= 0 && (guint) id >= self->vocabulary)
      return pt_fail (error, PT_ERROR_UNSUPPORTED,
                      "The tokenizer and “%s” do not belong together: the tokenizer has a token "
                      "%d, and the model knows %u tokens. Use the tokenizer of the model.",
                      pt_program_path (self->program), id, self->vocabulary);
  }
  return TRUE;
}

/* Makes the ids of a text that is to be continued as it is. */
static gboolean
write_raw_prompt (const PtChat *self, const char *text, GArray *prompt, GError **error)
{
  guint n;
  const gint32 *prefix = pt_tokenizer_prefix (self->tokenizer, &n);

  if (!pt_tokenizer_encode (self->tokenizer, text, -1, PT_ENCODE_SPECIAL, prompt, error))
    return FALSE;
  if (n > 0 && (prompt->len < n || memcmp (prompt->data, prefix, n * sizeof *prefix) != 0))
    g_array_prepend_vals (prompt, prefix, n);
  return prompt->len > 0 ||
         pt_fail (error, PT_ERROR_ARGUMENT,
                  "The prompt is empty, and this model has no token that begins a text.");
}

gboolean
pt_chat_write_prompt (PtChat *self, const PtChatOptions *request, GArray *prompt,
                      GCancellable *cancellable, GError **error)
{
  gboolean ok;

  g_array_set_size (self->places, 0);
  if (request->raw)
    return write_raw_prompt (self, request->messages[0].text, prompt, error) &&
           check_vocabulary (self, prompt, error);
  if (!pt_chat_template_set_tools (self->chat_template, request->tools, error))
    return FALSE;
  self->cancellable = cancellable;
  /* JSON that is wanted is given at once, unless the request wants thoughts, too. */
  ok = pt_chat_template_encode (
      self->chat_template, request->messages, request->n_messages,
      pt_chat_is_bound (request) && request->thinking == PT_THINKING_DEFAULT ? PT_THINKING_OFF
                                                                             : request->thinking,
      pt_chat_known_answer, self, prompt, error);
  self->cancellable = NULL;
  return ok && check_vocabulary (self, prompt, error);
}
