/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-payload.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/vulkan/vk-payload-private.h"
#include "engine/vulkan/vk-schema.h"

#define HEADER_SIZE 30

static guint64
load_number (const guint8 *p, guint bytes)
{
  guint64 value = 0;

  memcpy (&value, p, bytes);
  return value;
}

/* Finds the FlatBuffer and the region of constants (docs/formats/vulkan.md, section 2). */
static gboolean
find_parts (PtVkReader *reader, GError **error)
{
  const guint8 *blob = reader->context->spec->payload;
  gsize size = reader->context->spec->payload_size;
  guint64 offset, length, constants, constants_size;

  if (blob == NULL || size < HEADER_SIZE)
    return pt_vk_damaged (error, "its payload is shorter than its header");
  if (memcmp (blob + 4, "VH00", 4) != 0)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "A Vulkan delegate of this program is of a format that Pteris does not know. "
                    "Export the program with ExecuTorch 1.2 to 1.5. (ExecuTorch error 0x30)");
  if (load_number (blob + 8, 2) < HEADER_SIZE)
    return pt_vk_damaged (error, "its header is too short");
  offset = load_number (blob + 10, 4);
  length = load_number (blob + 14, 4);
  constants = load_number (blob + 18, 4);
  constants_size = load_number (blob + 22, 8);
  if (length < 8 || !pt_range_fits (offset, length, size) ||
      !pt_range_fits (constants, constants_size, size) || constants < offset + length)
    return pt_vk_damaged (error, "its header points outside the payload");
  reader->flatbuffer = blob + offset;
  reader->flatbuffer_size = (gsize) length;
  reader->region = blob + constants;
  reader->region_size = (gsize) constants_size;
  return TRUE;
}

static gboolean
open_flatbuffer (PtVkReader *reader, GError **error)
{
  if (memcmp (reader->flatbuffer + 4, "VK00", 4) != 0)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "A Vulkan delegate of this program has a graph of a format that Pteris does "
                    "not know. Export the program with ExecuTorch 1.2 to 1.5. (ExecuTorch error "
                    "0x30)");
  if (!pt_fb_verify (reader->flatbuffer, reader->flatbuffer_size, &pt_vk_schema_graph,
                     "A Vulkan delegate of this program", error))
    return FALSE;
  reader->root = pt_fb_root (reader->flatbuffer);
  reader->constants = pt_fb_vec (reader->root, PT_VK_GRAPH_CONSTANTS);
  return TRUE;
}

PtVkGraph *
pt_vk_payload_read (const PtDelegateContext *context, GError **error)
{
  g_autoptr (PtVkGraph) graph = g_new0 (PtVkGraph, 1);
  PtVkReader reader = { .context = context, .graph = graph };

  graph->heap = pt_heap_new ();
  if (find_parts (&reader, error) && open_flatbuffer (&reader, error) &&
      pt_vk_read_values (&reader, error) && pt_vk_read_calls (&reader, error))
    return g_steal_pointer (&graph);
  return NULL;
}
