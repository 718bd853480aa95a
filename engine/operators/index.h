/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

#define PT_INDEX (PT_BIT (I32) | PT_BIT (I64))

/**
 * Element @offset of an index tensor. Read each element only once, and check the value that was
 * read: the tensor may share memory with the result.
 */
static inline gint64
pt_index_at (const PtView *index, gint64 offset)
{
  return index->dtype == PT_DTYPE_I64 ? ((const gint64 *) index->data)[offset]
                                      : ((const gint32 *) index->data)[offset];
}

/** Fail because an index is out of range. Returns FALSE. */
gboolean pt_fail_index (GError **error, gint64 index, gint64 size);

/** target += source, for one element of @dtype. */
void pt_accumulate (PtDType dtype, gpointer target, gconstpointer source);

G_END_DECLS
