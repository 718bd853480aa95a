/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gi18n.h>

/*
 * Everything the window says goes through _(), or is marked translatable in a .ui file. What the
 * engine says (PtEvent.text, GError) and the command line are English.
 */

/** Find the translations, after setlocale() and before the first word. */
void pteris_i18n_init (void);
