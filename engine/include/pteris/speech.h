/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/audio.h>

G_BEGIN_DECLS

/*
 * Transcription: options of PT_JOB_TRANSCRIBE, and the timed text that it makes.
 *
 *     PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
 *
 *     job.speech.audio = "/home/ada/interview.flac";
 *     pt_engine_submit (engine, &job);
 *
 * The events are SEGMENT*, STATS*, TEXT* (models that stream) and DONE, whose reason is
 * PT_REASON_STOP or PT_REASON_NO_SPEECH. The model was loaded by a job before (PT_JOB_LOAD). Times
 * are seconds from the start of the recording. Structs are plain data; what they point to is
 * borrowed.
 */

/** What to transcribe, and how. */
typedef struct {
  const char *audio;    /* path of a recording; with @follow also "-", the standard input */
  const char *language; /* "en", ...; NULL: detect it */
  gboolean translate;   /* to English */
  double start;         /* seconds of the recording to skip */
  gboolean follow;      /* the recording still grows: go on until pt_engine_finish(), or the end
                         * of the standard input. A WAV file, or "-" */
  gboolean raw;         /* with @follow: samples without a header, 16 bits of 16 kHz mono */
  gboolean all_sound;   /* transcribe silence too, instead of skipping it by voice activity */
  gboolean no_speakers; /* do not tell speakers apart, though there is a program for it */
} PtSpeechOptions;

/** A word, or a token, of a segment: how sure the model was of it, and when it was said. */
typedef struct {
  guint start, length; /* bytes of the segment's text */
  float probability;   /* 0..1; 1 where the model does not say */
  double from, to;     /* seconds of the recording; both 0: not known */
} PtWord;

/** Timed text: a line of a transcript. */
typedef struct {
  double start, end;   /* seconds */
  const char *text;    /* UTF-8, without spaces around it */
  const PtWord *words; /* or NULL */
  guint n_words;
  const PtWord *tokens; /* or NULL */
  guint n_tokens;
  guint speaker; /* 1 and following; 0: not known */
} PtSegment;

typedef enum {
  PT_SUBTITLE_TXT,  /* the text alone, a line for each segment */
  PT_SUBTITLE_SRT,  /* SubRip */
  PT_SUBTITLE_VTT,  /* WebVTT */
  PT_SUBTITLE_JSON, /* {"text": ..., "segments": [{"id", "start", "end", "text"}, ...]} */
} PtSubtitleFormat;

/**
 * @segments as the contents of a file. Times never go back and no segment ends before it
 * starts, whatever the input; segments without text are left out. Free with g_free(). Any thread.
 */
PT_API char *pt_format_segments (const PtSegment *segments, guint n, PtSubtitleFormat format);

/** The format called @name ("srt"), or that a file of this name should have ("a.srt"); FALSE: none,
 * and @out stays as it is. Any thread. */
PT_API gboolean pt_subtitle_format_find (const char *name, PtSubtitleFormat *out);

G_END_DECLS
