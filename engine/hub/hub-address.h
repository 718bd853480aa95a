/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/* Which addresses are asked. Some of them come from a server. */

/** A hub. */
typedef struct {
  char *base;     /* "https://huggingface.co", without a slash at its end */
  char *host;     /* "huggingface.co" */
  gboolean plain; /* http: only a hub on this very computer, a test or a mirror, is */
} PtHubEndpoint;

/** The hub at @address; NULL: PTERIS_HUB, HF_ENDPOINT, huggingface.co. */
PtHubEndpoint *pt_hub_endpoint_new (const char *address, GError **error);
void pt_hub_endpoint_free (PtHubEndpoint *endpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubEndpoint, pt_hub_endpoint_free)

/** Scheme, host and port of the hub, in small letters: "https://huggingface.co", the port only
 * where it is not the usual one. Free with g_free(). */
char *pt_hub_origin (const PtHubEndpoint *endpoint);

/** Whether @address is of the hub itself: scheme, host and port. Only this gets the token. */
gboolean pt_hub_is_own (const PtHubEndpoint *endpoint, const char *address);

/**
 * Where @location, which the answer of @address named, leads: an address that may be asked, https,
 * or of this computer where the hub is. Free with g_free(). NULL with PT_ERROR_NETWORK.
 */
char *pt_hub_follow (const PtHubEndpoint *endpoint, const char *address, const char *location,
                     GError **error);

/** The host of @address, for messages. Free with g_free(). */
char *pt_hub_host_of (const char *address);

G_END_DECLS
