/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/runtime/module.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtTranscriber: transcribes recordings of any length with a model of any family (recognizer.h).
 * Memory does not grow with the length. One thread.
 */
typedef struct _PtTranscriber PtTranscriber;

typedef struct {
  const char *language; /* "en", ...; NULL: detect it in the first window with speech */
  gboolean translate;   /* to English; only multilingual models */
  double start;         /* seconds of the recording to skip */
  gboolean follow; /* the recording is still being written (engine/audio/decoder.h), until @finish
                      is cancelled */
  gboolean raw;    /* with @follow: it has no header */
  GCancellable *finish; /* or NULL */
  gboolean all_sound;   /* silence is not left out */
  gboolean no_speakers; /* speakers are not told apart */
  /* Called for every token that the model chose, special ones too; or NULL. For tools. */
  void (*token) (gint32 id, gpointer user_data);
  /* Called with text during the recording, by models that stream; or NULL. */
  void (*text) (const char *text, gpointer user_data);
} PtTranscribeOptions;

typedef struct {
  PtStats stats;               /* prefill_s: mel spectrogram and encoder; decode_s: decoder */
  double language_probability; /* of a detected language; 0: it was given */
  guint n_segments;
  gboolean no_speech; /* no speech: there are no segments */
} PtTranscribeResult;

/** A segment of text, in order. @segment is valid during the call. */
typedef void (*PtSegmentFunc) (const PtSegment *segment, gpointer user_data);

/** Called after every window. @stats: audio_s of audio_total_s (0: unknown), language, times, ids.
 * */
typedef void (*PtProgressFunc) (const PtStats *stats, gpointer user_data);

/**
 * @module, @tokenizer: the model's; must outlive the transcriber. A generation_config.json beside
 * the program is used.
 * @preprocessor: a program that makes the mel spectrogram; NULL: our own code.
 */
PtTranscriber *pt_transcriber_new (PtModule *module, const PtTokenizer *tokenizer,
                                   PtModule *preprocessor, GError **error);
/** The same for a model that is an encoder and a decoder in two programs. */
PtTranscriber *pt_transcriber_new_of_two (PtModule *encoder, PtModule *decoder,
                                          const PtTokenizer *tokenizer, GError **error);
void pt_transcriber_free (PtTranscriber *transcriber);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTranscriber, pt_transcriber_free)

/** Skip silence with a voice activity detector, which must outlive the transcriber. */
gboolean pt_transcriber_use_vad (PtTranscriber *transcriber, PtModule *vad, GError **error);
/** Tell speakers apart with a diarizer, which must outlive the transcriber. */
gboolean pt_transcriber_use_diarizer (PtTranscriber *transcriber, PtModule *diarizer,
                                      GError **error);

/** Whether it returns text during the recording. */
gboolean pt_transcriber_streams (const PtTranscriber *transcriber);

/**
 * Transcribe @audio_path.
 *
 * The same recording gives the same text every time. Fails with PT_ERROR_CANCELLED soon after
 * @cancellable is cancelled. Segments given out before an error are valid.
 *
 * @result: filled on success. @options, @progress may be NULL.
 */
gboolean pt_transcriber_run (PtTranscriber *transcriber, const PtTranscribeOptions *options,
                             const char *audio_path, PtSegmentFunc segment, PtProgressFunc progress,
                             gpointer user_data, GCancellable *cancellable,
                             PtTranscribeResult *result, GError **error);

G_END_DECLS
