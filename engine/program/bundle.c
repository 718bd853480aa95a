/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/bundle.h"

#include "engine/base/set-error.h"
#include "engine/program/file.h"
#include "engine/program/schema.h"
#include "engine/program/tensor-shape.h"
#include "engine/program/table-memory.h"

struct _PtBundle {
  GBytes *bytes;
  PtProgram *program;
  PtStore store; /* of @suites */
  PtBundleSuite *suites;
  guint n_suites;
};

typedef struct {
  PtBundle *bundle;
  const char *name;   /* of the file, for messages */
  const char *method; /* whose cases are being read */
} Loader;

static gboolean
damaged (const Loader *loader, GError **error, const char *what)
{
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "%s is damaged: its test cases%s%s %s. Download or export it again.",
                  loader->name, loader->method != NULL ? " for " : "",
                  loader->method != NULL ? loader->method : "", what);
}

static gpointer
alloc (Loader *loader, gsize count, gsize size, GError **error)
{
  gpointer memory = pt_store_alloc (&loader->bundle->store, count, size);

  if (memory == NULL && loader->bundle->store.is_refused)
    pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory for the test cases of %s.",
             loader->name);
  else if (memory == NULL)
    damaged (loader, error, "are more than a file of this size can hold");
  return memory;
}

static gboolean
read_tensor (Loader *loader, PtFbRef table, PtBundleValue *value, GError **error)
{
  gint8 dtype = pt_fb_i8 (table, SLOT_BUNDLE_TENSOR_DTYPE, 0);
  PtFbVec sizes = pt_fb_vec (table, SLOT_BUNDLE_TENSOR_SIZES);
  PtFbVec dim_order = pt_fb_vec (table, SLOT_BUNDLE_TENSOR_DIM_ORDER);
  PtFbVec data = pt_fb_vec (table, SLOT_BUNDLE_TENSOR_DATA);
  gsize numel, nbytes = 0;
  const char *wrong = pt_shape_check (dtype, sizes, dim_order, &numel, &nbytes);

  if (wrong != NULL || nbytes != data.count)
    return damaged (loader, error, "have a tensor whose shape and bytes do not fit together");
  value->kind = PT_VALUE_TENSOR;
  value->as_tensor.dtype = (PtDType) dtype;
  value->as_tensor.rank = sizes.count;
  /* Used in place: the verifier checked the alignment, and the machine is little-endian. */
  value->as_tensor.sizes = (const gint32 *) (gconstpointer) sizes.items;
  value->as_tensor.dim_order = dim_order.items;
  value->as_tensor.data = data.items;
  value->as_tensor.nbytes = nbytes;
  return TRUE;
}

static gboolean
read_value (Loader *loader, PtFbRef entry, PtBundleValue *value, GError **error)
{
  guint8 tag = pt_fb_u8 (entry, SLOT_VALUE_TAG, 0);
  PtFbRef table = pt_fb_table (entry, SLOT_VALUE_TABLE);

  if (!pt_fb_present (table))
    return damaged (loader, error, "have an empty value");
  switch (tag) {
  case TAG_BUNDLE_TENSOR: return read_tensor (loader, table, value, error);
  case TAG_BUNDLE_INT:
    value->kind = PT_VALUE_INT;
    value->as_int = pt_fb_i64 (table, 0, 0);
    return TRUE;
  case TAG_BUNDLE_BOOL:
    value->kind = PT_VALUE_BOOL;
    value->as_bool = pt_fb_u8 (table, 0, 0) != 0;
    return TRUE;
  case TAG_BUNDLE_DOUBLE:
    value->kind = PT_VALUE_DOUBLE;
    value->as_double = pt_fb_f64 (table, 0, 0);
    return TRUE;
  default: return damaged (loader, error, "have a value of unknown kind");
  }
}

static const PtBundleValue *
read_values (Loader *loader, PtFbVec tables, GError **error)
{
  PtBundleValue *values = alloc (loader, tables.count, sizeof *values, error);

  if (values == NULL)
    return NULL;
  for (guint i = 0; i < tables.count; i++)
    if (!read_value (loader, pt_fb_vec_table (tables, i), &values[i], error))
      return NULL;
  return values;
}

