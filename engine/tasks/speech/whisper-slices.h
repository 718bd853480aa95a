/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-tokens.h"

G_BEGIN_DECLS

/** A segment within a window. Times are in units of a timestamp: 0.02 s. */
typedef struct {
  guint first, n; /* of the window's ids; timestamps among them are no text */
  guint start, end;
} PtWhisperSlice;

/**
 * Split the tokens of a window into segments, and find the start of the next window
 * (docs/formats/protocols.md, section 5.7): after the last segment that is certainly complete, else
 * behind the window.
 *
 * @n_units: length of the sound in the window.
 * @is_cut: there was no room for the end of the text, so what follows is not known.
 * @slices: PtWhisperSlice, emptied first.
 * Returns the units to advance: 1 second, or @n_units, at least; or 0, and no slices, if the text
 * is cut before a segment is complete.
 */
guint pt_whisper_slice (const PtWhisperTokens *tokens, const gint32 *ids, guint n, guint n_units,
                        gboolean is_cut, GArray *slices);

G_END_DECLS
