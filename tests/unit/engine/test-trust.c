/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/base/trusted-files.h"

#include <gio/gio.h>
#include <pteris/trust.h>
#include <stdlib.h>
#include <string.h>
#ifdef G_OS_UNIX
#include <unistd.h>
#endif

#include <glib/gstdio.h>

#include "engine/base/lock.h"
#include "engine/program/program-file.h"

#define A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define B "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

#define MODELS G_DIR_SEPARATOR_S "models" G_DIR_SEPARATOR_S

static const char *program_path;

static gboolean
may_load (const PtProgram *program, const char *given, GError **error)
{
  return pt_trust_check (pt_program_digest (program), pt_program_path (program), PT_TRUST_LIBRARY,
                         given, error);
}

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
  g_assert_false (may_load (program, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNTRUSTED);
  g_assert_nonnull (strstr (error->message, "“model.pte” contains native code"));
  g_assert_nonnull (strstr (error->message, digest));
  g_assert_cmpstr (pt_error_get_digest (error), ==, digest);
  g_assert_false (pt_trust_is_remembered (digest));
  g_assert_true (may_load (program, digest, NULL));
  g_assert_true (pt_trust_is_remembered (digest));
  g_assert_true (may_load (program, NULL, NULL));
  g_assert_true (pt_trusted_forget (digest, NULL));
  g_assert_true (may_load (program, PT_TRUST_AS_READ, NULL));
  g_assert_true (pt_trust_is_remembered (digest));
}

/* Consent is to the file that was shown, not to one that has taken its place. */
static void
test_replaced (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  const char *digest = pt_program_digest (program);
  g_autoptr (GError) error = NULL, other = NULL, copy = NULL;

  begin ();
  g_assert_false (may_load (program, A, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNTRUSTED);
  g_assert_nonnull (strstr (error->message, "“model.pte” has been replaced"));
  g_assert_nonnull (strstr (error->message, digest));
  g_assert_false (pt_trust_is_remembered (digest));
  g_assert_false (pt_trust_is_remembered (A));
  /* The error names the new file, also behind a prefix. */
  pt_prefix_error (&error, "Here: ");
  copy = g_error_copy (error);
  g_assert_cmpstr (pt_error_get_digest (copy), ==, digest);
  /* A second program of the same job is new, not another. */
  g_assert_true (pt_trust_remember (A, "first", NULL));
  g_assert_false (may_load (program, A, &other));
  g_assert_nonnull (strstr (other->message, "“model.pte” contains native code"));
}

/* ---- several at once ---- */

#define N_WRITERS 4
#define N_ROUNDS 40

static char *
number_digest (guint number)
{
  return g_strdup_printf ("%064x", number);
}

/* Remembers what is its own, and forgets every second of it again. */
static gpointer
write_much (gpointer data)
{
  guint writer = GPOINTER_TO_UINT (data);

  for (guint i = 0; i < N_ROUNDS; i++) {
    g_autofree char *digest = number_digest (writer * 1000 + i);

    g_assert_true (pt_trust_remember (digest, "model.pte", NULL));
    if (i % 2 == 1)
      g_assert_true (pt_trusted_forget (digest, NULL));
  }
  return NULL;
}

static void
check_written (void)
{
  for (guint writer = 1; writer <= N_WRITERS; writer++) {
    for (guint i = 0; i < N_ROUNDS; i++) {
      g_autofree char *digest = number_digest (writer * 1000 + i);

      g_assert_cmpint (pt_trust_is_remembered (digest), ==, i % 2 == 0);
    }
  }
}

static void
test_threads (void)
{
  GThread *threads[N_WRITERS];

  begin ();
  for (guint i = 0; i < N_WRITERS; i++)
    threads[i] = g_thread_new (NULL, write_much, GUINT_TO_POINTER (i + 1));
  for (guint i = 0; i < N_WRITERS; i++)
    g_thread_join (threads[i]);
  check_written ();
}

static void
test_processes (void)
{
  GSubprocess *processes[N_WRITERS];

  begin ();
  for (guint i = 0; i < N_WRITERS; i++) {
    g_autofree char *number = g_strdup_printf ("%u", i + 1);

    processes[i] =
        g_subprocess_new (G_SUBPROCESS_FLAGS_NONE, NULL, program_path, "--write", number, NULL);
    g_assert_nonnull (processes[i]);
  }
  for (guint i = 0; i < N_WRITERS; i++) {
    g_assert_true (g_subprocess_wait_check (processes[i], NULL, NULL));
    g_object_unref (processes[i]);
  }
  check_written ();
}

/* The lock is taken by waiting, else an error is reported. A process that dies releases it. */
static void
test_lock (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "lock", NULL);
  g_autoptr (GError) error = NULL;
  PtLock *lock;

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  lock = pt_lock_take (path, FALSE, &error);
  g_assert_no_error (error);
  g_assert_null (pt_lock_take (path, FALSE, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_BUSY);
  g_clear_error (&error);
  pt_lock_free (lock);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  /* A file that somebody left is nobody's. */
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  lock = pt_lock_take (path, FALSE, &error);
  g_assert_no_error (error);
  pt_lock_free (lock);
  g_assert_null (pt_lock_take ("/nonexistent/folder/lock", TRUE, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
}

/* Consent counts even if it cannot be saved. */
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
  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE, "*could not be saved*");
  g_assert_true (may_load (program, PT_TRUST_AS_READ, NULL));
  g_test_assert_expected_messages ();
  g_assert_false (may_load (program, NULL, NULL));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  if (argc == 3 && strcmp (argv[1], "--write") == 0) {
    write_much (GUINT_TO_POINTER ((guint) atoi (argv[2])));
    return 0;
  }
  program_path = argv[0];
  folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trust/remember", test_remember);
  g_test_add_func ("/trust/list", test_list);
  g_test_add_func ("/trust/no-digest", test_no_digest);
  g_test_add_func ("/trust/damaged", test_damaged);
  g_test_add_func ("/trust/not-ours", test_not_ours);
  g_test_add_func ("/trust/long", test_long);
  g_test_add_func ("/trust/check", test_check);
  g_test_add_func ("/trust/replaced", test_replaced);
  g_test_add_func ("/trust/threads", test_threads);
  g_test_add_func ("/trust/processes", test_processes);
  g_test_add_func ("/trust/lock", test_lock);
  g_test_add_func ("/trust/unwritable", test_unwritable);
  status = g_test_run ();
  begin ();
  g_rmdir (folder);
  return status;
}
