/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"
#include "engine/program/bundle.h"
#include "engine/program/file.h"
#include "engine/program/mapping.h"
#include "engine/runtime/module.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pteris/audio.h>

#include <glib/gstdio.h>

/* Files that get shorter while they are mapped. */

#define SIZE ((gsize) 64 * 1024)

static char *
copy_of (const char *contents, gsize size)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("pteris-lost-XXXXXX", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  return path;
}

static void
test_mapping (void)
{
  g_autofree char *contents = g_malloc (SIZE);
  g_autofree char *path = NULL, *other_path = NULL;
  guint before = pt_mappings_lost ();
  g_autoptr (GBytes) bytes = NULL, other = NULL, part = NULL;
  const guint8 *data;

  memset (contents, 7, SIZE);
  path = copy_of (contents, SIZE);
  other_path = copy_of (contents, SIZE);
  bytes = pt_file_map (path, NULL);
  other = pt_file_map (other_path, NULL);
  part = g_bytes_new_from_bytes (bytes, 100, 1000);
  data = g_bytes_get_data (bytes, NULL);
  g_assert_cmpint (data[SIZE - 1], ==, 7);
  pt_mapping_forget (data, SIZE);
  pt_mapping_forget (contents, SIZE); /* memory of its own is left alone */
  g_assert_cmpint (data[SIZE / 2], ==, 7);
  g_assert_cmpint (contents[SIZE / 2], ==, 7);

  g_assert_cmpint (truncate (path, 100), ==, 0);
  g_assert_cmpint (data[SIZE / 2], ==, 0);
  g_assert_cmpint (data[SIZE - 1], ==, 0);
  g_assert_cmpint (data[50], ==, 7);
  g_assert_cmpuint (pt_mappings_lost (), ==, before + 1);
  g_assert_false (pt_mapping_is_intact (bytes));
  g_assert_false (pt_mapping_is_intact (part));
  g_assert_true (pt_mapping_is_intact (other));
  g_remove (path);
  g_remove (other_path);

  /* The next file may get the same place and is well. */
  g_clear_pointer (&part, g_bytes_unref);
  g_clear_pointer (&bytes, g_bytes_unref);
  g_free (path);
  path = copy_of (contents, SIZE);
  bytes = pt_file_map (path, NULL);
  g_assert_true (pt_mapping_is_intact (bytes));
  g_remove (path);
}

/* ---- accesses that are not ours ---- */

static sig_atomic_t n_foreign;
static sigjmp_buf back;

static void
on_foreign (int number)
{
  n_foreign++;
  siglongjmp (back, 1);
}

static void
on_foreign_info (int number, siginfo_t *info, void *context)
{
  g_assert_nonnull (info->si_addr);
  on_foreign (number);
}

/* Reads a map that is not ours and has lost its file. */
static void
touch_foreign_map (void)
{
  char contents[1] = { 7 };
  g_autofree char *path = copy_of (contents, 1);
  int fd = g_open (path, O_RDONLY, 0);
  volatile char *data = mmap (NULL, 1, PROT_READ, MAP_SHARED, fd, 0);

  g_assert_true (data != MAP_FAILED);
  g_assert_cmpint (truncate (path, 0), ==, 0);
  g_close (fd, NULL);
  g_remove (path);
  if (sigsetjmp (back, 1) == 0)
    n_foreign += data[0] + 100; /* never reached */
}

static void
map_something (void)
{
  g_autofree char *path = copy_of ("x", 1);
  g_autoptr (GBytes) bytes = pt_file_map (path, NULL);

  g_assert_nonnull (bytes);
  g_remove (path);
}

/* A handler installed before ours still gets its own signals. */
static void
test_foreign (gconstpointer with_info)
{
  struct sigaction action = { 0 };

  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, 0);
    g_test_trap_assert_passed ();
    return;
  }
  if (with_info != NULL) {
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = on_foreign_info;
  } else {
    action.sa_handler = on_foreign;
  }
  sigaction (SIGBUS, &action, NULL);
  map_something ();
  touch_foreign_map ();
  touch_foreign_map ();
  g_assert_cmpint (n_foreign, ==, 2);
  g_assert_cmpuint (pt_mappings_lost (), ==, 0);
}

