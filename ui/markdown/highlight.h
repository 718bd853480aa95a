/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Syntax highlighting: C, C++, Python, JavaScript, TypeScript, JSON, Bash, Rust, Go, Java, SQL,
 * HTML, XML, CSS, YAML, Markdown and diff, by lexers without a grammar. Any text is valid input;
 * truncated code has the same colours. GtkSourceView is not used: it needs its own text view, but
 * code in answers is in labels.
 */

typedef enum {
  PTERIS_CODE_COMMENT,
  PTERIS_CODE_STRING,
  PTERIS_CODE_NUMBER,
  PTERIS_CODE_KEYWORD,
  PTERIS_CODE_TYPE,     /* also tags of HTML, and headings */
  PTERIS_CODE_FUNCTION, /* also names of members: keys of JSON, attributes of HTML */
  PTERIS_CODE_META,     /* #include, @decorators, variables of a shell */
  PTERIS_CODE_ADDED,    /* of a diff */
  PTERIS_CODE_REMOVED,
  PTERIS_CODE_N_KINDS,
} PterisCodeKind;

/** Bytes from @start to before @end. */
typedef struct {
  guint start, end;
  PterisCodeKind kind;
} PterisCodeSpan;

/**
 * Append the spans (PterisCodeSpan) of @code to @spans, in order and without overlaps. Returns
 * FALSE if @language, the name in the fence, is unknown.
 */
gboolean pteris_highlight (const char *language, const char *code, GArray *spans);

G_END_DECLS
