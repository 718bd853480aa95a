/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"
#include "ui/machine/machine.h"
#include "ui/models/starter.h"

G_BEGIN_DECLS

/** PterisModelsPage: the library, a card for each model, to be sorted, filtered and searched. */
#define PTERIS_TYPE_MODELS_PAGE (pteris_models_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisModelsPage, pteris_models_page, PTERIS, MODELS_PAGE, GtkWidget)

void pteris_models_page_bind (PterisModelsPage *self, PterisEngineClient *client,
                              PterisLibrary *library, PterisMachine *machine,
                              PterisStarter *starter);

/** Put the keyboard's focus where typing searches. */
void pteris_models_page_focus (PterisModelsPage *self);

/** The models that are shown, in order: of PterisModel. Not a new reference. */
GListModel *pteris_models_page_get_shown (PterisModelsPage *self);

G_END_DECLS
