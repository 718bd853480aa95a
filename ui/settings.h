/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * What the window remembers: a key file in the user's config folder. UI thread only. A write is
 * atomic; one that fails costs the memory of a choice and nothing else.
 */

#define PTERIS_SETTING_FOLDERS "folders"         /* folders of models, beside the default one */
#define PTERIS_SETTING_MODELS "models"           /* single models, by path */
#define PTERIS_SETTING_LAST_CHAT "last-chat"     /* path of the chat model used last */
#define PTERIS_SETTING_LAST_SPEECH "last-speech" /* path of the speech model used last */
#define PTERIS_SETTING_LAST_EXPORT "last-export" /* "txt", "srt", "vtt" or "json" */
#define PTERIS_SETTING_WIDTH "width"
#define PTERIS_SETTING_HEIGHT "height"

/** Free with g_free(); NULL when never set. */
char *pteris_settings_get_string (const char *key);
void pteris_settings_set_string (const char *key, const char *value);

/** Free with g_strfreev(); never NULL. */
char **pteris_settings_get_list (const char *key);

/** Add @value to the list unless it is in it. */
void pteris_settings_add_to_list (const char *key, const char *value);
void pteris_settings_remove_from_list (const char *key, const char *value);

int pteris_settings_get_int (const char *key, int fallback);
void pteris_settings_set_int (const char *key, int value);

G_END_DECLS
