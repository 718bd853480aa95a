/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/models.h>

#include "server/fault.h"

G_BEGIN_DECLS

/**
 * PterisServedModels: the models that requests may name. Folders are read in another thread, at
 * most every few seconds. Server thread.
 */
typedef struct _PterisServedModels PterisServedModels;

/** Called when the list is there, at once if it is new enough; or with an empty list when @self is
 * freed. */
typedef void (*PterisServedModelsFunc) (PterisServedModels *self, gpointer user_data);

/** @names: only these, each a name in the library, a file or a folder; NULL: all of the library. */
PterisServedModels *pteris_served_models_new (const char *const *names);
void pteris_served_models_free (PterisServedModels *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisServedModels, pteris_served_models_free)

/** Have the list read if it is old, then call @func. */
void pteris_served_models_ask (PterisServedModels *self, PterisServedModelsFunc func,
                               gpointer user_data);

/** PtModelInfo of models that chat, transcribe, make vectors or speak. Valid until the next ask. */
const GPtrArray *pteris_served_models_list (PterisServedModels *self);

/** The model called @name, also with Ollama's “:latest”. NULL with 404. Names are compared, never
 * used as paths. @field: of the request. */
const PtModelInfo *pteris_served_models_find (PterisServedModels *self, const char *name,
                                              const char *field, GError **error);

/** When the file of @info was changed, seconds since 1970; 0: unknown. */
gint64 pteris_model_changed (const PtModelInfo *info);

G_END_DECLS
