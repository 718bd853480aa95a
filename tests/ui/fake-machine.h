/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * Reports as pt_stats_read() makes them: of a machine that answers a question now and then.
 */

typedef struct {
  guint n_gpus;
  gboolean second_lost;   /* the second GPU has fallen off the bus */
  gboolean second_silent; /* the second GPU tells its name and nothing else */
} FakeMachine;

/** The report at @second. Free with g_free(). */
char *fake_machine_report (const FakeMachine *machine, guint second);
