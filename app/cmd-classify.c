/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/cli.h"
#include "engine/base/clean.h"

typedef struct {
  gboolean json;
  int status;
} Classify;

/* A label of one line, whatever the file says; "" when there is none. */
static char *
clean_label (const PtClass *one)
{
  return one->label != NULL ? pt_clean_text (one->label, NULL, ' ') : g_strdup ("");
}

static void
show_picture (const PtPicture *picture)
{
  if (picture->error != NULL) {
    g_autofree char *error = pt_clean_text (picture->error, NULL, ' ');

    pteris_complain ("%s", error);
  }
  for (guint i = 0; i < picture->n_classes; i++) {
    const PtClass *one = &picture->classes[i];
    g_autofree char *label = clean_label (one);

    pteris_putf (*label != '\0' ? "%5.1f %%  %s (%u)\n" : "%5.1f %%  class %s%u\n",
                 100 * one->probability, label, one->index);
  }
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Classify *self = user_data;
  const PtClassification *found = event->classification;

  if (event->kind != PT_EVENT_REPORT)
    return;
  if (self->json) {
    g_autofree char *text = pt_classification_to_json (found);

    pteris_put_json (text);
  }
  for (guint i = 0; i < found->n_pictures; i++) {
    if (found->pictures[i].error != NULL)
      self->status = PTERIS_EXIT_FAILED;
    if (self->json)
      continue;
    if (found->n_pictures > 1) {
      g_autofree char *path = pt_clean_text (found->pictures[i].path, NULL, ' ');

      pteris_putf ("%s%s\n", i > 0 ? "\n" : "", path);
    }
    show_picture (&found->pictures[i]);
  }
}

static int
run (const PterisOptions *options, const PtJob *job)
{
  g_autoptr (PterisCli) cli = pteris_cli_new (options);
  Classify self = { options->json, PTERIS_EXIT_DONE };
  int status = pteris_cli_run (cli, job, on_event, &self);

  return status == PTERIS_EXIT_DONE ? self.status : status;
}

int
pteris_classify_command (int argc, char **argv)
{
  g_autofree char *labels = NULL, *method = NULL;
  int top = 5;
  const GOptionEntry entries[] = {
    { "labels", 'l', 0, G_OPTION_ARG_FILENAME, &labels,
      "Class names, one per line; default: labels.txt beside the model", "FILE" },
    { "top", 'n', 0, G_OPTION_ARG_INT, &top, "Number of classes to show; default: 5", "N" },
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &method, "Method to run; default: forward", "NAME" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "classify MODEL IMAGE…", "Classify images.", entries,
                                     2, G_MAXUINT, argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  if (top < 1)
    return pteris_usage_error ("classify", "--top must be 1 or more.");
  job = pteris_options_job (&common, PT_JOB_CLASSIFY, common.arguments[0]);
  job.vision.images = (const char *const *) common.arguments + 1;
  job.vision.labels = labels;
  job.model.method = method;
  job.vision.top = (guint) top;
  return run (&common, &job);
}
