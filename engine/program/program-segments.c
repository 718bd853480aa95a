/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-private.h"

#include "engine/program/schema.h"

gboolean
pt_resolve_segments (PtResolver *r, const PtProgramHeader *header, GError **error)
{
  PtFbVec tables = pt_fb_vec (r->root, SLOT_PROGRAM_SEGMENTS);
  gsize size;
  const guint8 *data = g_bytes_get_data (r->program->bytes, &size);
  PtSegmentFile file = { data, size, header->segment_base, r->name, PT_ERROR_PROGRAM };

  r->segments = pt_segments_resolve (&file, tables, &r->program->store, error);
  r->n_segments = tables.count;
  return r->segments != NULL;
}

/* A SubsegmentOffsets table: offsets into one segment. */
static gboolean
resolve_subsegments (PtResolver *r, PtFbRef table, const char *what, PtFbVec *offsets,
                     PtProgramSegment *segment, GError **error)
{
  guint32 index = pt_fb_u32 (table, SLOT_SUBSEGMENT_INDEX, 0);

  *offsets = pt_fb_vec (table, SLOT_SUBSEGMENT_OFFSETS);
  /* Entry 0 is reserved, so a list of one entry is an empty list. */
  if (offsets->count <= 1)
    return TRUE;
  if (index >= r->n_segments)
    return pt_resolver_fail (r, error, "its %s lie in segment %u of %u", what, index,
                             r->n_segments);
  *segment = r->segments[index];
  return TRUE;
}

gboolean
pt_resolve_constants (PtResolver *r, GError **error)
{
  PtFbRef constants = pt_fb_table (r->root, SLOT_PROGRAM_CONSTANT_SEGMENT);
  PtFbVec mutables = pt_fb_vec (r->root, SLOT_PROGRAM_MUTABLE_SEGMENTS);

  r->inline_constants = pt_fb_vec (r->root, SLOT_PROGRAM_CONSTANT_BUFFER);
  r->delegate_data = pt_fb_vec (r->root, SLOT_PROGRAM_DELEGATE_DATA);
  if (!resolve_subsegments (r, constants, "constants", &r->constant_offsets, &r->constants, error))
    return FALSE;
  if (r->constant_offsets.count > 1 && r->inline_constants.count > 0)
    return pt_resolver_fail (r, error, "it has constants in two places");
  r->constants_inline = r->constant_offsets.count == 0;
  /* Exporters write at most one entry, and upstream reads only the first. */
  if (mutables.count == 0)
    return TRUE;
  return resolve_subsegments (r, pt_fb_vec_table (mutables, 0), "initial values",
                              &r->mutable_offsets, &r->mutables, error);
}

static gboolean
resolve_named (PtResolver *r, PtFbRef table, guint index, PtNamedData *named, GError **error)
{
  guint32 segment = pt_fb_u32 (table, SLOT_NAMED_SEGMENT, 0);

  named->key = pt_fb_string (table, SLOT_NAMED_KEY, &named->key_length);
  if (named->key == NULL)
    return pt_resolver_fail (r, error, "entry %u of its named data has no key", index);
  if (segment >= r->n_segments)
    return pt_resolver_fail (r, error, "entry %u of its named data lies in segment %u of %u", index,
                             segment, r->n_segments);
  named->data = r->segments[segment].data;
  named->size = r->segments[segment].size;
  return pt_resolver_charge (r, named->key_length, 1, error);
}

gboolean
pt_resolve_named_data (PtResolver *r, GError **error)
{
  PtFbVec tables = pt_fb_vec (r->root, SLOT_PROGRAM_NAMED_DATA);
  PtProgram *program = r->program;
  const PtKey *twice;

  program->named = pt_resolver_new (r, PtNamedData, tables.count, error);
  if (program->named == NULL)
    return FALSE;
  program->named_keys = pt_resolver_new (r, PtKey, tables.count, error);
  if (program->named_keys == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    PtNamedData *named = &program->named[i];

    if (!resolve_named (r, pt_fb_vec_table (tables, i), i, named, error))
      return FALSE;
    program->named_keys[i] = (PtKey){ named->key, named->key_length, named };
  }
  program->n_named = tables.count;
  twice = pt_keys_sort (program->named_keys, program->n_named);
  if (twice != NULL) {
    g_autofree char *key = pt_key_display (twice->key, twice->length);

    return pt_resolver_fail (r, error, "it has two entries of the key “%s”", key);
  }
  return TRUE;
}
