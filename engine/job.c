/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/job.h"

static void
copy_messages (PtJob *copy, const PtJob *job)
{
  PtMessage *messages = g_new0 (PtMessage, job->n_messages);

  for (guint i = 0; i < job->n_messages; i++) {
    messages[i].role = g_strdup (job->messages[i].role);
    messages[i].text = g_strdup (job->messages[i].text);
    messages[i].files = (const char *const *) g_strdupv ((char **) job->messages[i].files);
  }
  copy->messages = messages;
}

/** Shapes go with inputs, and may have NULL in between. */
static char **
copy_shapes (const char *const *inputs, const char *const *shapes)
{
  guint n = inputs != NULL ? g_strv_length ((char **) inputs) : 0;
  char **copy;

  if (shapes == NULL)
    return NULL;
  copy = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    copy[i] = g_strdup (shapes[i]);
  return copy;
}

PtJob *
pt_job_copy (const PtJob *job)
{
  PtJob *copy = g_memdup2 (job, sizeof *job);

  copy->model = g_strdup (job->model);
  copy->data = (const char *const *) g_strdupv ((char **) job->data);
  copy->tokenizer = g_strdup (job->tokenizer);
  copy->preprocessor = g_strdup (job->preprocessor);
  copy->images = (const char *const *) g_strdupv ((char **) job->images);
  copy->labels = g_strdup (job->labels);
  copy->family = g_strdup (job->family);
  copy->trust = g_strdup (job->trust);
  copy_messages (copy, job);
  copy->stop = (const char *const *) g_strdupv ((char **) job->stop);
  copy->audio = g_strdup (job->audio);
  copy->language = g_strdup (job->language);
  copy->method = g_strdup (job->method);
  copy->inputs = (const char *const *) g_strdupv ((char **) job->inputs);
  copy->shapes = (const char *const *) copy_shapes (job->inputs, job->shapes);
  copy->output_dir = g_strdup (job->output_dir);
  copy->steps = g_strdup (job->steps);
  copy->trace = g_strdup (job->trace);
  return copy;
}

void
pt_job_free (PtJob *job)
{
  if (job == NULL)
    return;
  for (guint i = 0; job->shapes != NULL && job->inputs != NULL && job->inputs[i] != NULL; i++)
    g_free ((char *) job->shapes[i]);
  g_free ((char **) job->shapes);
  for (guint i = 0; i < job->n_messages; i++) {
    g_free ((char *) job->messages[i].role);
    g_free ((char *) job->messages[i].text);
    g_strfreev ((char **) job->messages[i].files);
  }
  g_free ((PtMessage *) job->messages);
  g_strfreev ((char **) job->stop);
  g_free ((char *) job->model);
  g_strfreev ((char **) job->data);
  g_free ((char *) job->tokenizer);
  g_free ((char *) job->preprocessor);
  g_free ((char *) job->family);
  g_free ((char *) job->trust);
  g_strfreev ((char **) job->images);
  g_free ((char *) job->labels);
  g_free ((char *) job->audio);
  g_free ((char *) job->language);
  g_free ((char *) job->method);
  g_strfreev ((char **) job->inputs);
  g_free ((char *) job->output_dir);
  g_free ((char *) job->steps);
  g_free ((char *) job->trace);
  g_free (job);
}

void
pt_emit_progress (PtEmitter *emitter, PtStep step, double fraction)
{
  PtEvent event = { .kind = PT_EVENT_PROGRESS, .step = step, .fraction = fraction };

  pt_emitter_send (emitter, &event);
}

void
pt_emit_text (PtEmitter *emitter, PtEventKind kind, const char *text)
{
  PtEvent event = { .kind = kind, .text = text };

  pt_emitter_send (emitter, &event);
}

void
pt_emit_stats (PtEmitter *emitter, const PtStats *stats)
{
  PtEvent event = { .kind = PT_EVENT_STATS, .stats = *stats };

  pt_emitter_send (emitter, &event);
}
