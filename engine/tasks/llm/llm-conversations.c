/* SPDX-License-Identifier: BSD-3-Clause */

/* Keeps several conversations with one copy of the weights, each with a state of its own. */

#include "engine/tasks/llm/llm-private.h"

/* Losing at most this many ids is accepted: a prefill of them costs almost nothing. */
#define FEW 64

guint
pt_llm_count_same (const PtLlmConversation *conversation, const gint32 *ids, guint n)
{
  const gint32 *cached = (const gint32 *) (gconstpointer) conversation->cached->data;
  guint same = 0;

  while (same < conversation->cached->len && same + 1 < n && cached[same] == ids[same])
    same++;
  return same;
}

/* The number of ids of @conversation that can be kept for @ids. */
static guint
count_kept (const PtLlm *self, const PtLlmConversation *conversation, const gint32 *ids, guint n)
{
  guint same = pt_llm_count_same (conversation, ids, n);

  if (conversation->broken || (same < conversation->cached->len && !self->can_rewind))
    return 0;
  return same;
}

/* Finds the conversation with the longest usable prefix, of equals the current one. */
static PtLlmConversation *
find_best (PtLlm *self, const gint32 *ids, guint n, guint *kept)
{
  PtLlmConversation *best = self->now;

  *kept = count_kept (self, best, ids, n);
  for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++) {
    PtLlmConversation *other = &self->conversations[i];
    guint count = other->cached != NULL ? count_kept (self, other, ids, n) : 0;

    if (count > *kept) {
      best = other;
      *kept = count;
    }
  }
  return best;
}

static PtLlmConversation *
find_oldest (PtLlm *self)
{
  PtLlmConversation *oldest = self->now;

  for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++)
    if (self->conversations[i].cached != NULL && self->conversations[i].used < oldest->used)
      oldest = &self->conversations[i];
  return oldest;
}

static gboolean
select_state (PtLlm *self, guint state, GError **error)
{
  guint former = (guint) (self->now - self->conversations);

  if (!pt_method_select_state (self->prompt.method, state, error))
    return FALSE;
  if (self->step.method == self->prompt.method ||
      pt_method_select_state (self->step.method, state, error))
    return TRUE;
  pt_method_select_state (self->prompt.method, former, NULL);
  return FALSE;
}

static guint
count_open (const PtLlm *self)
{
  guint n = 0;

  for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++)
    n += self->conversations[i].cached != NULL;
  return n;
}

/* One that is closed; if there is none, the oldest but @from and the current one is closed. */
static PtLlmConversation *
find_closed (PtLlm *self, const PtLlmConversation *from)
{
  PtLlmConversation *oldest = NULL;
  gboolean full = count_open (self) >= self->max_conversations;

  for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++) {
    PtLlmConversation *other = &self->conversations[i];

    if (other->cached == NULL && !full)
      return other;
    if (other->cached != NULL && other != self->now && other != from &&
        (oldest == NULL || other->used < oldest->used))
      oldest = other;
  }
  if (oldest != NULL)
    pt_llm_close_conversation (self, oldest);
  return oldest;
}

/* Begins another conversation with the first @kept ids of @best, if states are copies. */
static PtLlmConversation *
fork_another (PtLlm *self, PtLlmConversation *best, guint kept)
{
  PtLlmConversation *closed = find_closed (self, best);

  if (closed == NULL)
    return best;
  pt_llm_fork (self, best, kept, closed);
  return closed;
}

/* Begins another conversation. If there is no room for one more, it takes the place of the oldest.
 */
static PtLlmConversation *
open_another (PtLlm *self)
{
  guint i = 0;

  if (count_open (self) >= self->max_conversations)
    return find_oldest (self);
  while (self->conversations[i].cached != NULL)
    i++;
  if (!select_state (self, i, NULL)) {
    self->max_conversations = count_open (self);
    return find_oldest (self);
  }
  self->now = &self->conversations[i];
  self->now->cached = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->now->broken = FALSE;
  return self->now;
}

gboolean
pt_llm_choose_conversation (PtLlm *self, const gint32 *ids, guint n, GError **error)
{
  guint kept;
  PtLlmConversation *best = find_best (self, ids, n, &kept);
  guint lost = best->cached->len - kept;

  /* They share little, perhaps only the system prompt. */
  if (lost > MAX (kept, MIN (FEW, self->context / 4)))
    best = self->caches != NULL ? fork_another (self, best, kept) : open_another (self);
  if (best != self->now && self->caches != NULL)
    pt_llm_restore (self, best);
  else if (best != self->now && !select_state (self, (guint) (best - self->conversations), error))
    return FALSE;
  self->now = best;
  best->used = ++self->clock;
  return TRUE;
}

gboolean
pt_llm_forget_others (PtLlm *self)
{
  guint n = count_open (self);

  for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++) {
    PtLlmConversation *other = &self->conversations[i];

    if (other == self->now || other->cached == NULL)
      continue;
    pt_llm_close_conversation (self, other);
    if (self->caches != NULL)
      continue;
    pt_method_forget_state (self->prompt.method, i);
    if (self->step.method != self->prompt.method)
      pt_method_forget_state (self->step.method, i);
  }
  self->max_conversations = 1;
  return n > 1;
}
