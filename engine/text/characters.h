/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Character-wise normalizers of a tokenizer.json (docs/formats/tokenizers.md, section 3.2). Texts
 * are valid UTF-8, in which a zero byte is a character like any other.
 */

/** The White_Space property of Unicode. GLib's function lacks the vertical tab. */
gboolean pt_is_white (gunichar c);

/** Drop all combining marks (Mn, Mc, Me). */
void pt_drop_marks (GString *text);
/** Drop nonspacing marks (Mn). */
void pt_drop_accents (GString *text);
/** SentencePiece's NMT cleaning: drops control characters, maps all kinds of spaces to " ". */
void pt_clean_nmt (GString *text);
/** BERT's cleaning: drops control characters, maps white space to " ". */
void pt_clean_bert (GString *text);
/** Put spaces around each Chinese character. */
void pt_space_chinese (GString *text);
/** To lower case, character by character. */
void pt_lower (GString *text);

G_END_DECLS
