/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-private.h"

#include "engine/program/checked.h"
#include "engine/program/schema.h"

/* The entry of the value table that is being resolved. */
typedef struct {
  PtPlan *plan;
  PtValueSpec *values;
  guint index;
} Slot;

static PtFbVec
list_items (PtFbRef list)
{
  return pt_fb_vec (list, 0);
}

/* ---- Single values ---- */

static gboolean
resolve_string (PtResolver *r, const Slot *slot, PtFbRef table, GError **error)
{
  PtValueSpec *value = &slot->values[slot->index];

  value->as_string.data = pt_fb_string (table, 0, &value->as_string.length);
  return value->as_string.data != NULL ||
         pt_resolver_fail (r, error, "value %u is a String without text", slot->index);
}

static gboolean
resolve_doubles (PtResolver *r, const Slot *slot, PtFbRef table, GError **error)
{
  PtValueSpec *value = &slot->values[slot->index];
  PtFbVec items = list_items (table);

  value->as_doubles.count = items.count;
  if (GPOINTER_TO_SIZE (items.items) % sizeof (double) == 0) {
    value->as_doubles.items = (const double *) (gconstpointer) items.items;
  } else {
    double *copy = pt_resolver_new (r, double, items.count, error);

    if (copy == NULL)
      return FALSE;
    for (guint i = 0; i < items.count; i++)
      copy[i] = pt_fb_vec_f64 (items, i);
    value->as_doubles.items = copy;
  }
  return TRUE;
}

static gboolean
resolve_alone (PtResolver *r, const Slot *slot, guint tag, PtFbRef table, PtTensorSpec *tensor,
               GError **error)
{
  PtValueSpec *value = &slot->values[slot->index];

  switch (tag) {
  case TAG_NULL: value->kind = PT_VALUE_NONE; return TRUE;
  case TAG_INT:
    value->kind = PT_VALUE_INT;
    value->as_int = pt_fb_i64 (table, 0, 0);
    return TRUE;
  case TAG_BOOL:
    value->kind = PT_VALUE_BOOL;
    value->as_bool = pt_fb_u8 (table, 0, 0) != 0;
    return TRUE;
  case TAG_DOUBLE:
    value->kind = PT_VALUE_DOUBLE;
    value->as_double = pt_fb_f64 (table, 0, 0);
    return TRUE;
  case TAG_TENSOR:
    value->kind = PT_VALUE_TENSOR;
    value->as_tensor = tensor;
    return pt_resolve_tensor (r, table, slot->plan, slot->index, tensor, error);
  case TAG_STRING: value->kind = PT_VALUE_STRING; return resolve_string (r, slot, table, error);
  case TAG_DOUBLE_LIST:
    value->kind = PT_VALUE_DOUBLE_LIST;
    return resolve_doubles (r, slot, table, error);
  case TAG_BOOL_LIST:
    value->kind = PT_VALUE_BOOL_LIST;
    value->as_bools.items = list_items (table).items;
    value->as_bools.count = list_items (table).count;
    return TRUE;
  case TAG_INT_LIST: value->kind = PT_VALUE_INT_LIST; return TRUE;
  case TAG_TENSOR_LIST: value->kind = PT_VALUE_TENSOR_LIST; return TRUE;
  case TAG_OPTIONAL_TENSOR_LIST: value->kind = PT_VALUE_OPTIONAL_TENSOR_LIST; return TRUE;
  default: return pt_resolver_fail (r, error, "value %u is of unknown kind %u", slot->index, tag);
  }
}

/* ---- Lists of values ---- */

static gboolean
fits_list (PtValueKind list, PtValueKind item)
{
  switch (list) {
  case PT_VALUE_INT_LIST: return item == PT_VALUE_INT;
  case PT_VALUE_TENSOR_LIST: return item == PT_VALUE_TENSOR;
  default: return item == PT_VALUE_TENSOR || item == PT_VALUE_NONE;
  }
}

static gboolean
check_item (PtResolver *r, const Slot *slot, gint64 item, GError **error)
{
  PtValueKind list = slot->values[slot->index].kind;

  if (list == PT_VALUE_OPTIONAL_TENSOR_LIST && item == -1)
    return TRUE;
  if (!pt_index_fits (item, slot->plan->n_values))
    return pt_resolver_fail (r, error, "value %u lists value %" G_GINT64_FORMAT " of %u",
                             slot->index, item, slot->plan->n_values);
  if (!fits_list (list, slot->values[item].kind))
    return pt_resolver_fail (r, error, "value %u, of kind %s, lists a value of kind %s",
                             slot->index, pt_value_kind_name (list),
                             pt_value_kind_name (slot->values[item].kind));
  return TRUE;
}

