/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/chat/media.h"

G_BEGIN_DECLS

/** What is known of a file before it is encoded. */
typedef struct {
  guint n;        /* embeddings */
  guint64 digest; /* of what is in it */
} PtMediaFacts;

/** PtMediaEncoder: one kind of file to embeddings. */
typedef struct _PtMediaEncoder PtMediaEncoder;

struct _PtMediaEncoder {
  PtModelInput kind;
  PtDType dtype; /* of the embeddings */
  gsize width;
  gint32 token; /* that stands for one of them; 0: not known */

  /** Look at the file at @path; as far as it makes no more than @most embeddings. */
  gboolean (*look) (PtMediaEncoder *self, const char *path, guint most, PtMediaFacts *facts,
                    GCancellable *cancellable, GError **error);
  /** Write its embeddings, @n of them, to @rows. */
  gboolean (*encode) (PtMediaEncoder *self, const char *path, guint n, gpointer rows,
                      GCancellable *cancellable, GError **error);
  /** NULL: nothing is made before it is encoded. */
  gboolean (*use_preprocessor) (PtMediaEncoder *self, PtModule *preprocessor, GError **error);
  void (*free) (PtMediaEncoder *self);
};

/** NULL with an error when the encoder of @module is not of the layout of section 5. */
PtMediaEncoder *pt_sound_encoder_new (PtModule *module, GError **error);
PtMediaEncoder *pt_picture_encoder_new (PtModule *module, GError **error);

/** Whether the file at @path begins like a picture. FALSE without an error when it does not. */
gboolean pt_is_picture (const char *path, GError **error);

/** Give input @i of @method @values, as a tensor of these sizes and of the type it declares.
 * @buffer: for as many numbers of 4 bytes, until the method has run. */
gboolean pt_media_set_input (PtMethod *method, guint i, guint rank, const gint64 *sizes,
                             const float *values, gpointer buffer, GError **error);

/** Copy @n embeddings, all that output @i of @method has, to @rows. */
gboolean pt_media_take_rows (const PtMediaEncoder *encoder, const PtMethod *method, guint n,
                             gpointer rows, GError **error);

G_END_DECLS
