/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub.h>

G_BEGIN_DECLS

/*
 * Access tokens of hubs, kept in the system's secret store: the Secret Service of the session on
 * Linux (GNOME Keyring, KWallet, KeePassXC), the credential vault on Windows.
 *
 * A token belongs to the origin of a hub, its scheme, host and port: "https://huggingface.co". It
 * is given out for that one only. @endpoint is as in PtHubAccess. pt_hub_look() and its like do not
 * read the store by themselves.
 *
 * All functions block, some until a person answered the store's own dialog; call them in a thread
 * of their own. Where there is no store the error is PT_ERROR_UNSUPPORTED; a store that refuses is
 * PT_ERROR_FILE, one that a person does not unlock PT_ERROR_CANCELLED. No message holds a token.
 */

/** The origin of the hub at @endpoint, "https://huggingface.co". Free with g_free(). NULL with
 * PT_ERROR_ARGUMENT. Any thread. */
PT_API char *pt_hub_token_origin (const char *endpoint, GError **error);

/** Whether this system has a store that can keep a token. */
PT_API gboolean pt_hub_token_can_keep (GCancellable *cancellable);

/** The token that is kept for the hub; free with g_free(). NULL without an error: none is.
 * @may_ask: a locked store may ask a person to unlock it; FALSE: what is locked counts as not
 * there. */
PT_API char *pt_hub_token_load (const char *endpoint, gboolean may_ask, GCancellable *cancellable,
                                GError **error);

/** Keep @token for the hub, instead of an earlier one. */
PT_API gboolean pt_hub_token_keep (const char *endpoint, const char *token,
                                   GCancellable *cancellable, GError **error);

/** Forget the token of the hub; it is no error when there is none. */
PT_API gboolean pt_hub_token_forget (const char *endpoint, GCancellable *cancellable,
                                     GError **error);

/** The origins of all hubs with a token, NULL-terminated. Free with g_strfreev(). */
PT_API char **pt_hub_token_list (GCancellable *cancellable, GError **error);

/**
 * pt_hub_look() with the kept token, if neither @access nor HF_TOKEN has one. A locked store is
 * asked when the hub refuses without a token. @token (or NULL) gets what was used of the store, for
 * the calls that follow; free with g_free(). A store that does not work is no error.
 */
PT_API PtHubRepo *pt_hub_look_with_kept_token (const char *id, const char *revision,
                                               const PtHubAccess *access, char **token,
                                               GCancellable *cancellable, GError **error);

G_END_DECLS
