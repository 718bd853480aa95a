/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub.h>

G_BEGIN_DECLS

/**
 * PtHubSum: the checksum of a file, SHA-256, or SHA-1 of the Git blob where the hub has nothing
 * else.
 */
typedef struct _PtHubSum PtHubSum;

/** The sum of @file's contents, of which nothing was added yet. */
PtHubSum *pt_hub_sum_new (const PtHubFile *file);
void pt_hub_sum_free (PtHubSum *sum);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubSum, pt_hub_sum_free)

void pt_hub_sum_add (PtHubSum *sum, gconstpointer data, gsize size);

/** Told of the bytes that were read. */
typedef void (*PtHubSumFunc) (guint64 bytes, gpointer user_data);

/** Add the first @bytes of the file at @path. FALSE with PT_ERROR_FILE or PT_ERROR_CANCELLED. */
gboolean pt_hub_sum_add_file (PtHubSum *sum, const char *path, guint64 bytes, PtHubSumFunc func,
                              gpointer user_data, GCancellable *cancellable, GError **error);

/** Whether @sum, which is at its end after this, is what @file should have. */
gboolean pt_hub_sum_fits (PtHubSum *sum, const PtHubFile *file);

G_END_DECLS
