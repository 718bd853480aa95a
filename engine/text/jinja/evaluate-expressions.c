/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/jinja/render.h"

/* ---- names and arguments ---- */

gboolean
pt_jinja_argument (const PtJinjaArguments *arguments, guint index, const char *name,
                   PtJinjaValue *value)
{
  if (index < arguments->n) {
    *value = arguments->values[index];
    return TRUE;
  }
  for (guint i = 0; i < arguments->n_named; i++)
    if (pt_jinja_text_is (arguments->names[i].text, name)) {
      *value = arguments->named[i];
      return TRUE;
    }
  return FALSE;
}

PtJinjaValue
pt_jinja_argument_or (const PtJinjaArguments *arguments, guint index, const char *name,
                      PtJinjaValue fallback)
{
  pt_jinja_argument (arguments, index, name, &fallback);
  return fallback;
}

PtJinjaFunc
pt_jinja_builtin (const PtJinjaBuiltin *table, const char *name)
{
  for (; table->name != NULL; table++)
    if (strcmp (table->name, name) == 0)
      return table->func;
  return NULL;
}

static PtJinjaValue
bind (PtJinjaRender *self, PtJinjaFunc func, PtJinjaValue value)
{
  PtJinjaBound *bound;

  if (func == NULL)
    return PT_JINJA_NOTHING;
  bound = pt_jinja_take (self, 1, sizeof *bound);
  if (bound == NULL)
    return PT_JINJA_NOTHING;
  *bound = (PtJinjaBound){ func, value };
  return (PtJinjaValue){ .kind = PT_JINJA_FUNCTION, .bound = bound };
}

static PtJinjaValue
look_up (PtJinjaRender *self, PtJinjaFrame *frame, const char *name)
{
  for (; frame != NULL; frame = frame->parent) {
    gboolean global = frame == &self->globals;

    for (const PtJinjaVariable *v = frame->variables; v != NULL; v = v->next)
      if (v->name == name || (global && strcmp (v->name, name) == 0))
        return v->value;
    if (!pt_jinja_step (self, 1))
      return PT_JINJA_NOTHING;
  }
  return bind (self, pt_jinja_builtin (pt_jinja_functions, name), PT_JINJA_NOTHING);
}

/** Adds the items of *list (@op is '*') or **mapping to the arguments. */
static void
collect_all (PtJinjaRender *self, PtJinjaValue value, int op, PtJinjaList *values,
             PtJinjaDict *named)
{
  const PtJinjaList *items = NULL;

  if (pt_jinja_failed (self))
    return;
  if (op == '*')
    items = pt_jinja_items (self, value);
  else if (value.kind != PT_JINJA_DICT)
    pt_jinja_fail (self, PT_ERROR_TYPE, "%s is no mapping.", pt_jinja_kind_name (value.kind));
  for (guint i = 0; items != NULL && i < items->n; i++)
    pt_jinja_append (self, values, items->items[i]);
  for (guint i = 0; op != '*' && !pt_jinja_failed (self) && i < value.dict->n; i++) {
    if (value.dict->keys[i].kind == PT_JINJA_TEXT)
      pt_jinja_put (self, named, value.dict->keys[i], value.dict->values[i]);
    else
      pt_jinja_fail (self, PT_ERROR_TYPE, "the name of an argument is no text.");
  }
}

gboolean
pt_jinja_collect (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *first,
                  PtJinjaArguments *arguments)
{
  PtJinjaList values = { 0 };
  PtJinjaDict named = { 0 };

  for (const PtJinjaNode *node = first; node != NULL && !pt_jinja_failed (self);
       node = node->next) {
    gboolean by_name = node->kind == PT_JINJA_NODE_KEYWORD;
    PtJinjaValue value = pt_jinja_evaluate (self, frame, by_name ? node->a : node);

    if (!by_name)
      pt_jinja_append (self, &values, value);
    else if (node->op != 0)
      collect_all (self, value, node->op, &values, &named);
    else
      pt_jinja_put (self, &named, node->value, value);
  }
  *arguments = (PtJinjaArguments){ values.items, values.n, named.keys, named.values, named.n };
  return !pt_jinja_failed (self);
}

/* ---- attributes and items ---- */

