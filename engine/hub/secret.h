/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * The system's store of secrets: secret-service.c on Linux, secret-win32.c on Windows. Each secret
 * belongs to the origin of a hub, or to the server of this machine (PT_SECRET_OF_SERVER). The
 * functions and their errors are those of hub-token.h.
 */

/** The longest secret in bytes. */
#define PT_MAX_TOKEN 512

/** Takes the place of an origin for the key of the server, pt_server_key_load(). */
#define PT_SECRET_OF_SERVER "server"

/** Whether @text may be a secret: other programs may have put any bytes into the store. */
gboolean pt_secret_is_sound (const char *text);

gboolean pt_secret_has_store (GCancellable *cancellable);

char *pt_secret_load (const char *origin, gboolean may_ask, GCancellable *cancellable,
                      GError **error);

gboolean pt_secret_keep (const char *origin, const char *secret, GCancellable *cancellable,
                         GError **error);

gboolean pt_secret_forget (const char *origin, GCancellable *cancellable, GError **error);

/** Origins and PT_SECRET_OF_SERVER. */
char **pt_secret_list (GCancellable *cancellable, GError **error);

G_END_DECLS
