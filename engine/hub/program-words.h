/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Reads the names of programs: "1b/xnnpack/llama_3_2_1b_xnnpack_8da4w.pte". */

/** The words of @path in lower case, between slashes, dashes, underlines and dots. Free with
 * g_strfreev(). */
char **pt_hub_words (const char *path);

/** The backend that @words name ("xnnpack", "coreml", "cuda-windows"), "" when none. Static. */
const char *pt_hub_backend (const char *const *words);

/** Whether programs for @backend may run on computers with this system. */
gboolean pt_hub_is_for_here (const char *backend);

/** "sm90a" among @words: the word of a GPU architecture, which belongs to @words; NULL: none. */
const char *pt_hub_target (const char *const *words);

/** The precisions in @words: "8da4w", "int8-int4"; NULL: none. Free with g_free(). */
char *pt_hub_precision (const char *const *words);

/** Whether @word names a part of a model ("encoder"), which another program completes. */
gboolean pt_hub_is_component (const char *word);

/** Whether @name, without its folder, is of a file that belongs to programs beside or below it:
 * "tokenizer.json". */
gboolean pt_hub_is_companion (const char *name);

/** Whether a folder @name holds what belongs to programs beside it or below: "voices". */
gboolean pt_hub_is_companion_folder (const char *name);

/** Whether the program with @words serves others: a preprocessor. */
gboolean pt_hub_is_helper (const char *const *words);

G_END_DECLS
