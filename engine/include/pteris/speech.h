/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/audio.h>

G_BEGIN_DECLS

/*
 * Transcription: options of PT_JOB_TRANSCRIBE, and the timed segments that it returns.
 *
 *     PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
 *
 *     job.speech.audio = "/home/ada/interview.flac";
 *     pt_engine_submit (engine, &job);
 *
 * The events are SEGMENT*, STATS*, TEXT* (models that stream) and DONE, whose reason is
 * PT_REASON_STOP or PT_REASON_NO_SPEECH. A PT_JOB_LOAD must have loaded the model before. Times are
 * seconds from the start of the recording. Structs are plain data; what they point to is borrowed.
 */

/** Options of a transcription. */
typedef struct {
  const char *audio;    /* path of a recording; with @follow also "-", the standard input */
  const char *language; /* "en", ...; NULL: detect it */
  gboolean translate;   /* to English */
  double start;         /* seconds of the recording to skip */
  gboolean follow; /* the recording is still being written: continue until pt_engine_finish() or the
                      end of the standard input. @audio: a WAV file or "-" */
  gboolean raw;    /* with @follow: samples without a header, 16-bit, 16 kHz, mono */
  gboolean all_sound;   /* transcribe silence too; default: voice activity detection skips it */
  gboolean no_speakers; /* no diarization, even if the model has a diarizer */
} PtSpeechOptions;

/** A word or a token of a segment, with its probability and its time. */
typedef struct {
  guint start, length; /* range of bytes in the segment's text */
  float probability;   /* 0..1; 1 if the model gives none */
  double from, to;     /* seconds of the recording; both 0: unknown */
} PtWord;

/** A segment: timed text, a line of a transcript. */
typedef struct {
  double start, end;    /* seconds */
  const char *text;     /* UTF-8, without spaces around it */
  const PtWord *words;  /* or NULL */
  guint n_words;        /* how many; 0: the model does not say */
  const PtWord *tokens; /* or NULL */
  guint n_tokens;       /* the same */
  guint speaker;        /* speaker from 1; 0: unknown */
} PtSegment;

/** Formats of a transcript. */
typedef enum {
  PT_SUBTITLE_TXT,  /* the text only, one line for each segment */
  PT_SUBTITLE_SRT,  /* SubRip */
  PT_SUBTITLE_VTT,  /* WebVTT */
  PT_SUBTITLE_JSON, /* {"text": ..., "segments": [{"id", "start", "end", "text"}, ...]} */
} PtSubtitleFormat;

/**
 * Format @segments as the contents of a file. Times never go back and no segment ends before it
 * starts, even if the input has such times. Segments without text are left out. Free with g_free().
 * Any thread.
 */
PT_API char *pt_format_segments (const PtSegment *segments, guint n, PtSubtitleFormat format);

/** Find a format by its name ("srt") or by the extension of a file name ("a.srt"). FALSE: unknown;
 * @out is not changed. Any thread. */
PT_API gboolean pt_subtitle_format_find (const char *name, PtSubtitleFormat *out);

G_END_DECLS
