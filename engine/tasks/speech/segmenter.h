/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/transcription.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtSegmenter: tokens with times to segments of text. A segment ends behind a word that ends a
 * sentence, where nothing is said for a while, and before it grows too long. One thread.
 */
typedef struct _PtSegmenter PtSegmenter;

/** One token of text. */
typedef struct {
  gint32 id;
  float probability; /* 1 where the model does not say */
  double start, end; /* seconds of the recording */
} PtTimedToken;

/** @pause: seconds without a word that end a segment; 0: none does. */
PtSegmenter *pt_segmenter_new (const PtTokenizer *tokenizer, double pause);
void pt_segmenter_free (PtSegmenter *segmenter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSegmenter, pt_segmenter_free)

/** Forget what was not given out. */
void pt_segmenter_reset (PtSegmenter *segmenter);

/** The next token; special ones are no text and are ignored. Times do not go back. */
void pt_segmenter_push (PtSegmenter *segmenter, PtSpeech *speech, const PtTimedToken *token);

/** It is @now, and nothing more has been said until then. */
void pt_segmenter_wait (PtSegmenter *segmenter, PtSpeech *speech, double now);

/** Give out what there is: no more text belongs to it. */
void pt_segmenter_flush (PtSegmenter *segmenter, PtSpeech *speech);

G_END_DECLS
