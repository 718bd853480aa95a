/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engines.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/**
 * PterisStatusBar: the speed of the model, its device, and the used memory. It polls the machine
 * while it is visible.
 */
#define PTERIS_TYPE_STATUS_BAR (pteris_status_bar_get_type ())
G_DECLARE_FINAL_TYPE (PterisStatusBar, pteris_status_bar, PTERIS, STATUS_BAR, GtkWidget)

void pteris_status_bar_bind (PterisStatusBar *self, PterisMachine *machine, PterisEngines *engines);

G_END_DECLS
