/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include <pteris/error.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * The key of the window's server, kept in the system's secret store as tokens of hubs are
 * (hub-token.h). The functions block, perhaps until a person answered the store's own dialog; call
 * them in a thread of their own. Their errors are those of hub-token.h.
 */

/** The key that is kept; free with g_free(). NULL without an error: none is. */
PT_API char *pt_server_key_load (GCancellable *cancellable, GError **error);

/** Keep @key, up to 512 signs of ASCII, instead of an earlier one. */
PT_API gboolean pt_server_key_keep (const char *key, GCancellable *cancellable, GError **error);

/** A new key of random bytes of the operating system, which nobody can guess. NULL: it has none.
 * Free with g_free(). Any thread; does not block. */
PT_API char *pt_server_key_new (void);

G_END_DECLS