/* The items of an IntList are 64 bits wide in the file, and are copied to 32 bits. */
static gboolean
resolve_int_list (PtResolver *r, const Slot *slot, PtFbVec items, GError **error)
{
  PtValueSpec *value = &slot->values[slot->index];
  gint32 *indices = pt_resolver_new (r, gint32, items.count, error);

  if (indices == NULL)
    return FALSE;
  for (guint i = 0; i < items.count; i++) {
    gint64 item = pt_fb_vec_i64 (items, i);

    if (!check_item (r, slot, item, error))
      return FALSE;
    indices[i] = (gint32) item;
  }
  value->as_indices.items = indices;
  value->as_indices.count = items.count;
  return TRUE;
}

static gboolean
resolve_tensor_list (PtResolver *r, const Slot *slot, PtFbVec items, GError **error)
{
  PtValueSpec *value = &slot->values[slot->index];

  if (!pt_resolver_charge (r, items.count, sizeof (gint32), error))
    return FALSE;
  for (guint i = 0; i < items.count; i++)
    if (!check_item (r, slot, pt_fb_vec_i32 (items, i), error))
      return FALSE;
  value->as_indices.items = (const gint32 *) (gconstpointer) items.items;
  value->as_indices.count = items.count;
  return TRUE;
}

static gboolean
resolve_list (PtResolver *r, const Slot *slot, PtFbRef table, GError **error)
{
  switch (slot->values[slot->index].kind) {
  case PT_VALUE_INT_LIST: return resolve_int_list (r, slot, list_items (table), error);
  case PT_VALUE_TENSOR_LIST:
  case PT_VALUE_OPTIONAL_TENSOR_LIST:
    return resolve_tensor_list (r, slot, list_items (table), error);
  default: return TRUE;
  }
}

/* ---- The table ---- */

static gboolean
is_list (guint tag)
{
  return tag >= TAG_INT_LIST && tag <= TAG_OPTIONAL_TENSOR_LIST;
}

static PtFbRef
value_table (PtFbVec tables, guint i, guint *tag)
{
  PtFbRef entry = pt_fb_vec_table (tables, i);

  *tag = pt_fb_u8 (entry, SLOT_VALUE_TAG, 0);
  return pt_fb_table (entry, SLOT_VALUE_TABLE);
}

static guint
count_tensors (PtFbVec tables)
{
  guint n = 0, tag;

  for (guint i = 0; i < tables.count; i++) {
    value_table (tables, i, &tag);
    n += tag == TAG_TENSOR;
  }
  return n;
}

static gboolean
check_entry (PtResolver *r, guint index, guint tag, PtFbRef table, GError **error)
{
  if (!pt_fb_present (table))
    return pt_resolver_fail (r, error, "value %u is empty", index);
  if (is_list (tag) && !list_items (table).present)
    return pt_resolver_fail (r, error, "value %u is a list without items", index);
  return TRUE;
}

gboolean
pt_resolve_values (PtResolver *r, PtFbVec tables, PtPlan *plan, GError **error)
{
  PtTensorSpec *tensor;
  Slot slot = { plan, NULL, 0 };
  guint tag;

  if (!tables.present)
    return pt_resolver_fail (r, error, "the list of its values is missing");
  slot.values = pt_resolver_new (r, PtValueSpec, tables.count, error);
  if (slot.values == NULL)
    return FALSE;
  tensor = pt_resolver_new (r, PtTensorSpec, count_tensors (tables), error);
  if (tensor == NULL)
    return FALSE;
  plan->values = slot.values;
  plan->n_values = tables.count;
  for (slot.index = 0; slot.index < tables.count; slot.index++) {
    PtFbRef table = value_table (tables, slot.index, &tag);

    if (!check_entry (r, slot.index, tag, table, error) ||
        !resolve_alone (r, &slot, tag, table, tensor, error))
      return FALSE;
    tensor += tag == TAG_TENSOR;
  }
  /* Resolve lists last: they may refer to values behind them. */
  for (slot.index = 0; slot.index < tables.count; slot.index++)
    if (!resolve_list (r, &slot, value_table (tables, slot.index, &tag), error))
      return FALSE;
  return TRUE;
}
