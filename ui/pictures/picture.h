/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gdk/gdk.h>

#include "ui/pictures/masks.h"

G_BEGIN_DECLS

/**
 * PterisPicture: a picture of the Pictures page: its file, what is shown of it, and what was found
 * in it. UI thread.
 *
 * Signals:
 *   changed (): it was decoded, or could not be; or its result is there, or has gone
 */
#define PTERIS_TYPE_PICTURE (pteris_picture_get_type ())
G_DECLARE_FINAL_TYPE (PterisPicture, pteris_picture, PTERIS, PICTURE, GObject)

PterisPicture *pteris_picture_new (const char *path);

const char *pteris_picture_get_path (PterisPicture *self);
/** Its file name, for people. */
const char *pteris_picture_get_title (PterisPicture *self);

/** Decode it in a thread unless that is done or going on. */
void pteris_picture_open (PterisPicture *self);
/** The decoded picture, perhaps at a smaller size than the file's; NULL: not yet. */
GdkTexture *pteris_picture_get_texture (PterisPicture *self);
/** A small version, or NULL; it stays. */
GdkTexture *pteris_picture_get_thumbnail (PterisPicture *self);
/** Pixels of the file's picture, once it is decoded. */
void pteris_picture_get_size (PterisPicture *self, int *width, int *height);
/** Why it could not be decoded; NULL: it could, or was not yet. */
const GError *pteris_picture_get_error (PterisPicture *self);

/** Keep @result, whose only picture is this one; NULL: forget it. Its masks are made in a thread.
 */
void pteris_picture_set_result (PterisPicture *self, const PtLookResult *result);
/** The result, once its masks are made; or NULL. */
const PtLookResult *pteris_picture_get_result (PterisPicture *self);
PterisMasks *pteris_picture_get_masks (PterisPicture *self);

/** Free the texture, when the picture is no longer shown, and a result that has a value for each
 * pixel. */
void pteris_picture_free_memory (PterisPicture *self);

G_END_DECLS
