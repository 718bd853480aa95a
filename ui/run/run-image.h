/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* An image as the input of a model: how it gets the size and the numbers that the model wants. */

typedef enum {
  PTERIS_IMAGE_CROP,    /* fill, and cut off what is too much, from the middle */
  PTERIS_IMAGE_STRETCH, /* whatever becomes of the proportions */
  PTERIS_IMAGE_PAD,     /* all of it, black around */
} PterisImageFit;

typedef enum {
  PTERIS_IMAGE_UNIT,     /* 0 to 1 */
  PTERIS_IMAGE_IMAGENET, /* the mean and deviation of ImageNet taken out */
  PTERIS_IMAGE_SIGNED,   /* -1 to 1 */
  PTERIS_IMAGE_BYTES,    /* 0 to 255 */
} PterisImageRange;

typedef struct {
  char *path;     /* of the image */
  char *output;   /* where the tensor is written, as raw bytes */
  gboolean bytes; /* uint8 elements, else float32 */
  guint rank;     /* 3 or 4 */
  gint64 sizes[4];
  PterisImageFit fit;
  PterisImageRange range; /* of float32 elements */
} PterisImageJob;

void pteris_image_job_free (PterisImageJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisImageJob, pteris_image_job_free)

/** Whether an image could be the input: uint8 or float32, [1, C, H, W] or [1, H, W, C], also
 * without the 1, where C is 1 or 3. */
gboolean pteris_image_fits (const char *dtype, guint rank, const gint64 *sizes);

/** Read, resize and write. Blocking; any thread. */
gboolean pteris_image_write (const PterisImageJob *job, GCancellable *cancellable, GError **error);

G_END_DECLS