static PtJinjaValue
loop_item (const PtJinjaLoop *loop, gint64 index)
{
  return index >= 0 && index < loop->items->n ? loop->items->items[index] : PT_JINJA_NOTHING;
}

static PtJinjaValue
loop_attribute (const PtJinjaLoop *loop, const char *name)
{
  gint64 i = loop->index, n = loop->items->n;
  const struct {
    const char *name;
    PtJinjaValue value;
  } attributes[] = {
    { "index", pt_jinja_int (i + 1) },       { "index0", pt_jinja_int (i) },
    { "revindex", pt_jinja_int (n - i) },    { "revindex0", pt_jinja_int (n - i - 1) },
    { "first", pt_jinja_bool (i == 0) },     { "last", pt_jinja_bool (i + 1 >= n) },
    { "length", pt_jinja_int (n) },          { "depth", pt_jinja_int (1) },
    { "depth0", pt_jinja_int (0) },          { "previtem", loop_item (loop, i - 1) },
    { "nextitem", loop_item (loop, i + 1) },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (attributes); k++)
    if (strcmp (attributes[k].name, name) == 0)
      return attributes[k].value;
  return PT_JINJA_NOTHING;
}

static PtJinjaValue
method_of (PtJinjaRender *self, PtJinjaValue value, const char *name)
{
  const PtJinjaBuiltin *table = value.kind == PT_JINJA_TEXT   ? pt_jinja_text_methods
                                : value.kind == PT_JINJA_DICT ? pt_jinja_dict_methods
                                : pt_jinja_is_list (value)    ? pt_jinja_list_methods
                                                              : NULL;

  return table != NULL ? bind (self, pt_jinja_builtin (table, name), value) : PT_JINJA_NOTHING;
}

static PtJinjaValue
undefined_inside (PtJinjaRender *self, const char *what)
{
  pt_jinja_fail (self, PT_ERROR_ARGUMENT, "“%.64s” is asked of something undefined.", what);
  return PT_JINJA_NOTHING;
}

PtJinjaValue
pt_jinja_attribute (PtJinjaRender *self, PtJinjaValue value, const char *name)
{
  PtJinjaValue method;
  const PtJinjaValue *found;

  if (value.kind == PT_JINJA_UNDEFINED)
    return undefined_inside (self, name);
  if (value.kind == PT_JINJA_LOOP)
    return loop_attribute (value.loop, name);
  method = method_of (self, value, name);
  if (method.kind != PT_JINJA_UNDEFINED ||
      (value.kind != PT_JINJA_DICT && value.kind != PT_JINJA_NAMESPACE))
    return method;
  found = pt_jinja_find_name (self, value.dict, name);
  return found != NULL ? *found : PT_JINJA_NOTHING;
}

/** The character at @index of a text. */
static PtJinjaValue
character (PtJinjaRender *self, const PtJinjaText *text, gint64 index)
{
  const char *at;
  gint64 n = (gint64) pt_jinja_text_count (self, text);
  gsize begin;

  if (index < 0)
    index += n;
  if (index < 0 || index >= n || pt_jinja_failed (self))
    return PT_JINJA_NOTHING;
  at = g_utf8_offset_to_pointer (text->bytes, (glong) index);
  begin = (gsize) (at - text->bytes);
  return pt_jinja_slice_text (self, text, begin, begin + (gsize) g_utf8_skip[(guint8) *at]);
}

PtJinjaValue
pt_jinja_item (PtJinjaRender *self, PtJinjaValue value, PtJinjaValue key)
{
  const PtJinjaValue *found = NULL;
  gint64 index;

  if (value.kind == PT_JINJA_UNDEFINED)
    return undefined_inside (self, "[ ]");
  if (value.kind == PT_JINJA_DICT)
    found = pt_jinja_find (self, value.dict, key);
  if (found != NULL)
    return *found;
  if (key.kind == PT_JINJA_TEXT) {
    g_autofree char *name = g_strndup (key.text->bytes, key.text->length);

    return pt_jinja_attribute (self, value, name);
  }
  if (key.kind != PT_JINJA_INT && key.kind != PT_JINJA_BOOL)
    return PT_JINJA_NOTHING;
  index = pt_jinja_whole (key);
  if (value.kind == PT_JINJA_TEXT)
    return character (self, value.text, index);
  if (!pt_jinja_is_list (value))
    return PT_JINJA_NOTHING;
  if (index < 0)
    index += value.list->n;
  return index >= 0 && index < value.list->n ? value.list->items[index] : PT_JINJA_NOTHING;
}

