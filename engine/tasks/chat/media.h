/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/runtime/module.h"
#include "engine/tasks/chat/llm.h"

G_BEGIN_DECLS

/** Samples per second that models hear. */
#define PT_MEDIA_RATE 16000

/**
 * PtMedia: the pictures and recordings of conversations, as embeddings of a model (runners, section
 * 5). A file is known by what is in it, so that it is neither read nor encoded again while it stays
 * the same; of embeddings, some are kept. Engine thread.
 */
typedef struct _PtMedia PtMedia;

/**
 * Load "vision_encoder" and "audio_encoder" of @module, which must outlive this, where they are.
 *
 * @width: of the embeddings that the model reads. @most: so many may one file make.
 */
PtMedia *pt_media_new (PtModule *module, gsize width, guint most, GError **error);
void pt_media_free (PtMedia *media);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMedia, pt_media_free)

/** The token that stands for an embedding of a file of @kind, for models that read ids as well. */
void pt_media_set_token (PtMedia *media, PtModelInput kind, gint32 token);

/** Make spectrograms with @preprocessor, which must outlive this, instead of our own code. */
gboolean pt_media_use_preprocessor (PtMedia *media, PtModule *preprocessor, GError **error);

/** PtModelInput: what the program has encoders for. */
guint pt_media_takes (const PtMedia *media);

/** What the file at @path is, a PtModelInput that the model takes; 0 with an error. */
guint pt_media_kind (PtMedia *media, const char *path, GError **error);

/**
 * Append the names (llm.h) of the embeddings that the file makes to @names. A recording is read in
 * whole for this, a picture not. PT_ERROR_CONTEXT_FULL: there would be too many.
 */
gboolean pt_media_append (PtMedia *media, const char *path, GArray *names,
                          GCancellable *cancellable, GError **error);

/** The embeddings themselves, as many as there are names. Valid until the next call. */
gboolean pt_media_embed (PtMedia *media, const char *path, PtLlmEmbeddings *embeddings,
                         GCancellable *cancellable, GError **error);

/**
 * Sound that is no file: samples of PT_MEDIA_RATE that a model of Voxtral's kind hears together in
 * one stretch, whose length pt_media_stretch() says; 0: the model hears in another way or not.
 */
gsize pt_media_stretch (const PtMedia *media);
/** At most pt_media_stretch() of them; @embeddings are valid until the next call. */
gboolean pt_media_embed_samples (PtMedia *media, const float *samples, gsize n,
                                 PtLlmEmbeddings *embeddings, GCancellable *cancellable,
                                 GError **error);

G_END_DECLS
