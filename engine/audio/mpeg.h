/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include <pteris/error.h>

#include <gio/gio.h>

G_BEGIN_DECLS

/*
 * A walk over the frames of an MPEG audio file (MP3), before anything decodes it.
 *
 * Such a file is a row of frames without an index. The decoder library guesses its length from
 * the first frame, which cuts off recordings of variable bit rate, and gives up silently
 * where the row is broken. The walk finds the true length and the damage.
 */

/** Room for one frame of the smallest kind that can carry a length. */
#define PT_MPEG_PREFIX_MAX 256

typedef struct {
  guint64 begin, end; /* where the frames lie in the file: no tags */
  guint64 n_frames;   /* of sound */
  double seconds;
  gsize prefix_size;                 /* 0: the stream tells its length itself */
  guint8 prefix[PT_MPEG_PREFIX_MAX]; /* a frame without sound that tells it, to be read first */
} PtMpegStream;

/** Why a file that is long enough could not be read: errno, or this: it has become shorter. */
#define PT_AUDIO_SHORTER (-1)

/** Read @n bytes at @offset. Returns how many came; when these are fewer, *failure is set, which
 * else stays as it is. */
gsize pt_audio_read_at (FILE *file, guint64 offset, gpointer data, gsize n, int *failure);

/** FALSE with PT_ERROR_FILE for the recording @name. */
gboolean pt_audio_fail_read (const char *name, int failure, GError **error);

/**
 * Walk over @file of @size bytes.
 *
 * @name: for messages; "*.mp3" also makes the walk look for frames behind junk.
 * @is_mpeg: FALSE when the file is something else; @stream is then not written.
 * Fails when the row of frames is broken or ends before its announced length, or cannot be read.
 */
gboolean pt_mpeg_scan (FILE *file, guint64 size, const char *name, GCancellable *cancellable,
                       gboolean *is_mpeg, PtMpegStream *stream, GError **error);

G_END_DECLS
