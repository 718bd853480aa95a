/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"
#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/*
 * Declarations of all fuzz targets. A target is one file with the two functions below; it is built
 * into a fuzzer (meson setup -Dfuzz=true), and always into a program that replays a corpus.
 */

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/** A copy of exactly @size bytes, so that a sanitizer sees a step beyond them. */
GBytes *fuzz_bytes (const guint8 *data, gsize size);

/** Writes a file with these bytes. The path stays the same; the next call overwrites it. */
const char *fuzz_file (const guint8 *data, gsize size);
/** The folder of fuzz_file(), which is empty apart from it. */
const char *fuzz_folder (void);

/** The path of a file in tests/data. Free with g_free(). */
char *fuzz_data_path (const char *name);

/** Fail unless @error is one that a user may see; then free it. */
void fuzz_check_error (GError *error);

/** Read every byte. */
void fuzz_touch (gconstpointer data, gsize size);
/** Follow every pointer that @program hands out. */
void fuzz_touch_program (const PtProgram *program);

/** A pool without threads. */
PtPool *fuzz_pool (void);

G_END_DECLS
