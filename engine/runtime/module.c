/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/module.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/runtime/method-private.h"

struct _PtModule {
  PtProgram *program;
  PtDataMap *data;
  PtMethodOptions options;
  char *trust;          /* the copy that @options points to */
  PtSharedState shared; /* used with options.share_state */
  GHashTable *methods;  /* name -> PtMethod */
  const char *chosen;   /* name of the chosen method; NULL: the usual one of the program */
};

PtModule *
pt_module_open (const char *path, const char *const *data_paths, const PtMethodOptions *options,
                GError **error)
{
  g_autoptr (PtProgram) program = pt_program_open (path, error);

  return program != NULL ? pt_module_new (program, data_paths, options, error) : NULL;
}

PtModule *
pt_module_new (PtProgram *program, const char *const *data_paths, const PtMethodOptions *options,
               GError **error)
{
  g_autoptr (PtDataMap) data = NULL;

  if (data_paths != NULL && data_paths[0] != NULL) {
    data = pt_data_map_open (data_paths, error);
    if (data == NULL)
      return NULL;
  }
  return pt_module_new_for_data (program, data, options, error);
}

PtModule *
pt_module_new_for_data (PtProgram *program, PtDataMap *data, const PtMethodOptions *options,
                        GError **error)
{
  g_autoptr (PtModule) module = g_new0 (PtModule, 1);

  module->methods =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) pt_method_free);
  if (options != NULL)
    module->options = *options;
  module->trust = g_strdup (module->options.trust);
  module->options.trust = module->trust;
  module->options.scope = module;
  module->program = pt_program_ref (program);
  module->data = data != NULL ? pt_data_map_ref (data) : NULL;
  if (options != NULL && options->share_state) {
    module->options.share_state = FALSE;
    if (!pt_module_share_state (module, error))
      return NULL;
  }
  return g_steal_pointer (&module);
}

void
pt_module_free (PtModule *module)
{
  if (module == NULL)
    return;
  g_hash_table_destroy (module->methods);
  pt_shared_state_clear (&module->shared);
  g_clear_pointer (&module->data, pt_data_map_unref);
  g_clear_pointer (&module->program, pt_program_unref);
  g_free (module->trust);
  g_free (module);
}

PtProgram *
pt_module_program (PtModule *module)
{
  return module->program;
}

PtDataMap *
pt_module_data (PtModule *module)
{
  return module->data;
}

gboolean
pt_module_has_method (PtModule *module, const char *name)
{
  return pt_program_find_plan (module->program, name) != NULL;
}

PtMethod *
pt_module_method (PtModule *module, const char *name, GError **error)
{
  PtMethod *method = g_hash_table_lookup (module->methods, name);

  if (method != NULL)
    return method;
  method = pt_method_load_shared (module->program, module->data, name, &module->options,
                                  module->options.share_state ? &module->shared : NULL, error);
  if (method != NULL)
    g_hash_table_insert (module->methods, g_strdup (name), method);
  return method;
}

gboolean
pt_module_share_state (PtModule *module, GError **error)
{
  if (module->options.share_state)
    return TRUE;
  if (!pt_shared_state_allocate (&module->shared, module->program,
                                 pt_planned_limit (&module->options), error))
    return FALSE;
  module->options.share_state = TRUE;
  return TRUE;
}

gboolean
pt_module_choose_method (PtModule *module, const char *name, GError **error)
{
  const PtPlan *plan = name != NULL ? pt_program_find_plan (module->program, name) : NULL;

  module->chosen = plan != NULL ? plan->name : NULL;
  return name == NULL || (plan != NULL && plan->n_inputs > 0) ||
         pt_fail (error, PT_ERROR_ARGUMENT, "“%s” has no method “%s” that takes anything.",
                  pt_program_path (module->program), name);
}

const char *
pt_module_chosen_method (PtModule *module)
{
  return module->chosen;
}

void
pt_module_unload (PtModule *module, const char *name)
{
  g_hash_table_remove (module->methods, name);
}

/*
 * Constant methods are plans without inputs and instructions; their results are read from the
 * tables.
 */

static const PtPlan *
find_constant_plan (const PtModule *module, const char *name)
{
  const PtPlan *plan = pt_program_find_plan (module->program, name);
  guint c;

  if (plan == NULL || plan->n_inputs > 0)
    return NULL;
  for (c = 0; c < plan->n_chains; c++)
    if (plan->chains[c].n_instructions > 0)
      return NULL;
  return plan;
}

