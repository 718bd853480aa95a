/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/operator.h"

#include "engine/base/set-error.h"

/* Name -> static PtOperator. Filled by pt_init(), only read afterwards. */
static GHashTable *operators;

void
pt_operators_register (const PtOperator *table, guint n)
{
  guint i;

  if (operators == NULL)
    operators = g_hash_table_new (g_str_hash, g_str_equal);
  for (i = 0; i < n; i++)
    if (!g_hash_table_insert (operators, (gpointer) table[i].name, (gpointer) &table[i]))
      g_critical ("Operator %s is registered twice", table[i].name);
}

const PtOperator *
pt_operator_find (const char *name)
{
  return operators != NULL ? g_hash_table_lookup (operators, name) : NULL;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

char **
pt_operator_names (void)
{
  GPtrArray *names = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name;

  if (operators != NULL) {
    g_hash_table_iter_init (&iter, operators);
    while (g_hash_table_iter_next (&iter, &name, NULL))
      g_ptr_array_add (names, g_strdup (name));
  }
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* Whether a CPU operator can access the bytes of @tensor. */
static gboolean
check_memory (const PtTensor *tensor, const char *what, GError **error)
{
  char text[160];

  if (tensor->device_type != PT_DEVICE_CPU)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "%s lies in the memory of a device, where a CPU operator cannot reach it.",
                    what);
  if (pt_tensor_nbytes (tensor) > tensor->capacity || (tensor->data == NULL && tensor->numel > 0))
    return pt_fail (error, PT_ERROR_STATE, "%s, %s, has no memory for its elements.", what,
                    pt_tensor_describe (tensor, text, sizeof text));
  return TRUE;
}

PtTensor *
pt_out_tensor (const PtValue *value, guint rank, const gint64 *sizes, GError **error)
{
  PtTensor *tensor = pt_value_tensor (value, "out", error);

  if (tensor == NULL || !pt_tensor_resize (tensor, rank, sizes, error) ||
      !check_memory (tensor, "out", error))
    return NULL;
  if (tensor->is_constant) {
    pt_fail (error, PT_ERROR_PROGRAM, "An operator would write to a constant of the program.");
    return NULL;
  }
  return tensor;
}

PtTensor *
pt_in_tensor (const PtValue *value, const char *what, GError **error)
{
  PtTensor *tensor = pt_value_tensor (value, what, error);

  if (tensor == NULL || !check_memory (tensor, what, error))
    return NULL;
  return tensor;
}
