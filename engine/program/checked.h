/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Arithmetic on numbers that come from a file. Each function returns FALSE
 * instead of wrapping; @out is then not written.
 */

static inline gboolean
pt_add_size (gsize a, gsize b, gsize *out)
{
  return g_size_checked_add (out, a, b);
}

static inline gboolean
pt_mul_size (gsize a, gsize b, gsize *out)
{
  return g_size_checked_mul (out, a, b);
}

/** TRUE when the @size bytes at @offset lie inside a buffer of @total bytes. */
static inline gboolean
pt_range_fits (guint64 offset, guint64 size, guint64 total)
{
  return offset <= total && size <= total - offset;
}

/** TRUE when @index, a signed number of a file, is a valid index of @count items. */
static inline gboolean
pt_index_fits (gint64 index, gsize count)
{
  return index >= 0 && (guint64) index < count;
}

G_END_DECLS
