/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "ui/history/vectors.h"

G_BEGIN_DECLS

/** The vector of a query, and the model that made it (pteris_meaning_model()). */
typedef struct {
  PterisQuery query;
  gint64 model;
} PterisQueryVector;

void pteris_query_vector_free (PterisQueryVector *vector);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisQueryVector, pteris_query_vector_free)

/**
 * PterisQuerySource: makes vectors of queries, for the search by meaning. UI thread.
 *
 * Signals:
 *   changed (): the result of pteris_query_source_describe() may have changed
 */
#define PTERIS_TYPE_QUERY_SOURCE (pteris_query_source_get_type ())
G_DECLARE_INTERFACE (PterisQuerySource, pteris_query_source, PTERIS, QUERY_SOURCE, GObject)

struct _PterisQuerySourceInterface {
  GTypeInterface parent;

  void (*ask_async) (PterisQuerySource *self, const char *query, GCancellable *cancellable,
                     GAsyncReadyCallback callback, gpointer user_data);
  char *(*describe) (PterisQuerySource *self);
};

/** Make the vector of @query. pteris_query_source_ask_finish() returns it; NULL when nothing is
 * searched by meaning now. */
void pteris_query_source_ask_async (PterisQuerySource *self, const char *query,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer user_data);
PterisQueryVector *pteris_query_source_ask_finish (PterisQuerySource *self, GAsyncResult *result);

/** A hint for the person who searches, a sentence; NULL: none. Free with g_free(). */
char *pteris_query_source_describe (PterisQuerySource *self);

G_END_DECLS
