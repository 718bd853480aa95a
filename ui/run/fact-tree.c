/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/fact-tree.h"

/* The facts of a section, or NULL: @user_data has a list for each section. */
static GListModel *
children_of (gpointer item, gpointer user_data)
{
  GListModel *children = g_hash_table_lookup (user_data, item);

  return children != NULL ? g_object_ref (children) : NULL;
}

/* The index behind the section that begins at @first. */
static guint
end_of_section (GPtrArray *facts, guint first)
{
  guint end = first + 1;

  while (end < facts->len && pteris_fact_get_kind (facts->pdata[end]) != PTERIS_FACT_SECTION)
    end++;
  return end;
}

static gboolean
has_missing (GListModel *facts)
{
  guint n = g_list_model_get_n_items (facts);

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisFact) fact = g_list_model_get_item (facts, i);

    if (pteris_fact_get_kind (fact) == PTERIS_FACT_MISSING)
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
    g_autoptr (PterisFact) fact = gtk_tree_list_row_get_item (row);
    GListModel *facts = g_hash_table_lookup (sections, fact);

    if (facts != NULL &&
        (all || g_list_model_get_n_items (facts) <= PTERIS_FACTS_FEW || has_missing (facts)))
      gtk_tree_list_row_set_expanded (row, TRUE);
  }
}

GtkTreeListModel *
pteris_fact_tree_new (GPtrArray *facts, gboolean open)
{
  GListStore *root = g_list_store_new (PTERIS_TYPE_FACT);
  GHashTable *sections = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  GtkTreeListModel *tree;

  for (guint i = 0; i < facts->len;) {
    guint end = i + 1;

    g_list_store_append (root, facts->pdata[i]);
    if (pteris_fact_get_kind (facts->pdata[i]) == PTERIS_FACT_SECTION) {
      GListStore *children = g_list_store_new (PTERIS_TYPE_FACT);

      end = end_of_section (facts, i);
      g_list_store_splice (children, 0, 0, facts->pdata + i + 1, end - i - 1);
      g_hash_table_insert (sections, facts->pdata[i], children);
    }
    i = end;
  }
  tree = gtk_tree_list_model_new (G_LIST_MODEL (root), FALSE, FALSE, children_of, sections,
                                  (GDestroyNotify) g_hash_table_unref);
  unfold (tree, sections, open);
  return tree;
}
