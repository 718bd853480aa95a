/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/cuda/delegate-fixture.h"

#include <string.h>
#include <pteris/trust.h>

#include <glib/gstdio.h>

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shim-tensor.h"
#include "engine/init.h"
#include "engine/runtime/device.h"

#define COLUMNS FAKE_MODEL_COLUMNS

const FakeProgram host_blob = {
  .form = FAKE_PROGRAM_HOST, .library = FAKE_MODEL_BLOB_PATH, .n_outputs = 3, .has_constants = TRUE
};
const FakeProgram copies_named = { .form = FAKE_PROGRAM_COPIES,
                                   .library = FAKE_MODEL_NAMED_PATH,
                                   .n_outputs = 3,
                                   .named = TRUE,
                                   .has_constants = TRUE };
const FakeProgram device_named = { .form = FAKE_PROGRAM_DEVICE,
                                   .library = FAKE_MODEL_NAMED_PATH,
                                   .n_outputs = 3,
                                   .named = TRUE,
                                   .has_constants = TRUE };
const FakeProgram device_plain = {
  .form = FAKE_PROGRAM_DEVICE, .library = FAKE_MODEL_PLAIN_PATH, .n_outputs = 1, .named = TRUE
};

const FakeCuda *fake;

/* ---- opening ---- */

static char *folder;

/* On Windows a mapped file cannot be overwritten. */
static guint n_data;

static char *
data_path (guint i)
{
  g_autofree char *name = g_strdup_printf ("data-%u.ptd", i);

  return g_build_filename (folder, name, NULL);
}

char *
write_data (const FakeProgram *spec, gint64 mode)
{
  g_autoptr (GBytes) data = fake_program_data (spec, mode);
  char *path = data_path (n_data++);

  g_assert_true (g_file_set_contents (path, g_bytes_get_data (data, NULL),
                                      (gssize) g_bytes_get_size (data), NULL));
  return path;
}

static PtModule *
try_open_on (const FakeProgram *spec, gint64 mode, int device, GError **error)
{
  g_autoptr (GBytes) bytes = fake_program_new (spec);
  g_autofree char *path = write_data (spec, mode);
  const char *const paths[] = { path, NULL };
  const PtMethodOptions options = { .trust = PT_TRUST_AS_READ, .device = device };
  g_autoptr (PtProgram) program = pt_program_new (bytes, "model.pte", error);

  if (program == NULL)
    return NULL;
  return pt_module_new (program, spec->has_constants ? paths : NULL, &options, error);
}

PtModule *
try_open (const FakeProgram *spec, gint64 mode, GError **error)
{
  return try_open_on (spec, mode, 0, error);
}

PtModule *
open_module (const FakeProgram *spec, gint64 mode)
{
  return open_module_on (spec, mode, 0);
}

PtModule *
open_module_on (const FakeProgram *spec, gint64 mode, int device)
{
  g_autoptr (GError) error = NULL;
  PtModule *module = try_open_on (spec, mode, device, &error);

  g_assert_no_error (error);
  return module;
}

PtMethod *
load (PtModule *module, const char *name)
{
  g_autoptr (GError) error = NULL;
  PtMethod *method = pt_module_method (module, name, &error);

  g_assert_no_error (error);
  return method;
}

void
assert_all_gone (void)
{
  FakeCounts counts;

  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts, ==, 0);
  g_assert_cmpuint (counts.allocations, ==, 0);
  g_assert_cmpuint (counts.host_allocations, ==, 0);
  g_assert_cmpuint (counts.modules, ==, 0);
  g_assert_cmpuint (counts.graphs, ==, 0);
  g_assert_cmpuint (counts.events, ==, 0);
  g_assert_cmpuint (counts.streams, ==, 0);
  g_assert_cmpuint (counts.leaked, ==, 0);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
}

void
close_module (PtModule *module)
{
  pt_module_free (module);
  assert_all_gone ();
}

