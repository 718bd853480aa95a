/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <sndfile.h>

#include "engine/audio/mpeg.h"

G_BEGIN_DECLS

/**
 * PtAudioSource: a virtual file for libsndfile. It opens paths the same way on every system, and
 * presents an MP3 without its tags and with its true length.
 */
typedef struct {
  FILE *file;
  guint64 begin, end; /* range of the file that libsndfile sees */
  gsize prefix_size;  /* bytes before that range */
  guint8 prefix[PT_MPEG_PREFIX_MAX];
  guint64 position; /* in what is shown */
  int failure;      /* 0: no error; else as from pt_audio_read_at() */
  gboolean is_mpeg;
} PtAudioSource;

/** Open @path, a regular file, and detect its format. @name: for messages. */
gboolean pt_audio_source_open (PtAudioSource *source, const char *path, const char *name,
                               GCancellable *cancellable, GError **error);
void pt_audio_source_close (PtAudioSource *source);

/** For sf_open_virtual() with a PtAudioSource as user data. */
extern SF_VIRTUAL_IO pt_audio_source_io;

/** The format of a file that libsndfile does not know: "an MPEG-4 file (M4A)", or NULL. */
const char *pt_audio_source_guess (PtAudioSource *source);

G_END_DECLS
