/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/window/updates.h"

G_BEGIN_DECLS

/**
 * PterisUpdateBar: a line at the bottom that says that there is a newer version, with a button for
 * its page. Closed, it does not come again for this version. Hidden otherwise, and while
 * PTERIS_SETTING_LOOK_FOR_UPDATES is not set.
 */
#define PTERIS_TYPE_UPDATE_BAR (pteris_update_bar_get_type ())
G_DECLARE_FINAL_TYPE (PterisUpdateBar, pteris_update_bar, PTERIS, UPDATE_BAR, GtkWidget)

void pteris_update_bar_bind (PterisUpdateBar *self, PterisUpdates *updates);

G_END_DECLS
