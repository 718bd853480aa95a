/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/interruptible.h"

#include <pteris/error.h>

#include "app/cli.h"

/* How often is looked whether Ctrl-C was pressed. */
#define LOOK_US (50 * 1000)

typedef struct {
  GThreadFunc func;
  gpointer data;
  GMutex mutex;
  GCond cond;
  gboolean is_done; /* under the mutex */
} Work;

static gpointer
work (gpointer data)
{
  Work *self = data;

  self->func (self->data);
  g_mutex_lock (&self->mutex);
  self->is_done = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  return NULL;
}

void
pteris_run_interruptible (GThreadFunc func, gpointer data, GCancellable *cancellable)
{
  Work self = { .func = func, .data = data };
  GThread *thread = g_thread_new ("work", work, &self);

  g_mutex_lock (&self.mutex);
  while (!self.is_done) {
    if (pteris_was_interrupted ())
      g_cancellable_cancel (cancellable);
    g_cond_wait_until (&self.cond, &self.mutex, g_get_monotonic_time () + LOOK_US);
  }
  g_mutex_unlock (&self.mutex);
  g_thread_join (thread);
}

int
pteris_show_outcome (const GError *error)
{
  if (error == NULL)
    return PTERIS_EXIT_DONE;
  if (g_error_matches (error, PT_ERROR, PT_ERROR_CANCELLED)) {
    pteris_note ("%s", error->message);
    return PTERIS_EXIT_STOPPED;
  }
  pteris_complain ("%s", error->message);
  return PTERIS_EXIT_FAILED;
}
