/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engine-client.h"

G_BEGIN_DECLS

/** PterisRunPanel: run a method of a program with inputs of one's own, and see what comes out and
 * where the time goes. */
#define PTERIS_TYPE_RUN_PANEL (pteris_run_panel_get_type ())
G_DECLARE_FINAL_TYPE (PterisRunPanel, pteris_run_panel, PTERIS, RUN_PANEL, GtkWidget)

void pteris_run_panel_bind (PterisRunPanel *self, PterisEngineClient *client);

/** @report: of pt_inspect_read() for @path. */
void pteris_run_panel_set_program (PterisRunPanel *self, const char *path, const char *const *data,
                                   const PtInspectReport *report);

/** Begin, unless an input cannot be used; what is wrong is said in place. */
void pteris_run_panel_start (PterisRunPanel *self);
/** Copy the output in the file @from to @to, which stays as it was if that fails; an error is shown
 * in place. */
void pteris_run_panel_save (PterisRunPanel *self, const char *from, const char *to);
void pteris_run_panel_stop (PterisRunPanel *self);
gboolean pteris_run_panel_is_running (PterisRunPanel *self);

G_END_DECLS
