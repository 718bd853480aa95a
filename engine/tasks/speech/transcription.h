/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/speech.h>

#include "engine/tasks/speech/diarizer.h"
#include "engine/tasks/speech/transcribe.h"
#include "engine/tasks/speech/vad.h"

G_BEGIN_DECLS

/**
 * PtSpeech: one recording that is being written down: where a recogniser reads its sound and
 * leaves its text. Positions are samples that were read, from 0 on; times are seconds of the
 * recording.
 */
typedef struct _PtSpeech PtSpeech;

typedef struct {
  PtSegmentFunc segment;
  PtProgressFunc progress; /* or NULL */
  gpointer user_data;
  PtVad *vad;           /* or NULL */
  PtDiarizer *diarizer; /* or NULL */
} PtSpeechParts;

/** @path: opened at options->start. @options: may be NULL; all of it must outlive the speech. */
PtSpeech *pt_speech_open (const char *path, guint rate, const PtTranscribeOptions *options,
                          const PtSpeechParts *parts, GCancellable *cancellable,
                          PtTranscribeResult *result, GError **error);
void pt_speech_free (PtSpeech *speech);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSpeech, pt_speech_free)

const PtTranscribeOptions *pt_speech_options (const PtSpeech *speech);
GCancellable *pt_speech_cancellable (const PtSpeech *speech);
/** For the recogniser's figures: prefill_s, decode_s, new_tokens. */
PtTranscribeResult *pt_speech_result (const PtSpeech *speech);

/**
 * The next @n samples. Returns how many there were, fewer than @n at the end only, or -1 with an
 * error.
 */
gssize pt_speech_read (PtSpeech *speech, float *samples, gsize n, GError **error);

/** Where sample @position lies in the recording. */
double pt_speech_time (const PtSpeech *speech, guint64 position);

/** The same for the end of something: not beyond what was read, nor behind left out silence. */
double pt_speech_end_time (const PtSpeech *speech, guint64 position);

/**
 * Give out @segment, whose times are those of the recording. Times that go back are put right.
 */
void pt_speech_emit (PtSpeech *speech, PtSegment *segment);

/** Text as it comes, and every token that was chosen, for who wants to see them. */
void pt_speech_text (PtSpeech *speech, const char *text);
void pt_speech_token (PtSpeech *speech, gint32 id);

/** Say that all before sample @position is done. */
void pt_speech_advance (PtSpeech *speech, guint64 position);

/** Say that all of it is done. */
void pt_speech_finish (PtSpeech *speech);

/** Why the recording could not be worked on, beyond what a recogniser sees; NULL: it could. */
const GError *pt_speech_failure (const PtSpeech *speech);

/** The language of the recording: @probability is 0 where it was given. NULL: it was a guess. */
void pt_speech_set_language (PtSpeech *speech, const char *code, double probability);

G_END_DECLS
