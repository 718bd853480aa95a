/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** Let @drop_down choose a language, or to detect it, with a search. Positions are those of
 * ui/speech/languages.h. */
void pteris_language_choice_set_up (GtkDropDown *drop_down);

G_END_DECLS
