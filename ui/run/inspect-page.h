/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"

G_BEGIN_DECLS

/** PterisInspectPage: what is in a program, to be read, searched and copied; and running its
 * methods. */
#define PTERIS_TYPE_INSPECT_PAGE (pteris_inspect_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisInspectPage, pteris_inspect_page, PTERIS, INSPECT_PAGE, GtkWidget)

void pteris_inspect_page_bind (PterisInspectPage *self, PterisEngineClient *client,
                               PterisLibrary *library);

/** Look into the program at @path, a .pte or .bpte. @runs: and show how to run it. */
void pteris_inspect_page_open (PterisInspectPage *self, const char *path, gboolean runs);

/** The program that is looked into, or NULL. */
const char *pteris_inspect_page_get_path (PterisInspectPage *self);

/** The keyboard goes to the search in what is shown, or to the choice of a model. */
void pteris_inspect_page_focus (PterisInspectPage *self);

/** Stop a run. */
void pteris_inspect_page_stop (PterisInspectPage *self);

G_END_DECLS
