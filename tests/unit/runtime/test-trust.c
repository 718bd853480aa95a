/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/trust.h"

#include <string.h>
#ifdef G_OS_UNIX
#include <unistd.h>
#endif

#include <glib/gstdio.h>

#include "engine/engine.h"

#define A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define B "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

#define MODELS G_DIR_SEPARATOR_S "models" G_DIR_SEPARATOR_S

/* Every test begins without the file. */
static void
begin (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "pteris", NULL);
  g_autofree char *path = g_build_filename (folder, "trusted", NULL);
  g_autofree char *other = g_strconcat (path, "-other", NULL);

  g_remove (path);
  g_remove (other);
  g_remove (folder);
}

static char *
trust_file (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "trusted", NULL);
}

static void
write_file (const char *text, gssize size, int mode)
{
  g_autofree char *path = trust_file ();
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, size, NULL));
  g_assert_cmpint (g_chmod (path, mode), ==, 0);
}

static char *
read_file (void)
{
  g_autofree char *path = trust_file ();
  char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
test_remember (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = trust_file ();
  g_autofree char *text = NULL;
  GStatBuf status;

  begin ();
  g_assert_false (pt_trust_is_remembered (A));
  g_assert_true (pt_trust_remember (A, "/models/model.pte", &error));
  g_assert_true (pt_trust_remember (B, "/models/a\nb  \x01.pte", &error));
  g_assert_true (pt_trust_remember (A, "/models/model.pte", &error));
  g_assert_no_error (error);
  g_assert_true (pt_trust_is_remembered (A));
  g_assert_true (pt_trust_is_remembered (B));
  text = read_file ();
  g_assert_cmpstr (text, ==, B "  " MODELS "a b   .pte\n" A "  " MODELS "model.pte\n");
  g_assert_cmpint (g_stat (path, &status), ==, 0);
#ifdef G_OS_UNIX
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
#endif
  g_assert_true (pt_trusted_forget (A, &error));
  g_assert_true (pt_trusted_forget (A, &error));
  g_assert_false (pt_trust_is_remembered (A));
  g_assert_true (pt_trust_is_remembered (B));
  g_assert_no_error (error);
}

/* As the window shows it. */
static void
test_list (void)
{
  g_autoptr (GPtrArray) none = NULL;
  g_autoptr (GPtrArray) files = NULL;
  const PtTrustedFile *file;

  begin ();
  none = pt_trusted_list ();
  g_assert_cmpuint (none->len, ==, 0);
  write_file (B "  /models/b.pte\nno line of ours\n" A "\n", -1, 0600);
  files = pt_trusted_list ();
  g_assert_cmpuint (files->len, ==, 2);
  file = files->pdata[0];
  g_assert_cmpstr (file->digest, ==, B);
  g_assert_cmpstr (file->name, ==, "/models/b.pte");
  file = files->pdata[1];
  g_assert_cmpstr (file->digest, ==, A);
  g_assert_cmpstr (file->name, ==, "");
}

static void
test_no_digest (void)
{
  static const char *const texts[] = { "", "abc", A "0", "A" A, B " ", "../x" };

  begin ();
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;

    if (i != 4)
      g_assert_false (pt_trust_remember (texts[i], "x", &error));
    g_assert_false (pt_trust_is_remembered (texts[i]));
  }
}

/* Lines that are not ours mean nothing, and are gone with the next that is written. */
static void
test_damaged (void)
{
  g_autofree char *text = NULL;

  begin ();
  write_file ("junk\n" A "0  long\nX" A "\n" B, -1, 0600);
  g_assert_false (pt_trust_is_remembered (A));
  g_assert_true (pt_trust_is_remembered (B));
  g_assert_true (pt_trust_remember (A, "/a", NULL));
  text = read_file ();
  g_assert_cmpstr (text, ==, B "\n" A "  " G_DIR_SEPARATOR_S "a\n");
  write_file ("\0\0" A "\n", 2 + 64 + 1, 0600);
  g_assert_false (pt_trust_is_remembered (A));
}

static void
test_not_ours (void)
{
#ifdef G_OS_UNIX
  g_autofree char *path = trust_file ();
  g_autofree char *other = g_strconcat (path, "-other", NULL);

  begin ();
  write_file (A "\n", -1, 0622);
  g_assert_false (pt_trust_is_remembered (A));
  write_file (A "\n", -1, 0660);
  g_assert_false (pt_trust_is_remembered (A));
  write_file (A "\n", -1, 0644);
  g_assert_true (pt_trust_is_remembered (A));
  g_assert_cmpint (g_rename (path, other), ==, 0);
  g_assert_cmpint (symlink (other, path), ==, 0);
  g_assert_false (pt_trust_is_remembered (A));
#else
  g_test_skip ("there are no such modes here");
#endif
}

/* The oldest are forgotten before the file grows without end. */
static void
test_long (void)
{
  g_autoptr (GString) text = g_string_new (A "  oldest\n");
  g_autofree char *name = g_strnfill (1000, 'n');
  g_autofree char *after = NULL;

  begin ();
  while (text->len + 1100 < 1 << 20)
    g_string_append_printf (text, B "  %s\n", name);
  write_file (text->str, -1, 0600);
  g_assert_true (pt_trust_is_remembered (A));
  g_assert_true (pt_trust_remember (B, "new", NULL));
  after = read_file ();
  g_assert_cmpuint (strlen (after), <, 1000);
  g_assert_false (pt_trust_is_remembered (A));
  g_string_append_len (text, text->str, 1 << 19);
  write_file (text->str, -1, 0600);
  g_assert_false (pt_trust_is_remembered (A));
}

static void
test_check (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  g_autofree char *bytes = NULL;
  g_autofree char *digest = NULL;
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  g_autoptr (GError) error = NULL;
  gsize size;

  begin ();
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, size);
  g_assert_cmpstr (pt_program_digest (program), ==, digest);
  g_assert_false (pt_trust_check (program, FALSE, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNTRUSTED);
  g_assert_nonnull (strstr (error->message, "“model.pte” holds native code"));
  g_assert_nonnull (strstr (error->message, digest));
  g_assert_false (pt_trust_is_remembered (digest));
  g_assert_true (pt_trust_check (program, TRUE, NULL));
  g_assert_true (pt_trust_is_remembered (digest));
  g_assert_true (pt_trust_check (program, FALSE, NULL));
}

/* Who agrees now may go on where nothing can be remembered. */
static void
test_unwritable (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "pteris", NULL);

  begin ();
  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  g_assert_true (g_file_set_contents (folder, "in the way", -1, NULL));
  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE, "*is not remembered*");
  g_assert_true (pt_trust_check (program, TRUE, NULL));
  g_test_assert_expected_messages ();
  g_assert_false (pt_trust_check (program, FALSE, NULL));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trust/remember", test_remember);
  g_test_add_func ("/trust/list", test_list);
  g_test_add_func ("/trust/no-digest", test_no_digest);
  g_test_add_func ("/trust/damaged", test_damaged);
  g_test_add_func ("/trust/not-ours", test_not_ours);
  g_test_add_func ("/trust/long", test_long);
  g_test_add_func ("/trust/check", test_check);
  g_test_add_func ("/trust/unwritable", test_unwritable);
  status = g_test_run ();
  begin ();
  g_rmdir (folder);
  return status;
}
