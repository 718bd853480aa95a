/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/base/stop-call.h"

typedef struct {
  GMainContext *context;
  GSourceFunc func;
  gpointer data;
} StopCall;

static void
free_stop_call (gpointer data)
{
  StopCall *call = data;

  g_main_context_unref (call->context);
  g_free (call);
}

static void
on_cancelled (GCancellable *cancellable, gpointer data)
{
  const StopCall *call = data;
  GSource *source = g_idle_source_new ();

  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, call->func, call->data, NULL);
  g_source_attach (source, call->context);
  g_source_unref (source);
}

gulong
pt_stop_call (GCancellable *cancellable, GMainContext *context, GSourceFunc func, gpointer data)
{
  StopCall *call;

  if (cancellable == NULL)
    return 0;
  call = g_new (StopCall, 1);
  *call = (StopCall){ g_main_context_ref (context), func, data };
  return g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), call, free_stop_call);
}
