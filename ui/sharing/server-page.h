/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/sharing/sharing.h"

G_BEGIN_DECLS

/** PterisServerPage: turns the server on and off, shows its address, key and what it does. */
#define PTERIS_TYPE_SERVER_PAGE (pteris_server_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisServerPage, pteris_server_page, PTERIS, SERVER_PAGE, GtkWidget)

void pteris_server_page_bind (PterisServerPage *self, PterisSharing *sharing);

G_END_DECLS
