/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Speech synthesis: options of PT_JOB_SPEAK, and the voices of a model.
 *
 *     PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
 *
 *     job.model.path = "kokoro";
 *     job.speak.text = "Good morning.";
 *     job.speak.output = "morning.wav";
 *     pt_engine_submit (engine, &job);
 *
 * The events are PROGRESS*, SAMPLES* (one for each piece of about a sentence, in order) and DONE. A
 * loaded model stays loaded, and the model that spoke is kept for the next PT_JOB_SPEAK until
 * another one speaks, a model is loaded or PT_JOB_UNLOAD.
 */

/** Samples per second of the events SAMPLES: one channel of float, about in [-1, 1]. */
#define PT_SPEECH_RATE 24000

/** The lowest PtSpeakOptions.speed. */
#define PT_SPEECH_MIN_SPEED 0.1
/** The highest one. */
#define PT_SPEECH_MAX_SPEED 3.0
/** The longest text in bytes. */
#define PT_SPEECH_MAX_BYTES (1024 * 1024)

/** Options of a speech synthesis. */
typedef struct {
  const char *text;     /* UTF-8, at most PT_SPEECH_MAX_BYTES bytes */
  gboolean phonemes;    /* @text is IPA in the spelling of the model, not words */
  const char *voice;    /* its name, "af_heart", or the path of its file; NULL: one of @language */
  const char *language; /* "en-us", "de", …; NULL: that of the voice */
  double speed;         /* 1: as the voice is; 0: the same */
  const char *output;   /* a WAV file of 16 bits to write, or NULL; an existing WAV file is
                         * replaced when everything has been spoken */
} PtSpeakOptions;

/**
 * The names of the voices of @model (a path, or a name in the library), sorted; NULL-terminated.
 * NULL with an error: there is no such model, or it does not speak. Free with g_strfreev().
 * Blocking; any thread.
 */
PT_API char **pt_speech_voices (const char *model, GError **error);

/**
 * A WAV file of 16-bit samples, mono, with @n samples at @rate per second. NULL with
 * PT_ERROR_ARGUMENT: it would be larger than a WAV file may be. Free with g_bytes_unref(). Any
 * thread.
 */
PT_API GBytes *pt_speech_to_wav (const float *samples, gsize n, guint rate, GError **error);

G_END_DECLS
