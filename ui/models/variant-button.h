/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/model.h"

G_BEGIN_DECLS

/**
 * PterisVariantButton: the variant of a model that is used, with a menu of all of them: precision,
 * device, size, and why one cannot run here. Hidden when the program is the only one. It activates
 * "win.choose-variant".
 */
#define PTERIS_TYPE_VARIANT_BUTTON (pteris_variant_button_get_type ())
G_DECLARE_FINAL_TYPE (PterisVariantButton, pteris_variant_button, PTERIS, VARIANT_BUTTON, GtkWidget)

/** @model: or NULL. */
void pteris_variant_button_set_model (PterisVariantButton *self, PterisModel *model);

G_END_DECLS
