/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gi18n.h>

/*
 * Everything the window says goes through _(), or is marked translatable in a .ui file. What the
 * engine says (PtEvent.text, GError) and the command line are English.
 */

/** Find the translations, after setlocale() and before the first word. */
void pteris_i18n_init (void);

/** On the calling thread alone, numbers are written as the user's language writes them ("1,5 GB").
 * All other threads keep the C locale, which model files and JSON need. */
void pteris_i18n_use_local_numbers (void);
