/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-operators.h"

#include <string.h>

static const PtVkOperatorGroup *const GROUPS[] = {
  &pt_vk_group_elementwise, &pt_vk_group_copies,    &pt_vk_group_creation,
  &pt_vk_group_reductions,  &pt_vk_group_matrices,  &pt_vk_group_pictures,
  &pt_vk_group_language,    &pt_vk_group_quantized, &pt_vk_group_symbols,
};

const PtVkOperator *
pt_vk_operator_nth (guint i)
{
  for (gsize g = 0; g < G_N_ELEMENTS (GROUPS); g++) {
    if (i < GROUPS[g]->n)
      return &GROUPS[g]->items[i];
    i -= GROUPS[g]->n;
  }
  return NULL;
}

const PtVkOperator *
pt_vk_operator_find (const char *name, gsize length)
{
  static gsize once = 0;
  static GHashTable *by_name;
  char text[80];

  if (g_once_init_enter (&once)) {
    by_name = g_hash_table_new (g_str_hash, g_str_equal);
    for (guint i = 0; pt_vk_operator_nth (i) != NULL; i++)
      if (!g_hash_table_insert (by_name, (gpointer) pt_vk_operator_nth (i)->name,
                                (gpointer) pt_vk_operator_nth (i)))
        g_critical ("Operator %s is twice in the table", pt_vk_operator_nth (i)->name);
    g_once_init_leave (&once, 1);
  }
  if (length >= sizeof text)
    return NULL;
  memcpy (text, name, length);
  text[length] = 0;
  return g_hash_table_lookup (by_name, text);
}
