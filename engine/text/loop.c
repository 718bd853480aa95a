/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/loop.h"

/* The longest period that is searched for, and the fewest tokens of a loop. Rules of a table, rows
   of zeros and lines of dots are long, too. */
#define MAX_PERIOD 512
#define MIN_TOKENS 256
#define MIN_TOKENS_OF_CODE 1024
#define MIN_ROUNDS 4

/* Short sentences are often repeated on purpose. */
#define MIN_LETTERS 20

/* FNV-1a. */
#define HASH_START G_GUINT64_CONSTANT (0xcbf29ce484222325)
#define HASH_FACTOR G_GUINT64_CONSTANT (0x100000001b3)

guint
pt_loop_find (const gint32 *ids, guint n, guint max_period, PtLoopRounds rounds_of)
{
  for (guint period = 1; period <= max_period && period < n; period++) {
    guint rounds, same = 0;

    if (ids[n - 1] != ids[n - 1 - period])
      continue;
    rounds = rounds_of (period);
    if (period > n / rounds)
      continue;
    while (same + period < n && ids[n - 1 - same] == ids[n - 1 - same - period])
      same++;
    if (same >= period * (rounds - 1))
      return n - same;
  }
  return n;
}

static guint
rounds_of_text (guint period)
{
  return MAX ((MIN_TOKENS + period - 1) / period, MIN_ROUNDS);
}

static guint
rounds_of_code (guint period)
{
  return MAX ((MIN_TOKENS_OF_CODE + period - 1) / period, MIN_ROUNDS);
}

void
pt_loop_watch_init (PtLoopWatch *watch)
{
  *watch = (PtLoopWatch){ .hash = HASH_START };
}

static guint
count_different (const PtLoopWatch *watch)
{
  guint n = 0;

  for (guint i = 0; i < PT_LOOP_SENTENCES; i++) {
    guint j = 0;

    while (j < i && watch->recent[j] != watch->recent[i])
      j++;
    n += j == i;
  }
  return n;
}

static gboolean
end_sentence (PtLoopWatch *watch)
{
  gboolean counts = watch->n_letters >= MIN_LETTERS && !watch->in_code;

  if (counts)
    watch->recent[watch->n_sentences++ % PT_LOOP_SENTENCES] = watch->hash;
  watch->hash = HASH_START;
  watch->n_letters = 0;
  watch->begun = watch->numbered = watch->behind_number = FALSE;
  return counts && watch->n_sentences >= PT_LOOP_SENTENCES &&
         count_different (watch) <= PT_LOOP_DIFFERENT;
}

/* Adds letters, digits and non-ASCII bytes; leading digits are the number of a list item. */
static void
add_byte (PtLoopWatch *watch, guchar byte)
{
  gboolean is_digit = g_ascii_isdigit (byte);

  if (!watch->begun && !watch->behind_number && is_digit) {
    watch->numbered = TRUE;
    return;
  }
  watch->behind_number |= watch->numbered;
  if (!g_ascii_isalnum (byte) && byte < 0x80)
    return;
  watch->begun = TRUE;
  watch->hash = (watch->hash ^ (guchar) g_ascii_tolower (byte)) * HASH_FACTOR;
  watch->n_letters++;
}

static gboolean
push_byte (PtLoopWatch *watch, guchar byte)
{
  watch->n_backticks = byte == '`' ? watch->n_backticks + 1 : 0;
  if (watch->n_backticks == 3)
    watch->in_code = !watch->in_code;
  if (byte == '\n' || byte == '!' || byte == '?' || (byte == '.' && watch->begun))
    return end_sentence (watch);
  add_byte (watch, byte);
  return FALSE;
}

gboolean
pt_loop_watch_push (PtLoopWatch *watch, const gint32 *ids, guint n, const char *text)
{
  gboolean loops = FALSE;

  for (; *text != '\0'; text++)
    loops |= push_byte (watch, (guchar) *text);
  return loops ||
         pt_loop_find (ids, n, MAX_PERIOD, watch->in_code ? rounds_of_code : rounds_of_text) < n;
}
