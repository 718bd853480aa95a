/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/transcription.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtSegmenter: joins tokens with times to segments. A segment ends at the end of a sentence, at a
 * pause, and before it gets too long. One thread.
 */
typedef struct _PtSegmenter PtSegmenter;

/** One token of text. */
typedef struct {
  gint32 id;
  float probability; /* 1 if the model gives none */
  double start, end; /* seconds of the recording */
} PtTimedToken;

/** @pause: seconds without a word that end a segment; 0: pauses do not. */
PtSegmenter *pt_segmenter_new (const PtTokenizer *tokenizer, double pause);
void pt_segmenter_free (PtSegmenter *segmenter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSegmenter, pt_segmenter_free)

/** Drop the unfinished segment. */
void pt_segmenter_reset (PtSegmenter *segmenter);

/** Add the next token; special tokens are ignored. Times must not decrease. */
void pt_segmenter_push (PtSegmenter *segmenter, PtSpeech *speech, const PtTimedToken *token);

/** No token follows before @now, in seconds. */
void pt_segmenter_wait (PtSegmenter *segmenter, PtSpeech *speech, double now);

/** End the segment and give it out. */
void pt_segmenter_flush (PtSegmenter *segmenter, PtSpeech *speech);

G_END_DECLS
