/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PterisWavFile: a WAV file of 16-bit mono samples that grows. Appended samples are written at
 * once, and the header is updated within a second: a program that is killed loses nothing, and
 * pteris_wav_repair() corrects the header. One thread at a time.
 */
typedef struct _PterisWavFile PterisWavFile;

/** Create a file at @path, which must not exist. NULL with @error. */
PterisWavFile *pteris_wav_create (const char *path, guint rate, GError **error);

/** Append samples. FALSE with @error: the disk is full, or the file has the largest size of a WAV
 * file. */
gboolean pteris_wav_append (PterisWavFile *self, const gint16 *samples, gsize n, GError **error);

/** Update the header, so that others can read all samples. */
void pteris_wav_sync (PterisWavFile *self);

/** Seconds that were appended. */
double pteris_wav_seconds (const PterisWavFile *self);

void pteris_wav_close (PterisWavFile *self);

/** Correct the length in the header of @path, if a killed program has left it behind. */
gboolean pteris_wav_repair (const char *path);

G_END_DECLS
