/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/vectors.h"

#include <math.h>
#include <string.h>

#define HEAD (8 + 4 + 4 + 4)

/* The largest number of a query: sums of PTERIS_VECTOR_MAX_WIDTH products fit into 32 bits. */
#define QUERY_MOST 2047

G_STATIC_ASSERT ((gint64) QUERY_MOST * 128 * PTERIS_VECTOR_MAX_WIDTH <= G_MAXINT32);

static float
largest (const float *vector, guint width)
{
  float most = 0;

  for (guint i = 0; i < width; i++)
    most = MAX (most, fabsf (vector[i]));
  return most;
}

/* ---- records ---- */

void
pteris_vectors_append (GByteArray *records, const PterisRecord *record, const float *vector,
                       guint width)
{
  float scale = largest (vector, width) / 127;
  guint64 place = GUINT64_TO_LE ((guint64) record->place);
  guint32 start = GUINT32_TO_LE (record->start), length = GUINT32_TO_LE (record->length), bits;
  guint at = records->len;
  guint8 *out;

  memcpy (&bits, &scale, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  g_byte_array_set_size (records, at + HEAD + width);
  out = records->data + at;
  memcpy (out, &place, 8);
  memcpy (out + 8, &start, 4);
  memcpy (out + 12, &length, 4);
  memcpy (out + 16, &bits, 4);
  for (guint i = 0; i < width; i++)
    ((gint8 *) out)[HEAD + i] = scale > 0 ? (gint8) lrintf (vector[i] / scale) : 0;
}

gsize
pteris_vectors_count (gsize size, gint64 width)
{
  if (width < 1 || width > PTERIS_VECTOR_MAX_WIDTH || size % (HEAD + (gsize) width) != 0)
    return 0;
  return size / (HEAD + (gsize) width);
}

gboolean
pteris_vectors_get (gconstpointer records, gsize i, guint width, PterisRecord *record)
{
  const guint8 *in = (const guint8 *) records + i * (HEAD + width);
  guint64 place;
  guint32 bits;

  memcpy (&place, in, 8);
  record->place = (gint64) GUINT64_FROM_LE (place);
  memcpy (&bits, in + 8, 4);
  record->start = GUINT32_FROM_LE (bits);
  memcpy (&bits, in + 12, 4);
  record->length = GUINT32_FROM_LE (bits);
  memcpy (&bits, in + 16, 4);
  bits = GUINT32_FROM_LE (bits);
  memcpy (&record->scale, &bits, 4);
  record->numbers = (const gint8 *) in + HEAD;
  return isfinite (record->scale);
}

/* ---- queries ---- */

void
pteris_query_init (PterisQuery *query, const float *vector, guint width)
{
  g_assert (width >= 1 && width <= PTERIS_VECTOR_MAX_WIDTH);
  query->width = width;
  query->scale = largest (vector, width) / QUERY_MOST;
  query->numbers = g_new (gint16, width);
  for (guint i = 0; i < width; i++)
    query->numbers[i] = query->scale > 0 ? (gint16) lrintf (vector[i] / query->scale) : 0;
}

void
pteris_query_clear (PterisQuery *query)
{
  g_clear_pointer (&query->numbers, g_free);
}

/* Sixteen sums, which compilers keep in registers of vectors. */
static gint32
dot (const gint16 *a, const gint8 *b, guint n)
{
  gint32 sums[16] = { 0 }, sum = 0;
  guint i = 0;

  for (; i + 16 <= n; i += 16)
    for (guint k = 0; k < 16; k++)
      sums[k] += a[i + k] * b[i + k];
  for (; i < n; i++)
    sum += a[i] * b[i];
  for (guint k = 0; k < 16; k++)
    sum += sums[k];
  return sum;
}

double
pteris_query_dot (const PterisQuery *query, const PterisRecord *record)
{
  return (double) dot (query->numbers, record->numbers, query->width) * query->scale *
         record->scale;
}
