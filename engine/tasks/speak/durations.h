/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/* Arithmetic of Kokoro between its programs and behind them (docs/formats/protocols.md, section
 * 17.3). */

#define PT_SPEAK_RATE 24000
/** Samples of a tick, the unit of durations: 25 ms. */
#define PT_SPEAK_TICK 600
/** Milliseconds of silence that pt_trim_silence() keeps on each side. */
#define PT_SPEAK_MARGIN_MS 50

/**
 * Scale @durations of @n tokens, in ticks, so that their sum is within @least and @most. FALSE with
 * PT_ERROR_FORMAT when one is negative or not plausible, or all are 0.
 */
gboolean pt_durations_fit (gint64 *durations, gsize n, guint least, guint most, GError **error);

/** Leave out silence at both ends: *@begin and *@end become the range of @samples to keep. */
void pt_trim_silence (const float *samples, gsize n, gsize *begin, gsize *end);

G_END_DECLS
