/* SPDX-License-Identifier: BSD-3-Clause */

/* What a job has shown, so that another program of its model can go on where the first one failed.
 */

#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/** What the events of a job have shown so far. */
typedef struct {
  GString *text;    /* CHAT: of the answer; TRANSCRIBE: of the segment that has not ended yet */
  guint n_segments; /* of a transcript */
  double end;       /* of the last one, in seconds of the recording */
  PtStats stats;    /* the latest, of all programs together */
  PtStats before;   /* those of the programs that failed */
  gboolean goes_on; /* another program has failed before this one */
} PtShown;

void pt_shown_init (PtShown *self);
void pt_shown_clear (PtShown *self);

/** Remember what @event shows. Its figures and its reason become those of the whole job. */
void pt_shown_take (PtShown *self, PtEvent *event);

/**
 * The job to be done by another program, instead of @job, which has failed: it goes on behind what
 * was shown. Free with pt_job_free(). NULL: it cannot go on there.
 */
PtJob *pt_shown_go_on (PtShown *self, const PtJob *job);

G_END_DECLS
