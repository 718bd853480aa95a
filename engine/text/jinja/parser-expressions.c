/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/jinja/parser.h"

/* Precedence and grammar are those of Jinja 3.1. */

static PtJinjaNode *parse_unary (PtJinjaParser *self, gboolean filters);

static PtJinjaNode *
binary (PtJinjaParser *self, int op, PtJinjaNode *a, PtJinjaNode *b)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_BINARY, a, b);

  if (node != NULL)
    node->op = op;
  return node;
}

/** Appends @node to the list that ends at @last. */
static PtJinjaNode **
chain (PtJinjaNode **last, PtJinjaNode *node)
{
  *last = node;
  return node != NULL ? &node->next : last;
}

/** Adds the depth of the lists below a node, which were parsed after it. */
static void
deepen (PtJinjaParser *self, PtJinjaNode *node, const PtJinjaNode *child)
{
  if (node == NULL || child == NULL)
    return;
  node->depth = MAX (node->depth, child->depth + 1);
  if (node->depth > 200)
    pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "an expression is nested too deeply");
}

/* ---- lists of things ---- */

/** name=value, *list or **mapping. */
static PtJinjaNode *
parse_keyword (PtJinjaParser *self, int op)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_KEYWORD, NULL, NULL);

  if (node == NULL)
    return NULL;
  node->op = op;
  if (op == 0)
    node->value = pt_jinja_text (pt_jinja_parser_text (self, self->token, self->token + 1));
  self->token += op == 0 ? 2 : 1;
  node->a = pt_jinja_parse_expression (self);
  deepen (self, node, node->a);
  return node;
}

static PtJinjaNode *
parse_argument (PtJinjaParser *self)
{
  if (pt_jinja_parser_is_op (self, '*') || pt_jinja_parser_is_op (self, PT_JINJA_POW))
    return parse_keyword (self, self->token->op);
  if (self->token->kind == PT_JINJA_TOKEN_NAME && self->token[1].kind == PT_JINJA_TOKEN_OPERATOR &&
      self->token[1].op == '=')
    return parse_keyword (self, 0);
  return pt_jinja_parse_expression (self);
}

/** Arguments up to the closing bracket. */
static PtJinjaNode *
parse_arguments (PtJinjaParser *self, PtJinjaNode *call)
{
  PtJinjaNode *first = NULL, **last = &first;

  while (!self->failed && !pt_jinja_parser_is_op (self, ')')) {
    PtJinjaNode *argument;

    if (first != NULL && !pt_jinja_parser_expect_op (self, ','))
      return NULL;
    if (pt_jinja_parser_is_op (self, ')'))
      break;
    argument = parse_argument (self);
    deepen (self, call, argument);
    last = chain (last, argument);
  }
  pt_jinja_parser_expect_op (self, ')');
  return first;
}

static PtJinjaNode *
parse_list (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_LIST, NULL, NULL), **last;

  if (node == NULL || !pt_jinja_parser_expect_op (self, '['))
    return NULL;
  last = &node->a;
  while (!self->failed && !pt_jinja_parser_is_op (self, ']')) {
    PtJinjaNode *item;

    if (node->a != NULL && !pt_jinja_parser_expect_op (self, ','))
      return NULL;
    if (pt_jinja_parser_is_op (self, ']'))
      break;
    item = pt_jinja_parse_expression (self);
    deepen (self, node, item);
    last = chain (last, item);
  }
  pt_jinja_parser_expect_op (self, ']');
  return node;
}

static PtJinjaNode *
parse_dict (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_DICT, NULL, NULL), **last;

  if (node == NULL || !pt_jinja_parser_expect_op (self, '{'))
    return NULL;
  last = &node->a;
  while (!self->failed && !pt_jinja_parser_is_op (self, '}')) {
    PtJinjaNode *key, *value;

    if (node->a != NULL && !pt_jinja_parser_expect_op (self, ','))
      return NULL;
    if (pt_jinja_parser_is_op (self, '}'))
      break;
    key = pt_jinja_parse_expression (self);
    if (!pt_jinja_parser_expect_op (self, ':'))
      return NULL;
    value = pt_jinja_parse_expression (self);
    deepen (self, node, key);
    deepen (self, node, value);
    last = chain (chain (last, key), value);
  }
  pt_jinja_parser_expect_op (self, '}');
  return node;
}

