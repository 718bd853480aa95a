/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Sets of characters by their code points. A set is sorted, and its ranges
 * neither touch nor overlap, once pt_code_points_sort() was called.
 */

#define PT_MAX_CODE_POINT 0x10FFFF

/** A range of code points, both ends included. */
typedef struct {
  guint32 low, high;
} PtCodeRange;

/** A GArray of PtCodeRange. */
GArray *pt_code_points_new (void);
void pt_code_points_add (GArray *set, guint32 low, guint32 high);
void pt_code_points_add_all (GArray *set, const GArray *other);
void pt_code_points_sort (GArray *set);
/** Replace a sorted @set by all other code points. */
void pt_code_points_invert (GArray *set);
/** Whether a sorted @set has @point. */
gboolean pt_code_points_have (const GArray *set, guint32 point);

G_END_DECLS
