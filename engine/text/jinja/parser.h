/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/lexer.h"
#include "engine/text/jinja/node.h"

G_BEGIN_DECLS

/*
 * Parses tokens into a tree. After an error all functions return NULL (or FALSE); the first error
 * is kept.
 */

typedef struct {
  PtJinjaTree *tree;
  const PtJinjaToken *token; /* the next one */
  guint depth;
  GError **error;
  gboolean failed;
} PtJinjaParser;

/* Helpers of statements and expressions. */
gpointer pt_jinja_parser_fail (PtJinjaParser *parser, PtError code, const char *what);
PtJinjaNode *pt_jinja_parser_node (PtJinjaParser *parser, PtJinjaNodeKind kind, PtJinjaNode *a,
                                   PtJinjaNode *b);
const char *pt_jinja_parser_intern (PtJinjaParser *parser, const char *name, gsize length);
/** Copy the text of the tokens [begin, end) into the template's heap. */
const PtJinjaText *pt_jinja_parser_text (PtJinjaParser *parser, const PtJinjaToken *begin,
                                         const PtJinjaToken *end);
gboolean pt_jinja_parser_is_op (const PtJinjaParser *parser, int op);
gboolean pt_jinja_parser_is_name (const PtJinjaParser *parser, const char *name);
gboolean pt_jinja_parser_skip_op (PtJinjaParser *parser, int op);
gboolean pt_jinja_parser_skip_name (PtJinjaParser *parser, const char *name);
gboolean pt_jinja_parser_expect_op (PtJinjaParser *parser, int op);
/** The next token, a name, or NULL with an error. */
const char *pt_jinja_parser_take_name (PtJinjaParser *parser);

PtJinjaNode *pt_jinja_parse_expression (PtJinjaParser *parser);
/** An expression without "if ... else". */
PtJinjaNode *pt_jinja_parse_plain (PtJinjaParser *parser);
/** Parse expressions separated by commas: a tuple. */
PtJinjaNode *pt_jinja_parse_tuple (PtJinjaParser *parser, gboolean plain);
/** Parse a name, names separated by commas, or an attribute of a namespace. */
PtJinjaNode *pt_jinja_parse_target (PtJinjaParser *parser, gboolean attribute);
/** Parse the name and the arguments of a filter, and further filters; @a: the input. */
PtJinjaNode *pt_jinja_parse_filter (PtJinjaParser *parser, PtJinjaNode *a);
/** Parse what follows a primary: attributes, items, calls. */
PtJinjaNode *pt_jinja_parse_postfix (PtJinjaParser *parser, PtJinjaNode *node);
PtJinjaNode *pt_jinja_parse_primary (PtJinjaParser *parser);

G_END_DECLS
