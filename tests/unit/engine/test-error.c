/* SPDX-License-Identifier: BSD-3-Clause */

/* Escape sequences from files are removed from errors and reports. */

#include <string.h>

#include "engine/base/clean.h"
#include "engine/base/set-error.h"
#include "engine/base/folder.h"

static void
check_clean (const char *text, const char *kept, char instead, const char *expected)
{
  g_autofree char *clean = pt_clean_text (text, kept, instead);

  g_assert_cmpstr (clean, ==, expected);
}

static void
test_clean (void)
{
  check_clean ("", NULL, ' ', "");
  check_clean ("plain, é, 漢字, 😀", NULL, ' ', "plain, é, 漢字, 😀");
  check_clean ("\x1b]52;c;aGk=\x07", NULL, '\0', "]52;c;aGk=");
  check_clean ("\x1b[31mred\r\n\ttab\x7f", "\n\t", '\0', "[31mred\n\ttab");
  check_clean ("one\ntwo\tthree", NULL, ' ', "one two three");
  /* C1, as two bytes and as the one that some terminals take for it */
  check_clean ("a\xc2\x9b"
               "31mb\xc2\x85",
               NULL, '\0', "a31mb");
  check_clean ("a\x9b"
               "31mb",
               NULL, '\0',
               "a\xef\xbf\xbd"
               "31mb");
  /* gnp.exe that reads as exe.png */
  check_clean ("\xe2\x80\xaegnp.exe\xe2\x80\xac \xe2\x81\xa6x\xe2\x81\xa9", NULL, '\0',
               "gnp.exe x");
  /* Marks that only join or order letters are text. */
  check_clean ("\xe2\x80\x8e \xe2\x80\x8d", NULL, '\0', "\xe2\x80\x8e \xe2\x80\x8d");
}

static void
test_errors (void)
{
  g_autoptr (GError) error = NULL;
  GError *none = NULL;

  pt_prefix_error (NULL, "%s", "nobody asks");
  pt_prefix_error (&none, "%s", "nothing failed");
  g_assert_null (none);
  g_assert_false (pt_fail (&error, PT_ERROR_DATA, "“%s” is damaged.", "a\x1b[2Jb\nc\xff"));
  g_assert_cmpstr (error->message, ==, "“a [2Jb c\xef\xbf\xbd” is damaged.");
  pt_prefix_error (&error, "Method %s: ", "\x1b]0;title\x07\xc2\x9b");
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
  g_assert_cmpstr (error->message, ==, "Method  ]0;title  : “a [2Jb c\xef\xbf\xbd” is damaged.");
}

/* Functions of GLib that would let through what they are given. */
static const char *const RAW[] = { "g_prefix_error", "g_propagate_prefixed_error", "g_set_error",
                                   "g_error_new" };

static void
look_at_file (const char *path)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (RAW); i++) {
    if (strstr (text, RAW[i]) != NULL) {
      g_test_message ("%s uses %s: pt_fail() and pt_prefix_error() clean what files say", path,
                      RAW[i]);
      g_test_fail ();
    }
  }
}

static guint
look_at_folder (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;
  guint n = 0;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
      n += look_at_folder (path);
    } else if (g_str_has_suffix (name, ".c") && strcmp (name, "set-error.c") != 0) {
      look_at_file (path);
      n++;
    }
  }
  return n;
}

static void
test_sources (void)
{
  g_autofree char *engine = g_test_build_filename (G_TEST_DIST, "..", "engine", NULL);
  g_autofree char *app = g_test_build_filename (G_TEST_DIST, "..", "app", NULL);

  if (!g_file_test (engine, G_FILE_TEST_IS_DIR)) {
    g_test_skip ("the sources are not here");
    return;
  }
  g_assert_cmpuint (look_at_folder (engine), >, 100);
  g_assert_cmpuint (look_at_folder (app), >, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/clean", test_clean);
  g_test_add_func ("/error/messages", test_errors);
  g_test_add_func ("/error/sources", test_sources);
  return g_test_run ();
}
