/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"

G_BEGIN_DECLS

/*
 * What Pteris remembers of models, by the path of their programs, in pteris/models.ini of the
 * user's data folder: which members were chosen for them, which were taken out of the library,
 * which were in use when the program ended, and what they were, for the time when their drive is
 * away.
 *
 * Any thread. Changes are written by pteris_notes_save(), which blocks: call it in a thread, or
 * where a small file does not matter. A file that cannot be read or written costs the memory of
 * these things.
 */

/** NULL when none were chosen; free with pteris_companions_free(). */
PterisCompanions *pteris_notes_get_companions (const char *path);

/** @file is member @part of @path from now on. For PT_MODEL_DATA it is the only one. */
void pteris_notes_choose (const char *path, PtModelPart part, const char *file);
/** What @path is from now on, as PtJob.family; NULL: what it is recognised as. */
void pteris_notes_set_family (const char *path, const char *family);
/** Back to the members beside the program, and to what it is recognised as. */
void pteris_notes_clear_companions (const char *path);

gboolean pteris_notes_is_hidden (const char *path);
void pteris_notes_set_hidden (const char *path, gboolean hidden);

/** Whether the program ended unasked while the model was in use, and has not done well since. */
gboolean pteris_notes_is_held (const char *path);
void pteris_notes_set_held (const char *path, gboolean held);

/** Remember what @info is. */
void pteris_notes_see (const PtModelInfo *info);
/** What was remembered of @path, or NULL; free with pt_model_info_free(). */
PtModelInfo *pteris_notes_recall (const char *path);
/** Paths below @folder of which something is remembered; free with g_strfreev(). */
char **pteris_notes_list (const char *folder);
/** Forget all of @path. */
void pteris_notes_forget (const char *path);

void pteris_notes_save (void);

/** For tests: read the file anew. */
void pteris_notes_reload (void);

G_END_DECLS
