/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/jinja/render.h"

/* Far above the needs of any conversation; a template that exceeds it is rejected within a second.
 */
#define MAX_STEPS 10000000
#define MAX_MEMORY (192 * 1000 * 1000)
/* Depth of calls in the evaluator, which bounds its stack. */
#define MAX_DEPTH 400

typedef enum { NEXT, BREAK, CONTINUE } Flow;

static Flow run_body (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *first,
                      PtJinjaBuilder *out);

/* ---- budget and errors ---- */

gboolean
pt_jinja_failed (const PtJinjaRender *self)
{
  return self->error != NULL;
}

void
pt_jinja_fail (PtJinjaRender *self, PtError code, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list arguments;

  if (self->error != NULL)
    return;
  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pt_fail (&self->error, code, "The chat template cannot be used: line %u: %s", self->line, what);
}

gboolean
pt_jinja_step (PtJinjaRender *self, gsize cost)
{
  if (self->error != NULL)
    return FALSE;
  if (cost >= self->steps) {
    self->steps = 0;
    pt_jinja_fail (self, PT_ERROR_FORMAT, "it takes too long.");
    return FALSE;
  }
  self->steps -= cost;
  return TRUE;
}

gpointer
pt_jinja_take (PtJinjaRender *self, gsize n, gsize size)
{
  gpointer memory = NULL;

  if (self->error != NULL)
    return NULL;
  if (n <= MAX_MEMORY / size)
    memory = pt_jinja_heap_take (self->heap, n * size);
  if (memory == NULL)
    pt_jinja_fail (self, PT_ERROR_MEMORY, "it takes too much memory.");
  return memory;
}

gboolean
pt_jinja_enter (PtJinjaRender *self)
{
  if (self->error != NULL)
    return FALSE;
  if (self->depth >= MAX_DEPTH) {
    pt_jinja_fail (self, PT_ERROR_FORMAT, "it goes too deep.");
    return FALSE;
  }
  self->depth++;
  return TRUE;
}

void
pt_jinja_leave (PtJinjaRender *self)
{
  self->depth--;
}

PtJinjaRender *
pt_jinja_render_new (GDateTime *now)
{
  PtJinjaRender *self = g_new0 (PtJinjaRender, 1);

  self->heap = pt_jinja_heap_new (MAX_MEMORY);
  self->now = now;
  self->steps = MAX_STEPS;
  return self;
}

void
pt_jinja_render_free (PtJinjaRender *self)
{
  if (self == NULL)
    return;
  pt_jinja_heap_free (self->heap);
  g_clear_error (&self->error);
  g_free (self);
}

/* ---- names ---- */

PtJinjaFrame *
pt_jinja_frame (PtJinjaRender *self, PtJinjaFrame *parent)
{
  PtJinjaFrame *frame = pt_jinja_take (self, 1, sizeof *frame);

  if (frame != NULL)
    frame->parent = parent;
  return frame;
}

void
pt_jinja_frame_set (PtJinjaRender *self, PtJinjaFrame *frame, const char *name, PtJinjaValue value)
{
  PtJinjaVariable *variable;

  if (frame == NULL || self->error != NULL)
    return;
  for (variable = frame->variables; variable != NULL; variable = variable->next)
    if (variable->name == name) {
      variable->value = value;
      return;
    }
  variable = pt_jinja_take (self, 1, sizeof *variable);
  if (variable == NULL)
    return;
  *variable = (PtJinjaVariable){ name, value, frame->variables };
  frame->variables = variable;
}

void
pt_jinja_set (PtJinjaRender *self, const char *name, PtJinjaValue value)
{
  char *copy = pt_jinja_take (self, strlen (name) + 1, 1);

  if (copy == NULL)
    return;
  strcpy (copy, name);
  pt_jinja_frame_set (self, &self->globals, copy, value);
}

/** Assigns the items of @value to the names of @target, a NAME or a TUPLE of names. */
static void
assign (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *target, PtJinjaValue value)
{
  const PtJinjaNode *name = target->a;
  PtJinjaList *items;

  if (target->kind == PT_JINJA_NODE_NAME) {
    pt_jinja_frame_set (self, frame, target->name, value);
    return;
  }
  items = pt_jinja_items (self, value);
  for (guint i = 0; items != NULL && i < items->n && name != NULL; i++, name = name->next)
    pt_jinja_frame_set (self, frame, name->name, items->items[i]);
  if (items != NULL) {
    guint n = 0;

    for (name = target->a; name != NULL; name = name->next)
      n++;
    if (n != items->n)
      pt_jinja_fail (self, PT_ERROR_TYPE, "%u values do not become %u names.", items->n, n);
  }
}

