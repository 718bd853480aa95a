/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What a file is to Pteris, by its name: known before it is opened, while it is still being
 * dragged. */

typedef enum {
  PTERIS_FILE_MODEL,     /* a .pte or a .ptd */
  PTERIS_FILE_RECORDING, /* audio, or video with sound */
  PTERIS_FILE_FOLDER,    /* of models or of recordings: only looking tells */
  PTERIS_FILE_FOREIGN,   /* a model for another program */
  PTERIS_FILE_OTHER,
} PterisFileKind;

PterisFileKind pteris_file_kind (GFile *file);

/** What @file, a PTERIS_FILE_FOREIGN, is, and what to open instead: a sentence. Free with g_free();
 * NULL: it is none. */
char *pteris_file_explain_foreign (GFile *file);

/** What opening @files (of GFile) would do, for people: "Transcribe 3 recordings". Free with
 * g_free(). */
char *pteris_files_describe (GSList *files);

/** "wav", ...: the recordings that this build reads, for a file dialog; ends with NULL. */
const char *const *pteris_recording_suffixes (void);

G_END_DECLS
