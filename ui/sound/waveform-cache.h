/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/audio.h>

G_BEGIN_DECLS

/**
 * What the recording at @path looks like, from the user's cache folder or else by reading it whole,
 * in a thread. One that has changed since is read anew.
 */
void pteris_waveform_load_async (const char *path, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
/** Free with pt_waveform_free(); NULL with @error. */
PtWaveform *pteris_waveform_load_finish (GAsyncResult *result, GError **error);

G_END_DECLS
