/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engines.h"

G_BEGIN_DECLS

/** PterisModelRow: one model in a list: its task, title, size, license and state. */
#define PTERIS_TYPE_MODEL_ROW (pteris_model_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisModelRow, pteris_model_row, PTERIS, MODEL_ROW, GtkWidget)

PterisModelRow *pteris_model_row_new (PterisEngines *engines);

/** NULL: none. */
void pteris_model_row_set_model (PterisModelRow *self, PterisModel *model);

G_END_DECLS
