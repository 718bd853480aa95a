/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris privacy: names and secrets in a text. */

#include <string.h>

#include "app/cli.h"

typedef struct {
  gboolean json, replace;
  gboolean adds_line; /* the text is of the command line and has no end of line */
  int status;
} Privacy;

static void
show_spans (const PtPrivacyText *text)
{
  for (guint i = 0; i < text->n_spans; i++) {
    const PtPrivacySpan *span = &text->spans[i];
    g_autofree char *part = g_strndup (text->text + span->start, span->end - span->start);

    pteris_put_line ("%" G_GSIZE_FORMAT "-%" G_GSIZE_FORMAT "  %s  %.0f %%  %s", span->start,
                     span->end, span->label, span->probability * 100, part);
  }
  if (text->n_spans == 0)
    pteris_note ("No names or secrets were found.");
}

static void
show_text (Privacy *self, const PtPrivacyText *text)
{
  g_autofree char *replaced = NULL;

  if (text->error != NULL) {
    pteris_complain ("%s", text->error);
    self->status = PTERIS_EXIT_FAILED;
  } else if (self->replace) {
    replaced = pt_privacy_replace (text);
    pteris_putf ("%s%s", replaced, self->adds_line ? "\n" : "");
  } else {
    show_spans (text);
  }
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Privacy *self = user_data;
  const PtPrivacyReport *report = event->privacy;

  if (event->kind != PT_EVENT_REPORT || report == NULL)
    return;
  if (self->json) {
    g_autofree char *text = pt_privacy_report_to_json (report);

    pteris_put_json (text);
    for (guint i = 0; i < report->n_texts; i++)
      if (report->texts[i].error != NULL) {
        pteris_complain ("%s", report->texts[i].error);
        self->status = PTERIS_EXIT_FAILED;
      }
    return;
  }
  for (guint i = 0; i < report->n_texts; i++)
    show_text (self, &report->texts[i]);
}

static int
run (const PterisOptions *options, const PtJob *job, Privacy *self)
{
  g_autoptr (PterisCli) cli = pteris_cli_new (options);
  int status = pteris_cli_run (cli, job, on_event, self);

  return status == PTERIS_EXIT_DONE ? self->status : status;
}

int
pteris_privacy_command (int argc, char **argv)
{
  g_autofree char *method = NULL, *input = NULL;
  gboolean replace = FALSE;
  const GOptionEntry entries[] = {
    { "replace", 'r', 0, G_OPTION_ARG_NONE, &replace,
      "Print the text with a label in place of each name and secret", NULL },
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &method, "Method to run; default: forward", "NAME" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status =
      pteris_options_parse (&common, "privacy MODEL TEXT", "Find names and secrets in a text.",
                            entries, 2, 2, argc, argv);
  const char *texts[2] = { NULL, NULL };
  Privacy self = { .status = PTERIS_EXIT_DONE };
  PtJob job;

  if (status >= 0)
    return status;
  if (replace && common.json)
    return pteris_usage_error ("privacy",
                               "--json has the replaced text, too: leave out --replace.");
  texts[0] = common.arguments[1];
  if (strcmp (texts[0], "-") == 0)
    texts[0] = input = pteris_cli_read_all (&status);
  if (texts[0] == NULL)
    return status;
  self.json = common.json;
  self.replace = replace;
  self.adds_line = input == NULL && !g_str_has_suffix (texts[0], "\n");
  job = pteris_options_job (&common, PT_JOB_PRIVACY, common.arguments[0]);
  job.model.method = method;
  job.privacy.texts = texts;
  return run (&common, &job, &self);
}
