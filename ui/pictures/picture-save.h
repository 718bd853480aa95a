/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/pictures/picture.h"

G_BEGIN_DECLS

/* Writes what was found in a picture to files. An existing file is replaced only when all of the
 * new one could be written. */

typedef enum {
  PTERIS_SAVE_PNG,  /* the picture with its findings, as `pteris look --output` draws it */
  PTERIS_SAVE_JSON, /* what `pteris look --json` prints */
} PterisSaveFormat;

/** Write the first @n findings of @result to @file, of pictures whose findings have at least the
 * score @least. @callback's source object is @file. */
void pteris_picture_save_async (GFile *file, PterisSaveFormat format, const PtLookResult *result,
                                guint n, double least, GAsyncReadyCallback callback,
                                gpointer user_data);
/** FALSE with an error for people. */
gboolean pteris_picture_save_finish (GAsyncResult *result, GError **error);

/** The JSON of the first @n findings. Free with g_free(). */
char *pteris_picture_to_json (const PtLookResult *result, guint n, double least);

G_END_DECLS
