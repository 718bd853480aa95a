/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Texts before they become phonemes: passages, words and marks. */

/** A word, or a mark that Kokoro knows: ; : , . ! ? — … " ( ) “ ” */
typedef struct {
  char *text;
  gboolean is_mark;
  gboolean is_spaced; /* a space is in front of it */
} PtSpokenToken;

/**
 * The passages of @text, which are spoken one after the other: paragraphs, and parts of long ones
 * that end with a sentence. Spaces and ends of lines are one space each; a paragraph without a mark
 * at its end has a full stop there if another one follows. A GPtrArray of strings; free with
 * g_ptr_array_unref().
 */
GPtrArray *pt_spoken_passages (const char *text);

/** The words and marks of a passage. A GPtrArray of PtSpokenToken; free with g_ptr_array_unref().
 */
GPtrArray *pt_spoken_tokens (const char *passage);

G_END_DECLS
