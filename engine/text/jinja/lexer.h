/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/node.h"

G_BEGIN_DECLS

/*
 * Splits a template into tokens with trim_blocks and lstrip_blocks, as chat templates expect
 * (docs/formats/tokenizers.md, section 10.3): the first newline behind a tag is dropped, and white
 * space before a tag that begins its line.
 */

typedef enum {
  PT_JINJA_TOKEN_DATA, /* text outside of tags */
  PT_JINJA_TOKEN_PRINT_BEGIN,
  PT_JINJA_TOKEN_PRINT_END,
  PT_JINJA_TOKEN_TAG_BEGIN,
  PT_JINJA_TOKEN_TAG_END,
  PT_JINJA_TOKEN_NAME,
  PT_JINJA_TOKEN_STRING, /* without quotes and escapes */
  PT_JINJA_TOKEN_INT,
  PT_JINJA_TOKEN_FLOAT,
  PT_JINJA_TOKEN_OPERATOR,
  PT_JINJA_TOKEN_END,
} PtJinjaTokenKind;

typedef struct {
  PtJinjaTokenKind kind;
  int op;
  guint line;
  const char *text; /* DATA, NAME, STRING; in the lexed source or in @strings; not terminated */
  gsize length;
  gint64 integer;
  double real;
} PtJinjaToken;

typedef struct {
  char *source;          /* newlines are \n */
  GStringChunk *strings; /* unescaped bytes of STRING tokens */
  GArray *tokens;        /* PtJinjaToken; the last one is END */
} PtJinjaWords;

/** @text: valid UTF-8. NULL with an error that names the line. */
PtJinjaWords *pt_jinja_lex (const char *text, gsize length, GError **error);
void pt_jinja_words_free (PtJinjaWords *words);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJinjaWords, pt_jinja_words_free)

G_END_DECLS
