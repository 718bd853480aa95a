/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/machine.h"

G_BEGIN_DECLS

/** Poll @machine at @pace while @widget is visible: it is mapped, and its window is neither
 * minimised nor known to be hidden. Lasts for the life of @widget. */
void pteris_machine_watch_for (PterisMachine *machine, PterisPace pace, GtkWidget *widget);

G_END_DECLS
