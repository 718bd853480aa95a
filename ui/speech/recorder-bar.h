/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/dictation.h"

G_BEGIN_DECLS

/** PterisRecorderBar: controls of a recording in progress: level, duration, pause and stop. Hidden
 * otherwise. */
#define PTERIS_TYPE_RECORDER_BAR (pteris_recorder_bar_get_type ())
G_DECLARE_FINAL_TYPE (PterisRecorderBar, pteris_recorder_bar, PTERIS, RECORDER_BAR, GtkWidget)

void pteris_recorder_bar_set_dictation (PterisRecorderBar *self, PterisDictation *dictation);

G_END_DECLS
