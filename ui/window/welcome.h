/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/models/model-list.h"

G_BEGIN_DECLS

/**
 * PterisWelcome: the page of the first start, with ways to get models. It activates
 * "win.use-starter", "win.add-folder" and "win.show-page".
 */
#define PTERIS_TYPE_WELCOME (pteris_welcome_get_type ())
G_DECLARE_FINAL_TYPE (PterisWelcome, pteris_welcome, PTERIS, WELCOME, GtkWidget)

PterisWelcome *pteris_welcome_new (PterisLibrary *library);

G_END_DECLS
