/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/tasks/speak/voice.h"

G_BEGIN_DECLS

/**
 * PtKokoro: the two programs of Kokoro, which turn phonemes into durations, and these into samples
 * (docs/formats/protocols.md, section 17). Each program has methods for several lengths. Engine
 * thread.
 */
typedef struct _PtKokoro PtKokoro;

/** The modules must outlive the result. NULL with PT_ERROR_UNSUPPORTED when their methods are none
 * of Kokoro's. */
PtKokoro *pt_kokoro_new (PtModule *predictor, PtModule *synthesizer, GError **error);
void pt_kokoro_free (PtKokoro *kokoro);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtKokoro, pt_kokoro_free)

/** The number of phonemes that one piece may have, at least 1. */
guint pt_kokoro_limit (const PtKokoro *kokoro);

/**
 * Append the samples (float, 24 kHz) of one piece of @n phonemes, at most the limit, and of the
 * pause behind it. @speed: 1 is the usual one. FALSE with an error.
 */
gboolean pt_kokoro_say (PtKokoro *kokoro, const gunichar *phonemes, gsize n, const PtVoice *voice,
                        float speed, GArray *samples, GCancellable *cancellable, GError **error);

G_END_DECLS
