/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Return the SHA-256 of @size bytes as 64 hex digits in lower case. Free with g_free(). Any thread.
 */
char *pt_sha256 (gconstpointer data, gsize size);

/** PtSha256 computes the SHA-256 of bytes that come in pieces. One thread. */
typedef struct _PtSha256 PtSha256;

PtSha256 *pt_sha256_new (void);
void pt_sha256_add (PtSha256 *sum, gconstpointer data, gsize size);
/** The sum of all bytes that were added, 64 hex digits in lower case. @sum can only be freed
 * afterwards. Free the text with g_free(). */
char *pt_sha256_end (PtSha256 *sum);
void pt_sha256_free (PtSha256 *sum);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSha256, pt_sha256_free)

G_END_DECLS
