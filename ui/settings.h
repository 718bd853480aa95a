/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/*
 * The settings of the window: the GSettings schema org.pteris.Pteris, which describes the keys and
 * their defaults. It works without an installation. Without a settings service, settings are in a
 * key file in the user's config folder. If no folder is writable, every value is zero or empty and
 * nothing is saved. UI thread only.
 */

#define PTERIS_SETTING_FOLDERS "folders"
#define PTERIS_SETTING_MODELS "models"
#define PTERIS_SETTING_LAST_CHAT "last-chat"
#define PTERIS_SETTING_LAST_SPEECH "last-speech"
#define PTERIS_SETTING_LAST_PICTURES "last-pictures"
#define PTERIS_SETTING_LAST_EXPORT "last-export"
#define PTERIS_SETTING_DEVICE "default-device"
#define PTERIS_SETTING_THREADS "threads"
#define PTERIS_SETTING_ISOLATION "isolation"       /* enumeration: PterisIsolation */
#define PTERIS_SETTING_SIDE_BY_SIDE "side-by-side" /* enumeration: PterisSideBySide */
#define PTERIS_SETTING_SERVE "serve"
#define PTERIS_SETTING_SERVE_WITH_KEY "serve-with-key"
#define PTERIS_SETTING_SERVE_ORIGINS "serve-origins"
#define PTERIS_SETTING_THEME "theme" /* enumeration: 0 system, 1 light, 2 dark */
#define PTERIS_SETTING_TEXT_SIZE "text-size"
#define PTERIS_SETTING_SAFE_GRAPHICS "safe-graphics"
#define PTERIS_SETTING_KEEP_HISTORY "keep-history"
#define PTERIS_SETTING_SEARCH_BY_MEANING "search-by-meaning"
#define PTERIS_SETTING_SEND_WITH_ENTER "send-with-enter"
#define PTERIS_SETTING_VOICE_MODEL "voice-model"
#define PTERIS_SETTING_VOICE "voice"
#define PTERIS_SETTING_VOICE_SPEED "voice-speed"
#define PTERIS_SETTING_LOOK_FOR_UPDATES "look-for-updates"
#define PTERIS_SETTING_UPDATE_TOLD "update-told"
#define PTERIS_SETTING_RECORD_FROM "record-from" /* both by ui/sound/sound-choice.h */
#define PTERIS_SETTING_RECORD_FROM_NAME "record-from-name"
#define PTERIS_SETTING_PLAY_ON "play-on"
#define PTERIS_SETTING_PLAY_ON_NAME "play-on-name"
#define PTERIS_SETTING_WELCOMED "welcomed"
#define PTERIS_SETTING_WIDTH "width"
#define PTERIS_SETTING_HEIGHT "height"
#define PTERIS_SETTING_MAXIMIZED "maximized"

/** Free with g_free(); NULL if empty. */
char *pteris_settings_get_string (const char *key);
void pteris_settings_set_string (const char *key, const char *value);

/** Free with g_strfreev(); never NULL. */
char **pteris_settings_get_list (const char *key);

void pteris_settings_set_list (const char *key, const char *const *values);

/** Add @value to the list unless it is in it. */
void pteris_settings_add_to_list (const char *key, const char *value);
void pteris_settings_remove_from_list (const char *key, const char *value);

int pteris_settings_get_int (const char *key);
void pteris_settings_set_int (const char *key, int value);

gboolean pteris_settings_get_boolean (const char *key);
void pteris_settings_set_boolean (const char *key, gboolean value);

int pteris_settings_get_enum (const char *key);
void pteris_settings_set_enum (const char *key, int value);

/** Bind @property of @object to the value of @key, in both directions. */
void pteris_settings_bind (const char *key, gpointer object, const char *property);

/** Call @func (object) when the value of @key changes, as long as @object lives. */
void pteris_settings_watch (const char *key, void (*func) (gpointer object), gpointer object);

/** settings-source.c: open the schema and its backend; NULL: there is none. */
GSettings *_pteris_settings_open (void);

/** settings-source.c: register the resources with the schema. May be called again. */
void _pteris_resources_ensure (void);

G_END_DECLS
