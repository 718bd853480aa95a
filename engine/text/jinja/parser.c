/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/jinja/parser.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/jinja/jinja.h"

#define MAX_DEPTH 100
/* Of what is below a node. */
#define MAX_NESTING 200
#define MAX_TEMPLATE (1024 * 1024)
#define MAX_TREE (256 * 1024 * 1024)

/* ---- helpers of statements and expressions ---- */

gpointer
pt_jinja_parser_fail (PtJinjaParser *self, PtError code, const char *what)
{
  if (!self->failed)
    pt_fail (self->error, code, "The chat template %s: line %u: %s.",
             code == PT_ERROR_FORMAT ? "is damaged" : "is not supported", self->token->line, what);
  self->failed = TRUE;
  return NULL;
}

PtJinjaNode *
pt_jinja_parser_node (PtJinjaParser *self, PtJinjaNodeKind kind, PtJinjaNode *a, PtJinjaNode *b)
{
  PtJinjaNode *node;

  if (self->failed)
    return NULL;
  node = pt_jinja_heap_take (self->tree->heap, sizeof *node);
  if (node == NULL)
    return pt_jinja_parser_fail (self, PT_ERROR_MEMORY, "it is too long");
  node->kind = kind;
  node->line = self->token->line;
  node->a = a;
  node->b = b;
  node->depth = 1 + MAX (a != NULL ? a->depth : 0, b != NULL ? b->depth : 0);
  if (node->depth > MAX_NESTING)
    return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "an expression is nested too deeply");
  return node;
}

const char *
pt_jinja_parser_intern (PtJinjaParser *self, const char *name, gsize length)
{
  g_autofree char *copy = g_strndup (name, length);
  char *known = g_hash_table_lookup (self->tree->names, copy);

  if (known == NULL) {
    known = g_steal_pointer (&copy);
    g_hash_table_add (self->tree->names, known);
  }
  return known;
}

const PtJinjaText *
pt_jinja_parser_text (PtJinjaParser *self, const PtJinjaToken *begin, const PtJinjaToken *end)
{
  PtJinjaText *text = pt_jinja_heap_take (self->tree->heap, sizeof *text);
  PtJinjaSpan *span = pt_jinja_heap_take (self->tree->heap, sizeof *span);
  gsize length = 0;
  char *bytes;

  for (const PtJinjaToken *token = begin; token < end; token++)
    length += token->length;
  bytes = pt_jinja_heap_take (self->tree->heap, length + 1);
  if (text == NULL || span == NULL || bytes == NULL)
    return pt_jinja_parser_fail (self, PT_ERROR_MEMORY, "it is too long");
  *text = (PtJinjaText){ bytes, length, span, length > 0 };
  *span = (PtJinjaSpan){ length, PT_JINJA_TEMPLATE, 0 };
  for (const PtJinjaToken *token = begin; token < end; bytes += token++->length)
    if (token->length > 0)
      memcpy (bytes, token->text, token->length);
  return text;
}

gboolean
pt_jinja_parser_is_op (const PtJinjaParser *self, int op)
{
  return self->token->kind == PT_JINJA_TOKEN_OPERATOR && self->token->op == op;
}

gboolean
pt_jinja_parser_is_name (const PtJinjaParser *self, const char *name)
{
  return self->token->kind == PT_JINJA_TOKEN_NAME && self->token->length == strlen (name) &&
         memcmp (self->token->text, name, self->token->length) == 0;
}

gboolean
pt_jinja_parser_skip_op (PtJinjaParser *self, int op)
{
  if (!pt_jinja_parser_is_op (self, op))
    return FALSE;
  self->token++;
  return TRUE;
}

gboolean
pt_jinja_parser_skip_name (PtJinjaParser *self, const char *name)
{
  if (!pt_jinja_parser_is_name (self, name))
    return FALSE;
  self->token++;
  return TRUE;
}

