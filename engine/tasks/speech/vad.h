/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtVad: voice activity detection with Silero's program or a similar one
 * (docs/formats/protocols.md, section 9.1). It takes consecutive windows and keeps a state. One
 * thread.
 */
typedef struct _PtVad PtVad;

/** @module must outlive it. */
PtVad *pt_vad_new (PtModule *module, GError **error);
void pt_vad_free (PtVad *vad);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVad, pt_vad_free)

/** The sample rate of its input. */
guint pt_vad_rate (const PtVad *vad);
/** Samples of a window: 512. */
guint pt_vad_window (const PtVad *vad);

/** Reset the state. */
void pt_vad_reset (PtVad *vad);

/** Run on the next window; sets the probability of speech, 0..1. */
gboolean pt_vad_hear (PtVad *vad, const float *samples, float *probability,
                      GCancellable *cancellable, GError **error);

/*
 * Converts probabilities to ranges of speech. Needs no program.
 */

typedef struct {
  float begin, end;  /* speech begins at this probability, and ends below that one */
  guint min_speech;  /* fewest samples of speech; shorter ones are clicks */
  guint min_silence; /* fewest samples of silence that end speech */
} PtVadRules;

/** The defaults of Silero's own code: 0.5 and 0.35, 250 ms of speech, 100 ms of silence. */
PtVadRules pt_vad_rules (guint rate);

typedef struct {
  PtVadRules rules;
  guint64 position; /* samples seen */
  gboolean speaks;  /* somebody does, for sure */
  gboolean maybe;   /* speech may have begun at @begun */
  guint64 begun;    /* first sample of the range */
  guint64 heard;    /* end of the last window with speech */
} PtVadState;

typedef enum {
  PT_VAD_NOTHING_NEW,
  PT_VAD_BEGINS, /* at state->begun */
  PT_VAD_ENDS,   /* at state->heard */
} PtVadChange;

void pt_vad_state_init (PtVadState *state, const PtVadRules *rules);
/** Add the next window of @n samples; returns the change. */
PtVadChange pt_vad_state_push (PtVadState *state, float probability, guint n);

G_END_DECLS
