/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/settings.h"

#define GROUP "window"

static char *
settings_path (void)
{
  return g_build_filename (g_get_user_config_dir (), "pteris", "settings.ini", NULL);
}

static GKeyFile *
settings (void)
{
  static GKeyFile *file;

  if (file == NULL) {
    g_autofree char *path = settings_path ();

    file = g_key_file_new ();
    g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
  }
  return file;
}

static void
save (void)
{
  g_autofree char *path = settings_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (folder, 0700);
  if (!g_key_file_save_to_file (settings (), path, &error))
    g_message ("The settings could not be saved: %s", error->message);
}

char *
pteris_settings_get_string (const char *key)
{
  return g_key_file_get_string (settings (), GROUP, key, NULL);
}

void
pteris_settings_set_string (const char *key, const char *value)
{
  g_autofree char *old = pteris_settings_get_string (key);

  if (g_strcmp0 (old, value) == 0)
    return;
  g_key_file_set_string (settings (), GROUP, key, value);
  save ();
}

char **
pteris_settings_get_list (const char *key)
{
  char **list = g_key_file_get_string_list (settings (), GROUP, key, NULL, NULL);

  return list != NULL ? list : g_new0 (char *, 1);
}

static void
set_list (const char *key, GStrvBuilder *builder)
{
  g_auto (GStrv) list = g_strv_builder_end (builder);

  g_key_file_set_string_list (settings (), GROUP, key, (const char *const *) list,
                              g_strv_length (list));
  save ();
}

void
pteris_settings_add_to_list (const char *key, const char *value)
{
  g_auto (GStrv) list = pteris_settings_get_list (key);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (g_strv_contains ((const char *const *) list, value))
    return;
  g_strv_builder_addv (builder, (const char **) list);
  g_strv_builder_add (builder, value);
  set_list (key, builder);
}

void
pteris_settings_remove_from_list (const char *key, const char *value)
{
  g_auto (GStrv) list = pteris_settings_get_list (key);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!g_strv_contains ((const char *const *) list, value))
    return;
  for (guint i = 0; list[i] != NULL; i++)
    if (g_strcmp0 (list[i], value) != 0)
      g_strv_builder_add (builder, list[i]);
  set_list (key, builder);
}

int
pteris_settings_get_int (const char *key, int fallback)
{
  g_autoptr (GError) error = NULL;
  int value = g_key_file_get_integer (settings (), GROUP, key, &error);

  return error == NULL ? value : fallback;
}

void
pteris_settings_set_int (const char *key, int value)
{
  if (pteris_settings_get_int (key, value - 1) == value)
    return;
  g_key_file_set_integer (settings (), GROUP, key, value);
  save ();
}