PtJinjaNode *
pt_jinja_parse_tuple (PtJinjaParser *self, gboolean plain)
{
  PtJinjaNode *first = plain ? pt_jinja_parse_plain (self) : pt_jinja_parse_expression (self);
  PtJinjaNode *node, **last;

  if (self->failed || !pt_jinja_parser_is_op (self, ','))
    return first;
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_TUPLE, first, NULL);
  if (node == NULL)
    return NULL;
  last = &first->next;
  while (!self->failed && pt_jinja_parser_skip_op (self, ',')) {
    PtJinjaNode *item;

    if (self->token->kind != PT_JINJA_TOKEN_NAME && self->token->kind != PT_JINJA_TOKEN_STRING &&
        self->token->kind != PT_JINJA_TOKEN_INT && self->token->kind != PT_JINJA_TOKEN_FLOAT &&
        !pt_jinja_parser_is_op (self, '(') && !pt_jinja_parser_is_op (self, '[') &&
        !pt_jinja_parser_is_op (self, '{') && !pt_jinja_parser_is_op (self, '-') &&
        !pt_jinja_parser_is_op (self, '+'))
      break;
    item = plain ? pt_jinja_parse_plain (self) : pt_jinja_parse_expression (self);
    deepen (self, node, item);
    last = chain (last, item);
  }
  return node;
}

static PtJinjaNode *
parse_brackets (PtJinjaParser *self)
{
  PtJinjaNode *node;

  self->token++;
  if (pt_jinja_parser_skip_op (self, ')'))
    return pt_jinja_parser_node (self, PT_JINJA_NODE_TUPLE, NULL, NULL);
  node = pt_jinja_parse_tuple (self, FALSE);
  pt_jinja_parser_expect_op (self, ')');
  return node;
}

/* ---- primaries ---- */

static PtJinjaNode *
constant (PtJinjaParser *self, PtJinjaValue value)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_CONST, NULL, NULL);

  if (node != NULL)
    node->value = value;
  return node;
}

/** A string constant; adjacent strings are joined. */
static PtJinjaNode *
parse_string (PtJinjaParser *self)
{
  const PtJinjaToken *begin = self->token;

  while (self->token->kind == PT_JINJA_TOKEN_STRING)
    self->token++;
  return constant (self, pt_jinja_text (pt_jinja_parser_text (self, begin, self->token)));
}

static PtJinjaNode *
parse_name (PtJinjaParser *self)
{
  static const struct {
    const char *name;
    PtJinjaValue value;
  } words[] = {
    { "true", { .kind = PT_JINJA_BOOL, .truth = TRUE } },
    { "True", { .kind = PT_JINJA_BOOL, .truth = TRUE } },
    { "false", { .kind = PT_JINJA_BOOL, .truth = FALSE } },
    { "False", { .kind = PT_JINJA_BOOL, .truth = FALSE } },
    { "none", { .kind = PT_JINJA_NONE } },
    { "None", { .kind = PT_JINJA_NONE } },
  };
  PtJinjaNode *node;

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (pt_jinja_parser_skip_name (self, words[i].name))
      return constant (self, words[i].value);
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_NAME, NULL, NULL);
  if (node != NULL)
    node->name = pt_jinja_parser_take_name (self);
  return node;
}

PtJinjaNode *
pt_jinja_parse_primary (PtJinjaParser *self)
{
  const PtJinjaToken *token = self->token;

  switch (token->kind) {
  case PT_JINJA_TOKEN_NAME: return parse_name (self);
  case PT_JINJA_TOKEN_STRING: return parse_string (self);
  case PT_JINJA_TOKEN_INT: self->token++; return constant (self, pt_jinja_int (token->integer));
  case PT_JINJA_TOKEN_FLOAT: self->token++; return constant (self, pt_jinja_float (token->real));
  default: break;
  }
  if (pt_jinja_parser_is_op (self, '('))
    return parse_brackets (self);
  if (pt_jinja_parser_is_op (self, '['))
    return parse_list (self);
  if (pt_jinja_parser_is_op (self, '{'))
    return parse_dict (self);
  return pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "a value is missing");
}

