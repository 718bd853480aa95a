/* SPDX-License-Identifier: BSD-3-Clause */

/* The recorder of a Pteris that was built without GStreamer: it says so. */

#include "ui/recorder.h"

#include "ui/i18n.h"

struct _PterisRecorder {
  GObject parent_instance;

  const char *error;
};

G_DEFINE_FINAL_TYPE (PterisRecorder, pteris_recorder, G_TYPE_OBJECT)

static guint signal_changed;

static void
pteris_recorder_class_init (PterisRecorderClass *klass)
{
  signal_changed = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_recorder_init (PterisRecorder *self)
{
}

PterisRecorder *
pteris_recorder_new (void)
{
  return g_object_new (PTERIS_TYPE_RECORDER, NULL);
}

void
pteris_recorder_start (PterisRecorder *self, const char *path)
{
  self->error = _ ("This Pteris was built without GStreamer, so it cannot record.");
  g_signal_emit (self, signal_changed, 0);
}

void
pteris_recorder_set_paused (PterisRecorder *self, gboolean paused)
{
}

void
pteris_recorder_stop (PterisRecorder *self)
{
}

PterisRecorderState
pteris_recorder_get_state (PterisRecorder *self)
{
  return PTERIS_RECORDER_IDLE;
}

double
pteris_recorder_get_seconds (PterisRecorder *self)
{
  return 0;
}

double
pteris_recorder_sync (PterisRecorder *self)
{
  return 0;
}

double
pteris_recorder_get_level (PterisRecorder *self)
{
  return 0;
}

const char *
pteris_recorder_get_error (PterisRecorder *self)
{
  return self->error;
}
