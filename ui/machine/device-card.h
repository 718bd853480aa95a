/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/activity.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/** PterisDeviceCard: a GPU or the processor: its name, its faults, graphs with a common time axis,
 * and numbers. */
#define PTERIS_TYPE_DEVICE_CARD (pteris_device_card_get_type ())
G_DECLARE_FINAL_TYPE (PterisDeviceCard, pteris_device_card, PTERIS, DEVICE_CARD, GtkWidget)

PterisDeviceCard *pteris_device_card_new (PterisDevice *device);

/** Show the last @span (microseconds) before @now, with the jobs of @activity. */
void pteris_device_card_update (PterisDeviceCard *self, PterisActivity *activity, gint64 now,
                                gint64 span);

G_END_DECLS
