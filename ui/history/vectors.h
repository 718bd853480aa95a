/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Vectors in the history's database: the passages of a message or transcript, one record after the
 * other without gaps, numbers in little-endian order:
 *
 *     int64  place    the message or segment where the passage begins
 *     uint32 start    its first character in the message; in a transcript 0
 *     uint32 length   its characters; in a transcript its segments
 *     float  scale
 *     int8   numbers[width]: the vector is scale * numbers
 *
 * The largest number of a vector of length 1 becomes 127, so that each is wrong by at most
 * 1/254 of the largest one: cosines are wrong by less than 0.005.
 */

#define PTERIS_VECTOR_MAX_WIDTH 8192

/** A record. */
typedef struct {
  gint64 place;
  guint32 start, length;
  float scale;
  const gint8 *numbers; /* [width], in the blob */
} PterisRecord;

/** Append the record of @vector [@width], whose numbers are finite; @record says its place, start
 * and length. */
void pteris_vectors_append (GByteArray *records, const PterisRecord *record, const float *vector,
                            guint width);

/** The number of records in @size bytes; 0 when they are not whole records, or @width makes no
 * sense. */
gsize pteris_vectors_count (gsize size, gint64 width);

/** Record @i of @records, which may hold anything. FALSE: its scale is not a number. */
gboolean pteris_vectors_get (gconstpointer records, gsize i, guint width, PterisRecord *record);

/** A query's vector in the form that is fast to multiply. */
typedef struct {
  guint width;
  float scale;
  gint16 *numbers; /* [width] */
} PterisQuery;

/** @vector: [@width], finite; @width: 1 to PTERIS_VECTOR_MAX_WIDTH. */
void pteris_query_init (PterisQuery *query, const float *vector, guint width);
void pteris_query_clear (PterisQuery *query);

/** The dot product of @query and @record, which have the same width. */
double pteris_query_dot (const PterisQuery *query, const PterisRecord *record);

G_END_DECLS
