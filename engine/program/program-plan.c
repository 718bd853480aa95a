/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-private.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/program/schema.h"

/* Upstream's limit on the length of "name.overload". */
#define LONGEST_OPERATOR 99

/* ---- Planned memory (docs/formats/program.md, section 11.1) ---- */

static gboolean
resolve_devices (PtResolver *r, PtFbVec tables, PtBufferSpec *buffers, guint n_buffers,
                 GError **error)
{
  for (guint i = 0; i < tables.count; i++) {
    PtFbRef table = pt_fb_vec_table (tables, i);
    gint32 index = pt_fb_i32 (table, SLOT_DEVICE_BUFFER, 0);
    gint8 type = pt_fb_i8 (table, SLOT_DEVICE_TYPE, 0);

    if (!pt_index_fits (index, n_buffers))
      return pt_resolver_fail (r, error, "a device is named for buffer %d of %u", index, n_buffers);
    if (type != PT_DEVICE_CPU && type != PT_DEVICE_CUDA)
      return pt_resolver_refuse (r, error, "buffer %d lies on a device of unknown type %d", index,
                                 type);
    buffers[index].device_type = (PtDeviceType) type;
    buffers[index].device_index = pt_fb_i8 (table, SLOT_DEVICE_INDEX, 0);
  }
  return TRUE;
}

static gboolean
resolve_buffers (PtResolver *r, PtFbRef table, PtPlan *plan, GError **error)
{
  PtFbVec sizes = pt_fb_vec (table, SLOT_PLAN_BUFFER_SIZES);
  PtBufferSpec *buffers;

  if (sizes.count == 0)
    return pt_resolver_fail (r, error, "the sizes of its memory are missing");
  buffers = pt_resolver_new (r, PtBufferSpec, sizes.count, error);
  if (buffers == NULL)
    return FALSE;
  /* Element 0 is reserved and stays a buffer of 0 bytes. */
  for (guint i = 1; i < sizes.count; i++) {
    gint64 size = pt_fb_vec_i64 (sizes, i);

    if (size < 0)
      return pt_resolver_fail (r, error, "buffer %u has a negative size", i);
    buffers[i].size = (guint64) size;
  }
  plan->buffers = buffers;
  plan->n_buffers = sizes.count;
  return resolve_devices (r, pt_fb_vec (table, SLOT_PLAN_BUFFER_DEVICES), buffers, sizes.count,
                          error);
}

/* ---- Inputs and outputs ---- */

static gboolean
resolve_io (PtResolver *r, PtFbVec items, const char *what, const PtPlan *plan,
            const gint32 **indices, guint *n_indices, GError **error)
{
  if (!items.present)
    return pt_resolver_fail (r, error, "the list of its %ss is missing", what);
  if (!pt_resolver_charge (r, items.count, sizeof (gint32), error))
    return FALSE;
  for (guint i = 0; i < items.count; i++) {
    gint32 index = pt_fb_vec_i32 (items, i);

    if (!pt_index_fits (index, plan->n_values))
      return pt_resolver_fail (r, error, "%s %u is value %d of %u", what, i, index, plan->n_values);
  }
  /* Used in place: the verifier checked the alignment, and the machine is little-endian. */
  *indices = (const gint32 *) (gconstpointer) items.items;
  *n_indices = items.count;
  return TRUE;
}

/* ---- Operators ---- */

static const char *
resolve_operator (PtResolver *r, PtFbRef table, guint index, GError **error)
{
  g_autofree char *what = g_strdup_printf ("the name of operator %u", index);
  gsize length, overload_length;
  const char *name = pt_fb_string (table, SLOT_OPERATOR_NAME, &length);
  const char *overload = pt_fb_string (table, SLOT_OPERATOR_OVERLOAD, &overload_length);
  char *joined;

  name = pt_resolver_text (r, name, length, what, error);
  if (name == NULL)
    return NULL;
  if (overload_length == 0)
    overload = "";
  else if (pt_resolver_text (r, overload, overload_length, what, error) == NULL)
    return NULL;
  if (length + (overload_length > 0 ? 1 + overload_length : 0) > LONGEST_OPERATOR) {
    pt_resolver_fail (r, error, "%s is longer than %d bytes", what, LONGEST_OPERATOR);
    return NULL;
  }
  if (overload_length == 0)
    return name;
  joined = pt_resolver_new (r, char, length + overload_length + 2, error);
  if (joined != NULL) {
    memcpy (joined, name, length);
    joined[length] = '.';
    memcpy (joined + length + 1, overload, overload_length);
  }
  return joined;
}

