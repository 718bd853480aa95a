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

/** A sentence for a computer on which this program runs in an emulation of its processor, once for
 * each user; else NULL. */
const char *pteris_diagnostics_tell_emulation (void);

G_END_DECLS
