/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/job-copy.h"

static const char *const *
copy_list (const char *const *list)
{
  return (const char *const *) g_strdupv ((char **) list);
}

static void
free_list (const char *const *list)
{
  g_strfreev ((char **) list);
}

/* ---- the options of each task ---- */

static void
copy_model (PtModelOptions *model)
{
  model->path = g_strdup (model->path);
  model->data = copy_list (model->data);
  model->tokenizer = g_strdup (model->tokenizer);
  model->preprocessor = g_strdup (model->preprocessor);
  model->family = g_strdup (model->family);
  model->variant = g_strdup (model->variant);
  model->method = g_strdup (model->method);
  model->trust = g_strdup (model->trust);
}

static void
clear_model (PtModelOptions *model)
{
  g_free ((char *) model->path);
  free_list (model->data);
  g_free ((char *) model->tokenizer);
  g_free ((char *) model->preprocessor);
  g_free ((char *) model->family);
  g_free ((char *) model->variant);
  g_free ((char *) model->method);
  g_free ((char *) model->trust);
}

static void
copy_chat (PtChatOptions *chat)
{
  PtMessage *messages = g_new0 (PtMessage, chat->n_messages);

  for (guint i = 0; i < chat->n_messages; i++) {
    messages[i].role = g_strdup (chat->messages[i].role);
    messages[i].text = g_strdup (chat->messages[i].text);
    messages[i].files = copy_list (chat->messages[i].files);
  }
  chat->messages = messages;
  chat->stop = copy_list (chat->stop);
  chat->tools = g_strdup (chat->tools);
}

static void
clear_chat (PtChatOptions *chat)
{
  for (guint i = 0; i < chat->n_messages; i++) {
    g_free ((char *) chat->messages[i].role);
    g_free ((char *) chat->messages[i].text);
    free_list (chat->messages[i].files);
  }
  g_free ((PtMessage *) chat->messages);
  free_list (chat->stop);
  g_free ((char *) chat->tools);
}

/** Shapes go with inputs, and may have NULL in between. */
static const char *const *
copy_shapes (const char *const *inputs, const char *const *shapes)
{
  guint n = inputs != NULL ? g_strv_length ((char **) inputs) : 0;
  char **copy;

  if (shapes == NULL)
    return NULL;
  copy = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    copy[i] = g_strdup (shapes[i]);
  return (const char *const *) copy;
}

static void
copy_run (PtRunOptions *run)
{
  run->shapes = copy_shapes (run->inputs, run->shapes);
  run->inputs = copy_list (run->inputs);
  run->output_dir = g_strdup (run->output_dir);
  run->steps = g_strdup (run->steps);
  run->trace = g_strdup (run->trace);
}

static void
clear_run (PtRunOptions *run)
{
  for (guint i = 0; run->shapes != NULL && run->inputs != NULL && run->inputs[i] != NULL; i++)
    g_free ((char *) run->shapes[i]);
  g_free ((char **) run->shapes);
  free_list (run->inputs);
  g_free ((char *) run->output_dir);
  g_free ((char *) run->steps);
  g_free ((char *) run->trace);
}

static void
copy_speak (PtSpeakOptions *speak)
{
  speak->text = g_strdup (speak->text);
  speak->voice = g_strdup (speak->voice);
  speak->language = g_strdup (speak->language);
  speak->output = g_strdup (speak->output);
}

static void
clear_speak (PtSpeakOptions *speak)
{
  g_free ((char *) speak->text);
  g_free ((char *) speak->voice);
  g_free ((char *) speak->language);
  g_free ((char *) speak->output);
}

/* ---- the job ---- */

PtJob *
pt_job_copy (const PtJob *job)
{
  PtJob *copy = g_memdup2 (job, sizeof *job);

  copy_model (&copy->model);
  copy_chat (&copy->chat);
  copy->speech.audio = g_strdup (job->speech.audio);
  copy->speech.language = g_strdup (job->speech.language);
  copy->vision.images = copy_list (job->vision.images);
  copy->vision.labels = g_strdup (job->vision.labels);
  copy->vision.texts = copy_list (job->vision.texts);
  copy_run (&copy->run);
  copy->bench.audio = g_strdup (job->bench.audio);
  copy->embed.texts = copy_list (job->embed.texts);
  copy->privacy.texts = copy_list (job->privacy.texts);
  copy_speak (&copy->speak);
  return copy;
}

void
pt_job_free (PtJob *job)
{
  if (job == NULL)
    return;
  clear_model (&job->model);
  clear_chat (&job->chat);
  g_free ((char *) job->speech.audio);
  g_free ((char *) job->speech.language);
  free_list (job->vision.images);
  g_free ((char *) job->vision.labels);
  free_list (job->vision.texts);
  clear_run (&job->run);
  g_free ((char *) job->bench.audio);
  free_list (job->embed.texts);
  free_list (job->privacy.texts);
  clear_speak (&job->speak);
  g_free (job);
}
