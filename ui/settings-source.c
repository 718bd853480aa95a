/* SPDX-License-Identifier: BSD-3-Clause */
#define G_SETTINGS_ENABLE_BACKEND
#include "ui/settings.h"

#include <errno.h>
#include <string.h>

#include <gio/gsettingsbackend.h>
#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "ui/resources.h"
#ifdef G_OS_WIN32
#include "resources/windows-icons.h"
#endif

/* The largest file; ours are smaller. */
#define MAX_BYTES (1024 * 1024)

#define SCHEMA "org.pteris.Pteris"
#define SCHEMA_PATH "/org/pteris/Pteris/"

void
_pteris_resources_ensure (void)
{
  if (pteris_get_resource () == NULL)
    pteris_register_resource ();
#ifdef G_OS_WIN32
  if (pteris_icons_get_resource () == NULL)
    pteris_icons_register_resource ();
#endif
}

/* ---- the schema ---- */

/*
 * The schema this program was built with. GLib reads compiled schemas only from folders, so the
 * copy in the program is written to one.
 */
static GSettingsSchema *
own_schema (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "pteris", "schemas", NULL);
  g_autofree char *path = g_build_filename (folder, "gschemas.compiled", NULL);
  g_autoptr (GBytes) wanted =
      g_resources_lookup_data (SCHEMA_PATH "gschemas.compiled", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (GSettingsSchemaSource) source = NULL;
  g_autofree char *present = NULL;
  gsize size = 0;

  present = pt_text_load (path, MAX_BYTES, &size, NULL);
  if (present == NULL || size != g_bytes_get_size (wanted) ||
      memcmp (present, g_bytes_get_data (wanted, NULL), size) != 0) {
    g_mkdir_with_parents (folder, 0700);
    if (!g_file_set_contents (path, g_bytes_get_data (wanted, NULL),
                              (gssize) g_bytes_get_size (wanted), NULL))
      return NULL;
  }
  source = g_settings_schema_source_new_from_directory (
      folder, g_settings_schema_source_get_default (), TRUE, NULL);
  return source != NULL ? g_settings_schema_source_lookup (source, SCHEMA, FALSE) : NULL;
}

/* GLib aborts the program when a schema lacks a requested key. */
static gboolean
has_all_keys (GSettingsSchema *schema, GSettingsSchema *own)
{
  g_auto (GStrv) keys = g_settings_schema_list_keys (own);

  for (guint i = 0; keys[i] != NULL; i++) {
    g_autoptr (GSettingsSchemaKey) ours = NULL, theirs = NULL;

    if (!g_settings_schema_has_key (schema, keys[i]))
      return FALSE;
    ours = g_settings_schema_get_key (own, keys[i]);
    theirs = g_settings_schema_get_key (schema, keys[i]);
    if (!g_variant_type_equal (g_settings_schema_key_get_value_type (ours),
                               g_settings_schema_key_get_value_type (theirs)))
      return FALSE;
  }
  return TRUE;
}

/* The installed schema is preferred, since administrators change defaults there, unless it is of
 * another version. */
static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) installed =
      source != NULL ? g_settings_schema_source_lookup (source, SCHEMA, TRUE) : NULL;
  g_autoptr (GSettingsSchema) own = own_schema ();

  if (installed != NULL && own != NULL && has_all_keys (installed, own))
    return g_steal_pointer (&installed);
  return g_steal_pointer (&own);
}

/* ---- the place ---- */

static char *
config_file (const char *name)
{
  return g_build_filename (g_get_user_config_dir (), "pteris", name, NULL);
}

/*
 * Whether the desktop has a settings service; GLib's fallback does not save anything. The registry
 * of Windows is not used: a file can be copied, is part of a portable program, and leaves no
 * traces.
 */
static gboolean
has_service (void)
{
  GIOExtensionPoint *point;
  GList *extensions;

  if (g_getenv ("GSETTINGS_BACKEND") != NULL)
    return TRUE;
  g_vfs_get_default (); /* loads the modules of settings backends */
  point = g_io_extension_point_lookup ("gsettings-backend");
  extensions = point != NULL ? g_io_extension_point_get_extensions (point) : NULL;
  for (GList *l = extensions; l != NULL; l = l->next) {
    const char *name = g_io_extension_get_name (l->data);

    if (!g_str_equal (name, "memory") && !g_str_equal (name, "null") &&
        !g_str_equal (name, "keyfile") && !g_str_equal (name, "registry"))
      return TRUE;
  }
  return FALSE;
}

