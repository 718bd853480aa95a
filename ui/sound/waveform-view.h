/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/audio.h>

G_BEGIN_DECLS

/**
 * PterisWaveformView: the waveform of a recording with the play head. Clicking, dragging and the
 * arrow keys move the play head.
 *
 * Signals:
 *   seek (double seconds): the user moves the play head
 */
#define PTERIS_TYPE_WAVEFORM_VIEW (pteris_waveform_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisWaveformView, pteris_waveform_view, PTERIS, WAVEFORM_VIEW, GtkWidget)

/** Takes @waveform; NULL: unknown. */
void pteris_waveform_view_take (PterisWaveformView *self, PtWaveform *waveform);

/** @duration: in seconds, used without a waveform. */
void pteris_waveform_view_set_position (PterisWaveformView *self, double position, double duration);

G_END_DECLS
