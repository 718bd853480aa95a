/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Return the SHA-256 of @size bytes as 64 hex digits in lower case. Free with g_free(). Any thread.
 */
char *pt_sha256 (gconstpointer data, gsize size);

G_END_DECLS
