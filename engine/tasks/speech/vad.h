/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtVad: a program that tells whether somebody speaks, Silero's or one like it
 * (docs/formats/protocols.md, section 9.1). It hears windows one after the other and keeps a state.
 * One thread.
 */
typedef struct _PtVad PtVad;

/** @module must outlive it. */
PtVad *pt_vad_new (PtModule *module, GError **error);
void pt_vad_free (PtVad *vad);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVad, pt_vad_free)

/** Samples per second that it wants. */
guint pt_vad_rate (const PtVad *vad);
/** Samples of a window: 512. */
guint pt_vad_window (const PtVad *vad);

/** The next window is the first. */
void pt_vad_reset (PtVad *vad);

/** The next window, and how likely it is that somebody speaks in it, 0..1. */
gboolean pt_vad_hear (PtVad *vad, const float *samples, float *probability,
                      GCancellable *cancellable, GError **error);

/*
 * From probabilities to stretches of speech. Plain arithmetic: nothing here needs a program.
 */

typedef struct {
  float begin, end;  /* speech begins at this probability, and ends below that one */
  guint min_speech;  /* samples that speech lasts at least, else it was a click */
  guint min_silence; /* samples of silence that end it */
} PtVadRules;

/** What Silero's own code uses: 0.5 and 0.35, 250 ms of speech, 100 ms of silence. */
PtVadRules pt_vad_rules (guint rate);

typedef struct {
  PtVadRules rules;
  guint64 position; /* samples seen */
  gboolean speaks;  /* somebody does, for sure */
  gboolean maybe;   /* somebody may have begun at @begun */
  guint64 begun;    /* sample where the stretch began */
  guint64 heard;    /* sample behind the last window with speech */
} PtVadState;

typedef enum {
  PT_VAD_NOTHING_NEW,
  PT_VAD_BEGINS, /* at state->begun */
  PT_VAD_ENDS,   /* at state->heard */
} PtVadChange;

void pt_vad_state_init (PtVadState *state, const PtVadRules *rules);
/** The next window of @n samples, and what it changes. */
PtVadChange pt_vad_state_push (PtVadState *state, float probability, guint n);

G_END_DECLS
