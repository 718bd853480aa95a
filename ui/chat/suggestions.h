/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * What an empty chat suggests to ask: short tasks that a small model does, in a language that it
 * speaks.
 */

#define PTERIS_N_SUGGESTIONS 3

/** Number @i for a model that speaks @languages (PtModelInfo.languages): in the language of the
 * window where that is among them, else in English. */
const char *pteris_suggestions_get (guint i, const char *languages);

/** Whether @languages name that of the first of @locales ("de_DE.UTF-8"). */
gboolean pteris_suggestions_match (const char *languages, const char *const *locales);

G_END_DECLS
