/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The Markdown that language models write (CommonMark with GitHub's tables, task lists,
 * strike-through and bare links; parsed by md4c), as a flat list of blocks: lists and quotes are
 * depths of blocks. HTML is text. Any text is valid input; the result is always well-formed Pango
 * markup with GtkLabel's <a>. Only http, https and mailto links are links, others are text. Images
 * are links, too; nothing is fetched.
 */

typedef enum {
  PTERIS_BLOCK_PARAGRAPH,
  PTERIS_BLOCK_HEADING, /* level 1..6 */
  PTERIS_BLOCK_CODE,    /* shown unchanged */
  PTERIS_BLOCK_TABLE,
  PTERIS_BLOCK_RULE,
} PterisBlockKind;

typedef enum {
  PTERIS_ALIGN_START,
  PTERIS_ALIGN_CENTER,
  PTERIS_ALIGN_END,
} PterisAlign;

typedef struct {
  PterisBlockKind kind;
  guint level;
  guint depth;    /* list items around it */
  guint quotes;   /* quotes around it */
  char *marker;   /* marker of the item that it begins: "•", "2.", "☐", "☑"; or NULL */
  char *text;     /* PARAGRAPH, HEADING: markup; CODE: the code; else "" */
  char *language; /* CODE: "" when not given */
  GArray *aligns; /* TABLE: PterisAlign of each column */
  GPtrArray
      *rows;   /* TABLE: of GPtrArray of markup, a cell for each column; the first is the head */
  gsize start; /* offset from which the rest can be parsed separately; PTERIS_NO_START: none */
} PterisBlock;

#define PTERIS_NO_START G_MAXSIZE

/**
 * Split @text into blocks: a GPtrArray of PterisBlock.
 *
 * @partial: more text may follow. Open marks are closed at the end, and a last line that consists
 * only of markers is left out, so that the next word does not change the format. For a stream,
 * parse again from the last @start; the blocks before it do not change.
 */
GPtrArray *pteris_markdown_parse (const char *text, gboolean partial);

G_END_DECLS
