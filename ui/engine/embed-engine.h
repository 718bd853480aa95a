/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/embed.h>

#include "ui/engine/model.h"

G_BEGIN_DECLS

/**
 * PterisEmbedEngine: a small engine beside that of PterisEngineClient, only for vectors of texts.
 * It uses one CPU core and never unloads the user's model. The engine and its model are freed when
 * it has had nothing to do for a minute. UI thread.
 */
#define PTERIS_TYPE_EMBED_ENGINE (pteris_embed_engine_get_type ())
G_DECLARE_FINAL_TYPE (PterisEmbedEngine, pteris_embed_engine, PTERIS, EMBED_ENGINE, GObject)

/** Called once for each job: with the vectors, with a sentence why there are none, or with neither
 * when it was cancelled. Both are valid during the call. */
typedef void (*PterisEmbedFunc) (const PtEmbedReport *report, const char *error,
                                 gpointer user_data);

PterisEmbedEngine *pteris_embed_engine_new (void);

/** Make vectors of length 1 of @texts (copied) with @model; @is_query: they are questions. @func is
 * not called any more when @self is disposed of. */
guint64 pteris_embed_engine_submit (PterisEmbedEngine *self, PterisModel *model,
                                    const char *const *texts, gboolean is_query,
                                    PterisEmbedFunc func, gpointer user_data);

/** Stop @job. An unknown one is ignored. */
void pteris_embed_engine_cancel (PterisEmbedEngine *self, guint64 job);

/** Free the engine and its model now; running jobs end without a call. Not in a PterisEmbedFunc. */
void pteris_embed_engine_release (PterisEmbedEngine *self);

G_END_DECLS
