/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PterisWavFile: a WAV file of 16-bit mono samples that grows. What has been appended is in the
 * system's hands at once, and the header follows within a second: a program that is killed loses
 * nothing, and pteris_wav_repair() makes the rest of it heard. One thread at a time.
 */
typedef struct _PterisWavFile PterisWavFile;

/** A new file at @path, which must not be there yet. NULL with @error. */
PterisWavFile *pteris_wav_create (const char *path, guint rate, GError **error);

/** FALSE with @error: the disk is full, or the file as long as such a file can be. */
gboolean pteris_wav_append (PterisWavFile *self, const gint16 *samples, gsize n, GError **error);

/** Put the header right now, so that others can read what there is. */
void pteris_wav_sync (PterisWavFile *self);

/** Of what has been appended. */
double pteris_wav_seconds (const PterisWavFile *self);

void pteris_wav_close (PterisWavFile *self);

/** If @path was left behind by a program that was killed, make its header say how long it is. */
gboolean pteris_wav_repair (const char *path);

G_END_DECLS
