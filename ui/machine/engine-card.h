/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/activity.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/** PterisEngineCard: the state of the engine: the loaded model, its memory and its speed. */
#define PTERIS_TYPE_ENGINE_CARD (pteris_engine_card_get_type ())
G_DECLARE_FINAL_TYPE (PterisEngineCard, pteris_engine_card, PTERIS, ENGINE_CARD, GtkWidget)

void pteris_engine_card_update (PterisEngineCard *self, PterisActivity *activity,
                                PterisMachine *machine);

G_END_DECLS
