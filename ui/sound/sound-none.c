/* SPDX-License-Identifier: BSD-3-Clause */

/* Sound of a build without GStreamer: every function fails with an explanation. */

#include "ui/sound/sound.h"

#include <gio/gio.h>

#include "ui/i18n.h"
#include "ui/sound/sound-watch.h"

gboolean
pteris_sound_prepare (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                       _ ("this Pteris was built without GStreamer."));
  return FALSE;
}

GPtrArray *
pteris_sound_list (PterisSoundKind kind, GError **error)
{
  pteris_sound_prepare (error);
  return NULL;
}

void
pteris_sound_watch_run (PterisSoundWatch *watch)
{
}

PterisSoundSource *
pteris_sound_source_new (PterisSoundDevice *device, guint rate, PterisSoundReceive *receive,
                         gpointer user_data)
{
  return NULL;
}

gboolean
pteris_sound_source_check (PterisSoundSource *self, GError **error)
{
  return FALSE;
}

void
pteris_sound_source_free (PterisSoundSource *self)
{
}

PterisSoundSink *
pteris_sound_sink_new (PterisSoundDevice *device, guint rate, gsize piece, PterisSoundFill *fill,
                       gpointer user_data, GDestroyNotify destroy)
{
  destroy (user_data);
  return NULL;
}

double
pteris_sound_sink_get_seconds (PterisSoundSink *self)
{
  return 0;
}

gboolean
pteris_sound_sink_check (PterisSoundSink *self, GError **error)
{
  return FALSE;
}

void
pteris_sound_sink_free (PterisSoundSink *self)
{
}
