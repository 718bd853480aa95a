/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/text/jinja/jinja-heap.h"

G_BEGIN_DECLS

/*
 * The values of a template, in the heap of their rendering; constants are in the heap of the
 * template.
 */

/** Sources of the bytes of a text. All other numbers are those given to pt_jinja_from_json(). */
#define PT_JINJA_DATA 0u              /* data that was changed, or of no single source */
#define PT_JINJA_TEMPLATE G_MAXUINT32 /* the template itself; its special tokens are trusted */

/** A range of a text with one source. */
typedef struct {
  gsize end; /* length in bytes; it begins where the previous span ends */
  guint32 source;
  guint32 offset; /* offset of its first byte in the source; 0 for the two sources above */
} PtJinjaSpan;

/** UTF-8 and the spans that cover it. */
typedef struct {
  const char *bytes;
  gsize length;
  const PtJinjaSpan *spans;
  guint n_spans;
} PtJinjaText;

typedef enum {
  PT_JINJA_UNDEFINED,
  PT_JINJA_NONE,
  PT_JINJA_BOOL,
  PT_JINJA_INT,
  PT_JINJA_FLOAT,
  PT_JINJA_TEXT,
  PT_JINJA_LIST,
  PT_JINJA_TUPLE,
  PT_JINJA_GENERATOR, /* a generator; always true */
  PT_JINJA_DICT,
  PT_JINJA_NAMESPACE,
  PT_JINJA_LOOP,
  PT_JINJA_MACRO,
  PT_JINJA_FUNCTION, /* a method bound to its value, or a function */
} PtJinjaKind;

typedef struct _PtJinjaList PtJinjaList;
typedef struct _PtJinjaDict PtJinjaDict;
typedef struct _PtJinjaLoop PtJinjaLoop;
typedef struct _PtJinjaMacro PtJinjaMacro;
typedef struct _PtJinjaBound PtJinjaBound;

typedef struct {
  PtJinjaKind kind;
  union {
    gboolean truth;
    gint64 integer;
    double real;
    const PtJinjaText *text;
    PtJinjaList *list; /* LIST, TUPLE, GENERATOR */
    PtJinjaDict *dict; /* DICT, NAMESPACE */
    PtJinjaLoop *loop;
    const PtJinjaMacro *macro;
    const PtJinjaBound *bound;
  };
} PtJinjaValue;

struct _PtJinjaList {
  PtJinjaValue *items;
  guint n, allocated;
};

/** Keys in insertion order; so few that they are searched linearly. */
struct _PtJinjaDict {
  PtJinjaValue *keys, *values;
  guint n, allocated;
};

/** PtJinjaRender: one rendering: its memory, its budget, and its first error. */
typedef struct _PtJinjaRender PtJinjaRender;

/*
 * The first error is kept in the rendering. After it, functions return undefined at once, so that
 * callers need not check every call.
 */

gboolean pt_jinja_failed (const PtJinjaRender *render);
void pt_jinja_fail (PtJinjaRender *render, PtError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/** Charge @cost to the budget; FALSE: the budget is used up, or there is an error. */
gboolean pt_jinja_step (PtJinjaRender *render, gsize cost);
/** Memory of the rendering, zeroed, or NULL with the error set. */
gpointer pt_jinja_take (PtJinjaRender *render, gsize n, gsize size);
/** Enter a C recursion; FALSE: too deep. Each TRUE needs a pt_jinja_leave(). */
gboolean pt_jinja_enter (PtJinjaRender *render);
void pt_jinja_leave (PtJinjaRender *render);

/* ---- making values ---- */

#define PT_JINJA_NOTHING ((PtJinjaValue){ .kind = PT_JINJA_UNDEFINED })
#define PT_JINJA_NULL ((PtJinjaValue){ .kind = PT_JINJA_NONE })

PtJinjaValue pt_jinja_bool (gboolean truth);
PtJinjaValue pt_jinja_int (gint64 integer);
PtJinjaValue pt_jinja_float (double real);
PtJinjaValue pt_jinja_text (const PtJinjaText *text);
/** A copy of @bytes, made valid UTF-8. */
PtJinjaValue pt_jinja_new_text (PtJinjaRender *render, const char *bytes, gssize length,
                                guint32 source);
PtJinjaValue pt_jinja_new_list (PtJinjaRender *render, PtJinjaKind kind);
PtJinjaValue pt_jinja_new_dict (PtJinjaRender *render, PtJinjaKind kind);
void pt_jinja_append (PtJinjaRender *render, PtJinjaList *list, PtJinjaValue item);
void pt_jinja_put (PtJinjaRender *render, PtJinjaDict *dict, PtJinjaValue key, PtJinjaValue value);
void pt_jinja_put_name (PtJinjaRender *render, PtJinjaDict *dict, const char *key,
                        PtJinjaValue value);

/* ---- access to values ---- */

const char *pt_jinja_kind_name (PtJinjaKind kind);
gboolean pt_jinja_is_list (PtJinjaValue value);
gboolean pt_jinja_is_number (PtJinjaValue value); /* also of BOOL, as in Python */
gint64 pt_jinja_whole (PtJinjaValue value);       /* of BOOL and INT */
double pt_jinja_real (PtJinjaValue value);        /* of a number */
gboolean pt_jinja_is_true (PtJinjaValue value);
gboolean pt_jinja_equal (PtJinjaRender *render, PtJinjaValue a, PtJinjaValue b);
/** Compare two values: < 0, 0 or > 0; 0 with an error if they have no order. */
int pt_jinja_compare (PtJinjaRender *render, PtJinjaValue a, PtJinjaValue b);
gboolean pt_jinja_text_is (const PtJinjaText *text, const char *other);
/** The value of @key, or NULL. */
PtJinjaValue *pt_jinja_find (PtJinjaRender *render, const PtJinjaDict *dict, PtJinjaValue key);
PtJinjaValue *pt_jinja_find_name (PtJinjaRender *render, const PtJinjaDict *dict, const char *key);
gboolean pt_jinja_contains (PtJinjaRender *render, PtJinjaValue whole, PtJinjaValue part);
/** The items that a loop over @value visits; NULL with an error if it is not iterable. */
PtJinjaList *pt_jinja_items (PtJinjaRender *render, PtJinjaValue value);

G_END_DECLS
