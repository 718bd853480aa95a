/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <jansson.h>

#include "engine/init.h"
#include "engine/runtime/method.h"
#include "engine/tasks/run/npy.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

/*
 * Every damaged file of tests/data/tiny/hostile goes through opening, loading and two executions
 * with the inputs of the case it was made from. It must be refused at the stated stage or
 * earlier; files marked "either" must only end cleanly. Run it under the sanitizers, too.
 */

typedef enum {
  STAGE_LOAD_PROGRAM,
  STAGE_LOAD_METHOD,
  STAGE_EXECUTE,
  STAGE_RAN, /* nothing was refused */
} Stage;

static const char *stage_names[] = { "load_program", "load_method", "execute", "ran" };

static Stage
stage_from_name (const char *name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (stage_names); i++)
    if (strcmp (stage_names[i], name) == 0)
      return (Stage) i;
  g_error ("%s is no stage", name);
}

static char *
case_path (const char *folder, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, file, NULL);
}

static json_t *
load_json (const char *folder, const char *file)
{
  g_autofree char *path = case_path (folder, file);
  json_error_t problem;
  json_t *root = json_load_file (path, 0, &problem);

  if (root == NULL)
    g_error ("%s: %s", path, problem.text);
  return root;
}

static const char *
text_of (json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

/* Tensor @entry of the base case; the cases used here have tensor inputs only. */
static PtTensorFile *
read_input (const char *base, json_t *entry)
{
  g_autofree char *path = case_path (base, text_of (entry, "file"));
  json_t *shape = json_object_get (entry, "shape");
  gint64 sizes[PT_MAX_RANK];
  GError *error = NULL;
  PtTensorFile *file;
  size_t i;

  for (i = 0; i < json_array_size (shape); i++)
    sizes[i] = json_integer_value (json_array_get (shape, i));
  file = pt_raw_read (path, (PtDType) pt_dtype_from_name (text_of (entry, "dtype")), (guint) i,
                      sizes, NULL, &error);
  g_assert_no_error (error);
  return file;
}

static gboolean
execute_once (PtMethod *method, const char *base, json_t *inputs, GError **error)
{
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) pt_tensor_file_free);
  json_t *entry;
  size_t i;

  json_array_foreach (inputs, i, entry) {
    PtTensorFile *file = read_input (base, entry);

    g_ptr_array_add (files, file);
    if (!pt_method_set_input_tensor (method, (guint) i, &file->tensor, error))
      return FALSE;
  }
  return pt_method_execute (method, NULL, error);
}

static Stage
run_file (const char *program_path, const char *const *data_paths, const char *base, GError **error)
{
  g_autoptr (json_t) root = load_json (base, "case.json");
  json_t *step = json_array_get (json_object_get (root, "steps"), 0);
  g_autoptr (PtProgram) program = pt_program_open (program_path, error);
  g_autoptr (PtDataMap) data = NULL;
  g_autoptr (PtMethod) method = NULL;
  guint i;

  if (program == NULL)
    return STAGE_LOAD_PROGRAM;
  if (data_paths[0] != NULL) {
    data = pt_data_map_open (data_paths, error);
    if (data == NULL)
      return STAGE_LOAD_METHOD;
  }
  method = pt_method_load (program, data, text_of (step, "method"), NULL, error);
  if (method == NULL)
    return STAGE_LOAD_METHOD;
  for (i = 0; i < 2; i++)
    if (!execute_once (method, base, json_object_get (step, "inputs"), error))
      return STAGE_EXECUTE;
  return STAGE_RAN;
}

static void
check_file (gconstpointer user_data)
{
  json_t *entry = (json_t *) user_data;
  const char *data_name = text_of (entry, "data");
  g_autofree char *program = case_path ("hostile", text_of (entry, "program"));
  g_autofree char *data = data_name != NULL ? case_path ("hostile", data_name) : NULL;
  const char *paths[] = { data, NULL };
  g_autoptr (GError) error = NULL;
  Stage stage = run_file (program, paths, text_of (entry, "base"), &error);

  g_test_message ("%s: %s", stage_names[stage], error != NULL ? error->message : "no error");
  g_assert_true ((stage == STAGE_RAN) == (error == NULL));
  if (error != NULL) {
    g_assert_true (error->domain == PT_ERROR);
    g_assert_cmpint (error->code, !=, PT_ERROR_INTERNAL);
  }
  if (strcmp (text_of (entry, "must"), "reject") == 0)
    g_assert_cmpint (stage, <=, stage_from_name (text_of (entry, "latest_stage")));
}

/* The cases that the damaged files were made from run, so that refusals mean something. */
static void
check_base (gconstpointer user_data)
{
  const char *base = user_data;
  g_autofree char *program = case_path (base, "model.pte");
  g_autofree char *data = case_path (base, "weights.ptd");
  const char *paths[] = { g_file_test (data, G_FILE_TEST_EXISTS) ? data : NULL, NULL };
  GError *error = NULL;
  Stage stage = run_file (program, paths, base, &error);

  g_assert_no_error (error);
  g_assert_cmpint (stage, ==, STAGE_RAN);
}

int
main (int argc, char **argv)
{
  static const char *bases[] = { "linear", "lists_and_index", "xnnpack_linear",
                                 "external_weights" };
  g_autoptr (json_t) index = NULL;
  json_t *entry;
  size_t i;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (i = 0; i < G_N_ELEMENTS (bases); i++) {
    g_autofree char *path = g_strdup_printf ("/base/%s", bases[i]);

    g_test_add_data_func (path, bases[i], check_base);
  }
  index = load_json ("hostile", "index.json");
  json_array_foreach (json_object_get (index, "files"), i, entry) {
    g_autofree char *path = g_strdup_printf ("/hostile/%s", text_of (entry, "name"));

    g_test_add_data_func (path, entry, check_file);
  }
  return g_test_run ();
}