gboolean
pt_jinja_parser_expect_op (PtJinjaParser *self, int op)
{
  char what[] = "“?” is missing";

  if (self->failed)
    return FALSE;
  if (pt_jinja_parser_skip_op (self, op))
    return TRUE;
  what[strlen ("“")] = (char) op;
  pt_jinja_parser_fail (self, PT_ERROR_FORMAT, what);
  return FALSE;
}

const char *
pt_jinja_parser_take_name (PtJinjaParser *self)
{
  if (self->failed)
    return NULL;
  if (self->token->kind != PT_JINJA_TOKEN_NAME)
    return pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "a name is missing");
  self->token++;
  return pt_jinja_parser_intern (self, self->token[-1].text, self->token[-1].length);
}

/* ---- statements ---- */

static PtJinjaNode *parse_body (PtJinjaParser *self, const char *const *ends);

static gboolean
expect (PtJinjaParser *self, PtJinjaTokenKind kind, const char *what)
{
  if (self->failed)
    return FALSE;
  if (self->token->kind != kind) {
    pt_jinja_parser_fail (self, PT_ERROR_FORMAT, what);
    return FALSE;
  }
  self->token++;
  return TRUE;
}

static gboolean
end_tag (PtJinjaParser *self)
{
  return expect (self, PT_JINJA_TOKEN_TAG_END, "a tag goes on where it should end");
}

/** Parses the body of a tag and its end tag up to the end tag's closing mark. */
static PtJinjaNode *
parse_block (PtJinjaParser *self, const char *end)
{
  const char *const ends[] = { end, NULL };
  PtJinjaNode *body;

  if (!end_tag (self))
    return NULL;
  body = parse_body (self, ends);
  if (!self->failed)
    self->token++;
  return body;
}

static PtJinjaNode *
parse_if (PtJinjaParser *self)
{
  static const char *const ends[] = { "elif", "else", "endif", NULL };
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_IF, NULL, NULL);
  PtJinjaNode **last = node != NULL ? &node->a : NULL;
  gboolean last_one = FALSE;

  while (!self->failed) {
    PtJinjaNode *branch = pt_jinja_parser_node (self, PT_JINJA_NODE_BRANCH, NULL, NULL);

    if (branch == NULL)
      return NULL;
    if (!last_one)
      branch->a = pt_jinja_parse_tuple (self, FALSE);
    if (!end_tag (self))
      return NULL;
    branch->b = parse_body (self, ends);
    *last = branch;
    last = &branch->next;
    if (self->failed || pt_jinja_parser_skip_name (self, "endif"))
      break;
    if (last_one)
      return pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "“endif” is missing");
    last_one = pt_jinja_parser_is_name (self, "else");
    self->token++;
  }
  return node;
}

static PtJinjaNode *
parse_for (PtJinjaParser *self)
{
  static const char *const ends[] = { "else", "endfor", NULL };
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_FOR, NULL, NULL);

  if (node == NULL)
    return NULL;
  node->name = pt_jinja_parser_intern (self, "loop", strlen ("loop"));
  node->a = pt_jinja_parse_target (self, FALSE);
  if (!self->failed && !pt_jinja_parser_skip_name (self, "in"))
    return pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "“in” is missing");
  node->b = pt_jinja_parse_tuple (self, TRUE);
  if (!self->failed && pt_jinja_parser_skip_name (self, "if"))
    node->c = pt_jinja_parse_expression (self);
  if (!self->failed && pt_jinja_parser_is_name (self, "recursive"))
    return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "a loop calls itself");
  if (!end_tag (self))
    return NULL;
  node->body = parse_body (self, ends);
  if (self->failed)
    return NULL;
  if (pt_jinja_parser_skip_name (self, "else"))
    node->otherwise = parse_block (self, "endfor");
  else
    self->token++;
  return node;
}

