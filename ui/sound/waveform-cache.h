/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/audio.h>

G_BEGIN_DECLS

/**
 * Get the waveform of the recording at @path, from the user's cache folder or by decoding it, in a
 * thread. A changed file is decoded again.
 */
void pteris_waveform_load_async (const char *path, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
/** Free with pt_waveform_free(); NULL with @error. */
PtWaveform *pteris_waveform_load_finish (GAsyncResult *result, GError **error);

G_END_DECLS
