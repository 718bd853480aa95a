/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtWordProgram: a program that gives the phonemes of a word's letters
 * (docs/formats/protocols.md, section 17.5). Engine thread.
 */
typedef struct _PtWordProgram PtWordProgram;

/** Open the program at @path. @options: copied. NULL with an error. */
PtWordProgram *pt_word_program_open (const char *path, const PtMethodOptions *options,
                                     GError **error);
void pt_word_program_free (PtWordProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWordProgram, pt_word_program_free)

/** Append the phonemes of @word to @out. *@knows becomes FALSE, without an error, when it has no
 * letter that the program knows. FALSE with an error. */
gboolean pt_word_program_say (PtWordProgram *program, const char *word, GString *out,
                              gboolean *knows, GCancellable *cancellable, GError **error);

G_END_DECLS
