/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Fill @drop_down with "Detect language" and the languages, with a search field. Positions are
 * those of ui/speech/languages.h. */
void pteris_language_drop_down_set_up (GtkDropDown *drop_down);

G_END_DECLS
