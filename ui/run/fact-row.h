/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/run/fact.h"

G_BEGIN_DECLS

/** PterisFactRow: one line of the Inspect page: a heading, or a name and a value. A value that has
 * no room beside its name stands below it. */
#define PTERIS_TYPE_FACT_ROW (pteris_fact_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisFactRow, pteris_fact_row, PTERIS, FACT_ROW, GtkWidget)

PterisFactRow *pteris_fact_row_new (void);
void pteris_fact_row_set_fact (PterisFactRow *self, PterisFact *fact);

G_END_DECLS