static void
assign_attribute (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *target,
                  PtJinjaValue value)
{
  PtJinjaValue space = pt_jinja_evaluate (self, frame, target->a);

  if (space.kind == PT_JINJA_NAMESPACE)
    pt_jinja_put_name (self, space.dict, target->name, value);
  else
    pt_jinja_fail (self, PT_ERROR_TYPE, "only a namespace can be changed.");
}

static void
run_set (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *target, PtJinjaValue value)
{
  if (pt_jinja_failed (self))
    return;
  if (target->kind == PT_JINJA_NODE_ATTRIBUTE)
    assign_attribute (self, frame, target, value);
  else
    assign (self, frame, target, value);
}

/* ---- statements ---- */

/** Renders @body in a frame of its own. */
static PtJinjaValue
run_inside (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *body)
{
  PtJinjaFrame *inner = pt_jinja_frame (self, frame);
  PtJinjaBuilder out;

  if (inner == NULL)
    return PT_JINJA_NOTHING;
  pt_jinja_builder_init (&out, self);
  run_body (self, inner, body, &out);
  return pt_jinja_built (&out);
}

static Flow
run_if (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node, PtJinjaBuilder *out)
{
  for (const PtJinjaNode *branch = node->a; branch != NULL; branch = branch->next)
    if (branch->a == NULL || pt_jinja_is_true (pt_jinja_evaluate (self, frame, branch->a)))
      return run_body (self, frame, branch->b, out);
  return NEXT;
}

/** Returns the items that satisfy the loop's condition. */
static const PtJinjaList *
filter_items (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node,
              const PtJinjaList *items)
{
  PtJinjaValue kept = pt_jinja_new_list (self, PT_JINJA_LIST);

  for (guint i = 0; i < items->n && !pt_jinja_failed (self); i++) {
    PtJinjaFrame *inner = pt_jinja_frame (self, frame);

    if (inner == NULL)
      return NULL;
    assign (self, inner, node->a, items->items[i]);
    if (pt_jinja_is_true (pt_jinja_evaluate (self, inner, node->c)))
      pt_jinja_append (self, kept.list, items->items[i]);
  }
  return pt_jinja_failed (self) ? NULL : kept.list;
}

static void
run_for (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node, PtJinjaBuilder *out)
{
  PtJinjaValue value = pt_jinja_evaluate (self, frame, node->b);
  const PtJinjaList *items = pt_jinja_failed (self) ? NULL : pt_jinja_items (self, value);
  PtJinjaLoop *loop;
  guint n;

  if (items != NULL && node->c != NULL)
    items = filter_items (self, frame, node, items);
  loop = pt_jinja_take (self, 1, sizeof *loop);
  if (items == NULL || loop == NULL)
    return;
  if (items->n == 0) {
    PtJinjaFrame *inner = pt_jinja_frame (self, frame);

    if (inner != NULL)
      run_body (self, inner, node->otherwise, out);
    return;
  }
  loop->items = items;
  /* The loop's body may append to the list. */
  n = items->n;
  for (guint i = 0; i < n && !pt_jinja_failed (self); i++) {
    PtJinjaFrame *inner = pt_jinja_frame (self, frame);

    if (inner == NULL)
      return;
    loop->index = i;
    pt_jinja_frame_set (self, inner, node->name,
                        (PtJinjaValue){ .kind = PT_JINJA_LOOP, .loop = loop });
    assign (self, inner, node->a, items->items[i]);
    if (run_body (self, inner, node->body, out) == BREAK)
      return;
  }
}

static void
run_set_block (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaValue value = run_inside (self, frame, node->body);

  if (node->b != NULL)
    value = pt_jinja_call_filter (self, frame, node->b, value);
  run_set (self, frame, node->a, value);
}

static PtJinjaValue
new_macro (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node)
{
  PtJinjaMacro *macro = pt_jinja_take (self, 1, sizeof *macro);

  if (macro == NULL)
    return PT_JINJA_NOTHING;
  *macro = (PtJinjaMacro){ node, frame };
  return (PtJinjaValue){ .kind = PT_JINJA_MACRO, .macro = macro };
}

static void
run_call_block (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node,
                PtJinjaBuilder *out)
{
  PtJinjaValue caller = new_macro (self, frame, node->a);
  PtJinjaValue callee = pt_jinja_evaluate (self, frame, node->b->a);
  PtJinjaArguments arguments;

  if (!pt_jinja_collect (self, frame, node->b->b, &arguments))
    return;
  if (callee.kind != PT_JINJA_MACRO)
    pt_jinja_fail (self, PT_ERROR_TYPE, "%s cannot be called with a block.",
                   pt_jinja_kind_name (callee.kind));
  else
    pt_jinja_build_str (out, pt_jinja_call_macro (self, callee.macro, &arguments, caller));
}

