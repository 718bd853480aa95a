/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/rate-meter.h"

#define SAMPLE_US (G_USEC_PER_SEC / 4)
/* Less says too little. */
#define MIN_US (G_USEC_PER_SEC / 2)

void
pt_hub_meter_add (PtHubMeter *self, gint64 time, guint64 bytes)
{
  guint last = (self->at + PT_HUB_SAMPLES - 1) % PT_HUB_SAMPLES;

  if (self->n > 0 && time - self->samples[last].time < SAMPLE_US)
    return;
  self->samples[self->at].time = time;
  self->samples[self->at].bytes = bytes;
  self->at = (self->at + 1) % PT_HUB_SAMPLES;
  self->n = MIN (self->n + 1, PT_HUB_SAMPLES);
}

double
pt_hub_meter_rate (const PtHubMeter *self)
{
  guint last = (self->at + PT_HUB_SAMPLES - 1) % PT_HUB_SAMPLES;
  guint first = (self->at + PT_HUB_SAMPLES - self->n) % PT_HUB_SAMPLES;
  gint64 time;

  if (self->n < 2)
    return 0;
  time = self->samples[last].time - self->samples[first].time;
  if (time < MIN_US || self->samples[last].bytes < self->samples[first].bytes)
    return 0;
  return (double) (self->samples[last].bytes - self->samples[first].bytes) * G_USEC_PER_SEC /
         (double) time;
}
