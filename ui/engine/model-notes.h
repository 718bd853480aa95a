/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"

G_BEGIN_DECLS

/*
 * Notes on models, by the path of their programs, in pteris/models.ini of the user's data folder:
 * files chosen for them, models removed from the library, models in use when the program ended, and
 * their PtModelInfo for when their drive is not mounted.
 *
 * Any thread. Changes are written by pteris_notes_save(), which blocks: call it in a thread, or
 * where writing a small file does not matter. If the file cannot be read or written, the notes are
 * lost.
 */

/** NULL if none were chosen; free with pteris_companions_free(). */
PterisCompanions *pteris_notes_get_companions (const char *path);

/** Use @file as part @part of @path. PT_MODEL_DATA: the only data file. */
void pteris_notes_choose (const char *path, PtModelPart part, const char *file);
/** Use @path as this family (PtJob.family); NULL: as recognised. */
void pteris_notes_set_family (const char *path, const char *family);
/** Use the files beside the program, and the recognised family, again. */
void pteris_notes_clear_companions (const char *path);

/** Whether the user has chosen the variant at @path of its model. */
gboolean pteris_notes_is_variant (const char *path);
/** Use the variant at @path of the model @info, with the tokenizer, preprocessor and family that
 * were chosen for the model; NULL: the best one. */
void pteris_notes_choose_variant (const PtModelInfo *info, const char *path);

gboolean pteris_notes_is_hidden (const char *path);
void pteris_notes_set_hidden (const char *path, gboolean hidden);

/** Whether the program ended unexpectedly while the model was in use, and the model has not
 * succeeded since. */
gboolean pteris_notes_is_held (const char *path);
void pteris_notes_set_held (const char *path, gboolean held);

/** Record @info. */
void pteris_notes_see (const PtModelInfo *info);
/** The recorded info of @path, or NULL; free with pt_model_info_free(). */
PtModelInfo *pteris_notes_recall (const char *path);
/** Paths below @folder that have notes; free with g_strfreev(). */
char **pteris_notes_list (const char *folder);
/** Forget all of @path. */
void pteris_notes_forget (const char *path);

void pteris_notes_save (void);

/** For tests: read the file again. */
void pteris_notes_reload (void);

G_END_DECLS
