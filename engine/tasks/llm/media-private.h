/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/llm/media.h"

G_BEGIN_DECLS

/** No more samples than these are read: an hour and a half. */
#define PT_MEDIA_MAX_SAMPLES (5400 * PT_MEDIA_RATE)

/** The facts of a file that are known before it is encoded. */
typedef struct {
  guint n;        /* number of its embeddings */
  guint64 digest; /* of its content */
  gpointer rows;  /* its embeddings, if it had to be encoded to count them; else NULL */
} PtMediaFacts;

/** PtMediaEncoder: turns one kind of files into embeddings. */
typedef struct _PtMediaEncoder PtMediaEncoder;

struct _PtMediaEncoder {
  PtModelInput kind;
  PtDType dtype; /* of the embeddings */
  gsize width;
  gint32 token; /* stands for one of the embeddings; 0: not known */

  /** Find the facts of the file at @path. Fails when it makes more than @most embeddings. */
  gboolean (*look) (PtMediaEncoder *self, const char *path, guint most, PtMediaFacts *facts,
                    GCancellable *cancellable, GError **error);
  /** Write the @n embeddings of the file to @rows. */
  gboolean (*encode) (PtMediaEncoder *self, const char *path, guint n, gpointer rows,
                      GCancellable *cancellable, GError **error);
  /** The samples of one stretch of sound, its number of embeddings, and a function that encodes @n
   * samples as a stretch; 0 and NULL: the encoder has no stretches. */
  gsize stretch;
  guint per_stretch;
  gboolean (*encode_samples) (PtMediaEncoder *self, const float *samples, gsize n, gpointer rows,
                              GCancellable *cancellable, GError **error);
  /** Make spectrograms with @preprocessor; NULL: the encoder needs none. */
  gboolean (*use_preprocessor) (PtMediaEncoder *self, PtModule *preprocessor, GError **error);
  void (*free) (PtMediaEncoder *self);
};

/** NULL with an error when the encoder of @module does not have the layout of
 * docs/formats/protocols.md, sections 4.2 and 4.3. */
PtMediaEncoder *pt_sound_encoder_new (PtModule *module, GError **error);
PtMediaEncoder *pt_picture_encoder_new (PtModule *module, GError **error);
/* The same for Gemma 4 (docs/formats/protocols.md, sections 4.4 and 4.5). */
PtMediaEncoder *pt_patch_encoder_new (PtModule *module, GError **error);
PtMediaEncoder *pt_speech_encoder_new (PtModule *module, GError **error);

/* The same for Gemma 4 of react-native-executorch (docs/formats/protocols.md, section 4.7). */
PtMediaEncoder *pt_block_encoder_new (PtModule *module, GError **error);

/** The values of pixels that an encoder wants. */
typedef enum {
  PT_PIXELS_UNKNOWN,
  PT_PIXELS_BYTES, /* 0 to 255 */
  PT_PIXELS_UNITS, /* 0 to 1 */
} PtPixelScale;

/** Tells from the first operators of @method which range of values its first input takes
 * (media-scale.c). */
PtPixelScale pt_media_pixel_scale (const PtProgram *program, const char *method);

/** Whether the file at @path begins like a picture. FALSE without an error when it does not. */
gboolean pt_is_picture (const char *path, GError **error);

/** Compute the digest of the bytes of the picture at @path. */
gboolean pt_media_hash_file (const char *path, guint64 *digest, GError **error);

/** Read all samples (float) of the recording at @path; at least one. PT_ERROR_CONTEXT_FULL: there
 * are more than @most. */
GArray *pt_media_read_samples (const char *path, guint64 most, guint64 *digest,
                               GCancellable *cancellable, GError **error);

/** The tensor that @value is, or NULL. */
const PtTensorSpec *pt_media_tensor (const PtValueSpec *value);
/** f32, f16 or bf16. */
gboolean pt_media_is_float (const PtTensorSpec *tensor);

/** Set input @i of @method to @values, as a tensor of these sizes and of the declared type.
 * @buffer: room for as many numbers of 4 bytes; must stay until the method has run. */
gboolean pt_media_set_input (PtMethod *method, guint i, guint rank, const gint64 *sizes,
                             const float *values, gpointer buffer, GError **error);

/** Copy the first output of @method, which must be @n embeddings, to @rows. */
gboolean pt_media_take_rows (const PtMediaEncoder *encoder, const PtMethod *method, guint n,
                             gpointer rows, GError **error);

G_END_DECLS
