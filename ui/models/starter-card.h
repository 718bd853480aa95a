/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/models/starter.h"

G_BEGIN_DECLS

/**
 * PterisStarterCard: shown instead of models while there are none: buttons to get the starter
 * models or open a model, and the progress of getting them.
 */
#define PTERIS_TYPE_STARTER_CARD (pteris_starter_card_get_type ())
G_DECLARE_FINAL_TYPE (PterisStarterCard, pteris_starter_card, PTERIS, STARTER_CARD, GtkWidget)

void pteris_starter_card_set_starter (PterisStarterCard *self, PterisStarter *starter);

G_END_DECLS
