/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/sound/sound-choice.h"

G_BEGIN_DECLS

/*
 * Where the user chooses devices of sound (ui/sound/sound-choice.h). UI thread.
 */

/** Let @row show and change the choice of @use. Its list follows the devices
 * that come and go while it is visible. */
void pteris_sound_chooser_bind_row (AdwComboRow *row, PterisSoundUse use);

/** Let the menu of @button, which records, choose what it records from. The system is asked for its
 * devices each time the menu opens. */
void pteris_sound_chooser_bind_button (AdwSplitButton *button);

G_END_DECLS
