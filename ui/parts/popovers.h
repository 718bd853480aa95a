/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * Work around two bugs of popovers; call it once after gtk_init(). A closed popover gets no more
 * pointer events, and the button of an open one shows no tooltip over it.
 */
void pteris_popovers_init (void);

G_END_DECLS
