/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/run/inspect-item.h"

G_BEGIN_DECLS

/** PterisInspectRow: one line of the Inspect page: a heading, or a name and a value. A value that
 * has no room beside its name stands below it. */
#define PTERIS_TYPE_INSPECT_ROW (pteris_inspect_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisInspectRow, pteris_inspect_row, PTERIS, INSPECT_ROW, GtkWidget)

PterisInspectRow *pteris_inspect_row_new (void);
void pteris_inspect_row_set_item (PterisInspectRow *self, PterisInspectItem *item);

G_END_DECLS
