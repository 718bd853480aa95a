/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Detects that a model repeats itself.
 */

/** The number of repetitions of @period tokens that make a loop; at least 2. */
typedef guint (*PtLoopRounds) (guint period);

/**
 * Find a loop of 1 to @max_period ids at the end of the @n ids. Returns the number of ids to keep,
 * up to the first repetition, or @n without a loop. Compares only the ids of the loop.
 */
guint pt_loop_find (const gint32 *ids, guint n, guint max_period, PtLoopRounds rounds);

/** Number of recent sentences that are kept, and the most different ones among them in a loop. */
#define PT_LOOP_SENTENCES 16
#define PT_LOOP_DIFFERENT 4

/**
 * PtLoopWatch: detects loops in a growing answer: exact ones, token by token, and near ones, when
 * the last 16 sentences have few different ones. Tables, code, lists, and poems with a refrain are
 * no loops. Plain data.
 */
typedef struct {
  guint64 recent[PT_LOOP_SENTENCES]; /* hashes, round and round */
  guint n_sentences;
  guint64 hash;    /* hash of the current sentence */
  guint n_letters; /* bytes of letters and digits in the current sentence */
  guint n_backticks;
  gboolean in_code;       /* between lines of three backticks: code */
  gboolean numbered;      /* the sentence begins with a number, as in a list */
  gboolean behind_number; /* the number has ended */
  gboolean begun;         /* the sentence has begun behind the number */
} PtLoopWatch;

/** Begin, or continue, an answer. */
void pt_loop_watch_init (PtLoopWatch *watch);

/** @ids: all @n ids of the answer; @text: the new text. TRUE: the answer is in a loop. */
gboolean pt_loop_watch_push (PtLoopWatch *watch, const gint32 *ids, guint n, const char *text);

G_END_DECLS
