/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/runtime/memory.h"

G_BEGIN_DECLS

/*
 * Helpers of the hostile tests. They make damaged files from good ones and pass them to the public
 * functions. Every job must end with a readable error or a result, within two seconds of CPU time
 * and 200 MB.
 */

/* Searching is slow, and memory dear, under a sanitizer, and all is slow where nothing is optimised
 * (for counting lines): large things are smaller there. */
#if defined(PT_ADDRESS_SANITIZER) || !defined(__OPTIMIZE__)
#define HOSTILE_SLOW 1
#define HOSTILE_SCALE 1
#else
#define HOSTILE_SCALE 8
#endif

/** A path in the test's own folder, which hostile_clean_up() removes. Free with g_free(). */
char *hostile_path (const char *name);
void hostile_clean_up (void);

/** Write a file there and return its path. Free with g_free(). */
char *hostile_file (const char *name, gconstpointer data, gsize size);

/** The bytes of a file in tests/data. Free with g_free(). */
guint8 *hostile_data (const char *path, gsize *size);
char *hostile_data_path (const char *path);

/** Until hostile_end() CPU time and memory are limited. @what: for the report. */
void hostile_begin (void);
void hostile_end (const char *what);

/** Fail unless @error is one that a user may see; then free it. @what is for the report. */
void hostile_check_error (GError *error, const char *what);

/**
 * Open the tokenizer at @path and, when it can be, turn a long text to ids and back, within the
 * limits. Returns TRUE when that worked.
 */
gboolean hostile_tokenizer (const char *path, const char *what);

/**
 * Do @job in an engine, within the limits. Returns TRUE when it worked. Unless @must is NULL, its
 * failure is expected, and the test fails with that word when it works.
 */
gboolean hostile_job (const PtJob *job, const char *must);

/** The same for a model that is loaded, answers "Hi" in a few tokens, and is unloaded. */
gboolean hostile_chat (const PtJob *load, const char *must);

/** The same for a speech model that transcribes @audio. */
gboolean hostile_transcribe (const PtJob *load, const char *audio, const char *must);

/** A program with a number of its metadata changed. */
typedef void (*HostileLie) (const guint8 *file, gsize size, gpointer user_data);

/** Call @func for every number that a constant method of the program @file gives, changed to each
 * of several values that make no sense. Returns how many numbers there are. */
guint hostile_lies (guint8 *file, gsize size, HostileLie func, gpointer user_data);

G_END_DECLS
