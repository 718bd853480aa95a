/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The kind of a file by its name, which is known before the file is opened, even while it is
 * dragged. */

typedef enum {
  PTERIS_FILE_MODEL,     /* a .pte or a .ptd */
  PTERIS_FILE_RECORDING, /* audio, or video with sound */
  PTERIS_FILE_FOLDER,    /* of models or of recordings: unknown before it is scanned */
  PTERIS_FILE_FOREIGN,   /* a model for another program */
  PTERIS_FILE_OTHER,
} PterisFileKind;

PterisFileKind pteris_file_kind (GFile *file);

/** A sentence that names the format of a PTERIS_FILE_FOREIGN and what to open instead. Free with
 * g_free(); NULL: @file is of another kind. */
char *pteris_file_explain_foreign (GFile *file);

/** The action for opening @files (of GFile), for people: "Transcribe 3 recordings". Free with
 * g_free(). */
char *pteris_files_describe (GSList *files);

/** Whether @file is a picture by its name. */
gboolean pteris_file_is_picture (GFile *file);

/** "png", ...: file name extensions of pictures; NULL-terminated. */
const char *const *pteris_picture_suffixes (void);

/** "wav", ...: file name extensions of recordings that this build reads; NULL-terminated. */
const char *const *pteris_recording_suffixes (void);

G_END_DECLS
