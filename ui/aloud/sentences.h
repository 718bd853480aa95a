/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Texts as the sentences that are read aloud one after the other: a GPtrArray of strings, each with
 * a letter or a digit, and at most about 400 bytes long. Free with g_ptr_array_unref().
 */

/** The sentences of a plain text. Empty lines end one, too. */
GPtrArray *pteris_sentences_of_text (const char *text);

/** The same for the Markdown of an answer, without marks and code. */
GPtrArray *pteris_sentences_of_markdown (const char *text);

G_END_DECLS
