/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include <pteris/error.h>

#include <gio/gio.h>

G_BEGIN_DECLS

/*
 * Scans the frames of an MPEG audio file (MP3) before it is decoded. Such a file is a sequence of
 * frames without an index. The decoder library estimates the length from the first frame, which
 * truncates recordings of variable bit rate, and stops silently where the sequence is broken. The
 * scan finds the true length and the damage.
 */

/** Size of the smallest frame that can carry a length. */
#define PT_MPEG_PREFIX_MAX 256

typedef struct {
  guint64 begin, end; /* range of the frames in the file, without tags */
  guint64 n_frames;   /* of sound */
  double seconds;
  gsize prefix_size;                 /* 0: the stream itself has the length */
  guint8 prefix[PT_MPEG_PREFIX_MAX]; /* a frame without audio that has the length */
} PtMpegStream;

/** An errno, or this: the file was truncated while it was read. */
#define PT_AUDIO_SHORTER (-1)

/** Read @n bytes at @offset. Returns the number of bytes; if fewer, *failure is set, else it is not
 * changed. */
gsize pt_audio_read_at (FILE *file, guint64 offset, gpointer data, gsize n, int *failure);

/** Set PT_ERROR_FILE for the recording @name and return FALSE. */
gboolean pt_audio_fail_read (const char *name, int failure, GError **error);

/**
 * Scan @file of @size bytes. @name: for messages; the name "*.mp3" also allows junk before the
 * first frame.
 * @is_mpeg: FALSE when the file is something else; @stream is then not written.
 * Fails if the sequence of frames is broken or shorter than announced, or if the file cannot be
 * read.
 */
gboolean pt_mpeg_scan (FILE *file, guint64 size, const char *name, GCancellable *cancellable,
                       gboolean *is_mpeg, PtMpegStream *stream, GError **error);

/**
 * Whether the end of the MPEG-4 file at @path is missing: it is a sequence of boxes with their
 * sizes. Decoders play such a file up to its end without an error.
 */
gboolean pt_mpeg4_is_cut_short (const char *path);

G_END_DECLS
