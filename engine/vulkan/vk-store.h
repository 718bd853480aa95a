/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-context.h"
#include "engine/vulkan/vk-graph.h"

G_BEGIN_DECLS

/**
 * PtVkStore: the constants and states of one delegate on the GPU. Constants are uploaded once,
 * through two staging buffers, in the form that a shader wants.
 */
typedef struct _PtVkStore PtVkStore;

/** A part of a buffer of the GPU. */
typedef struct {
  VkBuffer buffer;
  guint64 offset, size;
} PtVkRange;

/** Writes bytes @begin .. @end of the content to @to. */
typedef void (*PtVkFill) (gpointer data, guint8 *to, gsize begin, gsize end);

/** @context: a reference that the store keeps. @expected: bytes of all constants, roughly. */
PtVkStore *pt_vk_store_new (PtVkContext *context, guint64 expected, GError **error);
void pt_vk_store_free (PtVkStore *store);

PtVkContext *pt_vk_store_context (const PtVkStore *store);

/** What an entry is: bytes @first .. @first + @bytes of @content in form @form. */
typedef struct {
  gconstpointer content;
  guint form;
  guint64 first, bytes;
} PtVkStoreKey;

/** The number of the entry @key, or G_MAXUINT32. */
guint32 pt_vk_store_find (const PtVkStore *store, const PtVkStoreKey *key);

/** Store what @fill writes, whose begin and end count from @key->first. G_MAXUINT32 with an error.
 */
guint32 pt_vk_store_add (PtVkStore *store, const PtVkStoreKey *key, PtVkFill fill, gpointer data,
                         GError **error);

const PtVkRange *pt_vk_store_range (const PtVkStore *store, guint32 index);

/**
 * Set @bytes of @buffer at @offset to what @fill writes, or to zeros (NULL). The GPU must not be
 * using them.
 */
gboolean pt_vk_store_write (PtVkStore *store, VkBuffer buffer, guint64 offset, gsize bytes,
                            PtVkFill fill, gpointer data, GError **error);

/** Wait until all uploads are done, and free the staging memory. */
gboolean pt_vk_store_finish (PtVkStore *store, GError **error);

/** Bytes of all constants on the GPU. */
guint64 pt_vk_store_bytes (const PtVkStore *store);

G_END_DECLS
