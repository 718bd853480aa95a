/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/speech.h>

#include "engine/tasks/speech/diarizer.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "engine/tasks/speech/vad.h"

G_BEGIN_DECLS

/**
 * PtSpeech: the transcription of one recording. A recogniser reads samples from it and returns text
 * to it. Positions count the samples that were read, from 0; times are seconds of the recording.
 */
typedef struct _PtSpeech PtSpeech;

typedef struct {
  PtSegmentFunc segment;
  PtProgressFunc progress; /* or NULL */
  gpointer user_data;
  PtVad *vad;           /* or NULL */
  PtDiarizer *diarizer; /* or NULL */
} PtSpeechParts;

/** @path: opened at options->start. @options: may be NULL; it and all that it points to must
 * outlive the speech. */
PtSpeech *pt_speech_open (const char *path, guint rate, const PtTranscribeOptions *options,
                          const PtSpeechParts *parts, GCancellable *cancellable,
                          PtTranscribeResult *result, GError **error);
void pt_speech_free (PtSpeech *speech);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSpeech, pt_speech_free)

const PtTranscribeOptions *pt_speech_options (const PtSpeech *speech);
GCancellable *pt_speech_cancellable (const PtSpeech *speech);
/** For the recogniser's statistics: prefill_s, decode_s, new_tokens. */
PtTranscribeResult *pt_speech_result (const PtSpeech *speech);

/**
 * Read @n samples. Returns their number, fewer than @n only at the end, or -1 with an error.
 */
gssize pt_speech_read (PtSpeech *speech, float *samples, gsize n, GError **error);

/** The time of sample @position, in seconds of the recording. */
double pt_speech_time (const PtSpeech *speech, guint64 position);

/** The same for the end of a range: not beyond the samples that were read, nor behind removed
 * silence. */
double pt_speech_end_time (const PtSpeech *speech, guint64 position);

/**
 * Give out @segment, with times in seconds of the recording. Decreasing times are corrected.
 */
void pt_speech_emit (PtSpeech *speech, PtSegment *segment);

/** Text during the recording, and every chosen token, for the callbacks of the options. */
void pt_speech_text (PtSpeech *speech, const char *text);
void pt_speech_token (PtSpeech *speech, gint32 id);

/** Report progress: all samples before @position are done. */
void pt_speech_advance (PtSpeech *speech, guint64 position);

/** Report that the whole recording is done. */
void pt_speech_finish (PtSpeech *speech);

/** An error in reading the recording, beyond what a recogniser sees; NULL: none. */
const GError *pt_speech_failure (const PtSpeech *speech);

/** Set the language of the recording; @probability: 0 if it was given. NULL: withdraw a guess. */
void pt_speech_set_language (PtSpeech *speech, const char *code, double probability);

G_END_DECLS
