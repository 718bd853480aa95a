/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "ui/settings.h"

/* An installed schema of another version: using it would abort the program. */
static const char STALE[] =
    "<schemalist><schema id=\"org.pteris.Pteris\" path=\"/org/pteris/Pteris/\">"
    "<key name=\"folders\" type=\"as\"><default>[]</default></key>"
    "</schema></schemalist>";

static const char OLD[] = "[window]\n"
                          "folders=/models/one;/models/two;\n"
                          "models=/elsewhere/Größe/model.pte;\n"
                          "last-chat=/models/one/model.pte\n"
                          "width=900\n"
                          "height=-5\n";

static char *old_path;

/* The settings of version 0.1 are imported, and its file is renamed. */
static void
test_migration (void)
{
  g_auto (GStrv) folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  g_auto (GStrv) models = pteris_settings_get_list (PTERIS_SETTING_MODELS);
  g_autofree char *chat = pteris_settings_get_string (PTERIS_SETTING_LAST_CHAT);
  g_autofree char *speech = pteris_settings_get_string (PTERIS_SETTING_LAST_SPEECH);
  g_autofree char *aside = g_strconcat (old_path, ".old", NULL);

  g_assert_cmpuint (g_strv_length (folders), ==, 2);
  g_assert_cmpstr (folders[1], ==, "/models/two");
  g_assert_cmpstr (models[0], ==, "/elsewhere/Größe/model.pte");
  g_assert_cmpstr (chat, ==, "/models/one/model.pte");
  g_assert_null (speech);
  g_assert_cmpint (pteris_settings_get_int (PTERIS_SETTING_WIDTH), ==, 900);
  g_assert_cmpint (pteris_settings_get_int (PTERIS_SETTING_HEIGHT), ==, 720);
  /* Users of version 0.1 do not get the page of the first start. */
  g_assert_true (pteris_settings_get_boolean (PTERIS_SETTING_WELCOMED));
  g_assert_false (g_file_test (old_path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (aside, G_FILE_TEST_EXISTS));
}

static void
count (gpointer object)
{
  g_object_set_data (object, "n",
                     GINT_TO_POINTER (GPOINTER_TO_INT (g_object_get_data (object, "n")) + 1));
}

static void
test_values (void)
{
  g_autoptr (GObject) watcher = g_object_new (G_TYPE_OBJECT, NULL);
  g_auto (GStrv) list = NULL;

  pteris_settings_watch (PTERIS_SETTING_THEME, count, watcher);
  g_assert_cmpint (pteris_settings_get_enum (PTERIS_SETTING_THEME), ==, 0);
  pteris_settings_set_enum (PTERIS_SETTING_THEME, 2);
  g_assert_cmpint (pteris_settings_get_enum (PTERIS_SETTING_THEME), ==, 2);
  g_assert_cmpint (GPOINTER_TO_INT (g_object_get_data (watcher, "n")), ==, 1);

  g_assert_true (pteris_settings_get_boolean (PTERIS_SETTING_KEEP_HISTORY));
  pteris_settings_set_string (PTERIS_SETTING_LAST_EXPORT, "srt");
  pteris_settings_set_string (PTERIS_SETTING_LAST_EXPORT, NULL);
  g_assert_null (pteris_settings_get_string (PTERIS_SETTING_LAST_EXPORT));

  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/three");
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/three");
  pteris_settings_remove_from_list (PTERIS_SETTING_FOLDERS, "/models/one");
  list = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  g_assert_cmpuint (g_strv_length (list), ==, 2);
  g_assert_cmpstr (list[1], ==, "/three");
}

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
install_stale_schema (const char *home)
{
  g_autofree char *compiler = g_find_program_in_path ("glib-compile-schemas");
  g_autofree char *folder = g_build_filename (home, "schemas", NULL);
  const char *argv[] = { compiler, folder, NULL };

  if (compiler == NULL)
    return;
  write_file (folder, "org.pteris.Pteris.gschema.xml", STALE);
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                               NULL, NULL));
  g_setenv ("GSETTINGS_SCHEMA_DIR", folder, TRUE);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (home, "pteris", NULL);

  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  g_setenv ("GSETTINGS_BACKEND", "keyfile", TRUE);
  install_stale_schema (home);
  write_file (folder, "settings.ini", OLD);
  old_path = g_build_filename (folder, "settings.ini", NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings/migration", test_migration);
  g_test_add_func ("/settings/values", test_values);
  return g_test_run ();
}
