/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tests/hands/hands-node.h"

/*
 * The tree as the program itself tells it (tell.h), for a window of Windows: HANDS_TOLD is in the
 * environment.
 */

gboolean hands_is_told (void);

/** As hands_tree_read() and hands_tree_pick(); "rect" of windows and popovers is filled in. */
GPtrArray *hands_told_read (void);
int hands_told_pick (GPtrArray *tree, const HandsNode *surface, int x, int y);
gboolean hands_told_has_moved (const HandsNode *node);
