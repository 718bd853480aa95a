/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/job-copy.h"

#include "engine/host/messages.h"

typedef struct {
  PtJob job;
  PtHeap *heap; /* owns what @job points to */
} JobCopy;

PtJob *
pt_job_copy (const PtJob *job)
{
  JobCopy *copy = g_new0 (JobCopy, 1);

  copy->heap = pt_heap_new ();
  pt_fields_copy (&pt_job_fields, job, &copy->job, copy->heap);
  return &copy->job;
}

void
pt_job_free (PtJob *job)
{
  JobCopy *copy = (JobCopy *) (gpointer) job;

  if (job == NULL)
    return;
  pt_heap_unref (copy->heap);
  g_free (copy);
}
