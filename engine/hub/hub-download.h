/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/hub/hub-api.h"
#include "engine/hub/staging.h"

G_BEGIN_DECLS

/** The files to download, and their destination. */
typedef struct {
  PtHub *hub;
  const PtHubRepo *repo;
  const PtHubVariant *variant;
  const PtHubPlaces *places;
  PtHubProgressFunc func; /* or NULL */
  gpointer user_data;
  GCancellable *cancellable; /* or NULL */
} PtHubTask;

/**
 * Download all files of the variant into places->files and verify them. Partial files of earlier
 * calls are continued, and files that places->folder already has with the same content are skipped.
 * The caller holds the lock. FALSE with an error; the downloaded bytes stay for the next call.
 */
gboolean pt_hub_download (const PtHubTask *task, GError **error);

G_END_DECLS
