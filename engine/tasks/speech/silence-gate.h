/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/audio.h>

#include "engine/tasks/speech/vad.h"

G_BEGIN_DECLS

/**
 * PtSilenceGate: removes long silence from a recording and keeps speech with some silence around
 * it. It works on the stream, so that a recording in progress gives the same result as a file. One
 * thread.
 */
typedef struct _PtSilenceGate PtSilenceGate;

/**
 * @reader: at the sample rate of @vad; both must outlive the gate.
 * @live: the recording grows while it is read.
 */
PtSilenceGate *pt_silence_gate_new (PtAudioReader *reader, PtVad *vad, gboolean live,
                                    GError **error);
void pt_silence_gate_free (PtSilenceGate *gate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSilenceGate, pt_silence_gate_free)

/** As pt_audio_reader_read(). */
gssize pt_silence_gate_read (PtSilenceGate *gate, float *samples, gsize n,
                             GCancellable *cancellable, GError **error);

/**
 * Map sample @position of the gate's output to the sample of @reader. @is_end: the position is the
 * end of a range, so at a cut it maps to the sample before the removed silence, not behind it.
 * Inexact for positions before the oldest cut that is kept.
 */
guint64 pt_silence_gate_origin (const PtSilenceGate *gate, guint64 position, gboolean is_end);

/** The number of samples read from @reader. */
guint64 pt_silence_gate_n_read (const PtSilenceGate *gate);

G_END_DECLS
