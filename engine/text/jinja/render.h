/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/jinja.h"

G_BEGIN_DECLS

/* Declarations that the parts of the evaluator share. */

typedef struct _PtJinjaFrame PtJinjaFrame;
typedef struct _PtJinjaVariable PtJinjaVariable;

struct _PtJinjaVariable {
  const char *name; /* compared by pointer, except in the outermost frame */
  PtJinjaValue value;
  PtJinjaVariable *next;
};

/** A scope: the names that a part of the template defines. */
struct _PtJinjaFrame {
  PtJinjaFrame *parent;
  PtJinjaVariable *variables;
};

struct _PtJinjaRender {
  PtJinjaHeap *heap;
  GDateTime *now;
  PtJinjaFrame globals;
  GError *error;
  guint64 steps; /* that are left */
  guint depth;
  guint line; /* of the template */
};

/** Arguments of a function or a filter. */
typedef struct {
  PtJinjaValue *values;
  guint n;
  PtJinjaValue *names; /* names of keyword arguments: texts */
  PtJinjaValue *named;
  guint n_named;
} PtJinjaArguments;

struct _PtJinjaLoop {
  const PtJinjaList *items;
  guint index;
};

struct _PtJinjaMacro {
  const PtJinjaNode *node;
  PtJinjaFrame *frame; /* where it was made */
};

typedef PtJinjaValue (*PtJinjaFunc) (PtJinjaRender *render, PtJinjaValue self,
                                     const PtJinjaArguments *arguments);

struct _PtJinjaBound {
  PtJinjaFunc func;
  PtJinjaValue self;
};

/** A function and its name. Tables end with a NULL name. */
typedef struct {
  const char *name;
  PtJinjaFunc func;
} PtJinjaBuiltin;

/** The argument at @index or called @name; FALSE: it was not given. */
gboolean pt_jinja_argument (const PtJinjaArguments *arguments, guint index, const char *name,
                            PtJinjaValue *value);
/** The same with a fallback. */
PtJinjaValue pt_jinja_argument_or (const PtJinjaArguments *arguments, guint index, const char *name,
                                   PtJinjaValue fallback);
PtJinjaFunc pt_jinja_builtin (const PtJinjaBuiltin *table, const char *name);

/* evaluate-expressions.c */
PtJinjaValue pt_jinja_evaluate (PtJinjaRender *render, PtJinjaFrame *frame,
                                const PtJinjaNode *node);
PtJinjaValue pt_jinja_call_filter (PtJinjaRender *render, PtJinjaFrame *frame,
                                   const PtJinjaNode *filter, PtJinjaValue value);
PtJinjaValue pt_jinja_call (PtJinjaRender *render, PtJinjaValue callee,
                            const PtJinjaArguments *arguments);
/** The arguments of a CALL, FILTER or TEST. */
gboolean pt_jinja_collect (PtJinjaRender *render, PtJinjaFrame *frame, const PtJinjaNode *first,
                           PtJinjaArguments *arguments);
/** Evaluates value.name and value[key]. */
PtJinjaValue pt_jinja_attribute (PtJinjaRender *render, PtJinjaValue value, const char *name);
PtJinjaValue pt_jinja_item (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue key);

/* jinja-operators.c */
PtJinjaValue pt_jinja_operate (PtJinjaRender *render, int op, PtJinjaValue a, PtJinjaValue b);
PtJinjaValue pt_jinja_negate (PtJinjaRender *render, PtJinjaValue value);
gboolean pt_jinja_holds (PtJinjaRender *render, int op, PtJinjaValue a, PtJinjaValue b);
/** @parts: begin, end and step, each a whole number or none. */
PtJinjaValue pt_jinja_slice (PtJinjaRender *render, PtJinjaValue value,
                             const PtJinjaValue parts[3]);

/* evaluate.c */
PtJinjaFrame *pt_jinja_frame (PtJinjaRender *render, PtJinjaFrame *parent);
void pt_jinja_frame_set (PtJinjaRender *render, PtJinjaFrame *frame, const char *name,
                         PtJinjaValue value);
PtJinjaValue pt_jinja_call_macro (PtJinjaRender *render, const PtJinjaMacro *macro,
                                  const PtJinjaArguments *arguments, PtJinjaValue caller);

/* methods-text.c: the value is converted by str() first */
extern const PtJinjaBuiltin pt_jinja_text_methods[];
typedef enum { PT_JINJA_UPPER, PT_JINJA_LOWER, PT_JINJA_TITLE, PT_JINJA_CAPITALIZE } PtJinjaCase;
PtJinjaValue pt_jinja_change_case (PtJinjaRender *render, const PtJinjaText *text, PtJinjaCase how);
PtJinjaValue pt_jinja_strip (PtJinjaRender *render, const PtJinjaText *text,
                             const PtJinjaText *characters, gboolean left, gboolean right);
PtJinjaValue pt_jinja_replace (PtJinjaRender *render, const PtJinjaText *text,
                               const PtJinjaText *from, const PtJinjaText *to, gint64 count);
/** @keep: lines keep their line endings. */
PtJinjaValue pt_jinja_lines (PtJinjaRender *render, const PtJinjaText *text, gboolean keep);
PtJinjaValue pt_jinja_join (PtJinjaRender *render, const PtJinjaText *separator,
                            const PtJinjaList *items);

/* methods.c: of lists and mappings; functions */
extern const PtJinjaBuiltin pt_jinja_list_methods[], pt_jinja_dict_methods[], pt_jinja_functions[];
/** The items of a mapping as pairs of key and value. */
PtJinjaValue pt_jinja_pairs (PtJinjaRender *render, const PtJinjaDict *dict, PtJinjaKind kind);

/* filters-text.c, filters-lists.c */
extern const PtJinjaBuiltin pt_jinja_text_filters[], pt_jinja_list_filters[];
PtJinjaFunc pt_jinja_find_filter (const char *name);

/* tests.c */
/** Apply test @name; FALSE with an error when there is none. */
gboolean pt_jinja_test (PtJinjaRender *render, const char *name, PtJinjaValue value,
                        const PtJinjaArguments *arguments);

/* jinja-json.c */
PtJinjaValue pt_jinja_filter_tojson (PtJinjaRender *render, PtJinjaValue self,
                                     const PtJinjaArguments *arguments);

G_END_DECLS
