/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The Markdown that language models write, as blocks that a view can show one under the other. Made
 * for text that still grows: a block depends only on the text from its start on, but the last line
 * may yet turn out to continue the block before its own. So whoever follows a stream parses again
 * from the start of the last block but one. Any text is valid input, and the markup that comes out
 * is always well-formed Pango markup.
 */

typedef enum {
  PTERIS_BLOCK_PARAGRAPH,
  PTERIS_BLOCK_HEADING, /* level 1..6 */
  PTERIS_BLOCK_ITEM,    /* of a list: level = depth from 0, marker = "•" or "2." */
  PTERIS_BLOCK_QUOTE,
  PTERIS_BLOCK_CODE, /* text is to be shown as it is */
  PTERIS_BLOCK_RULE,
} PterisBlockKind;

typedef struct {
  PterisBlockKind kind;
  guint level;
  gsize start;  /* where the block begins in the text */
  char *marker; /* ITEM: its mark; CODE: the language, "" when not given */
  char *text;   /* the block's text without its Markdown frame */
} PterisBlock;

/** Split @text into blocks: a GPtrArray of PterisBlock. */
GPtrArray *pteris_markdown_parse (const char *text);

/**
 * Bold, italics, strike-through, code and links of @text as Pango markup. @partial: the text may go
 * on, so a mark that is not closed yet counts as closed at the end. Free with g_free().
 */
char *pteris_markdown_inline (const char *text, gboolean partial);

G_END_DECLS