static PtJinjaNode *
parse_set (PtJinjaParser *self)
{
  PtJinjaNode *target = pt_jinja_parse_target (self, TRUE), *node;

  if (self->failed)
    return NULL;
  if (pt_jinja_parser_skip_op (self, '=')) {
    PtJinjaNode *value = pt_jinja_parse_tuple (self, FALSE);

    return pt_jinja_parser_node (self, PT_JINJA_NODE_SET, target, value);
  }
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_SET_BLOCK, target, NULL);
  if (node != NULL && pt_jinja_parser_skip_op (self, '|'))
    node->b = pt_jinja_parse_filter (self, NULL);
  if (!self->failed)
    node->body = parse_block (self, "endset");
  return node;
}

/** Parses parameters in brackets. */
static PtJinjaNode *
parse_parameters (PtJinjaParser *self)
{
  PtJinjaNode *first = NULL, **last = &first;

  if (!pt_jinja_parser_expect_op (self, '('))
    return NULL;
  while (!self->failed && !pt_jinja_parser_is_op (self, ')')) {
    PtJinjaNode *parameter;

    if (first != NULL && !pt_jinja_parser_expect_op (self, ','))
      return NULL;
    if (pt_jinja_parser_is_op (self, ')'))
      break;
    parameter = pt_jinja_parser_node (self, PT_JINJA_NODE_PARAMETER, NULL, NULL);
    if (parameter == NULL)
      return NULL;
    parameter->name = pt_jinja_parser_take_name (self);
    if (!self->failed && pt_jinja_parser_skip_op (self, '='))
      parameter->a = pt_jinja_parse_expression (self);
    *last = parameter;
    last = &parameter->next;
  }
  pt_jinja_parser_expect_op (self, ')');
  return first;
}

static PtJinjaNode *
parse_macro (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_MACRO, NULL, NULL);

  if (node == NULL)
    return NULL;
  node->name = pt_jinja_parser_take_name (self);
  node->a = parse_parameters (self);
  node->body = parse_block (self, "endmacro");
  return node;
}

static PtJinjaNode *
parse_call_block (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_CALL_BLOCK, NULL, NULL);
  PtJinjaNode *macro = pt_jinja_parser_node (self, PT_JINJA_NODE_MACRO, NULL, NULL);

  if (node == NULL || macro == NULL)
    return NULL;
  macro->name = pt_jinja_parser_intern (self, "caller", strlen ("caller"));
  if (pt_jinja_parser_is_op (self, '('))
    macro->a = parse_parameters (self);
  node->a = macro;
  node->b = pt_jinja_parse_expression (self);
  if (node->b != NULL && node->b->kind != PT_JINJA_NODE_CALL)
    return pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "a call calls nothing");
  macro->body = parse_block (self, "endcall");
  return node;
}

static PtJinjaNode *
parse_filter_block (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_FILTER_BLOCK,
                                            pt_jinja_parse_filter (self, NULL), NULL);

  if (node != NULL)
    node->body = parse_block (self, "endfilter");
  return node;
}

static PtJinjaNode *
parse_with (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_WITH, NULL, NULL), **last;

  if (node == NULL)
    return NULL;
  last = &node->a;
  while (!self->failed && self->token->kind != PT_JINJA_TOKEN_TAG_END) {
    PtJinjaNode *target;

    if (node->a != NULL && !pt_jinja_parser_expect_op (self, ','))
      return NULL;
    target = pt_jinja_parse_target (self, FALSE);
    if (!pt_jinja_parser_expect_op (self, '='))
      return NULL;
    *last =
        pt_jinja_parser_node (self, PT_JINJA_NODE_SET, target, pt_jinja_parse_expression (self));
    if (*last != NULL)
      last = &(*last)->next;
  }
  node->body = parse_block (self, "endwith");
  return node;
}

static PtJinjaNode *
parse_generation (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_WITH, NULL, NULL);

  if (node != NULL)
    node->body = parse_block (self, "endgeneration");
  return node;
}

static PtJinjaNode *
parse_break (PtJinjaParser *self)
{
  return pt_jinja_parser_node (self, PT_JINJA_NODE_BREAK, NULL, NULL);
}

