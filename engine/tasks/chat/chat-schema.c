/* SPDX-License-Identifier: BSD-3-Clause */

/* Answers and calls that are bound to a JSON schema. What was found for the latest schemas is kept,
 * since scripts ask with the same ones again. */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/chat/call-schema.h"
#include "engine/tasks/chat/chat-private.h"
#include "engine/text/grammar/json-schema.h"

#define MAX_SCHEMAS 4

static void
schema_free (gpointer data)
{
  PtChatSchema *schema = data;

  pt_constraint_free (schema->constraint);
  g_free (schema->text);
  g_free (schema);
}

void
pt_chat_forget_schemas (PtChat *self)
{
  g_clear_pointer (&self->schemas, g_ptr_array_unref);
  g_clear_pointer (&self->token_trie, pt_token_trie_free);
}

/* The tokens that the model may choose, which are also those that pt_llm_sample() is asked for. */
static gboolean
make_trie (PtChat *self, GError **error)
{
  if (self->token_trie != NULL)
    return TRUE;
  self->schemas = g_ptr_array_new_with_free_func (schema_free);
  self->token_trie =
      pt_token_trie_new (self->tokenizer, (guint) pt_llm_width (self->llm), self->end_ids, error);
  return self->token_trie != NULL;
}

static PtConstraint *
find_known (PtChat *self, const char *text)
{
  for (guint i = self->schemas->len; i > 0; i--) {
    PtChatSchema *schema = self->schemas->pdata[i - 1];

    if (strcmp (schema->text, text) == 0) {
      g_ptr_array_add (self->schemas, g_ptr_array_steal_index (self->schemas, i - 1));
      return schema->constraint;
    }
  }
  return NULL;
}

static PtConstraint *
compile (PtChat *self, const char *text, GError **error)
{
  PtGrammar *grammar = pt_json_schema_compile (text, error);
  PtConstraint *constraint =
      grammar != NULL ? pt_constraint_new (grammar, self->token_trie, error) : NULL;
  PtChatSchema *schema;

  if (constraint == NULL)
    return NULL;
  if (self->schemas->len == MAX_SCHEMAS)
    g_ptr_array_remove_index (self->schemas, 0);
  schema = g_new (PtChatSchema, 1);
  schema->text = g_strdup (text);
  schema->constraint = constraint;
  g_ptr_array_add (self->schemas, schema);
  return constraint;
}

gboolean
pt_chat_is_bound (const PtChatOptions *request)
{
  return request->json_schema != NULL || request->must_call;
}

gboolean
pt_chat_is_strict (const PtChatOptions *request)
{
  return request->tools != NULL && !pt_chat_is_bound (request) &&
         pt_tools_are_strict (request->tools);
}

/* The schema of all that is allowed: calls, and answers in a form; or, where answers may be any
 * text, of the calls in them. NULL with an error. */
static char *
make_schema (const PtChatOptions *request, GError **error)
{
  if (!pt_chat_is_bound (request))
    return pt_strict_calls_schema (request->tools, error);
  if (request->tools == NULL)
    return g_strdup (request->json_schema);
  return pt_call_schema (request->tools, request->must_call ? request->called : NULL,
                         request->must_call ? NULL : request->json_schema, error);
}

PtConstraint *
pt_chat_constraint (PtChat *self, const PtChatOptions *request, const char *beginning,
                    GError **error)
{
  g_autofree char *schema = make_schema (request, error);
  PtConstraint *constraint;

  if (schema == NULL || !make_trie (self, error))
    return NULL;
  constraint = find_known (self, schema);
  if (constraint == NULL)
    constraint = compile (self, schema, error);
  if (constraint == NULL || !pt_constraint_restart (constraint, error))
    return NULL;
  if (beginning != NULL && !pt_constraint_accept_text (constraint, beginning, -1)) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "The answer that is to be continued does not begin as the JSON schema wants it.");
    return NULL;
  }
  return constraint;
}
