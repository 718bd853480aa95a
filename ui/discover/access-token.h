/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub-token.h>

G_BEGIN_DECLS

/*
 * The access token of the hub that this program uses (PTERIS_HUB, HF_ENDPOINT, huggingface.co): one
 * that a person entered in this run, else HF_TOKEN, else what the system's secret store keeps. All
 * functions may be called in any thread; all but the first block.
 */

/** Use @token until the program ends; @keep: and keep it in the secret store once the hub took it.
 */
void pteris_hub_token_enter (const char *token, gboolean keep);

/**
 * pt_hub_look() with the token. A gated repository without one is PT_ERROR_DENIED. @token gets what
 * was used, or NULL; free with g_free(). @not_kept (or NULL) gets the reason why an entered token
 * could not be kept; the look succeeds nevertheless.
 */
PtHubRepo *pteris_hub_token_look (const char *id, const char *revision, char **token,
                                  GError **not_kept, GCancellable *cancellable, GError **error);

/** Whether there is a token that pteris_hub_token_look() uses. */
gboolean pteris_hub_token_is_there (void);

/** Origins of the hubs with a token, NULL-terminated. Free with g_strfreev(). Never NULL. */
char **pteris_hub_token_list (void);

/** Whether the token for @origin is there until the program ends only. */
gboolean pteris_hub_token_is_temporary (const char *origin);

/** Forget the token for @origin, of this run and in the secret store. */
gboolean pteris_hub_token_forget (const char *origin, GError **error);

G_END_DECLS
