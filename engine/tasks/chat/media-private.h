/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/chat/media.h"

G_BEGIN_DECLS

/** No more samples than these are read: an hour and a half. */
#define PT_MEDIA_MAX_SAMPLES (5400 * PT_MEDIA_RATE)

/** What is known of a file before it is encoded. */
typedef struct {
  guint n;        /* embeddings */
  guint64 digest; /* of what is in it */
  gpointer rows;  /* these embeddings, where there is no other way to know how many; else NULL */
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
  /** Samples that make one stretch of sound, and @n of them to its embeddings; 0 and NULL: it has
   * none. */
  gsize stretch;
  guint per_stretch;
  gboolean (*encode_samples) (PtMediaEncoder *self, const float *samples, gsize n, gpointer rows,
                              GCancellable *cancellable, GError **error);
  /** NULL: nothing is made before it is encoded. */
  gboolean (*use_preprocessor) (PtMediaEncoder *self, PtModule *preprocessor, GError **error);
  void (*free) (PtMediaEncoder *self);
};

/** NULL with an error when the encoder of @module is not of the layout of section 5. */
PtMediaEncoder *pt_sound_encoder_new (PtModule *module, GError **error);
PtMediaEncoder *pt_picture_encoder_new (PtModule *module, GError **error);
/* Gemma 4's (section 5.5). */
PtMediaEncoder *pt_patch_encoder_new (PtModule *module, GError **error);
PtMediaEncoder *pt_speech_encoder_new (PtModule *module, GError **error);

/** Whether the file at @path begins like a picture. FALSE without an error when it does not. */
gboolean pt_is_picture (const char *path, GError **error);

/** What is known by the content of the picture at @path: a digest of its bytes. */
gboolean pt_media_hash_file (const char *path, guint64 *digest, GError **error);

/** All samples (float) of the recording at @path, which are at least one; PT_ERROR_CONTEXT_FULL:
 * more than @most. */
GArray *pt_media_read_samples (const char *path, guint64 most, guint64 *digest,
                               GCancellable *cancellable, GError **error);

/** The tensor that @value is, or NULL. */
const PtTensorSpec *pt_media_tensor (const PtValueSpec *value);
/** f32, f16 or bf16. */
gboolean pt_media_is_float (const PtTensorSpec *tensor);

/** Give input @i of @method @values, as a tensor of these sizes and of the type it declares.
 * @buffer: for as many numbers of 4 bytes, until the method has run. */
gboolean pt_media_set_input (PtMethod *method, guint i, guint rank, const gint64 *sizes,
                             const float *values, gpointer buffer, GError **error);

/** Copy @n embeddings, all that the first output of @method has, to @rows. */
gboolean pt_media_take_rows (const PtMediaEncoder *encoder, const PtMethod *method, guint n,
                             gpointer rows, GError **error);

G_END_DECLS
