/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engines.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/**
 * PterisModelCard: one model on the Models page: its description, whether it runs on this machine,
 * missing files, and actions. Its buttons activate "win." actions whose target is the path of the
 * program, as a byte string.
 */
#define PTERIS_TYPE_MODEL_CARD (pteris_model_card_get_type ())
G_DECLARE_FINAL_TYPE (PterisModelCard, pteris_model_card, PTERIS, MODEL_CARD, GtkWidget)

PterisModelCard *pteris_model_card_new (PterisEngines *engines, PterisMachine *machine);

/** NULL: none. */
void pteris_model_card_set_model (PterisModelCard *self, PterisModel *model);

G_END_DECLS
