/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/inspect-tree.h"

/* The items of a section, or NULL: @user_data has a list for each section. */
static GListModel *
children_of (gpointer item, gpointer user_data)
{
  GListModel *children = g_hash_table_lookup (user_data, item);

  return children != NULL ? g_object_ref (children) : NULL;
}

/* The index behind the section that begins at @first. */
static guint
end_of_section (GPtrArray *items, guint first)
{
  guint end = first + 1;

  while (end < items->len &&
         pteris_inspect_item_get_kind (items->pdata[end]) != PTERIS_INSPECT_SECTION)
    end++;
  return end;
}

static gboolean
has_missing (GListModel *items)
{
  guint n = g_list_model_get_n_items (items);

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisInspectItem) item = g_list_model_get_item (items, i);

    if (pteris_inspect_item_get_kind (item) == PTERIS_INSPECT_MISSING)
      return TRUE;
  }
  return FALSE;
}

/* From the end, so that rows that appear do not move those that are still to come. */
static void
unfold (GtkTreeListModel *tree, GHashTable *sections, gboolean all)
{
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (tree)); i-- > 0;) {
    g_autoptr (GtkTreeListRow) row = gtk_tree_list_model_get_row (tree, i);
    g_autoptr (PterisInspectItem) item = gtk_tree_list_row_get_item (row);
    GListModel *items = g_hash_table_lookup (sections, item);

    if (items != NULL &&
        (all || g_list_model_get_n_items (items) <= PTERIS_INSPECT_FEW || has_missing (items)))
      gtk_tree_list_row_set_expanded (row, TRUE);
  }
}

GtkTreeListModel *
pteris_inspect_tree_new (GPtrArray *items, gboolean open)
{
  GListStore *root = g_list_store_new (PTERIS_TYPE_INSPECT_ITEM);
  GHashTable *sections = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  GtkTreeListModel *tree;

  for (guint i = 0; i < items->len;) {
    guint end = i + 1;

    g_list_store_append (root, items->pdata[i]);
    if (pteris_inspect_item_get_kind (items->pdata[i]) == PTERIS_INSPECT_SECTION) {
      GListStore *children = g_list_store_new (PTERIS_TYPE_INSPECT_ITEM);

      end = end_of_section (items, i);
      g_list_store_splice (children, 0, 0, items->pdata + i + 1, end - i - 1);
      g_hash_table_insert (sections, items->pdata[i], children);
    }
    i = end;
  }
  tree = gtk_tree_list_model_new (G_LIST_MODEL (root), FALSE, FALSE, children_of, sections,
                                  (GDestroyNotify) g_hash_table_unref);
  unfold (tree, sections, open);
  return tree;
}