/* Without an earlier handler the process ends by the signal. */
static void
test_foreign_default (void)
{
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, 0);
    g_test_trap_assert_failed ();
    return;
  }
  signal (SIGBUS, SIG_DFL);
  map_something ();
  touch_foreign_map ();
  exit (0);
}

static gboolean
set_input (PtMethod *method, const PtTensorSpec *spec, gpointer memory, GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  PtTensor tensor;

  for (guint i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  return pt_tensor_init (&tensor, spec->dtype, spec->rank, sizes, spec->dim_order, memory, error) &&
         pt_method_set_input_tensor (method, 0, &tensor, error);
}

/* The weights lie behind the tables, and go while the method is loaded. */
static void
test_model (void)
{
  g_autofree char *contents = NULL, *path = NULL, *memory = NULL;
  g_autoptr (PtModule) module = NULL, fresh = NULL;
  g_autoptr (GError) error = NULL;
  const PtTensorSpec *spec;
  PtMethod *method;
  gsize size;

  g_assert_true (
      g_file_get_contents (g_test_get_filename (G_TEST_DIST, "data", "xnnpack",
                                                "mobilenet_block_f32", "model.pte", NULL),
                           &contents, &size, NULL));
  g_assert_cmpuint (size, >, 2 * 4096);
  path = copy_of (contents, size);
  module = pt_module_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  method = pt_module_method (module, "forward", &error);
  g_assert_no_error (error);
  spec = pt_method_input_spec (method, 0)->as_tensor;
  memory = g_malloc0 (spec->nbytes);
  g_assert_true (set_input (method, spec, memory, &error));
  g_assert_true (pt_method_execute (method, NULL, &error));

  g_assert_cmpint (truncate (path, 4096), ==, 0);
  for (guint i = 0; i < 2; i++) {
    g_assert_false (set_input (method, spec, memory, &error) &&
                    pt_method_execute (method, NULL, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
    g_clear_error (&error);
  }

  /* Other models do not suffer. */
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  fresh = pt_module_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  method = pt_module_method (fresh, "forward", &error);
  g_assert_no_error (error);
  g_assert_true (set_input (method, spec, memory, &error));
  g_assert_true (pt_method_execute (method, NULL, &error));
  g_remove (path);
}

/* ---- wherever a file is cut, and whenever ---- */

/* Not a divisor of the page size: most cuts are within a page, where no access fails. */
#define STEP 331

/* The beginning, its end, and some places between. */
static gsize
next_cut (gsize cut, gsize size)
{
  return cut < size - 1 ? MIN (cut + STEP, size - 1) : size;
}

static char *
data_of (const char *name, gsize *size)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", name, NULL);
  char *contents;

  g_assert_true (g_file_get_contents (path, &contents, size, NULL));
  return contents;
}

static void
assert_lost (gboolean ok, GError **error)
{
  g_assert_false (ok);
  g_assert_error (*error, PT_ERROR, PT_ERROR_FILE);
  g_assert_nonnull (strstr ((*error)->message, "shortened"));
  g_clear_error (error);
}

static gpointer
open_program (GBytes *bytes, const char *path, GError **error)
{
  return pt_program_new (bytes, path, error);
}

static gpointer
open_data (GBytes *bytes, const char *path, GError **error)
{
  return pt_data_file_new (bytes, path, error);
}

static gpointer
open_bundle (GBytes *bytes, const char *path, GError **error)
{
  return pt_bundle_new (bytes, path, error);
}

/* Zeros read from a lost file are not reported as damage. */
static void
check_opening (const char *name, gpointer (*open) (GBytes *, const char *, GError **))
{
  gsize size;
  g_autofree char *contents = data_of (name, &size);

  for (gsize cut = 0; cut < size; cut = next_cut (cut, size)) {
    g_autofree char *path = copy_of (contents, size);
    g_autoptr (GBytes) bytes = pt_file_map (path, NULL);
    GError *error = NULL;

    g_assert_cmpint (truncate (path, (off_t) cut), ==, 0);
    assert_lost (open (bytes, path, &error) != NULL, &error);
    g_remove (path);
  }
}

static void
test_opening (void)
{
  check_opening ("xnnpack/mobilenet_block_f32/model.pte", open_program);
  check_opening ("tiny/legacy_inline_constants/model.pte", open_program);
  check_opening ("tiny/external_weights/weights.ptd", open_data);
  check_opening ("xnnpack/linear_external_data_f32/model.ptd", open_data);
  check_opening ("tiny/bundled/model.bpte", open_bundle);
}

typedef struct {
  char *path, *data_path; /* @data_path: or NULL */
  PtModule *module;
} Model;

static void
model_init (Model *model, const char *program, gsize size, const char *data, gsize data_size)
{
  const char *paths[2] = { NULL };

  model->path = copy_of (program, size);
  paths[0] = model->data_path = data != NULL ? copy_of (data, data_size) : NULL;
  model->module = pt_module_open (model->path, paths, NULL, NULL);
  g_assert_nonnull (model->module);
}

static void
model_clear (Model *model)
{
  pt_module_free (model->module);
  g_remove (model->path);
  if (model->data_path != NULL)
    g_remove (model->data_path);
  g_free (model->path);
  g_free (model->data_path);
}

static gboolean
run_model (PtMethod *method, GError **error)
{
  const PtTensorSpec *spec = pt_method_input_spec (method, 0)->as_tensor;
  g_autofree char *memory = g_malloc0 (spec->nbytes);

  return set_input (method, spec, memory, error) && pt_method_execute (method, NULL, error);
}

/* @program or @data_name is cut before a method is loaded, and before it runs. */
static void
check_use (const char *program, const char *data_name, gboolean cut_data)
{
  gsize size, data_size = 0;
  g_autofree char *contents = data_of (program, &size);
  g_autofree char *data = data_name != NULL ? data_of (data_name, &data_size) : NULL;
  gsize whole = cut_data ? data_size : size;

  for (gsize cut = 0; cut < whole; cut = next_cut (cut, whole)) {
    Model early, late;
    PtMethod *method;
    GError *error = NULL;

    model_init (&early, contents, size, data, data_size);
    g_assert_cmpint (truncate (cut_data ? early.data_path : early.path, (off_t) cut), ==, 0);
    assert_lost (pt_module_method (early.module, "forward", &error) != NULL, &error);
    model_clear (&early);

    model_init (&late, contents, size, data, data_size);
    method = pt_module_method (late.module, "forward", NULL);
    g_assert_true (run_model (method, NULL));
    g_assert_cmpint (truncate (cut_data ? late.data_path : late.path, (off_t) cut), ==, 0);
    assert_lost (run_model (method, &error), &error);
    assert_lost (run_model (method, &error), &error);
    model_clear (&late);
  }
}

static void
test_use (void)
{
  check_use ("xnnpack/mobilenet_block_f32/model.pte", NULL, FALSE);
  check_use ("xnnpack/linear_external_data_f32/model.pte",
             "xnnpack/linear_external_data_f32/model.ptd", TRUE);
  check_use ("tiny/external_weights/model.pte", "tiny/external_weights/weights.ptd", TRUE);
  check_use ("tiny/external_weights/model.pte", "tiny/external_weights/weights.ptd", FALSE);
}

/* A recording, with and without tags around it, that is cut while it is read. */
static void
test_recording (void)
{
  gsize size;
  g_autofree char *contents = data_of ("whisper-mini/audio.wav", &size);
  g_autofree float *samples = g_new (float, size);

  for (gsize cut = 0; cut < size; cut += size / 7) {
    g_autofree char *path = copy_of (contents, size);
    g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, 16000, NULL, NULL);
    GError *error = NULL;
    gssize n = 1;

    g_assert_nonnull (reader);
    g_assert_cmpint (truncate (path, (off_t) cut), ==, 0);
    while (n > 0)
      n = pt_audio_reader_read (reader, samples, 1000, NULL, &error);
    g_assert_cmpint (n, ==, -1);
    g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
    g_assert_nonnull (strstr (error->message, "became shorter"));
    g_clear_error (&error);
    g_remove (path);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/lost-file/mapping", test_mapping);
  g_test_add_data_func ("/lost-file/foreign", NULL, test_foreign);
  g_test_add_data_func ("/lost-file/foreign-info", "info", test_foreign);
  g_test_add_func ("/lost-file/foreign-default", test_foreign_default);
  g_test_add_func ("/lost-file/model", test_model);
  g_test_add_func ("/lost-file/opening", test_opening);
  g_test_add_func ("/lost-file/use", test_use);
  g_test_add_func ("/lost-file/recording", test_recording);
  return g_test_run ();
}
