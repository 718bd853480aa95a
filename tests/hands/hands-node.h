/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * A node of the accessibility tree: a widget on the screen with its kind, name and state, as a
 * screen reader gets it.
 */

typedef struct {
  int x, y, width, height;
} HandsRect;

typedef struct {
  char *bus, *path;
  guint role; /* AtspiRole */
  guint64 states;
  char *name, *description;
  char *text; /* of a text field; NULL: it is none */
  int parent; /* in the tree; -1: a window */
  int depth;
  HandsRect inside; /* as GTK tells it: in its window, of which popovers count as a part */
  /* hands_screen_place() fills in: */
  int surface;    /* the window or popover in the tree; -1: it is not on the screen */
  HandsRect rect; /* on the screen */
  HandsRect clip; /* what scrolling leaves of it; without a size: nothing */
} HandsNode;

/** Has it this AtspiStateType? */
gboolean hands_node_is (const HandsNode *node, guint state);
void hands_node_free (HandsNode *node);
HandsNode *hands_node_copy (const HandsNode *node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HandsNode, hands_node_free)

/**
 * Everything of process @pid that is not hidden, parents first; empty: it is not on the bus. What
 * lies behind other things is there, too.
 */
GPtrArray *hands_tree_read (int pid);

/** Waits until process @pid has answered, after what was due before. */
void hands_tree_wait (int pid);

/** The index in @tree of the topmost node at a position inside of @surface; -1: unknown. */
int hands_tree_pick (GPtrArray *tree, const HandsNode *surface, int x, int y);

/** Is it somewhere else now than when it was read? */
gboolean hands_node_has_moved (const HandsNode *node);

/** The same as lines for people. */
char *hands_tree_print (GPtrArray *tree);

/** GTK calls a button with a mnemonic “_Save Save”: makes it “Save” in place. NULL is allowed. */
void hands_leave_out_mnemonic (char *name);

/** Whether a node matches a pattern of hands.h. */
gboolean hands_node_matches (const HandsNode *node, const char *what);
