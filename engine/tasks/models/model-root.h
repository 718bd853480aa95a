/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Published models keep their programs in folders below their own: SIZE/BACKEND/NAME.pte, with the
 * tokenizer one or two levels above. The root of a model is the folder that holds all of it
 * (docs/formats/protocols.md, section 1.3).
 */

/** Levels above the program's folder that are looked at. */
#define PT_ROOT_LEVELS 3

/**
 * The folders that belong to a program in @folder: @folder itself first, then those above it up to
 * the model's root, a NULL-terminated array of paths. The root has a README.md, a LICENSE or
 * something of git. Without one, folders end below those that are no model's: the home folder, the
 * library, and any that holds other programs. Free with g_strfreev(). Blocking; any thread.
 */
char **pt_model_folders (const char *folder);

/** Whether @folder has the signs of a model's root. Blocking; any thread. */
gboolean pt_model_is_root (const char *folder);

/** Whether @folder (absolute) holds all kinds of things by its place, and so belongs to no model:
 * the home folder, Downloads, the library. Any thread. */
gboolean pt_model_is_common (const char *folder);

/** The first file called @name in the folders that belong to @folder, or NULL. Free with g_free().
 * Blocking; any thread. */
char *pt_model_find_file (const char *folder, const char *name);

/** The tokenizer's file that belongs to a program in @folder: the one that its config.json names,
 * else the first one in the model's folders, or in "tokenizer" in one of these; or NULL. Free with
 * g_free(). Blocking; any thread. */
char *pt_model_find_tokenizer (const char *folder);

/** The folder whose chat template and tokenizer_config.json count: that of the file @tokenizer (or
 * NULL) if it has one of these, else the first one of the model that has. Without any: that of the
 * tokenizer, else @folder. Free with g_free(). Blocking; any thread. */
char *pt_model_text_folder (const char *folder, const char *tokenizer);

/** The first folder of the model that has a generation_config.json, else @folder. Free with
 * g_free(). Blocking; any thread. */
char *pt_model_settings_folder (const char *folder);

/** The same as pt_model_find_file() for the first of @names (NULL-terminated) that a folder has. */
char *pt_model_find_any (const char *folder, const char *const *names);

G_END_DECLS
