/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/heap.h"
#include "engine/tasks/vision/look-method.h"

G_BEGIN_DECLS

/*
 * The outputs of segmentation and style transfer (docs/formats/protocols.md, sections 16.5 and
 * 16.6). All numbers are checked. Any thread.
 */

/** Classes of a pixel are bytes. */
#define PT_LOOK_MAX_SEGMENTS 256

/**
 * The best class of each pixel of @scores [n, height, width]; of one class [height, width]: 1 above
 * a half, else 0. @out: [height, width], free with g_free().
 */
gboolean pt_look_best_classes (const PtLookOutput *scores, guint8 **out, guint *width,
                               guint *height, GError **error);

/** Stretch a map of classes: each pixel gets the class of the one that it lies in. */
void pt_look_stretch_classes (const guint8 *from, guint width, guint height, guint8 *to,
                              guint to_width, guint to_height);

/** The classes in @segments, the largest first, without labels. Memory of @heap. */
const PtRegion *pt_look_count_classes (const guint8 *segments, gsize n_pixels, PtHeap *heap,
                                       guint *n);

/** The picture of @planes [3, height, width] in 0 to 1, 3 bytes for each pixel. @out: free with
 * g_free(). */
gboolean pt_look_paint (const PtLookOutput *planes, guint8 **out, guint *width, guint *height,
                        GError **error);

G_END_DECLS
