/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/inspect-item.h"

#include <string.h>

struct _PterisInspectItem {
  GObject parent_instance;

  PterisInspectItemKind kind;
  char *name, *value;
  char *folded; /* both, for searching */
};

G_DEFINE_FINAL_TYPE (PterisInspectItem, pteris_inspect_item, G_TYPE_OBJECT)

static void
pteris_inspect_item_finalize (GObject *object)
{
  PterisInspectItem *self = PTERIS_INSPECT_ITEM (object);

  g_free (self->name);
  g_free (self->value);
  g_free (self->folded);
  G_OBJECT_CLASS (pteris_inspect_item_parent_class)->finalize (object);
}

static void
pteris_inspect_item_class_init (PterisInspectItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_inspect_item_finalize;
}

static void
pteris_inspect_item_init (PterisInspectItem *self)
{
}

PterisInspectItem *
pteris_inspect_item_new (PterisInspectItemKind kind, const char *name, const char *value)
{
  PterisInspectItem *self = g_object_new (PTERIS_TYPE_INSPECT_ITEM, NULL);
  g_autofree char *both =
      g_strconcat (name, " ", kind == PTERIS_INSPECT_SECTION ? NULL : value, NULL);

  self->kind = kind;
  self->name = g_strdup (name);
  self->value = g_strdup (value);
  self->folded = g_utf8_casefold (both, -1);
  return self;
}

PterisInspectItemKind
pteris_inspect_item_get_kind (PterisInspectItem *self)
{
  return self->kind;
}

const char *
pteris_inspect_item_get_name (PterisInspectItem *self)
{
  return self->name;
}

const char *
pteris_inspect_item_get_value (PterisInspectItem *self)
{
  return self->value;
}

GPtrArray *
pteris_inspect_items_search (GPtrArray *items, const char *text)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree char *folded = g_utf8_casefold (text, -1);
  PterisInspectItem *section = NULL, *shown = NULL;
  gboolean whole = FALSE;

  for (guint i = 0; i < items->len; i++) {
    PterisInspectItem *item = items->pdata[i];
    gboolean matches = strstr (item->folded, folded) != NULL;

    if (item->kind == PTERIS_INSPECT_SECTION) {
      section = item;
      /* A heading that is meant brings all of its section. */
      whole = matches;
    }
    if (!matches && !whole)
      continue;
    if (section != NULL && shown != section)
      g_ptr_array_add (found, g_object_ref (section));
    shown = section;
    if (item != section)
      g_ptr_array_add (found, g_object_ref (item));
  }
  return found;
}

char *
pteris_inspect_items_write (GPtrArray *items)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < items->len; i++) {
    PterisInspectItem *item = items->pdata[i];

    if (item->kind == PTERIS_INSPECT_SECTION)
      g_string_append_printf (out, "%s%s\n", i > 0 ? "\n" : "", item->name);
    else if (item->value == NULL || *item->value == '\0')
      g_string_append_printf (out, "  %s\n", item->name);
    else
      g_string_append_printf (out, "  %s: %s\n", item->name, item->value);
  }
  return g_string_free (out, FALSE);
}
