/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/query-source.h"

G_DEFINE_INTERFACE (PterisQuerySource, pteris_query_source, G_TYPE_OBJECT)

void
pteris_query_vector_free (PterisQueryVector *vector)
{
  if (vector == NULL)
    return;
  pteris_query_clear (&vector->query);
  g_free (vector);
}

void
pteris_query_source_ask_async (PterisQuerySource *self, const char *query,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  PTERIS_QUERY_SOURCE_GET_IFACE (self)->ask_async (self, query, cancellable, callback, user_data);
}

PterisQueryVector *
pteris_query_source_ask_finish (PterisQuerySource *self, GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}

char *
pteris_query_source_describe (PterisQuerySource *self)
{
  return PTERIS_QUERY_SOURCE_GET_IFACE (self)->describe (self);
}

static void
pteris_query_source_default_init (PterisQuerySourceInterface *iface)
{
  g_signal_new ("changed", PTERIS_TYPE_QUERY_SOURCE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
}