static PtJinjaNode *
parse_continue (PtJinjaParser *self)
{
  return pt_jinja_parser_node (self, PT_JINJA_NODE_CONTINUE, NULL, NULL);
}

static PtJinjaNode *
parse_statement (PtJinjaParser *self)
{
  static const struct {
    const char *name;
    PtJinjaNode *(*parse) (PtJinjaParser *self);
  } statements[] = {
    { "if", parse_if },           { "for", parse_for },
    { "set", parse_set },         { "macro", parse_macro },
    { "call", parse_call_block }, { "filter", parse_filter_block },
    { "with", parse_with },       { "generation", parse_generation },
    { "break", parse_break },     { "continue", parse_continue },
  };
  PtJinjaNode *node;

  for (gsize i = 0; i < G_N_ELEMENTS (statements); i++)
    if (pt_jinja_parser_skip_name (self, statements[i].name)) {
      node = statements[i].parse (self);
      return end_tag (self) ? node : NULL;
    }
  return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "a tag is not known");
}

static PtJinjaNode *
parse_data (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_DATA, NULL, NULL);

  if (node != NULL)
    node->value = pt_jinja_text (pt_jinja_parser_text (self, self->token, self->token + 1));
  self->token++;
  return node;
}

static gboolean
is_end (const PtJinjaParser *self, const char *const *ends)
{
  for (; ends != NULL && *ends != NULL; ends++)
    if (pt_jinja_parser_is_name (self, *ends))
      return TRUE;
  return FALSE;
}

/** Parses up to one of the tags @ends, whose name is then the next token; NULL: up to the end. */
static PtJinjaNode *
parse_body (PtJinjaParser *self, const char *const *ends)
{
  PtJinjaNode *first = NULL, **last = &first;

  if (++self->depth > MAX_DEPTH)
    return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "its tags are nested too deeply");
  while (!self->failed && self->token->kind != PT_JINJA_TOKEN_END) {
    PtJinjaNode *node;

    if (self->token->kind == PT_JINJA_TOKEN_DATA) {
      node = parse_data (self);
    } else if (self->token->kind == PT_JINJA_TOKEN_PRINT_BEGIN) {
      self->token++;
      node = pt_jinja_parser_node (self, PT_JINJA_NODE_PRINT, pt_jinja_parse_tuple (self, FALSE),
                                   NULL);
      expect (self, PT_JINJA_TOKEN_PRINT_END, "what is printed goes on where it should end");
    } else {
      self->token++;
      if (is_end (self, ends)) {
        self->depth--;
        return first;
      }
      node = parse_statement (self);
    }
    *last = node;
    if (node != NULL)
      last = &node->next;
  }
  self->depth--;
  if (!self->failed && ends != NULL)
    return pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "a tag is not closed");
  return first;
}

/* ---- the tree ---- */

PtJinjaTree *
pt_jinja_new (const char *text, gsize length, GError **error)
{
  g_autoptr (PtJinjaTree) tree = NULL;
  g_autoptr (PtJinjaWords) words = NULL;
  PtJinjaParser self = { .error = error };

  if (length > MAX_TEMPLATE || !g_utf8_validate_len (text, length, NULL)) {
    pt_fail (error, PT_ERROR_FORMAT, "The chat template is %s.",
             length > MAX_TEMPLATE ? "too long to be one" : "not UTF-8");
    return NULL;
  }
  words = pt_jinja_lex (text, length, error);
  if (words == NULL)
    return NULL;
  tree = g_new0 (PtJinjaTree, 1);
  tree->heap = pt_jinja_heap_new (MAX_TREE);
  tree->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.tree = tree;
  self.token = (const PtJinjaToken *) (gpointer) words->tokens->data;
  tree->body = parse_body (&self, NULL);
  return self.failed ? NULL : g_steal_pointer (&tree);
}

void
pt_jinja_free (PtJinjaTree *tree)
{
  if (tree == NULL)
    return;
  pt_jinja_heap_free (tree->heap);
  g_hash_table_unref (tree->names);
  g_free (tree);
}
