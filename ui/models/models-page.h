/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engines.h"
#include "ui/models/model-list.h"
#include "ui/machine/machine.h"
#include "ui/models/starter.h"

G_BEGIN_DECLS

/** PterisModelsPage: the library with a card for each model, and controls to sort, filter and
 * search. */
#define PTERIS_TYPE_MODELS_PAGE (pteris_models_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisModelsPage, pteris_models_page, PTERIS, MODELS_PAGE, GtkWidget)

void pteris_models_page_bind (PterisModelsPage *self, PterisEngines *engines,
                              PterisLibrary *library, PterisMachine *machine,
                              PterisStarter *starter);

/** Move the focus to the search field. */
void pteris_models_page_focus (PterisModelsPage *self);

/** The shown models in their order (PterisModel). Not a new reference. */
GListModel *pteris_models_page_get_shown (PterisModelsPage *self);

G_END_DECLS
