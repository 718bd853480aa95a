/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * Once, after gtk_init(): mend two habits of every popover. One that is closed hears of the pointer
 * no more, and the button of one that is open shows no tooltip over it.
 */
void pteris_popovers_init (void);

G_END_DECLS
