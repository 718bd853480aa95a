/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Damaged settings: the key file, the file of version 0.1, and the schema in the cache. The program
 * must start with defaults for unreadable values, and save new ones.
 */

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/hostile/hostile.h"
#include "ui/settings.h"

#define GROUP "[preferences]\n"

static char *home;

/* ---- in a process of its own, since settings are read once ---- */

static void
read_all (void)
{
  static const char *const strings[] = { PTERIS_SETTING_LAST_CHAT, PTERIS_SETTING_LAST_SPEECH,
                                         PTERIS_SETTING_LAST_EXPORT, PTERIS_SETTING_DEVICE };
  static const char *const lists[] = { PTERIS_SETTING_FOLDERS, PTERIS_SETTING_MODELS };
  int theme = pteris_settings_get_enum (PTERIS_SETTING_THEME);
  int width = pteris_settings_get_int (PTERIS_SETTING_WIDTH);

  for (guint i = 0; i < G_N_ELEMENTS (strings); i++) {
    g_autofree char *text = pteris_settings_get_string (strings[i]);

    g_assert_true (text == NULL || g_utf8_validate (text, -1, NULL));
  }
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    g_auto (GStrv) list = pteris_settings_get_list (lists[i]);

    for (guint k = 0; list[k] != NULL; k++)
      g_assert_true (g_utf8_validate (list[k], -1, NULL));
  }
  g_assert_true (theme >= 0 && theme <= 2);
  g_assert_true (width > 0 && width <= 32767);
}

static void
use (gpointer data)
{
  hostile_begin ();
  read_all ();
  pteris_settings_set_string (PTERIS_SETTING_LAST_CHAT, "/a/chat");
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/a/folder");
  pteris_settings_set_int (PTERIS_SETTING_WIDTH, 801);
  read_all ();
  hostile_end (data);
}

static void
check_remembered (gpointer data)
{
  g_autofree char *chat = pteris_settings_get_string (PTERIS_SETTING_LAST_CHAT);
  g_auto (GStrv) folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);

  if (g_strcmp0 (chat, "/a/chat") != 0 ||
      !g_strv_contains ((const char *const *) folders, "/a/folder"))
    g_error ("%s: what was set is forgotten", (const char *) data);
  g_assert_cmpint (pteris_settings_get_int (PTERIS_SETTING_WIDTH), ==, 801);
}

static void
run (void (*func) (gpointer), const char *what)
{
  int status;
  pid_t child = fork ();

  if (child == 0) {
    /* GLib itself warns of some texts. */
    g_log_set_always_fatal (G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK);
    alarm (60);
    func ((gpointer) what);
    _exit (0);
  }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    g_error ("settings: %s", what);
}

/* ---- files ---- */

static char *
path_of (const char *name)
{
  return g_build_filename (home, "pteris", name, NULL);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      remove_folder (path);
    g_remove (path);
  }
}

static void
make_folder (void)
{
  g_autofree char *folder = g_build_filename (home, "pteris", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
}

static void
try_all (const char *what)
{
  run (use, what);
  run (check_remembered, what);
  remove_folder (home);
  make_folder ();
}

static void
try_text (const char *name, const char *text, gssize size)
{
  g_autofree char *path = path_of (name);

  g_assert_true (g_file_set_contents (path, text, size, NULL));
  try_all (text);
}

#define TEXT(text)        \
  {                       \
    text, sizeof text - 1 \
  }

static const struct {
  const char *text;
  gssize size;
} texts[] = {
  TEXT (""),
  TEXT ("["),
  TEXT (GROUP),
  TEXT ("width=5"),
  TEXT (GROUP "width=\nheight=abc\nfolders=;;;\nmodels=a;b\\"),
  TEXT (GROUP "width=99999999999999999999\nheight=-7\nlast-chat=\\q\\x\\"),
  TEXT (GROUP "width='wide'\nlast-chat=5\nfolders='x'\nmodels=[1,2]\ntheme='pink'\nthreads=-1"),
  TEXT (GROUP "width=-2147483648\nheight=0\ntheme=2\ntext-size=1e308\nfolders=@as []"),
  TEXT (GROUP "last-chat='\xff\xfe'\nfolders=['\xff']\nmodels=['\xed\xa0\x80']"),
  TEXT (GROUP "last-chat='\\u0000\\ud800'\nfolders=['\\U00110000']"),
  TEXT (GROUP GROUP "width=1\nwidth=2\n[other"),
  TEXT (GROUP "last-chat='a\0b'\nwidth=1\0"),
  TEXT ("\xef\xbb\xbf" GROUP "width=700\r\n"),
  TEXT ("\xff\xfe[\0w\0i\0n\0"),
};

static void
test_texts (void)
{
  static const char *const names[] = { "preferences.ini", "settings.ini" };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
      g_auto (GStrv) parts = g_strsplit (texts[i].text, "[preferences]", -1);
      g_autofree char *old = g_strjoinv ("[window]", parts);

      if (k == 0)
        try_text (names[k], texts[i].text, texts[i].size);
      else
        try_text (names[k], old, -1);
    }
}

