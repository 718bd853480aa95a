/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gi18n.h>

/*
 * All texts of the window go through _() or are marked translatable in a .ui file. Texts of the
 * engine (PtEvent.text, GError) and of the command line are English.
 */

/** Find the translations; call it after setlocale() and before the first use of _(). */
void pteris_i18n_init (void);

/** Format numbers by the user's locale ("1,5 GB") on the calling thread only. Other threads keep
 * the C locale, which model files and JSON need. */
void pteris_i18n_use_local_numbers (void);