/* ---- calls ---- */

void
fill (float *x, guint rows, float base)
{
  for (guint i = 0; i < rows * COLUMNS; i++)
    x[i] = base + (float) (i / COLUMNS) * 10 + (float) (i % COLUMNS);
}

gboolean
try_call (PtMethod *method, guint rows, float base, GError **error)
{
  gint64 sizes[] = { rows, COLUMNS };
  float x[FAKE_PROGRAM_ROWS * COLUMNS];
  PtTensor tensor;
  gboolean ok;

  fill (x, rows, base);
  ok = pt_tensor_init (&tensor, PT_DTYPE_F32, 2, sizes, NULL, x, error) &&
       pt_method_set_input_tensor (method, 0, &tensor, error) &&
       pt_method_execute (method, NULL, error);
  memset (x, 0xff, sizeof x); /* what was given is not needed any more */
  return ok;
}

void
call (PtMethod *method, guint rows, float base)
{
  g_autoptr (GError) error = NULL;

  try_call (method, rows, base, &error);
  g_assert_no_error (error);
}

guint
fetch (PtMethod *method, guint i, float *to)
{
  const PtTensor *tensor = pt_method_output (method, i)->as_tensor;
  g_autoptr (GError) error = NULL;

  if (tensor->device_type == PT_DEVICE_CPU)
    memcpy (to, tensor->data, pt_tensor_nbytes (tensor));
  else
    pt_device_find (PT_DEVICE_CUDA)
        ->copy_to_host (tensor->device_index, to, tensor->data, pt_tensor_nbytes (tensor), &error);
  g_assert_no_error (error);
  return (guint) tensor->sizes[0];
}

void
assert_row (PtMethod *method, guint output, float base)
{
  float row[FAKE_PROGRAM_ROWS * COLUMNS];

  g_assert_cmpuint (fetch (method, output, row), ==, 1);
  for (guint k = 0; k < COLUMNS; k++)
    g_assert_cmpfloat (row[k], ==, base + (float) k);
}

void
assert_rows (PtMethod *method, guint output, guint rows, float base)
{
  float got[FAKE_PROGRAM_ROWS * COLUMNS], want[FAKE_PROGRAM_ROWS * COLUMNS];

  fill (want, rows, base);
  g_assert_cmpuint (fetch (method, output, got), ==, rows);
  g_assert_cmpmem (got, rows * COLUMNS * sizeof (float), want, rows * COLUMNS * sizeof (float));
}

void
assert_weight (PtMethod *method)
{
  float row[FAKE_PROGRAM_ROWS * COLUMNS];

  g_assert_cmpuint (fetch (method, 2, row), ==, 1);
  for (guint k = 0; k < COLUMNS; k++)
    g_assert_cmpfloat (row[k], ==, (float) (8 + 4 * k + 1));
}

void
assert_first_state (const FakeProgram *spec, PtMethod *method)
{
  float row[FAKE_PROGRAM_ROWS * COLUMNS];

  if (!spec->named) {
    assert_row (method, 1, 100);
    return;
  }
  g_assert_cmpuint (fetch (method, 1, row), ==, 1);
  for (guint k = 0; k < COLUMNS; k++)
    g_assert_cmpfloat (row[k], ==, 0);
}

/* ---- begin and end ---- */

void
start_delegate_tests (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  pt_cuda_kernels_use_image (NULL); /* they would not run */
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  g_setenv ("PTERIS_CUDA_SHIMS", CUDA_SHIMS_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE); /* where consent is remembered */
  pt_init ();
}

static void
remove_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_remove (path);
}

int
end_delegate_tests (void)
{
  int code = g_test_run ();

  for (guint i = 0; i < n_data; i++) {
    g_autofree char *path = data_path (i);

    g_remove (path);
  }
  remove_file ("pteris/trusted");
  remove_file ("pteris");
  remove_file ("");
  g_free (folder);
  return code;
}
