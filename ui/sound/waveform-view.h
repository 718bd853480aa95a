/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/audio.h>

G_BEGIN_DECLS

/**
 * PterisWaveformView: what a recording looks like, and where in it the play head is. Clicking,
 * dragging and the arrow keys move that.
 *
 * Signals:
 *   seek (double seconds): the user wants to be there
 */
#define PTERIS_TYPE_WAVEFORM_VIEW (pteris_waveform_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisWaveformView, pteris_waveform_view, PTERIS, WAVEFORM_VIEW, GtkWidget)

/** Takes @waveform; NULL: it is not known (yet). */
void pteris_waveform_view_take (PterisWaveformView *self, PtWaveform *waveform);

/** @duration: seconds, used while there is no waveform. */
void pteris_waveform_view_set_position (PterisWaveformView *self, double position, double duration);

G_END_DECLS
