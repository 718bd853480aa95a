/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/tokenizer.h"
#include "tests/hostile/hostile.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <pteris/job.h>

#include <glib/gstdio.h>

/* Things in the file system that are no files, or strange ones, in every place of a job. */

static char *
make_sparse (const char *name)
{
  char *path = hostile_path (name);
  int fd = open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

  g_assert_cmpint (fd, >=, 0);
  /* A sparse file of the largest size of the file system. */
  if (ftruncate (fd, (off_t) 1 << 40) != 0)
    g_assert_cmpint (ftruncate (fd, (off_t) 1 << 30), ==, 0);
  close (fd);
  return path;
}

static char *
make_socket (void)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  char *path = hostile_path ("socket");
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_strlcpy (address.sun_path, path, sizeof address.sun_path);
  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  close (fd);
  return path;
}

static char *
make_link (const char *name, const char *to)
{
  char *path = hostile_path (name);

  g_assert_cmpint (symlink (to, path), ==, 0);
  return path;
}

static GPtrArray *
make_all (void)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  char *fifo = hostile_path ("fifo"), *secret = hostile_file ("secret", "ET12ET12", 8);
  g_autofree char *long_name = g_strnfill (255, 'n');

  g_ptr_array_add (paths, hostile_file ("empty", NULL, 0));
  g_ptr_array_add (paths, hostile_path ("."));
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_ptr_array_add (paths, fifo);
  g_ptr_array_add (paths, make_socket ());
  g_ptr_array_add (paths, g_strdup ("/dev/zero"));
  g_ptr_array_add (paths, g_strdup ("/dev/full"));
  g_ptr_array_add (paths, make_link ("zero-link", "/dev/zero"));
  g_ptr_array_add (paths, make_link ("dangling", "nowhere"));
  g_ptr_array_add (paths, make_link ("loop", "loop"));
  g_ptr_array_add (paths, make_sparse ("sparse"));
  /* Everything is readable for root; then it is just a damaged file. */
  g_assert_cmpint (g_chmod (secret, 0), ==, 0);
  g_ptr_array_add (paths, secret);
  g_ptr_array_add (paths, hostile_file ("line\nbreak \xf0\x9f\x8c\xbf \x1b[31m", "x", 1));
  g_ptr_array_add (paths, hostile_file ("not-\xff\xfe-utf8", "x", 1));
  g_ptr_array_add (paths, hostile_file (long_name, "x", 1));
  g_ptr_array_add (paths, g_strdup (""));
  g_ptr_array_add (paths, g_strnfill (8192, '/'));
  return paths;
}

static void
try_jobs (const char *path)
{
  g_autofree char *model = hostile_data_path ("tiny/add_f32/model.pte");
  g_autofree char *chat = hostile_data_path ("chat/qwen3_xnnpack_8da4w");
  g_autofree char *good = hostile_data_path ("tiny/add_f32/s0_in0.bin");
  const char *const one[] = { path, NULL }, *const inputs[] = { path, good, NULL };
  PtJob inspect = PT_JOB_INIT (PT_JOB_INSPECT), run = PT_JOB_INIT (PT_JOB_RUN);
  PtJob load = PT_JOB_INIT (PT_JOB_LOAD);

  inspect.model.path = load.model.path = run.model.path = path;
  hostile_job (&inspect, "inspect of something strange");
  hostile_job (&load, "load of something strange");
  hostile_job (&run, "run of something strange");
  run.model.path = model;
  run.model.data = one;
  hostile_job (&run, "run with strange data");
  run.model.data = NULL;
  run.run.inputs = inputs;
  hostile_job (&run, "run with a strange input");
  run.run.inputs = NULL;
  run.run.steps = path;
  hostile_job (&run, "run with strange steps");
  load.model.path = chat;
  load.model.tokenizer = path;
  hostile_job (&load, "load with a strange tokenizer");
}

static void
test_jobs (void)
{
  g_autoptr (GPtrArray) paths = make_all ();

  for (guint i = 0; i < paths->len; i++)
    try_jobs (paths->pdata[i]);
  hostile_clean_up ();
}

static void
test_readers (void)
{
  g_autoptr (GPtrArray) paths = make_all ();

  for (guint i = 0; i < paths->len; i++) {
    GError *error = NULL;

    hostile_begin ();
    g_assert_null (pt_audio_reader_open (paths->pdata[i], 16000, NULL, &error));
    hostile_check_error (g_steal_pointer (&error), "a recording");
    g_assert_null (pt_tokenizer_open (paths->pdata[i], &error));
    hostile_check_error (error, "a tokenizer");
    hostile_end ("something strange");
  }
  hostile_clean_up ();
}

/* Companions that a folder offers: each may be something strange. */
static void
test_companions (void)
{
  static const char *const names[] = {
    "chat_template.jinja", "tokenizer_config.json", "generation_config.json", "model.ptd",
    "README.md",           "tokenizer.json"
  };
  gsize size;
  g_autofree guint8 *program = hostile_data ("chat/qwen3_xnnpack_8da4w/model.pte", &size);
  g_autofree char *tokenizer = hostile_data_path ("chat/qwen3_xnnpack_8da4w/tokenizer.json");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *model = hostile_file ("model.pte", program, size);
    g_autofree char *companion = hostile_path (names[i]);
    PtJob load = PT_JOB_INIT (PT_JOB_LOAD);

    load.model.path = model;
    load.model.tokenizer = i < 5 ? tokenizer : NULL;
    g_free (make_sparse (names[i]));
    hostile_chat (&load, NULL);
    g_remove (companion);
    g_assert_cmpint (mkfifo (companion, 0600), ==, 0);
    hostile_chat (&load, NULL);
    g_remove (companion);
    g_assert_cmpint (g_mkdir (companion, 0700), ==, 0);
    hostile_chat (&load, NULL);
    hostile_clean_up ();
  }
}

int
main (int argc, char **argv)
{
  /* Hides the user's models. */
  g_setenv ("XDG_DATA_HOME", "/nonexistent", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/files/jobs", test_jobs);
  g_test_add_func ("/hostile/files/readers", test_readers);
  g_test_add_func ("/hostile/files/companions", test_companions);
  return g_test_run ();
}
