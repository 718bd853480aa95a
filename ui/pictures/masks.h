/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gdk/gdk.h>
#include <graphene.h>
#include <pteris/vision.h>

G_BEGIN_DECLS

/**
 * PterisMasks: the pixels of a result as textures: masks of objects, classes of pixels, a styled
 * picture. Large masks are made coarser so that all of them fit into memory.
 */
typedef struct _PterisMasks PterisMasks;

/** Make the textures of @picture. Blocking, any thread; free with pteris_masks_free(). */
PterisMasks *pteris_masks_new (const PtLookPicture *picture);
void pteris_masks_free (PterisMasks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisMasks, pteris_masks_free)

/** The mask of object @i in its colour; NULL: it has none. @rect: set to its place in pixels of the
 * picture. The texture belongs to @self, also for the next functions. */
GdkTexture *pteris_masks_get_object (PterisMasks *self, guint i, graphene_rect_t *rect);

/** All classes of pixels in their colours, or NULL; it covers the picture. */
GdkTexture *pteris_masks_get_segments (PterisMasks *self);

/** The pixels of one class alone; NULL: there are none. */
GdkTexture *pteris_masks_get_class (PterisMasks *self, guint index);

/** The styled picture, or NULL. */
GdkTexture *pteris_masks_get_styled (PterisMasks *self);

G_END_DECLS
