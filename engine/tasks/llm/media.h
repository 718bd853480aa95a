/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/runtime/module.h"
#include "engine/tasks/llm/llm.h"

G_BEGIN_DECLS

/** The sample rate that models take. */
#define PT_MEDIA_RATE 16000

/**
 * PtMedia: the pictures and recordings of conversations, as embeddings of a model
 * (docs/formats/protocols.md, section 4). A file is neither read nor encoded again while it stays
 * the same; a limited amount of embeddings is kept. Engine thread.
 */
typedef struct _PtMedia PtMedia;

/**
 * Load "vision_encoder" and "audio_encoder" of @module, as far as it has them; @module must outlive
 * this.
 *
 * @width: that of the embeddings that the model reads. @most: the most embeddings of one file.
 */
PtMedia *pt_media_new (PtModule *module, gsize width, guint most, GError **error);
void pt_media_free (PtMedia *media);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMedia, pt_media_free)

/** Set the token that stands for an embedding of @kind, for models that read ids as well. */
void pt_media_set_token (PtMedia *media, PtModelInput kind, gint32 token);

/** Make spectrograms with @preprocessor, which must outlive this, instead of our own code. */
gboolean pt_media_use_preprocessor (PtMedia *media, PtModule *preprocessor, GError **error);

/** PtModelInput: the kinds of files that the program has encoders for. */
guint pt_media_takes (const PtMedia *media);

/** Whether nothing stands around the embeddings of a file but what the chat template writes, as in
 * models of react-native-executorch. */
gboolean pt_media_is_bare (const PtMedia *media);

/** The kind of the file at @path, a PtModelInput that the model takes; 0 with an error. */
guint pt_media_kind (PtMedia *media, const char *path, GError **error);

/**
 * Append the names (llm.h) of the file's embeddings to @names. For this a recording is read as a
 * whole, a picture only if its size decides how many they are. PT_ERROR_CONTEXT_FULL: there would
 * be too many embeddings.
 */
gboolean pt_media_append (PtMedia *media, const char *path, GArray *names,
                          GCancellable *cancellable, GError **error);

/** Compute the embeddings of the file, as many as its names. Valid until the next call. */
gboolean pt_media_embed (PtMedia *media, const char *path, PtLlmEmbeddings *embeddings,
                         GCancellable *cancellable, GError **error);

/**
 * The number of samples, at PT_MEDIA_RATE, that a model like Voxtral hears in one stretch, for
 * sound that is no file; 0: the model hears in another way or not at all.
 */
gsize pt_media_stretch (const PtMedia *media);
/** Compute the embeddings of @n samples, at most pt_media_stretch(); valid until the next call. */
gboolean pt_media_embed_samples (PtMedia *media, const float *samples, gsize n,
                                 PtLlmEmbeddings *embeddings, GCancellable *cancellable,
                                 GError **error);

G_END_DECLS
