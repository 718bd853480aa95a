/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PT_HUB_SAMPLES 24

/** Bytes over the last seconds. */
typedef struct {
  struct {
    gint64 time; /* microseconds */
    guint64 bytes;
  } samples[PT_HUB_SAMPLES];
  guint n, at;
} PtHubMeter;

/** @bytes have arrived since the start, at @time. */
void pt_hub_meter_add (PtHubMeter *meter, gint64 time, guint64 bytes);

/** Bytes a second; 0: not known yet. */
double pt_hub_meter_rate (const PtHubMeter *meter);

G_END_DECLS
