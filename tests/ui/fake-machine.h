/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/stats.h>

/*
 * Readings as pt_stats_read() makes them: of a machine that answers a question now and then.
 */

typedef struct {
  guint n_gpus;
  gboolean second_lost;   /* the second GPU has fallen off the bus */
  gboolean second_silent; /* the second GPU tells its name and nothing else */
} FakeMachine;

/** The reading at @second. */
PtMachineStats *fake_machine_read (const FakeMachine *machine, guint second);