static gboolean
read_case (Loader *loader, PtFbRef table, const PtPlan *plan, PtBundleCase *test, GError **error)
{
  PtFbVec inputs = pt_fb_vec (table, SLOT_CASE_INPUTS);
  PtFbVec outputs = pt_fb_vec (table, SLOT_CASE_OUTPUTS);

  if (inputs.count != plan->n_inputs)
    return damaged (loader, error, "do not have as many inputs as the method");
  if (outputs.count != 0 && outputs.count != plan->n_outputs)
    return damaged (loader, error, "do not have as many outputs as the method");
  test->inputs = read_values (loader, inputs, error);
  test->n_inputs = inputs.count;
  if (test->inputs == NULL)
    return FALSE;
  test->outputs = read_values (loader, outputs, error);
  test->n_outputs = outputs.count;
  return test->outputs != NULL;
}

static gboolean
read_suite (Loader *loader, PtFbRef table, PtBundleSuite *suite, GError **error)
{
  PtFbVec tables = pt_fb_vec (table, SLOT_SUITE_CASES);
  const char *method = pt_fb_string (table, SLOT_SUITE_METHOD, NULL);
  PtBundleCase *cases;

  loader->method = NULL;
  suite->plan = method != NULL ? pt_program_find_plan (loader->bundle->program, method) : NULL;
  if (suite->plan == NULL)
    return damaged (loader, error, "are for a method that the program lacks");
  loader->method = suite->plan->name;
  cases = alloc (loader, tables.count, sizeof *cases, error);
  if (cases == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++)
    if (!read_case (loader, pt_fb_vec_table (tables, i), suite->plan, &cases[i], error))
      return FALSE;
  suite->cases = cases;
  suite->n_cases = tables.count;
  return TRUE;
}

static gboolean
read_suites (Loader *loader, PtFbVec tables, GError **error)
{
  PtBundle *bundle = loader->bundle;

  bundle->suites = alloc (loader, tables.count, sizeof *bundle->suites, error);
  if (bundle->suites == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++)
    if (!read_suite (loader, pt_fb_vec_table (tables, i), &bundle->suites[i], error))
      return FALSE;
  bundle->n_suites = tables.count;
  return TRUE;
}

static gboolean
load (Loader *loader, const char *path, GError **error)
{
  PtBundle *bundle = loader->bundle;
  g_autoptr (GBytes) inner = NULL;
  gsize size;
  const guint8 *data = g_bytes_get_data (bundle->bytes, &size);
  PtFbVec program;
  PtFbRef root;

  if (!pt_file_expect (data, size, PT_FILE_BUNDLE, loader->name, error) ||
      !pt_fb_verify (data, size, &pt_schema_bundle, loader->name, error))
    return FALSE;
  root = pt_fb_root (data);
  program = pt_fb_vec (root, SLOT_BUNDLE_PROGRAM);
  if (!program.present)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "%s is damaged: there is no program in it. Download or export it again.",
                    loader->name);
  inner = g_bytes_new_from_bytes (bundle->bytes, (gsize) (program.items - data), program.count);
  bundle->program = pt_program_new (inner, path, error);
  if (bundle->program == NULL)
    return FALSE;
  pt_store_init (&bundle->store, size);
  return read_suites (loader, pt_fb_vec (root, SLOT_BUNDLE_SUITES), error);
}

PtBundle *
pt_bundle_new (GBytes *bytes, const char *name, GError **error)
{
  g_autofree char *display = g_filename_display_name (name);
  g_autoptr (PtBundle) bundle = g_new0 (PtBundle, 1);
  Loader loader = { .name = display };

  bundle->bytes = g_bytes_ref (bytes);
  loader.bundle = bundle;
  if (!pt_file_settle (load (&loader, name, error), bundle->bytes, name, error))
    return NULL;
  return g_steal_pointer (&bundle);
}

PtBundle *
pt_bundle_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = pt_file_map (path, error);

  return bytes != NULL ? pt_bundle_new (bytes, path, error) : NULL;
}

void
pt_bundle_free (PtBundle *bundle)
{
  if (bundle == NULL)
    return;
  pt_store_clear (&bundle->store);
  g_clear_pointer (&bundle->program, pt_program_unref);
  g_bytes_unref (bundle->bytes);
  g_free (bundle);
}

PtProgram *
pt_bundle_program (const PtBundle *bundle)
{
  return bundle->program;
}

guint
pt_bundle_n_suites (const PtBundle *bundle)
{
  return bundle->n_suites;
}

const PtBundleSuite *
pt_bundle_suite (const PtBundle *bundle, guint i)
{
  g_return_val_if_fail (i < bundle->n_suites, NULL);
  return &bundle->suites[i];
}