/* "\\ud800" would become invalid UTF-8. */
static gboolean
has_bad_escape (const char *text)
{
  for (const char *at = strchr (text, '\\'); at != NULL && at[1] != '\0';
       at = strchr (at + 2, '\\')) {
    gboolean is_long = at[1] == 'U';
    char digits[9] = "";

    if (at[1] != 'u' && !is_long)
      continue;
    g_strlcpy (digits, at + 2, is_long ? 9 : 5);
    if (!g_unichar_validate ((gunichar) g_ascii_strtoull (digits, NULL, 16)))
      return TRUE;
  }
  return FALSE;
}

/* GLib would read a pipe or a sparse file of 1 TB, and overwrite a file that it cannot read. */
static void
put_aside_unreadable (const char *path)
{
  gsize size = 0;
  g_autofree char *text = pt_text_load (path, MAX_BYTES, &size, NULL);
  g_autofree char *aside = g_strconcat (path, ".damaged", NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (text != NULL && g_utf8_validate (text, (gssize) size, NULL) && !has_bad_escape (text) &&
      (size == 0 || g_key_file_load_from_data (file, text, size, G_KEY_FILE_NONE, NULL)))
    return;
  if (g_rename (path, aside) == 0)
    g_message ("The settings cannot be read; they are kept as “%s”.", aside);
}

static GSettingsBackend *
open_backend (void)
{
  g_autofree char *path = config_file ("preferences.ini");

  if (has_service ())
    return g_settings_backend_get_default ();
  put_aside_unreadable (path);
  return g_keyfile_settings_backend_new (path, SCHEMA_PATH, "preferences");
}

/* ---- settings of version 0.1 ---- */

static void
take_strings (GSettings *settings, GKeyFile *old)
{
  static const char *const NAMES[] = { "last-chat", "last-speech", "last-export" };

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *value = g_key_file_get_string (old, "window", NAMES[i], NULL);

    if (value != NULL)
      g_settings_set_string (settings, NAMES[i], value);
  }
}

static void
take_lists (GSettings *settings, GKeyFile *old)
{
  static const char *const NAMES[] = { "folders", "models" };

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_auto (GStrv) value = g_key_file_get_string_list (old, "window", NAMES[i], NULL, NULL);

    if (value != NULL)
      g_settings_set_strv (settings, NAMES[i], (const char *const *) value);
  }
}

static void
take_sizes (GSettings *settings, GKeyFile *old)
{
  static const char *const NAMES[] = { "width", "height" };

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    int value = g_key_file_get_integer (old, "window", NAMES[i], NULL);

    if (value > 0 && value <= 32767)
      g_settings_set_int (settings, NAMES[i], value);
  }
}

/* Runs once: the old file is renamed afterwards. */
static void
migrate (GSettings *settings)
{
  g_autofree char *path = config_file ("settings.ini");
  g_autofree char *aside = g_strconcat (path, ".old", NULL);
  g_autoptr (GKeyFile) old = g_key_file_new ();
  g_autofree char *text = NULL;
  gsize size = 0;

  if (g_strcmp0 (g_getenv ("GSETTINGS_BACKEND"), "memory") == 0)
    return;
  text = pt_text_load (path, MAX_BYTES, &size, NULL);
  if (text == NULL || !g_key_file_load_from_data (old, text, size, G_KEY_FILE_NONE, NULL))
    return;
  take_strings (settings, old);
  take_lists (settings, old);
  take_sizes (settings, old);
  g_settings_set_boolean (settings, "welcomed", TRUE);
  g_settings_sync ();
  g_rename (path, aside);
}

GSettings *
_pteris_settings_open (void)
{
  g_autoptr (GSettingsSchema) schema = NULL;
  g_autoptr (GSettingsBackend) backend = NULL;
  GSettings *settings;

  _pteris_resources_ensure ();
  schema = find_schema ();
  if (schema == NULL) {
    g_message ("Settings cannot be stored; nothing is remembered.");
    return NULL;
  }
  backend = open_backend ();
  settings = g_settings_new_full (schema, backend, NULL);
  migrate (settings);
  return settings;
}
