/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtGrammar: a set of texts, described as networks of nodes that read bytes:
 * rules, which call each other (docs/formats/grammar.md, section 3). A grammar
 * is built from its end to its beginning: each function puts something in front
 * of the node @next and returns the first node of it. Immutable after
 * pt_grammar_finish(): any thread then.
 */
typedef struct _PtGrammar PtGrammar;

/** The number of a node. */
typedef guint32 PtNode;

/** The end of a rule. */
#define PT_NODE_END 0
/** Accepts nothing: neither does what is put in front of it. */
#define PT_NODE_NEVER G_MAXUINT32
/** For repetitions without an upper bound. */
#define PT_UNBOUNDED G_MAXUINT32

typedef enum {
  PT_NODE_IS_END,    /* goes on behind the call of the rule */
  PT_NODE_IS_RANGE,  /* reads a byte from @low to @high, goes on at @next */
  PT_NODE_IS_CHOICE, /* goes on at @next or at @other */
  PT_NODE_IS_CALL,   /* reads rule @other, goes on at @next */
  PT_NODE_IS_REPEAT, /* begins repetition @other */
  PT_NODE_IS_LOOP,   /* ends a round of repetition @other */
} PtNodeKind;

typedef struct {
  guint8 kind, low, high;
  guint8 is_live; /* something that ends can be read from here on */
  guint32 next, other;
} PtGrammarNode;

typedef struct {
  guint32 least, most; /* rounds */
  PtNode body, exit;
  gboolean is_text; /* a round is one character of a JSON string, any one */
} PtRepeat;

struct _PtGrammar {
  GArray *nodes;   /* PtGrammarNode */
  GArray *repeats; /* PtRepeat */
  GArray *rules;   /* PtNode: where each begins */
  PtNode start;
  gboolean is_full;    /* the limit of nodes was reached: the grammar is useless */
  guint8 classes[256]; /* bytes that no node tells apart have the same class */
  guint n_classes;
};

PtGrammar *pt_grammar_new (void);
void pt_grammar_free (PtGrammar *grammar);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtGrammar, pt_grammar_free)

/** One byte. */
PtNode pt_grammar_range (PtGrammar *grammar, guint8 low, guint8 high, PtNode next);
/** These bytes; @length -1: up to the zero. */
PtNode pt_grammar_literal (PtGrammar *grammar, const char *bytes, gssize length, PtNode next);
/** One of the two. */
PtNode pt_grammar_choice (PtGrammar *grammar, PtNode a, PtNode b);
/** A character of @set, a sorted set of code points, in UTF-8; never a
 * surrogate. */
PtNode pt_grammar_characters (PtGrammar *grammar, const GArray *set, PtNode next);

/** A rule, whose beginning is set later, so that rules can call each other. */
guint pt_grammar_new_rule (PtGrammar *grammar);
void pt_grammar_set_rule (PtGrammar *grammar, guint rule, PtNode start);
PtNode pt_grammar_call (PtGrammar *grammar, guint rule, PtNode next);

/**
 * A repetition of @least to @most rounds. pt_grammar_begin_repeat() returns the
 * node to put behind the body, and pt_grammar_end_repeat() the first node of
 * the repetition. The body reads at least one byte. @repeat: set to the number
 * of the repetition.
 */
PtNode pt_grammar_begin_repeat (PtGrammar *grammar, guint32 least, guint32 most, PtNode next,
                                guint *repeat);
PtNode pt_grammar_end_repeat (PtGrammar *grammar, guint repeat, PtNode body);

/**
 * Complete the grammar of the texts from @start on. PT_ERROR_ARGUMENT: it is
 * too large, accepts nothing, or has a rule that calls itself before it reads
 * anything.
 */
gboolean pt_grammar_finish (PtGrammar *grammar, PtNode start, GError **error);

G_END_DECLS