static PtJinjaValue
evaluate_item (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue value = pt_jinja_evaluate (self, frame, node->a), parts[3];
  const PtJinjaNode *nodes[3] = { node->b->a, node->b->b, node->b->c };

  if (node->b->kind != PT_JINJA_NODE_SLICE)
    return pt_jinja_item (self, value, pt_jinja_evaluate (self, frame, node->b));
  for (guint i = 0; i < 3; i++)
    parts[i] = nodes[i] != NULL ? pt_jinja_evaluate (self, frame, nodes[i]) : PT_JINJA_NULL;
  return pt_jinja_slice (self, value, parts);
}

/* ---- calls ---- */

PtJinjaValue
pt_jinja_call (PtJinjaRender *self, PtJinjaValue callee, const PtJinjaArguments *arguments)
{
  if (pt_jinja_failed (self))
    return PT_JINJA_NOTHING;
  if (callee.kind == PT_JINJA_MACRO)
    return pt_jinja_call_macro (self, callee.macro, arguments, PT_JINJA_NOTHING);
  if (callee.kind == PT_JINJA_FUNCTION)
    return callee.bound->func (self, callee.bound->self, arguments);
  pt_jinja_fail (self, PT_ERROR_TYPE, "%s cannot be called.", pt_jinja_kind_name (callee.kind));
  return PT_JINJA_NOTHING;
}

static PtJinjaValue
evaluate_call (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue callee = pt_jinja_evaluate (self, frame, node->a);
  PtJinjaArguments arguments;

  if (callee.kind == PT_JINJA_UNDEFINED && node->a->name != NULL)
    pt_jinja_fail (self, PT_ERROR_UNSUPPORTED, "there is no function “%.64s”.", node->a->name);
  if (!pt_jinja_collect (self, frame, node->b, &arguments))
    return PT_JINJA_NOTHING;
  return pt_jinja_call (self, callee, &arguments);
}

PtJinjaValue
pt_jinja_call_filter (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node,
                      PtJinjaValue value)
{
  PtJinjaFunc func = pt_jinja_find_filter (node->name);
  PtJinjaArguments arguments;

  if (!pt_jinja_enter (self))
    return PT_JINJA_NOTHING;
  if (node->a != NULL && node->a->kind == PT_JINJA_NODE_FILTER)
    value = pt_jinja_call_filter (self, frame, node->a, value);
  else if (node->a != NULL)
    value = pt_jinja_evaluate (self, frame, node->a);
  if (func == NULL)
    pt_jinja_fail (self, PT_ERROR_UNSUPPORTED, "there is no filter “%.64s”.", node->name);
  if (pt_jinja_collect (self, frame, node->b, &arguments))
    value = func (self, value, &arguments);
  pt_jinja_leave (self);
  return value;
}

static PtJinjaValue
evaluate_test (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue value = pt_jinja_evaluate (self, frame, node->a);
  PtJinjaArguments arguments;

  if (!pt_jinja_collect (self, frame, node->b, &arguments))
    return PT_JINJA_NOTHING;
  return pt_jinja_bool (pt_jinja_test (self, node->name, value, &arguments));
}

/* ---- everything else ---- */

static PtJinjaValue
evaluate_list (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue list =
      pt_jinja_new_list (self, node->kind == PT_JINJA_NODE_TUPLE ? PT_JINJA_TUPLE : PT_JINJA_LIST);

  for (const PtJinjaNode *item = node->a; item != NULL && !pt_jinja_failed (self);
       item = item->next)
    pt_jinja_append (self, list.list, pt_jinja_evaluate (self, frame, item));
  return list;
}

static PtJinjaValue
evaluate_dict (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue dict = pt_jinja_new_dict (self, PT_JINJA_DICT);

  for (const PtJinjaNode *key = node->a; key != NULL && !pt_jinja_failed (self);
       key = key->next->next) {
    PtJinjaValue name = pt_jinja_evaluate (self, frame, key);

    pt_jinja_put (self, dict.dict, name, pt_jinja_evaluate (self, frame, key->next));
  }
  return dict;
}

