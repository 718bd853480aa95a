/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/audio.h>

#include "engine/tasks/speech/vad.h"

G_BEGIN_DECLS

/**
 * PtSilenceGate: of a recording what somebody says, with some silence around it; long silence is
 * left out. It decides as the sound comes, so that a recording that goes on is treated like a file.
 * One thread.
 */
typedef struct _PtSilenceGate PtSilenceGate;

/** @reader: at the rate of @vad, and both outlive the gate. */
PtSilenceGate *pt_silence_gate_new (PtAudioReader *reader, PtVad *vad, GError **error);
void pt_silence_gate_free (PtSilenceGate *gate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSilenceGate, pt_silence_gate_free)

/** As pt_audio_reader_read(). */
gssize pt_silence_gate_read (PtSilenceGate *gate, float *samples, gsize n,
                             GCancellable *cancellable, GError **error);

/**
 * Which sample of what @reader gave is sample @position of what the gate gave. @is_end: it is the
 * end of something, which lies before what was left out there, not behind it. Long ago is not
 * remembered exactly.
 */
guint64 pt_silence_gate_origin (const PtSilenceGate *gate, guint64 position, gboolean is_end);

/** Samples that were read. */
guint64 pt_silence_gate_n_read (const PtSilenceGate *gate);

G_END_DECLS
