/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisLibrary: the models on this machine: those in the default folder, in folders that the
 * user has added, and single ones that were opened. Files stay where they lie. A GListModel of
 * PterisModel; scanning happens in a thread, and again when something changes in the folders. What
 * takes longer to find out about models follows one by one.
 *
 * Signals:
 *   scanned (): the list is up to date
 */
#define PTERIS_TYPE_LIBRARY (pteris_library_get_type ())
G_DECLARE_FINAL_TYPE (PterisLibrary, pteris_library, PTERIS, LIBRARY, PterisListObject)

PterisLibrary *pteris_library_new (void);

/** Look again at every folder. */
void pteris_library_rescan (PterisLibrary *self);

/** TRUE once the first scan is over. */
gboolean pteris_library_is_ready (PterisLibrary *self);

/**
 * Add what @file is: a .pte, a .ptd (the model it lies beside), a model's folder, or a folder of
 * models. Remembered for the next start. pteris_library_add_finish() gives the model, or the first
 * of several: a new reference; or NULL with @error.
 */
void pteris_library_add_async (PterisLibrary *self, GFile *file, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
PterisModel *pteris_library_add_finish (PterisLibrary *self, GAsyncResult *result, GError **error);

/** Take @model out of the list, for good; its files stay. */
void pteris_library_forget (PterisLibrary *self, PterisModel *model);
/** Undo that. */
void pteris_library_put_back (PterisLibrary *self, PterisModel *model);

/** Use @file as a member of @model from now on, wherever it lies. */
void pteris_library_choose (PterisLibrary *self, PterisModel *model, PtModelPart part,
                            const char *file);
/** Use @model as one of @family (pt_library_families()) from now on, whatever it looks like. */
void pteris_library_set_family (PterisLibrary *self, PterisModel *model, const char *family);
/** Use the members that lie beside @model again, and as what it is recognised. */
void pteris_library_unchoose (PterisLibrary *self, PterisModel *model);

/** The model whose program is at @path, or NULL. Not a new reference. */
PterisModel *pteris_library_find (PterisLibrary *self, const char *path);

/**
 * The model to use for @task: the one whose path is @preferred, else the first complete one that is
 * there and not held back. Not a new reference; NULL when there is none.
 */
PterisModel *pteris_library_pick (PterisLibrary *self, PterisTask task, const char *preferred);

/** After pteris_library_pick() has found none because the model that would serve is held back: what
 * to do, a sentence; else NULL. Free with g_free(). */
char *pteris_library_explain_held (PterisLibrary *self, PterisTask task);

G_END_DECLS
