/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Kokoro's phonemes: characters of the International Phonetic Alphabet in misaki's spelling, such
 * as A for eɪ, with marks and stress (docs/formats/protocols.md, section 17.2).
 */

/** The token that pads phonemes in front and behind. */
#define PT_PHONEME_PAD 0

/** The token of the phoneme @c, 1 to 177; 0: Kokoro does not know it. */
guint pt_phoneme_token (gunichar c);

/** The phoneme that class @class (from 1) of a phonemizer program stands for; 0: none. */
gunichar pt_phoneme_of_class (guint class);

/** The input of a phonemizer program for the lower-case letter @c, from 1; 0: it does not know
 * it. */
guint pt_letter_token (gunichar c);

/** Whether a piece may end behind the phoneme @c, and how well: */
typedef enum {
  PT_BREAK_NONE,
  PT_BREAK_SENTENCE,
  PT_BREAK_PAUSE,
  PT_BREAK_SPACE,
} PtBreak;
PtBreak pt_phoneme_break (gunichar c);

/** Milliseconds of silence behind a piece that ends with the phoneme @c. */
guint pt_phoneme_pause (gunichar c);

G_END_DECLS
