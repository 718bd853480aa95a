/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include <pteris/models.h>

#include "ui/discover/downloads.h"

G_BEGIN_DECLS

/**
 * PterisOfferRow: an entry of the catalogue: title, sentence, size, license, languages, whether it
 * fits this computer, and a button that activates "discover.get" with the repository.
 */
#define PTERIS_TYPE_OFFER_ROW (pteris_offer_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisOfferRow, pteris_offer_row, PTERIS, OFFER_ROW, GtkListBoxRow)

GtkWidget *pteris_offer_row_new (PterisOffer *offer);

PterisOffer *pteris_offer_row_get_offer (PterisOfferRow *self);

/** Show what is known of this computer. @read_rate: bytes a second, or 0. */
void pteris_offer_row_update (PterisOfferRow *self, gboolean installed, const PtMemory *memory,
                              double read_rate);

G_END_DECLS
