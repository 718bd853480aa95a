/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/chat/chosen-tokens.h"

#include "engine/base/allocate.h"

/* A token that has been chosen. */
typedef struct {
  gint32 id;
  double logprob;
  guint n_top;
  gsize end; /* of its text within the answer, in bytes */
} Waiting;

struct _PtChosenTokens {
  const PtTokenizer *tokenizer;
  guint most_top;
  float *scratch;
  GArray *waiting; /* Waiting: in the order of the answer */
  GArray *ranked;  /* PtRankedToken: @most_top for each of @waiting */
  GArray *top;     /* PtTokenLogprob: the same for the caller */
  GArray *tokens;  /* PtChosenToken */
};

PtChosenTokens *
pt_chosen_tokens_new (const PtTokenizer *tokenizer, gsize width, guint n_top, GError **error)
{
  g_autoptr (PtChosenTokens) self = g_new0 (PtChosenTokens, 1);

  self->tokenizer = tokenizer;
  self->most_top = MIN (n_top, PT_MAX_TOP_LOGPROBS);
  self->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  self->ranked = g_array_new (FALSE, FALSE, sizeof (PtRankedToken));
  self->top = g_array_new (FALSE, FALSE, sizeof (PtTokenLogprob));
  self->tokens = g_array_new (FALSE, FALSE, sizeof (PtChosenToken));
  self->scratch = pt_allocate (width, sizeof (float), error);
  return self->scratch != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_chosen_tokens_free (PtChosenTokens *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->waiting);
  g_array_unref (self->ranked);
  g_array_unref (self->top);
  g_array_unref (self->tokens);
  g_free (self->scratch);
  g_free (self);
}

void
pt_chosen_tokens_add (PtChosenTokens *self, gint32 id, gconstpointer logits, PtDType dtype, gsize n)
{
  guint at = self->ranked->len;
  Waiting token = { .id = id, .n_top = self->most_top, .end = G_MAXSIZE };

  g_array_set_size (self->ranked, at + self->most_top);
  token.logprob =
      pt_logprobs_rank (logits, dtype, n, id, self->scratch,
                        (PtRankedToken *) (gpointer) self->ranked->data + at, &token.n_top);
  g_array_append_val (self->waiting, token);
}

void
pt_chosen_tokens_set_end (PtChosenTokens *self, gsize end)
{
  if (self->waiting->len > 0)
    g_array_index (self->waiting, Waiting, self->waiting->len - 1).end = end;
}

static PtTokenLogprob
describe (const PtChosenTokens *self, gint32 id, double logprob)
{
  gsize length = 0;
  const char *bytes = pt_tokenizer_bytes (self->tokenizer, id, &length);

  return (PtTokenLogprob){ .id = id,
                           .logprob = logprob,
                           .bytes = (const guint8 *) bytes,
                           .n_bytes = bytes != NULL ? (guint) length : 0 };
}

/* Makes @n tokens of those that wait first. */
static void
make_tokens (PtChosenTokens *self, guint n)
{
  g_array_set_size (self->tokens, 0);
  g_array_set_size (self->top, n * self->most_top);
  for (guint i = 0; i < n; i++) {
    const Waiting *waiting = &g_array_index (self->waiting, Waiting, i);
    PtTokenLogprob *top = (PtTokenLogprob *) (gpointer) self->top->data + i * self->most_top;
    PtChosenToken token = { describe (self, waiting->id, waiting->logprob), top, waiting->n_top };

    for (guint j = 0; j < waiting->n_top; j++) {
      PtRankedToken ranked = g_array_index (self->ranked, PtRankedToken, i * self->most_top + j);

      top[j] = describe (self, ranked.id, ranked.logprob);
    }
    g_array_append_val (self->tokens, token);
  }
}

void
pt_chosen_tokens_give (PtChosenTokens *self, gsize given, PtChosenTokensFunc func,
                       gpointer user_data)
{
  guint n = 0;

  while (n < self->waiting->len && g_array_index (self->waiting, Waiting, n).end <= given)
    n++;
  if (n == 0)
    return;
  make_tokens (self, n);
  func ((const PtChosenToken *) (gconstpointer) self->tokens->data, n, user_data);
  g_array_remove_range (self->waiting, 0, n);
  if (self->most_top > 0)
    g_array_remove_range (self->ranked, 0, n * self->most_top);
}
