/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "server/fault.h"

G_BEGIN_DECLS

/**
 * PterisDataFiles: pictures and recordings that came within a request, as files for the engine.
 * They lie in a folder that only this user can read, and are removed with it. Any thread.
 */
typedef struct _PterisDataFiles PterisDataFiles;

PterisDataFiles *pteris_data_files_new (void);
/** Removes the files. */
void pteris_data_files_free (PterisDataFiles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisDataFiles, pteris_data_files_free)

/** Write @size bytes. @extension: of the file, “wav”; other characters than letters and digits are
 * left out. The path of the file belongs to @self; NULL with an error. */
const char *pteris_data_files_add (PterisDataFiles *self, gconstpointer data, gsize size,
                                   const char *extension, GError **error);

/** The same for base64. @field: for messages. */
const char *pteris_data_files_add_base64 (PterisDataFiles *self, const char *text,
                                          const char *extension, const char *field, GError **error);

/** The same for a URL “data:image/png;base64,…”. Others are refused: nothing is fetched. */
const char *pteris_data_files_add_url (PterisDataFiles *self, const char *url, const char *field,
                                       GError **error);

G_END_DECLS
