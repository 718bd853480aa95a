/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engines.h"
#include "ui/models/model-list.h"

G_BEGIN_DECLS

/** PterisModelButton: the model in the header: its name, its state, and the library to pick from.
 */
#define PTERIS_TYPE_MODEL_BUTTON (pteris_model_button_get_type ())
G_DECLARE_FINAL_TYPE (PterisModelButton, pteris_model_button, PTERIS, MODEL_BUTTON, GtkWidget)

void pteris_model_button_bind (PterisModelButton *self, PterisEngines *engines,
                               PterisLibrary *library);

/** Show the model of the engine with @role; at first that of chats. */
void pteris_model_button_set_role (PterisModelButton *self, PterisEngineRole role);
/** Show @model, which the shown page uses without loading it, and @state instead of the loaded one;
 * NULL: the loaded one again. */
void pteris_model_button_show (PterisModelButton *self, PterisModel *model, const char *state);

G_END_DECLS
