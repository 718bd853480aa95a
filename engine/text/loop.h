/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Text that goes round in circles, as models write it that do not find an end.
 */

/** Rounds of @period tokens that make a loop; at least 2. */
typedef guint (*PtLoopRounds) (guint period);

/**
 * Do the @n ids end in a loop of 1 to @max_period ids? Returns how many of them to keep (the first
 * round), or @n when they do not. Looks back no further than the loop goes.
 */
guint pt_loop_find (const gint32 *ids, guint n, guint max_period, PtLoopRounds rounds);

/** Sentences that are remembered, and so many different ones at most make a loop of them. */
#define PT_LOOP_SENTENCES 16
#define PT_LOOP_DIFFERENT 4

/**
 * PtLoopWatch: whether an answer goes round in circles, while it grows: exactly, token by token, or
 * nearly so, when the last 16 sentences are hardly more than four. Tables, code, lists, and poems
 * with a refrain do not. Plain data.
 */
typedef struct {
  guint64 recent[PT_LOOP_SENTENCES]; /* hashes, round and round */
  guint n_sentences;
  guint64 hash;    /* of the sentence that is being written */
  guint n_letters; /* bytes of letters and digits in it */
  guint n_backticks;
  gboolean in_code;                 /* between lines of three backticks */
  gboolean numbered, behind_number; /* it begins with a number, as in a list; that is over */
  gboolean begun;                   /* there is more than the number */
} PtLoopWatch;

/** An answer begins, or goes on. */
void pt_loop_watch_init (PtLoopWatch *watch);

/** @ids: all @n of the answer so far; @text: what is new. TRUE: it goes round in circles. */
gboolean pt_loop_watch_push (PtLoopWatch *watch, const gint32 *ids, guint n, const char *text);

G_END_DECLS