static void
test_large (void)
{
  g_autoptr (GString) text = g_string_new (GROUP "folders=[");

  while (text->len < 500000)
    g_string_append (text, "'/a/b',");
  g_string_append (text, "'']\n");
  try_text ("preferences.ini", text->str, (gssize) text->len);
  g_string_assign (text, GROUP "folders=");
  while (text->len < 500000)
    g_string_append_c (text, '[');
  try_text ("preferences.ini", text->str, (gssize) text->len);
  while (text->len < 2000000)
    g_string_append (text, "\n" GROUP "width=1\n[x]");
  try_text ("preferences.ini", text->str, (gssize) text->len);
}

/* Makes something at @path that is not a regular file. */
static void
put_odd (const char *path, guint kind)
{
  switch (kind) {
  case 0: g_assert_cmpint (mkfifo (path, 0600), ==, 0); break;
  case 1: g_assert_cmpint (symlink ("/dev/zero", path), ==, 0); break;
  case 2: g_assert_cmpint (symlink ("nowhere/at/all", path), ==, 0); break;
  case 3: g_assert_cmpint (symlink (path, path), ==, 0); break;
  case 4: g_assert_cmpint (g_mkdir (path, 0700), ==, 0); break;
  default:
    g_assert_true (g_file_set_contents (path, "", 0, NULL));
    g_assert_cmpint (truncate (path, (off_t) 1 << 40), ==, 0);
  }
}

static void
test_places (void)
{
  static const char *const names[] = { "preferences.ini", "settings.ini",
                                       "schemas/gschemas.compiled" };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    for (guint kind = 0; kind < 6; kind++) {
      g_autofree char *path = path_of (names[k]), *folder = g_path_get_dirname (path);
      g_autofree char *what = g_strdup_printf ("%s of kind %u", names[k], kind);

      g_mkdir_with_parents (folder, 0700);
      put_odd (path, kind);
      /* A folder in the place of the schema: nothing can be saved. */
      if (k == 2 && kind == 4) {
        remove_folder (home);
        make_folder ();
      }
      try_all (what);
    }
}

/* Nothing is saved, without any other effect. */
static void
use_none (gpointer data)
{
  g_auto (GStrv) folders = NULL;

  hostile_begin ();
  pteris_settings_set_string (PTERIS_SETTING_LAST_CHAT, "/a/chat");
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/a/folder");
  pteris_settings_set_int (PTERIS_SETTING_WIDTH, 801);
  folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  g_assert_nonnull (folders);
  g_assert_null (pteris_settings_get_string (PTERIS_SETTING_LAST_EXPORT));
  hostile_end (data);
}

static void
test_no_folder (void)
{
  g_autofree char *folder = g_build_filename (home, "pteris", NULL);

  remove_folder (home);
  g_assert_true (g_file_set_contents (folder, "a file", -1, NULL));
  run (use_none, "a file in the place of the folder");
  g_remove (folder);
  g_assert_cmpint (g_chmod (home, 0500), ==, 0);
  run (use_none, "a folder that nobody may write to");
  g_assert_cmpint (g_chmod (home, 0700), ==, 0);
  remove_folder (home);
  make_folder ();
}

int
main (int argc, char **argv)
{
  int result;

  home = g_dir_make_tmp ("pteris-hostile-XXXXXX", NULL);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  /* As on a system without a settings service. */
  g_setenv ("GIO_MODULE_DIR", home, TRUE);
  g_unsetenv ("GSETTINGS_BACKEND");
  g_unsetenv ("GSETTINGS_SCHEMA_DIR");
  make_folder ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/settings/texts", test_texts);
  g_test_add_func ("/hostile/settings/large", test_large);
  g_test_add_func ("/hostile/settings/places", test_places);
  g_test_add_func ("/hostile/settings/no-folder", test_no_folder);
  result = g_test_run ();
  remove_folder (home);
  g_rmdir (home);
  g_free (home);
  return result;
}
