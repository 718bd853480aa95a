/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/flatbuffer.h"
#include "engine/vulkan/vk-payload.h"

G_BEGIN_DECLS

/** The state of reading one payload. */
typedef struct {
  const PtDelegateContext *context;
  PtVkGraph *graph;
  const guint8 *flatbuffer, *region;
  gsize flatbuffer_size, region_size;
  PtFbRef root;
  PtFbVec constants;
  gsize n_items; /* of all lists so far */
} PtVkReader;

/**
 * Memory of the graph, zeroed: @count items of @size bytes. NULL with an error, also when all lists
 * together have more items than a file of this size can have.
 */
gpointer pt_vk_reader_allocate (PtVkReader *reader, gsize count, gsize size, GError **error);

/** The values, without what the calls make of them. */
gboolean pt_vk_read_values (PtVkReader *reader, GError **error);
/** Inputs, outputs and calls. */
gboolean pt_vk_read_calls (PtVkReader *reader, GError **error);

G_END_DECLS
