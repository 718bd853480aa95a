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
 * Get all files of the variant into places->files, where what earlier times left is gone on with,
 * and verify them. What lies in places->folder and is the same already is passed over. The caller
 * has the lock. FALSE with an error; what has arrived stays.
 */
gboolean pt_hub_download (const PtHubTask *task, GError **error);

G_END_DECLS
