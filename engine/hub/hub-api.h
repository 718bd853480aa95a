/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/hub.h>

#include "engine/hub/http-client.h"

G_BEGIN_DECLS

/*
 * Requests to a hub, and its answers. Answers are untrusted: their lengths are limited while they
 * arrive, and their names are checked.
 */

/** A hub, and the connections to it. One thread. */
typedef struct {
  PtHubEndpoint *endpoint;
  PtHttp *http;
  gboolean has_token;
} PtHub;

/** @access: or NULL. */
PtHub *pt_hub_open (const PtHubAccess *access, PtHttpTimes times, GCancellable *cancellable,
                    GError **error);
void pt_hub_close (PtHub *hub);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHub, pt_hub_close)

/** The subject of a request, for messages. */
typedef struct {
  const PtHub *hub;
  const char *id, *revision, *path; /* NULL: not about one */
} PtHubTopic;

/** Set @error for an answer whose status is not 2xx; @user_data: a PtHubTopic. */
void pt_hub_refuse (const PtHttpAnswer *answer, gpointer user_data, GError **error);

/** A file that a repository lists. */
typedef struct {
  char *path;
  guint64 bytes;
  char *sha256, *sha1; /* one of them; the latter of the Git blob */
} PtHubEntry;

void pt_hub_entry_free (gpointer entry);

/** Id, commit, licence and so on of a repository at @revision, without variants. */
PtHubRepo *pt_hub_read_info (PtHub *hub, const char *id, const char *revision,
                             GCancellable *cancellable, GError **error);

/** All files of @repo at its commit: PtHubEntry, which belong to the array. */
GPtrArray *pt_hub_read_tree (PtHub *hub, const PtHubRepo *repo, GCancellable *cancellable,
                             GError **error);

/** A short JSON file of @repo. Free with json_decref(); NULL with an error. */
json_t *pt_hub_read_json (PtHub *hub, const PtHubRepo *repo, const char *path,
                          GCancellable *cancellable, GError **error);

/** The address of a file. Free with g_free(). */
char *pt_hub_file_address (const PtHub *hub, const char *id, const char *commit, const char *path);

G_END_DECLS