/* ---- postfix expressions ---- */

/** One of up to three parts of a slice; it ends before a colon or the bracket. */
static PtJinjaNode *
parse_slice_part (PtJinjaParser *self)
{
  if (pt_jinja_parser_is_op (self, ':') || pt_jinja_parser_is_op (self, ']'))
    return NULL;
  return pt_jinja_parse_expression (self);
}

static PtJinjaNode *
parse_subscript (PtJinjaParser *self)
{
  PtJinjaNode *first = parse_slice_part (self), *slice;

  if (self->failed || !pt_jinja_parser_skip_op (self, ':'))
    return first != NULL ? first
                         : pt_jinja_parser_fail (self, PT_ERROR_FORMAT, "an index is missing");
  slice = pt_jinja_parser_node (self, PT_JINJA_NODE_SLICE, first, parse_slice_part (self));
  if (slice != NULL && pt_jinja_parser_skip_op (self, ':')) {
    slice->c = parse_slice_part (self);
    deepen (self, slice, slice->c);
  }
  return slice;
}

static PtJinjaNode *
parse_attribute (PtJinjaParser *self, PtJinjaNode *node)
{
  if (self->token->kind == PT_JINJA_TOKEN_INT) {
    PtJinjaValue index = pt_jinja_int (self->token++->integer);

    return pt_jinja_parser_node (self, PT_JINJA_NODE_ITEM, node, constant (self, index));
  }
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_ATTRIBUTE, node, NULL);
  if (node != NULL)
    node->name = pt_jinja_parser_take_name (self);
  return node;
}

static PtJinjaNode *
parse_call (PtJinjaParser *self, PtJinjaNode *node)
{
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_CALL, node, NULL);
  if (node != NULL)
    node->b = parse_arguments (self, node);
  return node;
}

PtJinjaNode *
pt_jinja_parse_postfix (PtJinjaParser *self, PtJinjaNode *node)
{
  while (!self->failed) {
    if (pt_jinja_parser_skip_op (self, '.')) {
      node = parse_attribute (self, node);
    } else if (pt_jinja_parser_skip_op (self, '[')) {
      node = pt_jinja_parser_node (self, PT_JINJA_NODE_ITEM, node, parse_subscript (self));
      pt_jinja_parser_expect_op (self, ']');
    } else if (pt_jinja_parser_skip_op (self, '(')) {
      node = parse_call (self, node);
    } else {
      return node;
    }
  }
  return NULL;
}

static PtJinjaNode *
parse_one_filter (PtJinjaParser *self, PtJinjaNode *a)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_FILTER, a, NULL);

  if (node == NULL)
    return NULL;
  node->name = pt_jinja_parser_take_name (self);
  if (!self->failed && pt_jinja_parser_skip_op (self, '('))
    node->b = parse_arguments (self, node);
  return node;
}

PtJinjaNode *
pt_jinja_parse_filter (PtJinjaParser *self, PtJinjaNode *a)
{
  PtJinjaNode *node = parse_one_filter (self, a);

  while (!self->failed && pt_jinja_parser_skip_op (self, '|'))
    node = parse_one_filter (self, node);
  return node;
}

/** Whether the next token is an argument of a test without brackets. */
static gboolean
argument_follows (const PtJinjaParser *self)
{
  switch (self->token->kind) {
  case PT_JINJA_TOKEN_STRING:
  case PT_JINJA_TOKEN_INT:
  case PT_JINJA_TOKEN_FLOAT: return TRUE;
  case PT_JINJA_TOKEN_NAME:
    return !pt_jinja_parser_is_name (self, "else") && !pt_jinja_parser_is_name (self, "or") &&
           !pt_jinja_parser_is_name (self, "and") && !pt_jinja_parser_is_name (self, "is");
  default: return pt_jinja_parser_is_op (self, '[') || pt_jinja_parser_is_op (self, '{');
  }
}

