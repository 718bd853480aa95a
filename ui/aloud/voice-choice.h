/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/models/model-list.h"

G_BEGIN_DECLS

/** Let @row choose among the voices of all models of @library that speak. They are listed in a
 * thread; the choice is saved in the settings. */
void pteris_voice_choice_bind (AdwComboRow *row, PterisLibrary *library);

G_END_DECLS
