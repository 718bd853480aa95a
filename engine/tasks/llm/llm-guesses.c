/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reads several ids in one call instead of one: behind the chosen id come guesses, the ids that
 * followed the last time the same ids were there. A guess counts only if it is then chosen, from
 * the same logits that there would be otherwise (docs/formats/protocols.md, section 2.7).
 */

#include "engine/tasks/llm/llm-private.h"

/* Repeats are searched in this many of the last ids. */
#define MAX_LOOK (16 * 1024)
/* A repeat has at least LEAST_REPEAT ids; at most MOST_REPEAT are compared. */
#define LEAST_REPEAT 2
#define MOST_REPEAT 12

static guint
count_repeat (const gint32 *ids, guint a, guint b)
{
  guint n = 0;

  while (n < MOST_REPEAT && n <= a && ids[a - n] == ids[b - n])
    n++;
  return n;
}

/* Finds the end of the latest, longest earlier occurrence of the last ids of @ids; @n: there is
   none. */
static guint
find_repeat (const gint32 *ids, guint n)
{
  guint last = n - 1, least = n > MAX_LOOK ? n - MAX_LOOK : 0, best = n, length = LEAST_REPEAT - 1;

  for (guint i = last; i-- > least && length < MOST_REPEAT;) {
    guint here = ids[i] == ids[last] ? count_repeat (ids, i, last) : 0;

    if (here > length) {
      length = here;
      best = i;
    }
  }
  return best;
}

guint
pt_llm_find_guesses (const gint32 *ids, guint n, guint most, gint32 *guesses)
{
  guint at = n > 0 ? find_repeat (ids, n) : n, count = 0;

  if (at >= n)
    return 0;
  for (; count < most; count++) {
    guint from = at + 1 + count;

    guesses[count] = from < n ? ids[from] : guesses[from - n];
    if (guesses[count] < 0) /* an embedding of a picture or a recording */
      break;
  }
  return count;
}

gboolean
pt_llm_set_guessing (PtLlm *self, gboolean guessing)
{
  const PtLlmMethod *method = &self->prompt;
  const PtTensorSpec *output = NULL;
  gboolean can = self->step.method == method->method && !method->chooses && self->can_rewind &&
                 self->layout != PT_LLM_NO_CACHE && self->reading == PT_LLM_IDS &&
                 self->fixed == 0 && self->chunk > PT_LLM_MAX_GUESSES;

  if (can)
    output = pt_method_output_spec (method->method, 0)->as_tensor;
  can = can && output->rank == 3 && output->sizes[1] > PT_LLM_MAX_GUESSES;
  pt_llm_drop_guesses (self);
  self->guesses = guessing && can;
  if (can)
    pt_method_set_last_rows (method->method, 0, self->guesses ? PT_LLM_MAX_GUESSES + 1 : 1);
  return can;
}

void
pt_llm_drop_guesses (PtLlm *self)
{
  self->n_guessed = self->n_right = 0;
}

/* Adapts the number of guesses to how many of the last ones were right. */
static void
learn (PtLlm *self)
{
  if (self->n_right == self->n_guessed)
    self->most_guesses = MIN (2 * self->most_guesses, PT_LLM_MAX_GUESSES);
  else if (self->n_right < self->n_guessed / 2)
    self->most_guesses = MAX (self->most_guesses / 2, PT_LLM_LEAST_GUESSES);
}

gboolean
pt_llm_take_guess (PtLlm *self, const gint32 *ids, guint n)
{
  gboolean is_right =
      n == 1 && self->n_right < self->n_guessed && ids[0] == self->guessed[self->n_right];

  if (is_right) {
    self->n_right++;
    g_array_append_vals (self->now->cached, ids, 1);
    return TRUE;
  }
  if (self->n_guessed > 0)
    learn (self);
  pt_llm_drop_guesses (self);
  return FALSE;
}

/* Writes the chosen id and as many guesses as there is room for to @ids. */
guint
pt_llm_guess (PtLlm *self, gint32 id, gint32 ids[PT_LLM_MAX_GUESSES + 1])
{
  const PtTensor *last = pt_method_output (self->last->method, 0)->as_tensor;
  GArray *cached = self->now->cached;
  guint room = self->end > cached->len + 1 ? self->end - cached->len - 1 : 0, n;

  ids[0] = id;
  /* A device that takes the id itself has begun the next step already. */
  if (!self->guesses ||
      (last->device_type != PT_DEVICE_CPU && pt_method_takes_device_input (self->step.method, 0)))
    return 1;
  g_array_append_val (cached, id);
  n = pt_llm_find_guesses ((const gint32 *) (gconstpointer) cached->data, cached->len,
                           MIN (self->most_guesses, room), ids + 1);
  g_array_set_size (cached, cached->len - 1);
  return n + 1;
}
