/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub.h>

G_BEGIN_DECLS

/* Checksums of files: SHA-256, or SHA-1 of a Git blob where the hub has nothing else. */

/** The sum of @file's contents, of which nothing was added yet. Free with g_checksum_free(). */
GChecksum *pt_hub_sum_new (const PtHubFile *file);

/** Told of the bytes that were read. */
typedef void (*PtHubSumFunc) (guint64 bytes, gpointer user_data);

/** Add the first @bytes of the file at @path to @sum. FALSE with PT_ERROR_FILE or
 * PT_ERROR_CANCELLED. */
gboolean pt_hub_sum_add (GChecksum *sum, const char *path, guint64 bytes, PtHubSumFunc func,
                         gpointer user_data, GCancellable *cancellable, GError **error);

/** Whether @sum, which is at its end after this, is what @file should have. */
gboolean pt_hub_sum_fits (GChecksum *sum, const PtHubFile *file);

G_END_DECLS
