/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** The items of Pteris in context menus of texts that can be selected, behind those of GTK: "Read
 * Aloud". Not a new reference. */
GMenuModel *pteris_text_menu (void);

G_END_DECLS
