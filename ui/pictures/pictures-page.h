/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"

G_BEGIN_DECLS

/**
 * PterisPicturesPage: pictures, and what a model finds in them: classes, objects, poses, masks,
 * segments, text, another style, similarity to texts.
 *
 * Signals:
 *   changed (): the model or its state
 */
#define PTERIS_TYPE_PICTURES_PAGE (pteris_pictures_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisPicturesPage, pteris_pictures_page, PTERIS, PICTURES_PAGE, GtkWidget)

void pteris_pictures_page_bind (PterisPicturesPage *self, PterisEngineClient *client,
                                PterisLibrary *library);

/** Use @model, and look at the shown picture with it. */
void pteris_pictures_page_set_model (PterisPicturesPage *self, PterisModel *model);
/** The chosen model, else the last used one, else any; NULL: the library has none. Not a new
 * reference. */
PterisModel *pteris_pictures_page_get_model (PterisPicturesPage *self);
/** "Object detection", "Looking…": the state of the model for people. Owned by the library. */
const char *pteris_pictures_page_get_state (PterisPicturesPage *self);

/** Whether @file is a picture that a model can look at. */
gboolean pteris_pictures_page_takes (PterisPicturesPage *self, GFile *file);
/** Add @files (GFile) and look at the first one. Files that are no pictures are left out. */
void pteris_pictures_page_open (PterisPicturesPage *self, GSList *files);

/** Write what is shown to @file: the picture with its findings, or @json. Errors are shown in
 * place.
 */
void pteris_pictures_page_save (PterisPicturesPage *self, GFile *file, gboolean json);

/** Stop looking. */
void pteris_pictures_page_stop (PterisPicturesPage *self);

/** Move the keyboard to the findings, or to the button that opens pictures. */
void pteris_pictures_page_focus (PterisPicturesPage *self);

G_END_DECLS
