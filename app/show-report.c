/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/show-report.h"

typedef struct {
  gboolean json;
  int (*show) (const PtEvent *event, gboolean json);
  int status;
} Shown;

static void
on_shown (const PtEvent *event, gpointer user_data)
{
  Shown *shown = user_data;

  if (event->kind == PT_EVENT_REPORT)
    shown->status = shown->show (event, shown->json);
}

int
pteris_report_show (const PterisOptions *options, const PtJob *job,
                    int (*show) (const PtEvent *event, gboolean json))
{
  g_autoptr (PterisCli) cli = pteris_cli_new (options);
  Shown shown = { options->json, show, PTERIS_EXIT_DONE };
  int status = pteris_cli_run (cli, job, on_shown, &shown);

  return status == PTERIS_EXIT_DONE ? shown.status : status;
}
