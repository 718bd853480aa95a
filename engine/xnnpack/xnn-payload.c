/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-payload.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/xnnpack/xnn-payload-private.h"

#define HEADER_SIZE 30
#define MAX_EXTERNS 4096

static guint32
load_u32 (const guint8 *p)
{
  guint32 value;

  memcpy (&value, p, sizeof value);
  return value;
}

static guint64
load_u64 (const guint8 *p)
{
  guint64 value;

  memcpy (&value, p, sizeof value);
  return value;
}

/*
 * Finds the FlatBuffer and the region of constants. Without a header the whole payload is the
 * FlatBuffer (docs/formats/xnnpack.md, section 2).
 */
static gboolean
find_parts (PtXnnReader *reader, GError **error)
{
  const guint8 *blob = reader->context->spec->payload;
  gsize size = reader->context->spec->payload_size;
  guint32 offset, constants;
  guint64 constants_size;

  if (blob == NULL || size < 8)
    return pt_xnn_damaged (error, "its payload is empty");
  reader->flatbuffer = blob;
  reader->flatbuffer_size = size;
  reader->has_header = size >= HEADER_SIZE && memcmp (blob + 4, "XH00", 4) == 0;
  if (!reader->has_header)
    return TRUE;
  offset = load_u32 (blob + 10);
  reader->flatbuffer_size = load_u32 (blob + 14);
  constants = load_u32 (blob + 18);
  constants_size = load_u64 (blob + 22);
  if (reader->flatbuffer_size < 8 || !pt_range_fits (offset, reader->flatbuffer_size, size) ||
      !pt_range_fits (constants, constants_size, size) ||
      constants < (guint64) offset + reader->flatbuffer_size)
    return pt_xnn_damaged (error, "its header points outside the payload");
  reader->flatbuffer = blob + offset;
  reader->region = blob + constants;
  reader->region_size = (gsize) constants_size;
  return TRUE;
}

static gboolean
open_flatbuffer (PtXnnReader *reader, GError **error)
{
  const guint8 *identifier = reader->flatbuffer + 4;
  guint32 n_externs;

  if (memcmp (identifier, "XN00", 4) != 0 && memcmp (identifier, "XN01", 4) != 0)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "An XNNPACK delegate of this program is of a format that Pteris does not know. "
                    "Export the program with ExecuTorch 0.4 to 1.5. (ExecuTorch error 0x30)");
  if (!pt_fb_verify (reader->flatbuffer, reader->flatbuffer_size, &pt_xnn_schema_graph,
                     "An XNNPACK delegate of this program", error))
    return FALSE;
  reader->root = pt_fb_root (reader->flatbuffer);
  if (!pt_fb_has (reader->root, PT_XNN_GRAPH_NODES) ||
      !pt_fb_has (reader->root, PT_XNN_GRAPH_VALUES))
    return pt_xnn_damaged (error, "it has no values or no nodes");
  n_externs = pt_fb_u32 (reader->root, PT_XNN_GRAPH_NUM_EXTERNS, 0);
  if (n_externs > MAX_EXTERNS)
    return pt_xnn_damaged (error, "it claims %u arguments, more than the limit of %u", n_externs,
                           MAX_EXTERNS);
  reader->graph->n_externs = n_externs;
  reader->graph->externals = pt_allocate (n_externs, sizeof (guint32), error);
  if (reader->graph->externals == NULL)
    return FALSE;
  for (guint32 i = 0; i < n_externs; i++)
    reader->graph->externals[i] = PT_XNN_NONE;
  return TRUE;
}

PtXnnGraph *
pt_xnn_payload_read (const PtDelegateContext *context, GError **error)
{
  g_autoptr (PtXnnGraph) graph = pt_xnn_graph_new (context->pool, context->max_bytes);
  g_autoptr (GHashTable) index_of_id = g_hash_table_new (NULL, NULL);
  PtXnnReader reader = { .context = context, .graph = graph, .index_of_id = index_of_id };
  gboolean ok = find_parts (&reader, error) && open_flatbuffer (&reader, error) &&
                pt_xnn_read_values (&reader, error) && pt_xnn_read_nodes (&reader, error);

  g_free (reader.replaced_by);
  return ok ? g_steal_pointer (&graph) : NULL;
}