static gboolean
resolve_operators (PtResolver *r, PtFbVec tables, PtPlan *plan, GError **error)
{
  const char **operators = pt_resolver_new (r, const char *, tables.count, error);

  if (operators == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    operators[i] = resolve_operator (r, pt_fb_vec_table (tables, i), i, error);
    if (operators[i] == NULL)
      return FALSE;
  }
  plan->operators = operators;
  plan->n_operators = tables.count;
  return TRUE;
}

/* ---- Delegates (docs/formats/program.md, section 16) ---- */

static gboolean
resolve_payload (PtResolver *r, PtFbRef reference, guint index, PtDelegateSpec *delegate,
                 GError **error)
{
  gint8 location = pt_fb_i8 (reference, SLOT_PROCESSED_LOCATION, 0);
  guint32 at = pt_fb_u32 (reference, SLOT_PROCESSED_INDEX, 0);
  guint count = location == 1 ? r->n_segments : r->delegate_data.count;

  if (!pt_fb_present (reference))
    return pt_resolver_fail (r, error, "delegate %u has no payload", index);
  if (location != 0 && location != 1)
    return pt_resolver_fail (r, error, "the payload of delegate %u is in an unknown place", index);
  if (at >= count)
    return pt_resolver_fail (r, error, "the payload of delegate %u is number %u of %u", index, at,
                             count);
  if (location == 1) {
    delegate->payload = r->segments[at].data;
    delegate->payload_size = r->segments[at].size;
  } else {
    PtFbVec data = pt_fb_vec (pt_fb_vec_table (r->delegate_data, at), 0);

    delegate->payload = data.items;
    delegate->payload_size = data.count;
  }
  return TRUE;
}

static gboolean
resolve_specs (PtResolver *r, PtFbVec tables, guint index, PtDelegateSpec *delegate, GError **error)
{
  PtCompileSpec *specs = pt_resolver_new (r, PtCompileSpec, tables.count, error);

  if (specs == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    PtFbRef table = pt_fb_vec_table (tables, i);
    PtFbVec value = pt_fb_vec (table, SLOT_SPEC_VALUE);

    specs[i].key = pt_fb_string (table, SLOT_SPEC_KEY, &specs[i].key_length);
    if (specs[i].key == NULL)
      return pt_resolver_fail (r, error, "compile spec %u of delegate %u has no key", i, index);
    specs[i].value = value.items;
    specs[i].size = value.count;
  }
  delegate->specs = specs;
  delegate->n_specs = tables.count;
  return TRUE;
}

static gboolean
resolve_delegates (PtResolver *r, PtFbVec tables, PtPlan *plan, GError **error)
{
  PtDelegateSpec *delegates = pt_resolver_new (r, PtDelegateSpec, tables.count, error);

  if (delegates == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    PtFbRef table = pt_fb_vec_table (tables, i);
    gsize length;
    const char *id = pt_fb_string (table, SLOT_DELEGATE_ID, &length);

    delegates[i].id = pt_resolver_text (r, id, length, "the name of a delegate", error);
    if (delegates[i].id == NULL ||
        !resolve_payload (r, pt_fb_table (table, SLOT_DELEGATE_PROCESSED), i, &delegates[i],
                          error) ||
        !resolve_specs (r, pt_fb_vec (table, SLOT_DELEGATE_SPECS), i, &delegates[i], error))
      return FALSE;
  }
  plan->delegates = delegates;
  plan->n_delegates = tables.count;
  return TRUE;
}

gboolean
pt_resolve_plan (PtResolver *r, PtFbRef table, PtPlan *plan, GError **error)
{
  return resolve_buffers (r, table, plan, error) &&
         pt_resolve_values (r, pt_fb_vec (table, SLOT_PLAN_VALUES), plan, error) &&
         resolve_io (r, pt_fb_vec (table, SLOT_PLAN_INPUTS), "input", plan, &plan->inputs,
                     &plan->n_inputs, error) &&
         resolve_io (r, pt_fb_vec (table, SLOT_PLAN_OUTPUTS), "output", plan, &plan->outputs,
                     &plan->n_outputs, error) &&
         resolve_operators (r, pt_fb_vec (table, SLOT_PLAN_OPERATORS), plan, error) &&
         resolve_delegates (r, pt_fb_vec (table, SLOT_PLAN_DELEGATES), plan, error) &&
         pt_resolve_chains (r, pt_fb_vec (table, SLOT_PLAN_CHAINS), plan, error);
}
