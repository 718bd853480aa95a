/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/sound.h"

static void
prepare_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (pteris_sound_prepare (&error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
pteris_sound_prepare_async (gpointer source, GCancellable *cancellable,
                            GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (source, cancellable, callback, NULL);

  g_task_set_source_tag (task, pteris_sound_prepare_async);
  g_task_run_in_thread (task, prepare_in_thread);
}

gboolean
pteris_sound_prepare_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
