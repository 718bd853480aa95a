/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** What the context menus of texts that can be selected have beside GTK's own items: "Read Aloud".
 * Not a new reference. */
GMenuModel *pteris_text_menu (void);

G_END_DECLS