static PtJinjaValue
evaluate_comparison (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue left = pt_jinja_evaluate (self, frame, node->a);

  for (const PtJinjaNode *other = node->b; other != NULL; other = other->next) {
    PtJinjaValue right = pt_jinja_evaluate (self, frame, other->a);

    if (pt_jinja_failed (self) || !pt_jinja_holds (self, other->op, left, right))
      return pt_jinja_bool (FALSE);
    left = right;
  }
  return pt_jinja_bool (TRUE);
}

static PtJinjaValue
evaluate_concat (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaBuilder builder;

  pt_jinja_builder_init (&builder, self);
  for (const PtJinjaNode *part = node->a; part != NULL; part = part->next)
    pt_jinja_build_str (&builder, pt_jinja_evaluate (self, frame, part));
  return pt_jinja_built (&builder);
}

static PtJinjaValue
evaluate_choice (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  if (pt_jinja_is_true (pt_jinja_evaluate (self, frame, node->b)))
    return pt_jinja_evaluate (self, frame, node->a);
  return node->c != NULL ? pt_jinja_evaluate (self, frame, node->c) : PT_JINJA_NOTHING;
}

static PtJinjaValue
evaluate (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue value;

  switch (node->kind) {
  case PT_JINJA_NODE_CONST: return node->value;
  case PT_JINJA_NODE_NAME: return look_up (self, frame, node->name);
  case PT_JINJA_NODE_LIST:
  case PT_JINJA_NODE_TUPLE: return evaluate_list (self, frame, node);
  case PT_JINJA_NODE_DICT: return evaluate_dict (self, frame, node);
  case PT_JINJA_NODE_ATTRIBUTE:
    return pt_jinja_attribute (self, pt_jinja_evaluate (self, frame, node->a), node->name);
  case PT_JINJA_NODE_ITEM: return evaluate_item (self, frame, node);
  case PT_JINJA_NODE_CALL: return evaluate_call (self, frame, node);
  case PT_JINJA_NODE_FILTER: return pt_jinja_call_filter (self, frame, node, PT_JINJA_NOTHING);
  case PT_JINJA_NODE_TEST: return evaluate_test (self, frame, node);
  case PT_JINJA_NODE_CHOICE: return evaluate_choice (self, frame, node);
  case PT_JINJA_NODE_AND:
    value = pt_jinja_evaluate (self, frame, node->a);
    return pt_jinja_is_true (value) ? pt_jinja_evaluate (self, frame, node->b) : value;
  case PT_JINJA_NODE_OR:
    value = pt_jinja_evaluate (self, frame, node->a);
    return pt_jinja_is_true (value) ? value : pt_jinja_evaluate (self, frame, node->b);
  case PT_JINJA_NODE_NOT:
    return pt_jinja_bool (!pt_jinja_is_true (pt_jinja_evaluate (self, frame, node->a)));
  case PT_JINJA_NODE_NEGATIVE:
    return pt_jinja_negate (self, pt_jinja_evaluate (self, frame, node->a));
  case PT_JINJA_NODE_POSITIVE:
    value = pt_jinja_evaluate (self, frame, node->a);
    return pt_jinja_operate (self, '+', pt_jinja_int (0), value);
  case PT_JINJA_NODE_COMPARE: return evaluate_comparison (self, frame, node);
  case PT_JINJA_NODE_BINARY:
    value = pt_jinja_evaluate (self, frame, node->a);
    return pt_jinja_operate (self, node->op, value, pt_jinja_evaluate (self, frame, node->b));
  case PT_JINJA_NODE_CONCAT: return evaluate_concat (self, frame, node);
  default:
    pt_jinja_fail (self, PT_ERROR_INTERNAL, "an expression is not understood.");
    return PT_JINJA_NOTHING;
  }
}

PtJinjaValue
pt_jinja_evaluate (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue value;

  if (!pt_jinja_step (self, 1) || !pt_jinja_enter (self))
    return PT_JINJA_NOTHING;
  value = evaluate (self, frame, node);
  pt_jinja_leave (self);
  return self->error != NULL ? PT_JINJA_NOTHING : value;
}
