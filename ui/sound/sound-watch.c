/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/sound-watch.h"

/* One device that comes or goes is several changes; this long after the first, in milliseconds,
 * they are told as one. */
#define SETTLE_MS 250

struct _PterisSoundWatch {
  gatomicrefcount n_refs;      /* of the user, the thread, and a change that is not told yet */
  PterisSoundChanged *changed; /* UI thread; NULL: nobody watches any more */
  gpointer user_data;          /* UI thread */

  GMutex lock; /* over the rest */
  GCond ended;
  gboolean is_over, is_noted;
};

static void
watch_unref (gpointer data)
{
  PterisSoundWatch *self = data;

  if (!g_atomic_ref_count_dec (&self->n_refs))
    return;
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->ended);
  g_free (self);
}

static gboolean
on_settled (gpointer user_data)
{
  PterisSoundWatch *self = user_data;

  g_mutex_lock (&self->lock);
  self->is_noted = FALSE;
  g_mutex_unlock (&self->lock);
  if (self->changed != NULL)
    self->changed (self->user_data);
  return G_SOURCE_REMOVE;
}

void
pteris_sound_watch_note (PterisSoundWatch *self)
{
  gboolean is_first;

  g_mutex_lock (&self->lock);
  is_first = !self->is_noted && !self->is_over;
  self->is_noted = TRUE;
  g_mutex_unlock (&self->lock);
  if (!is_first)
    return;
  g_atomic_ref_count_inc (&self->n_refs);
  g_timeout_add_full (G_PRIORITY_DEFAULT, SETTLE_MS, on_settled, self, watch_unref);
}

void
pteris_sound_watch_wait (PterisSoundWatch *self)
{
  g_mutex_lock (&self->lock);
  while (!self->is_over)
    g_cond_wait (&self->ended, &self->lock);
  g_mutex_unlock (&self->lock);
}

static gpointer
watch_thread (gpointer data)
{
  pteris_sound_watch_run (data);
  watch_unref (data);
  return NULL;
}

PterisSoundWatch *
pteris_sound_watch_new (PterisSoundChanged *changed, gpointer user_data)
{
  PterisSoundWatch *self = g_new0 (PterisSoundWatch, 1);

  g_atomic_ref_count_init (&self->n_refs);
  self->changed = changed;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  g_cond_init (&self->ended);
  g_atomic_ref_count_inc (&self->n_refs);
  g_thread_unref (g_thread_new ("sound devices", watch_thread, self));
  return self;
}

void
pteris_sound_watch_free (PterisSoundWatch *self)
{
  self->changed = NULL;
  g_mutex_lock (&self->lock);
  self->is_over = TRUE;
  g_cond_signal (&self->ended);
  g_mutex_unlock (&self->lock);
  watch_unref (self);
}
