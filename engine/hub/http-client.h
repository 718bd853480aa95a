/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/hub/hub-address.h"

G_BEGIN_DECLS

/*
 * Requests to a hub over libcurl, several at once, in one thread: pt_http_step() moves them all.
 * Redirects are followed here, so that each address is looked at before it is asked, and the token
 * goes to the hub only. Not a resource that threads share.
 */

/** Times that tests make shorter. */
typedef struct {
  guint connect_s;  /* a connection takes at most */
  guint stall_s;    /* without bytes at most */
  guint pause_ms;   /* before the first repetition; doubled for each further one */
  guint patience_s; /* how long a hub may ask to wait */
} PtHttpTimes;

#define PT_HTTP_TIMES ((PtHttpTimes){ 20, 30, 500, 90 })

/** The headers of a response. Numbers are G_MAXUINT64 where it has none. */
typedef struct {
  guint status;        /* of the last answer; 0: none came */
  gboolean is_own;     /* that one is of the hub, not of where it led */
  gboolean is_passing; /* the same may succeed later */
  gboolean is_encoded; /* it came compressed */
  char *address;       /* that was asked last */
  /* Of the hub's own answer. */
  char *commit, *etag; /* the latter without quotes, of the contents where they lie elsewhere */
  guint64 linked_size;
  char *error_code, *error_message;
  /* Of the last one. */
  char *next;     /* Link: <…>; rel="next" */
  guint64 wait_s; /* that it asks to wait */
  guint64 start;  /* first byte of a range */
  guint64 whole;  /* bytes of all, of a range or not */
} PtHttpAnswer;

typedef struct _PtHttp PtHttp;
typedef struct _PtHttpRequest PtHttpRequest;

/** Bytes of an answer with the status 200 or 206. FALSE with @error set ends the request. */
typedef gboolean (*PtHttpDataFunc) (const PtHttpAnswer *answer, gconstpointer data, gsize size,
                                    gpointer user_data, GError **error);
/** The end. @error: PT_ERROR_NETWORK when no whole answer came, or what the function above set;
 * else NULL, whatever the status. The request is gone afterwards. */
typedef void (*PtHttpDoneFunc) (const PtHttpAnswer *answer, const GError *error,
                                gpointer user_data);

/** @endpoint must outlive it; @token: or NULL. @cancellable (or NULL) ends the look at the system's
 * proxy. */
PtHttp *pt_http_new (const PtHubEndpoint *endpoint, const char *token, PtHttpTimes times,
                     GCancellable *cancellable, GError **error);
/** Ends all its requests, without calling anybody. */
void pt_http_free (PtHttp *http);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHttp, pt_http_free)

const PtHttpTimes *pt_http_times (const PtHttp *http);

/** The User-Agent of all requests from now on; without: "pteris/VERSION". @agent must outlive
 * @http. */
void pt_http_set_agent (PtHttp *http, const char *agent);

/** Ask for @address from byte @offset on. */
PtHttpRequest *pt_http_start (PtHttp *http, const char *address, guint64 offset,
                              PtHttpDataFunc data, PtHttpDoneFunc done, gpointer user_data,
                              GError **error);

/** Go on with all requests, and wait for something to happen, at most @wait_ms. */
gboolean pt_http_step (PtHttp *http, guint wait_ms, GError **error);

/** Called for an answer that is not 2xx: sets an error. */
typedef void (*PtHttpRefuseFunc) (const PtHttpAnswer *answer, gpointer user_data, GError **error);

/**
 * The whole of a short answer, at most @max_bytes; it is asked for again a few times where that may
 * help. @next (or NULL): the address of the next page, or NULL; free with g_free(). @refuse makes
 * the error of an answer that is not 2xx.
 */
GBytes *pt_http_read (PtHttp *http, const char *address, gsize max_bytes, char **next,
                      PtHttpRefuseFunc refuse, gpointer user_data, GCancellable *cancellable,
                      GError **error);

/** Whether a request that got this answer may succeed later. */
gboolean pt_http_is_passing_status (guint status);

/** TRUE, with PT_ERROR_CANCELLED, when @cancellable (or NULL) is cancelled. */
gboolean pt_hub_is_stopped (GCancellable *cancellable, GError **error);

G_END_DECLS
