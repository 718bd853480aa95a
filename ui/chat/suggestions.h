/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Suggested questions of an empty chat: short tasks for small models, in a language of the model.
 */

#define PTERIS_N_SUGGESTIONS 3

/** Number @i for a model that speaks @languages (PtModelInfo.languages): in the language of the
 * window if the model speaks it, else in English. */
const char *pteris_suggestions_get (guint i, const char *languages);

/** Whether @languages contain the language of the first of @locales ("de_DE.UTF-8"). */
gboolean pteris_suggestions_match (const char *languages, const char *const *locales);

G_END_DECLS
