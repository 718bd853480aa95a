/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tools/starter/fetch.h"

/* In place of Python: a "pip" whose packages have 1000 bytes, and that waits until half of them
 * were seen by whoever watches. */
static const char PIP[] =
    "#!/bin/sh\n"
    "for last; do :; done\n"
    "for word; do\n"
    "  case $before in --dest|--target) folder=$word ;; esac\n"
    "  before=$word\n"
    "done\n"
    "case $3 in\n"
    "download)\n"
    "  echo \"$last\" >>\"$HERE/log\"\n"
    "  [ ! -e \"$HERE/offline\" ] || { echo 'connection broken by NewConnectionError' >&2; exit 1; "
    "}\n"
    "  head -c 500 /dev/zero >\"$TMPDIR/growing\"\n"
    "  until [ -e \"$HERE/seen-$last\" ]; do sleep 0.05; done\n"
    "  head -c 1000 /dev/zero >\"$folder/$last.whl\"\n"
    "  rm \"$TMPDIR/growing\" ;;\n"
    "install) for word; do case $word in *.whl) cp \"$word\" \"$folder\" ;; esac; done ;;\n"
    "esac\n";

typedef struct {
  char *folder; /* with the program in it */
  char *to;
  char *downloads;
  char *path;
  json_t *requirements, *sizes;
  guint64 last;
} Fixture;

static void
touch (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
}

static void
on_progress (guint64 bytes, gpointer user_data)
{
  Fixture *fixture = user_data;

  g_assert_cmpuint (bytes, >=, fixture->last);
  g_assert_cmpuint (bytes, <=, 2000);
  fixture->last = bytes;
  if (bytes == 500)
    touch (fixture, "seen-one==1");
  if (bytes == 1500)
    touch (fixture, "seen-two==2");
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *program = NULL;
  g_autofree char *path = NULL;

  fixture->folder = g_dir_make_tmp ("pteris-fetch-XXXXXX", NULL);
  fixture->to = g_build_filename (fixture->folder, "to", NULL);
  fixture->downloads = g_build_filename (fixture->folder, "downloads", NULL);
  fixture->requirements = json_pack ("[s, s]", "one==1", "two==2");
  fixture->sizes = json_pack ("[i, i]", 1000, 1000);
  fixture->path = g_strdup (g_getenv ("PATH"));
  program = g_build_filename (fixture->folder, "python3", NULL);
  path = g_strconcat (fixture->folder, ":", fixture->path, NULL);
  g_mkdir (fixture->to, 0700);
  g_assert_true (g_file_set_contents_full (program, PIP, -1, G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_setenv ("PATH", path, TRUE);
  g_setenv ("HERE", fixture->folder, TRUE);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_setenv ("PATH", fixture->path, TRUE);
  fetch_remove_folder (fixture->folder);
  json_decref (fixture->requirements);
  json_decref (fixture->sizes);
  g_free (fixture->folder);
  g_free (fixture->to);
  g_free (fixture->downloads);
  g_free (fixture->path);
}

static gboolean
fetch (Fixture *fixture, GError **error)
{
  const FetchPackages packages = {
    .requirements = fixture->requirements,
    .sizes = fixture->sizes,
    .downloads = fixture->downloads,
    .progress = on_progress,
    .user_data = fixture,
  };

  g_assert_cmpuint (fetch_packages_bytes (&packages), ==, 2000);
  fixture->last = 0;
  return fetch_packages (&packages, fixture->to, error);
}

static void
assert_log (Fixture *fixture, const char *expected)
{
  g_autofree char *path = g_build_filename (fixture->folder, "log", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_unpacked (Fixture *fixture)
{
  g_autofree char *one = g_build_filename (fixture->to, "one==1.whl", NULL);
  g_autofree char *two = g_build_filename (fixture->to, "two==2.whl", NULL);

  g_assert_true (g_file_test (one, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (two, G_FILE_TEST_EXISTS));
}

/* The bytes are told while they come: the program ends when they were. */
static void
test_progress (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (fetch (fixture, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (fixture->last, ==, 2000);
  assert_log (fixture, "one==1\ntwo==2\n");
  assert_unpacked (fixture);
}

/* Complete packages are not downloaded again; incomplete ones are. */
static void
test_resume (Fixture *fixture, gconstpointer data)
{
  g_autofree char *complete = g_build_filename (fixture->downloads, "one==1", NULL);
  g_autofree char *wheel = g_build_filename (complete, "one==1.whl", NULL);
  g_autofree char *partial = g_build_filename (fixture->downloads, "two==2.part", "old", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (complete, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (partial, 0700), ==, 0);
  g_assert_true (g_file_set_contents (wheel, "", 0, NULL));
  g_assert_true (fetch (fixture, &error));
  g_assert_no_error (error);
  assert_log (fixture, "two==2\n");
  assert_unpacked (fixture);
}

static void
test_offline (Fixture *fixture, gconstpointer data)
{
  g_autofree char *offline = g_build_filename (fixture->folder, "offline", NULL);
  g_autoptr (GError) error = NULL;

  touch (fixture, "offline");
  g_assert_false (fetch (fixture, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE);
  g_clear_error (&error);
  g_unlink (offline);
  g_assert_true (fetch (fixture, &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/fetch/progress", Fixture, NULL, set_up, test_progress, tear_down);
  g_test_add ("/fetch/resume", Fixture, NULL, set_up, test_resume, tear_down);
  g_test_add ("/fetch/offline", Fixture, NULL, set_up, test_offline, tear_down);
  return g_test_run ();
}
