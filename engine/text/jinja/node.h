/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/jinja-value.h"

G_BEGIN_DECLS

typedef enum {
  /* Expressions. */
  PT_JINJA_NODE_CONST,     /* value */
  PT_JINJA_NODE_NAME,      /* name */
  PT_JINJA_NODE_LIST,      /* a: items */
  PT_JINJA_NODE_TUPLE,     /* a: items */
  PT_JINJA_NODE_DICT,      /* a: key, value, key, ... */
  PT_JINJA_NODE_ATTRIBUTE, /* a.name */
  PT_JINJA_NODE_ITEM,      /* a[b] */
  PT_JINJA_NODE_SLICE,     /* an ITEM is a slice a:b:c; each may be NULL */
  PT_JINJA_NODE_CALL,      /* a (b: arguments) */
  PT_JINJA_NODE_KEYWORD,   /* an argument: value=a, or *a or **a by its op */
  PT_JINJA_NODE_FILTER,    /* a | name (b); a may be NULL in a filter block */
  PT_JINJA_NODE_TEST,      /* a is name (b) */
  PT_JINJA_NODE_CHOICE,    /* a if b else c */
  PT_JINJA_NODE_AND,       /* a, b */
  PT_JINJA_NODE_OR,        /* a, b */
  PT_JINJA_NODE_NOT,       /* a */
  PT_JINJA_NODE_NEGATIVE,  /* a */
  PT_JINJA_NODE_POSITIVE,  /* a */
  PT_JINJA_NODE_COMPARE,   /* a, then b: COMPARAND nodes */
  PT_JINJA_NODE_COMPARAND, /* op a */
  PT_JINJA_NODE_BINARY,    /* a op b */
  PT_JINJA_NODE_CONCAT,    /* a: parts */
  /* Statements. */
  PT_JINJA_NODE_DATA,         /* value */
  PT_JINJA_NODE_PRINT,        /* a */
  PT_JINJA_NODE_IF,           /* a: BRANCH nodes */
  PT_JINJA_NODE_BRANCH,       /* if a (NULL: else): b */
  PT_JINJA_NODE_FOR,          /* for a in b if c: body; otherwise; name: of the loop itself */
  PT_JINJA_NODE_SET,          /* a = b */
  PT_JINJA_NODE_SET_BLOCK,    /* a = body, through b: a FILTER or NULL */
  PT_JINJA_NODE_MACRO,        /* name (a: PARAMETER nodes): body */
  PT_JINJA_NODE_PARAMETER,    /* parameter name with default a, or NULL */
  PT_JINJA_NODE_CALL_BLOCK,   /* call (a: a MACRO) b: a CALL */
  PT_JINJA_NODE_FILTER_BLOCK, /* body through a: a FILTER */
  PT_JINJA_NODE_WITH,         /* a: SET nodes; body */
  PT_JINJA_NODE_BREAK,
  PT_JINJA_NODE_CONTINUE,
} PtJinjaNodeKind;

/** Operators of one character are that character. */
typedef enum {
  PT_JINJA_EQ = 256,
  PT_JINJA_NE,
  PT_JINJA_LE,
  PT_JINJA_GE,
  PT_JINJA_FLOORDIV,
  PT_JINJA_POW,
  PT_JINJA_IN,
  PT_JINJA_NOT_IN,
} PtJinjaOperator;

typedef struct _PtJinjaNode PtJinjaNode;

struct _PtJinjaNode {
  PtJinjaNodeKind kind;
  int op;
  guint line, depth; /* of what is below it */
  const char *name;  /* equal names are the same pointer */
  PtJinjaValue value;
  PtJinjaNode *a, *b, *c, *body, *otherwise;
  PtJinjaNode *next; /* in a list */
};

/** PtJinjaTree: a parsed template. Immutable; any thread. */
typedef struct {
  PtJinjaHeap *heap;
  GHashTable *names; /* of all names in it */
  PtJinjaNode *body;
} PtJinjaTree;

G_END_DECLS
