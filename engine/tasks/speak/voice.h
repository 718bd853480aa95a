/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtVoice: a voice of Kokoro: rows of PT_VOICE_WIDTH numbers, one for each length of a piece. The
 * first half of a row is the style of the synthesizer, the second half that of the durations. It
 * is read from a file of little-endian f32 without a header, of at most PT_VOICE_MAX_ROWS rows.
 */
typedef struct {
  float *rows;
  guint n_rows; /* at least 1 */
} PtVoice;

#define PT_VOICE_WIDTH 256
#define PT_VOICE_MAX_ROWS 16384

/** Read the voice at @path. NULL with PT_ERROR_FILE, PT_ERROR_FORMAT or PT_ERROR_MEMORY. */
PtVoice *pt_voice_read (const char *path, GError **error);
void pt_voice_free (PtVoice *voice);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVoice, pt_voice_free)

/** The row for @n_phonemes in @n_tokens: the lowest of both and the number of rows, less 1. Owned
 * by @voice. @n_phonemes, @n_tokens: at least 1. */
const float *pt_voice_row (const PtVoice *voice, gsize n_phonemes, gsize n_tokens);

/**
 * Paths of the voices of the model in @folder, sorted by name: the files *.bin in the folder
 * "voices" of the model, or beside its programs, whose size is that of a voice. Never NULL; free
 * with g_ptr_array_unref(). Blocking; any thread.
 */
GPtrArray *pt_voice_paths (const char *folder);

/** "af_heart", of the path of a voice. Free with g_free(). */
char *pt_voice_name (const char *path);

G_END_DECLS
