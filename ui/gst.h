/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/** Start GStreamer in a thread, which may take seconds the first time: it looks at all its
 * plug-ins.
 */
void pteris_gst_init_async (GAsyncReadyCallback callback, gpointer user_data);
gboolean pteris_gst_init_finish (GAsyncResult *result, GError **error);

/** A new element from the description in the environment variable @name, else @fallback; for tests.
 * NULL with @error: floating otherwise. */
GstElement *pteris_gst_make (const char *name, const char *fallback, GError **error);

/**
 * A decodebin that takes only what a recording needs: demuxers, parsers and audio decoders, nothing
 * that draws or reaches for the network, whatever a file asks for. Floating; NULL: it is not
 * installed.
 */
GstElement *pteris_gst_make_decoder (void);

G_END_DECLS
