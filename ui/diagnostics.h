/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/stats.h>

G_BEGIN_DECLS

/** pt_diagnose() in a thread. @source may be NULL. */
void pteris_diagnose_async (GObject *source, GAsyncReadyCallback callback, gpointer user_data);
PtDiagnosis *pteris_diagnose_finish (GAsyncResult *result);

/** @diagnosis and the versions of the libraries: text for a bug report. Free with g_free(). */
char *pteris_diagnostics_text (const PtDiagnosis *diagnosis, GdkDisplay *display);

G_END_DECLS
