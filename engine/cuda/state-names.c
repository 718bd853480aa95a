/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/state-names.h"

#include "engine/base/set-error.h"
#include "engine/base/json.h"

#define METHOD "get_mutable_buffer_metadata"

struct _PtCudaStateNames {
  GHashTable *names; /* a set of char * */
};

static const PtValueSpec *
find_text (const PtProgram *program)
{
  const PtPlan *plan = pt_program_find_plan (program, METHOD);
  const PtValueSpec *value;

  if (plan == NULL || plan->n_outputs != 1)
    return NULL;
  value = &plan->values[plan->outputs[0]];
  return value->kind == PT_VALUE_STRING ? value : NULL;
}

static gboolean
fail_metadata (GError **error)
{
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The program is damaged: what its method " METHOD " says about buffers that "
                  "change is not understood (ExecuTorch error 0x23).");
}

static gboolean
read_names (PtCudaStateNames *self, const json_t *root, GError **error)
{
  json_t *names = json_object_get (root, "mutable_buffers"), *name;
  size_t i;

  if (pt_json_int (root, "version", 0) != 1 || json_array_size (names) == 0)
    return fail_metadata (error);
  json_array_foreach (names, i, name) {
    if (!json_is_string (name))
      return fail_metadata (error);
    g_hash_table_add (self->names, g_strdup (json_string_value (name)));
  }
  return TRUE;
}

gboolean
pt_cuda_state_names_find (const PtProgram *program, PtCudaStateNames **names, GError **error)
{
  const PtValueSpec *text = find_text (program);
  g_autoptr (PtCudaStateNames) self = NULL;
  g_autoptr (json_t) root = NULL;

  *names = NULL;
  if (text == NULL)
    return TRUE;
  root = json_loadb (text->as_string.data, text->as_string.length, 0, NULL);
  if (root == NULL)
    return fail_metadata (error);
  self = g_new0 (PtCudaStateNames, 1);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (!read_names (self, root, error))
    return FALSE;
  *names = g_steal_pointer (&self);
  return TRUE;
}

void
pt_cuda_state_names_free (PtCudaStateNames *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->names);
  g_free (self);
}

gboolean
pt_cuda_state_names_contain (const PtCudaStateNames *self, const char *name)
{
  return g_hash_table_contains (self->names, name);
}
