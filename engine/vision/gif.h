/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

G_BEGIN_DECLS

/**
 * PtGif: the first frame of a GIF file, read here because the library's decoder takes time in
 * proportion to the square of what it gets. Any thread.
 */
typedef struct {
  const guint8 *data; /* the file; borrowed */
  gsize size;
  guint width, height; /* of the whole picture */
  guint left, top;     /* where its first frame lies */
  guint frame_width, frame_height;
  gboolean is_interlaced;
  gsize colours;   /* where the table of @n_colours times red, green and blue is */
  guint n_colours; /* 0: there is none */
  int transparent; /* colour that is none, or -1 */
  gsize codes;     /* where the compressed pixels are */
} PtGif;

/** FALSE when the file ends before its first frame begins. No size has been judged. */
gboolean pt_gif_open (PtGif *self, const guint8 *data, gsize size);

/** The frame on white. NULL when it ends too early, makes no sense, or @cancellable is set, or
 * with an @error of memory. */
PtImage *pt_gif_decode (const PtGif *self, GCancellable *cancellable, GError **error);

G_END_DECLS
