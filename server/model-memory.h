/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include <pteris/models.h>

G_BEGIN_DECLS

/** A model, and where it may be loaded. */
typedef struct {
  const char *path; /* copied */
  guint64 bytes;    /* of its files */
  int gpu; /* number of the GPU whose memory counts; -1: the one with the most free memory */
} PterisMeasured;

/** What it needs, and what memory there is. */
typedef struct {
  PtNeeds needs;
  PtMemory memory;
} PterisMeasurement;

/** Finds out both in another thread, and calls @func in this one. */
void pteris_model_measure_async (const PterisMeasured *model, GCancellable *cancellable,
                                 GAsyncReadyCallback func, gpointer user_data);

/** In @func. FALSE: it was cancelled, and what @user_data points to may be gone. */
gboolean pteris_model_measure_finish (GAsyncResult *result, PterisMeasurement *measurement);

G_END_DECLS
