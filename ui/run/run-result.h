/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/report.h>

G_BEGIN_DECLS

/** PterisRunResult: what a run gave: its times, its outputs, and where the time went. */
#define PTERIS_TYPE_RUN_RESULT (pteris_run_result_get_type ())
G_DECLARE_FINAL_TYPE (PterisRunResult, pteris_run_result, PTERIS, RUN_RESULT, GtkWidget)

/** @report: of one method, which is kept; NULL: none. */
void pteris_run_result_set_report (PterisRunResult *self, const PtRunReport *report);
/** The one that is shown; NULL: none. */
const PtRunReport *pteris_run_result_get_report (PterisRunResult *self);

/** Names of classes, a line for each; NULL: none. */
void pteris_run_result_set_labels (PterisRunResult *self, const char *lines);

G_END_DECLS
