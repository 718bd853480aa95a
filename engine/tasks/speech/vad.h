/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtVad: voice activity detection (docs/formats/protocols.md, section 9.1) with Silero's program or
 * a similar one, which takes windows of samples and keeps a state, or with FSMN, which takes many
 * frames at once and keeps none. One thread.
 */
typedef struct _PtVad PtVad;

/** @module must outlive it. */
PtVad *pt_vad_new (PtModule *module, GError **error);
void pt_vad_free (PtVad *vad);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVad, pt_vad_free)

/** The sample rate of its input. */
guint pt_vad_rate (const PtVad *vad);
/** Samples of a window: 512 (Silero), 1600 (FSMN). */
guint pt_vad_window (const PtVad *vad);
/** Samples of a step, which has one probability: the window (Silero), 160 (FSMN). */
guint pt_vad_step (const PtVad *vad);
/** The most samples that wait for their probabilities. */
guint pt_vad_delay (const PtVad *vad);

/**
 * Reset the state.
 *
 * @live: the recording grows: give probabilities with a short delay, which costs more.
 */
void pt_vad_reset (PtVad *vad, gboolean live);

/**
 * Run on the next window; appends to @probabilities (float) the probability of speech, 0..1, of
 * each step that is complete, in order.
 *
 * @n: samples of the window; fewer only in the last window.
 */
gboolean pt_vad_hear (PtVad *vad, const float *samples, guint n, GArray *probabilities,
                      GCancellable *cancellable, GError **error);

/** The end of the recording: append the probabilities of the steps that wait. */
gboolean pt_vad_finish (PtVad *vad, GArray *probabilities, GCancellable *cancellable,
                        GError **error);

/*
 * Converts probabilities to ranges of speech. Needs no program.
 */

typedef struct {
  float begin, end;  /* speech begins at this probability, and ends below that one */
  guint min_speech;  /* fewest samples of speech; shorter ones are clicks */
  guint min_silence; /* fewest samples of silence that end speech */
  guint max_gap;     /* fewest samples of silence that end a possible begin of speech */
} PtVadRules;

/** The defaults of Silero's own code: 0.5 and 0.35, 250 ms of speech, 100 ms of silence. */
PtVadRules pt_vad_silero_rules (guint rate);
/** The values of FSMN's host: 0.6, more than 250 ms of speech without a gap, 100 ms of silence. */
PtVadRules pt_vad_fsmn_rules (void);
/** The rules of @vad. */
PtVadRules pt_vad_rules (const PtVad *vad);

typedef struct {
  PtVadRules rules;
  guint64 position; /* samples seen */
  gboolean speaks;  /* somebody does, for sure */
  gboolean maybe;   /* speech may have begun at @begun */
  guint64 begun;    /* first sample of the range */
  guint64 heard;    /* end of the last step with speech */
} PtVadState;

typedef enum {
  PT_VAD_NOTHING_NEW,
  PT_VAD_BEGINS, /* at state->begun */
  PT_VAD_ENDS,   /* at state->heard */
} PtVadChange;

void pt_vad_state_init (PtVadState *state, const PtVadRules *rules);
/** Add the next step of @n samples; returns the change. */
PtVadChange pt_vad_state_push (PtVadState *state, float probability, guint n);

G_END_DECLS
