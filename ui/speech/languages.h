/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The 99 languages that Whisper knows, by name. */

/** "Detect language" and all languages, for a drop-down. Free with g_strfreev(). */
char **pteris_languages_new_names (void);

/** The code for @position in that list; NULL: detect. */
const char *pteris_languages_get_code (guint position);

/** The position of @code in that list; NULL: that of "Detect language". */
guint pteris_languages_find (const char *code);

/** "French" for "fr"; @code itself if unknown. */
const char *pteris_languages_get_name (const char *code);

G_END_DECLS
