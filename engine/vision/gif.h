/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

G_BEGIN_DECLS

/**
 * PtGif: the first frame of a GIF file. It is decoded here because the library's decoder takes
 * quadratic time. Any thread.
 */
typedef struct {
  const guint8 *data; /* the file; borrowed */
  gsize size;
  guint width, height; /* of the whole picture */
  guint left, top;     /* position of its first frame */
  guint frame_width, frame_height;
  gboolean is_interlaced;
  gsize colours;   /* offset of its colour table of @n_colours RGB triples */
  guint n_colours; /* 0: there is none */
  int transparent; /* index of the transparent colour, or -1 */
  gsize codes;     /* offset of the compressed pixels */
} PtGif;

/** Read the headers; FALSE: the file ends before its first frame. Sizes are not checked. */
gboolean pt_gif_open (PtGif *self, const guint8 *data, gsize size);

/** Decode the frame on a white background. NULL: truncated, damaged or cancelled; or with an
 * @error, out of memory. */
PtImage *pt_gif_decode (const PtGif *self, GCancellable *cancellable, GError **error);

G_END_DECLS