/* The bytes of a constant tensor with one element, or NULL. */
static const guint8 *
one_element (const PtModule *module, const PtTensorSpec *spec)
{
  if (spec->numel != 1)
    return NULL;
  if (spec->storage == PT_STORAGE_CONSTANT)
    return spec->data;
  if (spec->storage == PT_STORAGE_EXTERNAL_CONSTANT) {
    const PtDataEntry *entry = pt_data_map_find (module->data, spec->name, spec->name_length);

    return entry != NULL && entry->size >= spec->nbytes ? entry->data : NULL;
  }
  return NULL;
}

#define READ(c_type, member, cast)  \
  do {                              \
    c_type x_;                      \
    memcpy (&x_, bytes, sizeof x_); \
    number->member = (cast) x_;     \
  } while (0)

/* The value as an Int or a Double; FALSE when it is not a number. */
static gboolean
read_tensor_number (const PtModule *module, const PtTensorSpec *spec, PtValueSpec *number)
{
  const guint8 *bytes = one_element (module, spec);

  if (bytes == NULL)
    return FALSE;
  number->kind = PT_VALUE_INT;
  switch (spec->dtype) {
  case PT_DTYPE_BOOL:
  case PT_DTYPE_U8: READ (guint8, as_int, gint64); return TRUE;
  case PT_DTYPE_I8: READ (gint8, as_int, gint64); return TRUE;
  case PT_DTYPE_I16: READ (gint16, as_int, gint64); return TRUE;
  case PT_DTYPE_I32: READ (gint32, as_int, gint64); return TRUE;
  case PT_DTYPE_I64: READ (gint64, as_int, gint64); return TRUE;
  default: break;
  }
  number->kind = PT_VALUE_DOUBLE;
  switch (spec->dtype) {
  case PT_DTYPE_F32: READ (float, as_double, double); return TRUE;
  case PT_DTYPE_F64: READ (double, as_double, double); return TRUE;
  default: return FALSE;
  }
}

#undef READ

static gboolean
read_number (const PtModule *module, const PtValueSpec *value, PtValueSpec *number)
{
  switch (value->kind) {
  case PT_VALUE_BOOL:
    number->kind = PT_VALUE_INT;
    number->as_int = value->as_bool ? 1 : 0;
    return TRUE;
  case PT_VALUE_INT:
  case PT_VALUE_DOUBLE: *number = *value; return TRUE;
  case PT_VALUE_TENSOR: return read_tensor_number (module, value->as_tensor, number);
  default: return FALSE;
  }
}

static gboolean
read_int (const PtModule *module, const PtValueSpec *value, gint64 *out)
{
  PtValueSpec number;

  if (!read_number (module, value, &number))
    return FALSE;
  if (number.kind == PT_VALUE_INT) {
    *out = number.as_int;
    return TRUE;
  }
  /* Truncation to 64 bits is defined only in this open interval; NaN is outside. */
  if (!(number.as_double > -9.2e18 && number.as_double < 9.2e18))
    return FALSE;
  *out = (gint64) number.as_double;
  return TRUE;
}

gboolean
pt_module_constant_int (PtModule *module, const char *name, gint64 *out)
{
  const PtPlan *plan = find_constant_plan (module, name);

  return plan != NULL && plan->n_outputs > 0 &&
         read_int (module, &plan->values[plan->outputs[0]], out);
}

gboolean
pt_module_constant_double (PtModule *module, const char *name, double *out)
{
  const PtPlan *plan = find_constant_plan (module, name);
  PtValueSpec number;

  if (plan == NULL || plan->n_outputs == 0 ||
      !read_number (module, &plan->values[plan->outputs[0]], &number))
    return FALSE;
  *out = number.kind == PT_VALUE_INT ? (double) number.as_int : number.as_double;
  return TRUE;
}

guint
pt_module_constant_doubles (PtModule *module, const char *name, double *out, guint most)
{
  const PtPlan *plan = find_constant_plan (module, name);
  PtValueSpec number;
  guint n = plan != NULL ? MIN (plan->n_outputs, most) : 0;

  for (guint i = 0; i < n; i++) {
    if (!read_number (module, &plan->values[plan->outputs[i]], &number))
      return 0;
    out[i] = number.kind == PT_VALUE_INT ? (double) number.as_int : number.as_double;
  }
  return n;
}

gint64 *
pt_module_constant_ints (PtModule *module, const char *name, guint *count)
{
  const PtPlan *plan = find_constant_plan (module, name);
  g_autofree gint64 *numbers = NULL;
  guint i;

  *count = 0;
  if (plan == NULL || plan->n_outputs == 0)
    return NULL;
  numbers = g_new (gint64, plan->n_outputs);
  for (i = 0; i < plan->n_outputs; i++)
    if (!read_int (module, &plan->values[plan->outputs[i]], &numbers[i]))
      return NULL;
  *count = plan->n_outputs;
  return g_steal_pointer (&numbers);
}
