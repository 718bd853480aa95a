/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * These functions do what normalizers of a tokenizer.json do to single characters
 * (docs/formats/tokenizers.md, section 3.2). Texts are valid UTF-8, in which a zero byte is a
 * character like any other.
 */

/** White_Space of Unicode; GLib's has no vertical tab. */
gboolean pt_is_white (gunichar c);

/** Drop marks of all kinds. */
void pt_drop_marks (GString *text);
/** Drop marks that take no space of their own. */
void pt_drop_accents (GString *text);
/** SentencePiece's cleaning: control characters go, all sorts of spaces become one. */
void pt_clean_nmt (GString *text);
/** BERT's cleaning: control characters go, spaces become " ". */
void pt_clean_bert (GString *text);
/** Spaces around each Chinese character. */
void pt_space_chinese (GString *text);
/** To lower case, character by character. */
void pt_lower (GString *text);

G_END_DECLS
