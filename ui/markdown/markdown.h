/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The Markdown that language models write (CommonMark with GitHub's tables, task lists,
 * strike-through and bare links; parsed by md4c), as blocks that a view can show one under the
 * other: lists and quotes are not boxes within boxes but depths. HTML is text. Any text is valid
 * input, and the markup that comes out is always well-formed Pango markup with GtkLabel's <a>.
 *
 * Links lead to http, https and mailto only; others are text. Images are links too: nothing is
 * fetched.
 */

typedef enum {
  PTERIS_BLOCK_PARAGRAPH,
  PTERIS_BLOCK_HEADING, /* level 1..6 */
  PTERIS_BLOCK_CODE,    /* text is to be shown as it is */
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
  char *marker;   /* of the item that it begins: "•", "2.", "☐", "☑"; or NULL */
  char *text;     /* PARAGRAPH, HEADING: markup; CODE: the code; else "" */
  char *language; /* CODE: "" when not given */
  GArray *aligns; /* TABLE: PterisAlign of each column */
  GPtrArray
      *rows;   /* TABLE: of GPtrArray of markup, a cell for each column; the first is the head */
  gsize start; /* what follows can be parsed alone from here; PTERIS_NO_START: it cannot */
} PterisBlock;

#define PTERIS_NO_START G_MAXSIZE

/**
 * Split @text into blocks: a GPtrArray of PterisBlock.
 *
 * @partial: the text may go on. Marks that are not closed yet count as closed at the end, and a
 * last line that is nothing but marks so far is left out, so that what is shown need not change its
 * looks with the next word. Whoever follows a stream parses again from the last @start that came
 * out; what stands before it stays as it is.
 */
GPtrArray *pteris_markdown_parse (const char *text, gboolean partial);

G_END_DECLS
