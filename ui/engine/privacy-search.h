/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/embed.h>

#include "ui/engine/model.h"

G_BEGIN_DECLS

/**
 * Find names and secrets in @texts (copied) with @model, in an engine of its own that ends with the
 * search: the user's model stays loaded. UI thread.
 */
void pteris_privacy_search_async (PterisModel *model, const char *const *texts,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer user_data);

/** The report; free with pt_privacy_report_unref(). NULL with @error. */
PtPrivacyReport *pteris_privacy_search_finish (GAsyncResult *result, GError **error);

G_END_DECLS
