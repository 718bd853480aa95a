/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisLibrary: the models on this machine: those in the default folder, in folders that the
 * user has added, and single ones that were opened. Files are not moved. A GListModel of
 * PterisModel. The folders are scanned in a thread, and again when they change. The details of
 * models are read later, one model after the other.
 *
 * Signals:
 *   scanned (): the list is up to date
 */
#define PTERIS_TYPE_LIBRARY (pteris_library_get_type ())
G_DECLARE_FINAL_TYPE (PterisLibrary, pteris_library, PTERIS, LIBRARY, PterisListObject)

PterisLibrary *pteris_library_new (void);

/** Scan all folders again. */
void pteris_library_rescan (PterisLibrary *self);

/** TRUE once the first scan is over. */
gboolean pteris_library_is_ready (PterisLibrary *self);

/**
 * Add @file: a .pte, a .ptd (adds the model beside it), a model's folder, or a folder of models. It
 * is saved for the next start. pteris_library_add_finish() returns the model, or the first of
 * several: a new reference; NULL with @error.
 */
void pteris_library_add_async (PterisLibrary *self, GFile *file, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
PterisModel *pteris_library_add_finish (PterisLibrary *self, GAsyncResult *result, GError **error);

/** Remove @model from the library permanently; its files stay. */
void pteris_library_forget (PterisLibrary *self, PterisModel *model);
/** Undo that. */
void pteris_library_put_back (PterisLibrary *self, PterisModel *model);

/** Use @file as a part of @model from now on, in whatever folder. */
void pteris_library_choose (PterisLibrary *self, PterisModel *model, PtModelPart part,
                            const char *file);
/** Use @model as a model of @family (pt_library_families()) from now on, instead of the recognised
 * one. */
void pteris_library_set_family (PterisLibrary *self, PterisModel *model, const char *family);
/** Use the variant of @model at @path from now on; NULL: the best one. The next scan replaces
 * @model. */
void pteris_library_set_variant (PterisLibrary *self, PterisModel *model, const char *path);
/** Use the files beside @model, and the recognised family, again. */
void pteris_library_unchoose (PterisLibrary *self, PterisModel *model);

/** The model whose program is at @path, else the one with a variant there, or NULL. Not a new
 * reference. */
PterisModel *pteris_library_find (PterisLibrary *self, const char *path);

/**
 * Choose a model for @task: the one at @preferred, else the first complete one that is available
 * and not held back. Not a new reference; NULL when there is none.
 */
PterisModel *pteris_library_pick (PterisLibrary *self, PterisTask task, const char *preferred);

/** The first complete model of @family (pt_library_families()) that is available and not held back.
 * Not a new reference; NULL when there is none. */
PterisModel *pteris_library_pick_family (PterisLibrary *self, const char *family);

/** If pteris_library_pick() finds none because the model is held back: a sentence with the next
 * step; else NULL. Free with g_free(). */
char *pteris_library_explain_held (PterisLibrary *self, PterisTask task);

G_END_DECLS
