/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/job-copy.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/host/messages.h"

/* A PtJob that claims to be larger is not one. */
#define MAX_SIZE 4096

typedef struct {
  PtJob job;
  PtHeap *heap; /* owns what @job points to */
} JobCopy;

/* Whether all members behind those of this version are zeros, their default. */
static gboolean
has_known_members (const PtJob *job)
{
  const char *bytes = (const char *) job;

  for (gsize i = sizeof *job; i < job->size; i++)
    if (bytes[i] != 0)
      return FALSE;
  return TRUE;
}

static gboolean
check_size (const PtJob *job, GError **error)
{
  if (job->size < G_STRUCT_OFFSET (PtJob, model) || job->size > MAX_SIZE)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "PtJob.size is %" G_GSIZE_FORMAT ", which no version of libpteris sets. Start "
                    "every PtJob from PT_JOB_INIT().",
                    job->size);
  if (!has_known_members (job))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The job uses options that this libpteris does not have. Install the version "
                    "that the program was compiled for.");
  return TRUE;
}

PtJob *
pt_job_copy (const PtJob *job, GError **error)
{
  PtJob whole = PT_JOB_INIT (PT_JOB_UNLOAD);
  JobCopy *copy;

  if (!check_size (job, error))
    return NULL;
  memcpy (&whole, job, MIN (job->size, sizeof whole));
  copy = g_new0 (JobCopy, 1);
  copy->heap = pt_heap_new ();
  pt_fields_copy (&pt_job_fields, &whole, &copy->job, copy->heap);
  copy->job.size = sizeof copy->job;
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
