/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/lexer.h"
#include "engine/text/jinja/node.h"

G_BEGIN_DECLS

/*
 * Words to a tree. Everything returns NULL (or FALSE) once there is an error, which keeps the first
 * one.
 */

typedef struct {
  PtJinjaTree *tree;
  const PtJinjaToken *token; /* the next one */
  guint depth;
  GError **error;
  gboolean failed;
} PtJinjaParser;

/* Shared by statements and expressions. */
gpointer pt_jinja_parser_fail (PtJinjaParser *parser, PtError code, const char *what);
PtJinjaNode *pt_jinja_parser_node (PtJinjaParser *parser, PtJinjaNodeKind kind, PtJinjaNode *a,
                                   PtJinjaNode *b);
const char *pt_jinja_parser_intern (PtJinjaParser *parser, const char *name, gsize length);
/** The text of the tokens [begin, end), which becomes the template's own. */
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
/** Expressions with commas between them are a tuple. */
PtJinjaNode *pt_jinja_parse_tuple (PtJinjaParser *parser, gboolean plain);
/** A name, names with commas between them, or an attribute of a namespace. */
PtJinjaNode *pt_jinja_parse_target (PtJinjaParser *parser, gboolean attribute);
/** Name and arguments of a filter, then further ones; @a is what goes in. */
PtJinjaNode *pt_jinja_parse_filter (PtJinjaParser *parser, PtJinjaNode *a);
/** What follows a primary: attributes, items, calls. */
PtJinjaNode *pt_jinja_parse_postfix (PtJinjaParser *parser, PtJinjaNode *node);
PtJinjaNode *pt_jinja_parse_primary (PtJinjaParser *parser);

G_END_DECLS