static void
run_with (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node, PtJinjaBuilder *out)
{
  PtJinjaFrame *inner = pt_jinja_frame (self, frame);

  if (inner == NULL)
    return;
  for (const PtJinjaNode *set = node->a; set != NULL; set = set->next)
    run_set (self, inner, set->a, pt_jinja_evaluate (self, frame, set->b));
  run_body (self, inner, node->body, out);
}

static Flow
run_one (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *node, PtJinjaBuilder *out)
{
  switch (node->kind) {
  case PT_JINJA_NODE_DATA: pt_jinja_build_str (out, node->value); break;
  case PT_JINJA_NODE_PRINT:
    pt_jinja_build_str (out, pt_jinja_evaluate (self, frame, node->a));
    break;
  case PT_JINJA_NODE_IF: return run_if (self, frame, node, out);
  case PT_JINJA_NODE_FOR: run_for (self, frame, node, out); break;
  case PT_JINJA_NODE_SET:
    run_set (self, frame, node->a, pt_jinja_evaluate (self, frame, node->b));
    break;
  case PT_JINJA_NODE_SET_BLOCK: run_set_block (self, frame, node); break;
  case PT_JINJA_NODE_MACRO:
    pt_jinja_frame_set (self, frame, node->name, new_macro (self, frame, node));
    break;
  case PT_JINJA_NODE_CALL_BLOCK: run_call_block (self, frame, node, out); break;
  case PT_JINJA_NODE_FILTER_BLOCK:
    pt_jinja_build_str (
        out, pt_jinja_call_filter (self, frame, node->a, run_inside (self, frame, node->body)));
    break;
  case PT_JINJA_NODE_WITH: run_with (self, frame, node, out); break;
  case PT_JINJA_NODE_BREAK: return BREAK;
  case PT_JINJA_NODE_CONTINUE: return CONTINUE;
  default: pt_jinja_fail (self, PT_ERROR_INTERNAL, "a tag is not understood."); break;
  }
  return NEXT;
}

static Flow
run_body (PtJinjaRender *self, PtJinjaFrame *frame, const PtJinjaNode *first, PtJinjaBuilder *out)
{
  Flow flow = NEXT;

  if (!pt_jinja_enter (self))
    return BREAK;
  for (const PtJinjaNode *node = first; node != NULL && flow == NEXT; node = node->next) {
    self->line = node->line;
    if (!pt_jinja_step (self, 1))
      break;
    flow = run_one (self, frame, node, out);
  }
  pt_jinja_leave (self);
  return self->error != NULL ? BREAK : flow;
}

/* ---- macros ---- */

PtJinjaValue
pt_jinja_call_macro (PtJinjaRender *self, const PtJinjaMacro *macro,
                     const PtJinjaArguments *arguments, PtJinjaValue caller)
{
  PtJinjaFrame *frame = pt_jinja_frame (self, macro->frame);
  guint i = 0, line = self->line, used = 0;
  PtJinjaValue text;

  if (frame == NULL)
    return PT_JINJA_NOTHING;
  if (caller.kind == PT_JINJA_MACRO)
    pt_jinja_frame_set (self, frame, caller.macro->node->name, caller);
  for (const PtJinjaNode *p = macro->node->a; p != NULL; p = p->next, i++) {
    PtJinjaValue value = PT_JINJA_NOTHING;

    if (pt_jinja_argument (arguments, i, p->name, &value))
      used++;
    else if (p->a != NULL)
      value = pt_jinja_evaluate (self, frame, p->a);
    pt_jinja_frame_set (self, frame, p->name, value);
  }
  if (used < arguments->n + arguments->n_named)
    pt_jinja_fail (self, PT_ERROR_TYPE, "a macro is called with arguments that it does not take.");
  text = run_inside (self, frame, macro->node->body);
  self->line = line;
  return text;
}

/* ---- all of it ---- */

const PtJinjaText *
pt_jinja_run (PtJinjaRender *self, const PtJinjaTree *tree, GError **error)
{
  PtJinjaBuilder out;
  PtJinjaFrame *frame = pt_jinja_frame (self, &self->globals);
  PtJinjaValue text;

  pt_jinja_builder_init (&out, self);
  if (frame != NULL)
    run_body (self, frame, tree->body, &out);
  text = pt_jinja_built (&out);
  if (self->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&self->error));
    return NULL;
  }
  return text.text;
}
