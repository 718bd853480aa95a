/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/tasks/speak/voice-languages.h"

G_BEGIN_DECLS

/*
 * espeak-ng as a program that the user has installed: text to phonemes. It is run, never linked.
 */

/** Its path, or NULL: it is not installed. Free with g_free(). Any thread. */
char *pt_espeak_find (void);

/**
 * Append the phonemes of @clause, words without marks, to @out. @program: from pt_espeak_find().
 * FALSE with PT_ERROR_FILE or PT_ERROR_CANCELLED. Blocking.
 */
gboolean pt_espeak_run (const char *program, const PtLanguage *language, const char *clause,
                        GString *out, GCancellable *cancellable, GError **error);

/** The phonemes that espeak-ng wrote, with ^ between characters of one sound, in Kokoro's spelling.
 * Free with g_free(). */
char *pt_espeak_to_phonemes (const char *written, const PtLanguage *language);

G_END_DECLS