static PtJinjaNode *
parse_test (PtJinjaParser *self, PtJinjaNode *a)
{
  gboolean negated = pt_jinja_parser_skip_name (self, "not");
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_TEST, a, NULL);

  if (node == NULL)
    return NULL;
  node->name = pt_jinja_parser_take_name (self);
  if (self->failed)
    return NULL;
  if (pt_jinja_parser_skip_op (self, '(')) {
    node->b = parse_arguments (self, node);
  } else if (argument_follows (self)) {
    node->b = pt_jinja_parse_postfix (self, pt_jinja_parse_primary (self));
    deepen (self, node, node->b);
  }
  return negated ? pt_jinja_parser_node (self, PT_JINJA_NODE_NOT, node, NULL) : node;
}

static PtJinjaNode *
parse_filters (PtJinjaParser *self, PtJinjaNode *node)
{
  while (!self->failed) {
    if (pt_jinja_parser_skip_op (self, '|'))
      node = parse_one_filter (self, node);
    else if (pt_jinja_parser_skip_name (self, "is"))
      node = parse_test (self, node);
    else if (pt_jinja_parser_skip_op (self, '('))
      node = parse_call (self, node);
    else
      return node;
  }
  return NULL;
}

/* ---- operators, from the highest precedence ---- */

static PtJinjaNode *
parse_unary (PtJinjaParser *self, gboolean filters)
{
  PtJinjaNode *node;

  if (++self->depth > 100)
    return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "an expression is nested too deeply");
  if (pt_jinja_parser_skip_op (self, '-'))
    node = pt_jinja_parser_node (self, PT_JINJA_NODE_NEGATIVE, parse_unary (self, FALSE), NULL);
  else if (pt_jinja_parser_skip_op (self, '+'))
    node = pt_jinja_parser_node (self, PT_JINJA_NODE_POSITIVE, parse_unary (self, FALSE), NULL);
  else
    node = pt_jinja_parse_primary (self);
  if (!self->failed)
    node = pt_jinja_parse_postfix (self, node);
  if (!self->failed && filters)
    node = parse_filters (self, node);
  self->depth--;
  return node;
}

static PtJinjaNode *
parse_power (PtJinjaParser *self)
{
  PtJinjaNode *left = parse_unary (self, TRUE);

  while (!self->failed && pt_jinja_parser_skip_op (self, PT_JINJA_POW))
    left = binary (self, PT_JINJA_POW, left, parse_unary (self, TRUE));
  return left;
}

static PtJinjaNode *
parse_product (PtJinjaParser *self)
{
  PtJinjaNode *left = parse_power (self);

  while (!self->failed &&
         (pt_jinja_parser_is_op (self, '*') || pt_jinja_parser_is_op (self, '/') ||
          pt_jinja_parser_is_op (self, PT_JINJA_FLOORDIV) || pt_jinja_parser_is_op (self, '%'))) {
    int op = self->token++->op;

    left = binary (self, op, left, parse_power (self));
  }
  return left;
}

static PtJinjaNode *
parse_concat (PtJinjaParser *self)
{
  PtJinjaNode *first = parse_product (self), *node, **last;

  if (self->failed || !pt_jinja_parser_is_op (self, '~'))
    return first;
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_CONCAT, first, NULL);
  if (node == NULL)
    return NULL;
  last = &first->next;
  while (!self->failed && pt_jinja_parser_skip_op (self, '~')) {
    PtJinjaNode *part = parse_product (self);

    deepen (self, node, part);
    last = chain (last, part);
  }
  return node;
}

static PtJinjaNode *
parse_sum (PtJinjaParser *self)
{
  PtJinjaNode *left = parse_concat (self);

  while (!self->failed &&
         (pt_jinja_parser_is_op (self, '+') || pt_jinja_parser_is_op (self, '-'))) {
    int op = self->token++->op;

    left = binary (self, op, left, parse_concat (self));
  }
  return left;
}

/** Takes the next comparison operator; 0: there is none. */
static int
take_comparison (PtJinjaParser *self)
{
  static const int ops[] = { PT_JINJA_EQ, PT_JINJA_NE, '<', PT_JINJA_LE, '>', PT_JINJA_GE };

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    if (pt_jinja_parser_skip_op (self, ops[i]))
      return ops[i];
  if (pt_jinja_parser_skip_name (self, "in"))
    return PT_JINJA_IN;
  if (pt_jinja_parser_is_name (self, "not")) {
    self->token++;
    if (pt_jinja_parser_skip_name (self, "in"))
      return PT_JINJA_NOT_IN;
    self->token--;
  }
  return 0;
}

