/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/meaning/meaning.h"
#include "ui/models/model-list.h"
#include "ui/machine/machine.h"
#include "ui/window/updates.h"

G_BEGIN_DECLS

/** PterisPreferences: the settings of the program. Changes apply at once. */
#define PTERIS_TYPE_PREFERENCES (pteris_preferences_get_type ())
G_DECLARE_FINAL_TYPE (PterisPreferences, pteris_preferences, PTERIS, PREFERENCES,
                      AdwPreferencesWindow)

/** A window over @parent; @machine provides the GPUs to choose from. */
PterisPreferences *pteris_preferences_new (GtkWindow *parent, PterisLibrary *library,
                                           PterisMachine *machine, PterisMeaning *meaning,
                                           PterisUpdates *updates);

/** "general", "models" or "safety". */
void pteris_preferences_show (PterisPreferences *self, const char *page);

G_END_DECLS
