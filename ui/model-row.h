/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine-client.h"

G_BEGIN_DECLS

/**
 * PterisModelRow: the card of a model: title, task, size, license, what is missing, and whether it
 * is loaded. Activating it does "win.pick-model".
 */
#define PTERIS_TYPE_MODEL_ROW (pteris_model_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisModelRow, pteris_model_row, PTERIS, MODEL_ROW, GtkListBoxRow)

PterisModelRow *pteris_model_row_new (PterisModel *model, PterisEngineClient *client);

G_END_DECLS
