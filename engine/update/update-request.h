/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/hub/http-client.h"

G_BEGIN_DECLS

/** How long a request may take; tests make it shorter. */
typedef struct {
  PtHttpTimes http;
  guint whole_s; /* at most, from its start to its end */
} PtUpdateTimes;

#define PT_UPDATE_TIMES ((PtUpdateTimes){ PT_HTTP_TIMES, 60 })

/**
 * One GET of @address, which is not repeated: at most @max_bytes. Free with g_bytes_unref(). NULL
 * with PT_ERROR_NETWORK, PT_ERROR_FORMAT (longer), PT_ERROR_ARGUMENT (no address to ask) or
 * PT_ERROR_CANCELLED. Blocking; any thread.
 */
GBytes *pt_update_request (const char *address, gsize max_bytes, PtUpdateTimes times,
                           GCancellable *cancellable, GError **error);

G_END_DECLS