static PtJinjaNode *
parse_comparison (PtJinjaParser *self)
{
  PtJinjaNode *first = parse_sum (self), *node, **last;
  int op = self->failed ? 0 : take_comparison (self);

  if (op == 0)
    return first;
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_COMPARE, first, NULL);
  if (node == NULL)
    return NULL;
  last = &node->b;
  for (; op != 0 && !self->failed; op = self->failed ? 0 : take_comparison (self)) {
    PtJinjaNode *other =
        pt_jinja_parser_node (self, PT_JINJA_NODE_COMPARAND, parse_sum (self), NULL);

    if (other != NULL)
      other->op = op;
    deepen (self, node, other);
    last = chain (last, other);
  }
  return node;
}

static PtJinjaNode *
parse_not (PtJinjaParser *self)
{
  PtJinjaNode *node;

  if (!pt_jinja_parser_skip_name (self, "not"))
    return parse_comparison (self);
  if (++self->depth > 100)
    return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "an expression is nested too deeply");
  node = pt_jinja_parser_node (self, PT_JINJA_NODE_NOT, parse_not (self), NULL);
  self->depth--;
  return node;
}

static PtJinjaNode *
parse_and (PtJinjaParser *self)
{
  PtJinjaNode *left = parse_not (self);

  while (!self->failed && pt_jinja_parser_skip_name (self, "and"))
    left = pt_jinja_parser_node (self, PT_JINJA_NODE_AND, left, parse_not (self));
  return left;
}

PtJinjaNode *
pt_jinja_parse_plain (PtJinjaParser *self)
{
  PtJinjaNode *left = parse_and (self);

  while (!self->failed && pt_jinja_parser_skip_name (self, "or"))
    left = pt_jinja_parser_node (self, PT_JINJA_NODE_OR, left, parse_and (self));
  return left;
}

PtJinjaNode *
pt_jinja_parse_expression (PtJinjaParser *self)
{
  PtJinjaNode *node;

  if (++self->depth > 100)
    return pt_jinja_parser_fail (self, PT_ERROR_UNSUPPORTED, "an expression is nested too deeply");
  node = pt_jinja_parse_plain (self);
  while (!self->failed && pt_jinja_parser_skip_name (self, "if")) {
    node = pt_jinja_parser_node (self, PT_JINJA_NODE_CHOICE, node, pt_jinja_parse_plain (self));
    if (node != NULL && pt_jinja_parser_skip_name (self, "else")) {
      node->c = pt_jinja_parse_expression (self);
      deepen (self, node, node->c);
    }
  }
  self->depth--;
  return node;
}

/* ---- targets of assignments ---- */

static PtJinjaNode *
parse_target_name (PtJinjaParser *self)
{
  PtJinjaNode *node = pt_jinja_parser_node (self, PT_JINJA_NODE_NAME, NULL, NULL);

  if (node != NULL)
    node->name = pt_jinja_parser_take_name (self);
  return node;
}

PtJinjaNode *
pt_jinja_parse_target (PtJinjaParser *self, gboolean attribute)
{
  gboolean bracket = !attribute && pt_jinja_parser_skip_op (self, '(');
  PtJinjaNode *first = parse_target_name (self), *node = first, **last;

  if (self->failed)
    return NULL;
  if (attribute && pt_jinja_parser_skip_op (self, '.')) {
    node = pt_jinja_parser_node (self, PT_JINJA_NODE_ATTRIBUTE, first, NULL);
    if (node != NULL)
      node->name = pt_jinja_parser_take_name (self);
    return node;
  }
  if (pt_jinja_parser_is_op (self, ',')) {
    node = pt_jinja_parser_node (self, PT_JINJA_NODE_TUPLE, first, NULL);
    last = &first->next;
    while (!self->failed && pt_jinja_parser_skip_op (self, ','))
      last = chain (last, parse_target_name (self));
  }
  if (bracket)
    pt_jinja_parser_expect_op (self, ')');
  return node;
}
