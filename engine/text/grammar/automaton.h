/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/grammar/grammar.h"

G_BEGIN_DECLS

/**
 * PtAutomaton: reads texts of a grammar byte by byte (docs/formats/grammar.md,
 * section 3.2). A state is the set of all places in the grammar where the text
 * so far may have led, each with the stack of rules and repetitions around it.
 * States are made when they are first reached, and their transitions are kept.
 * One thread.
 */
typedef struct _PtAutomaton PtAutomaton;

/** The number of a state. */
typedef guint32 PtState;

/** No text of the grammar begins so. */
#define PT_STATE_DEAD 0
/** The limits of time and memory are reached: what was asked is not known. */
#define PT_STATE_LOST G_MAXUINT32

/** The largest PtStateInfo.room. */
#define PT_ROOM_ANY G_MAXUINT32

typedef struct {
  gboolean may_end;  /* the text so far is complete */
  gboolean must_end; /* and nothing can follow */
  guint32 room;      /* so many characters of a JSON string may follow, whatever they
                        are */
} PtStateInfo;

/** @grammar: finished; must outlive the automaton. */
PtAutomaton *pt_automaton_new (const PtGrammar *grammar);
void pt_automaton_free (PtAutomaton *automaton);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAutomaton, pt_automaton_free)

/** The state before any text; PT_STATE_LOST when it takes too much memory. */
PtState pt_automaton_start (PtAutomaton *automaton);

/** The state behind @byte. */
PtState pt_automaton_step (PtAutomaton *automaton, PtState state, guint8 byte);

/** What can follow in @state, which is neither dead nor lost. */
PtStateInfo pt_automaton_info (const PtAutomaton *automaton, PtState state);

/** Allow another measure of work until PT_STATE_LOST. Call it once for each
 * token. */
void pt_automaton_begin (PtAutomaton *automaton);

/** Bytes that states and transitions take. */
gsize pt_automaton_memory (const PtAutomaton *automaton);

/** Forget all states but @state, and return its new number. */
PtState pt_automaton_forget (PtAutomaton *automaton, PtState state);

/** How many states there are: their numbers are below. */
guint pt_automaton_n_states (const PtAutomaton *automaton);

G_END_DECLS
