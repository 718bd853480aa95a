/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/text/sampler.h"

G_BEGIN_DECLS

/**
 * PtLlm: a text model that reads token ids and gives logits (docs/formats/protocols.md, section 2).
 * It keeps a list of the ids in the model's KV cache, so that a conversation that grows or changes
 * near its end is not read again from the start. Engine thread.
 *
 * A model that also sees or hears reads embeddings (section 4.1 there) in the place of ids. In the
 * list they have names: negative numbers, which depend on what they are made from.
 */
typedef struct _PtLlm PtLlm;

/** Embeddings of a picture or a sound, in host memory. */
typedef struct {
  gconstpointer rows; /* [n, width] */
  PtDType dtype;      /* f32, f16 or bf16 */
  guint n;
  gsize width;
  const gint32 *names; /* one for each embedding, below 0 */
  gint32 token;        /* stands for one of them, for models that read ids as well */
} PtLlmEmbeddings;

/** @module: must outlive the PtLlm. Loads its method "forward" or "prefill", and "decode", if it
 * has one, for steps of one id; or else "text_decoder", and "token_embedding" if that reads
 * embeddings only. */
PtLlm *pt_llm_new (PtModule *module, GError **error);
void pt_llm_free (PtLlm *llm);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLlm, pt_llm_free)

/** The number of positions, and so the most ids that can be read. */
guint pt_llm_context (const PtLlm *llm);
/**
 * Keep up to @n conversations, each in a state of its own, as far as the model and memory allow:
 * pt_llm_rewind() selects the one that begins with its ids. At first one is kept.
 */
void pt_llm_keep_conversations (PtLlm *llm, guint n);

/** Set the temperature of models that choose tokens themselves, from the next id that is read. */
void pt_llm_set_temperature (PtLlm *llm, double temperature);

/**
 * Guess, from the ids that have been read, which may be chosen next, and read them along with the
 * chosen one; the choice stays the same. Off at first. FALSE: the model cannot, and it stays off.
 */
gboolean pt_llm_set_guessing (PtLlm *llm, gboolean guessing);

/** The number of ids in the cache. */
guint pt_llm_position (const PtLlm *llm);
/** The number of logits in a row; may be more than the tokenizer has ids. All ids are below it. */
gsize pt_llm_width (const PtLlm *llm);
/** Ids at or above this are not known to the model; G_MAXUINT: it is not known which are. */
guint pt_llm_vocabulary (const PtLlm *llm);
/** The most ids that one call of the method takes. */
guint pt_llm_chunk (const PtLlm *llm);

/**
 * Keep the part of the cache that is a prefix of @ids, at most @n - 1 ids, so that there is
 * something left to read. @kept: how many ids are kept; pt_llm_read() goes on behind them.
 */
gboolean pt_llm_rewind (PtLlm *llm, const gint32 *ids, guint n, guint *kept, GError **error);

/**
 * Read @n more ids, in as few calls as the method's shapes allow. After an error, or when
 * @cancellable is set (PT_ERROR_CANCELLED), ids of earlier calls stay read.
 */
gboolean pt_llm_read (PtLlm *llm, const gint32 *ids, guint n, GCancellable *cancellable,
                      GError **error);

/** The number of elements of an embedding; 0: the model reads ids only. */
gsize pt_llm_embedding_width (const PtLlm *llm);

/** The same as pt_llm_read() for embeddings. PT_ERROR_UNSUPPORTED: they have another width. */
gboolean pt_llm_read_embeddings (PtLlm *llm, const PtLlmEmbeddings *embeddings,
                                 GCancellable *cancellable, GError **error);

/**
 * Say that no more than @n ids will be read in all until pt_llm_rewind() is called, so that a GPU
 * starts no step beyond. This is only a hint; without it, the context is the limit.
 */
void pt_llm_set_end (PtLlm *llm, guint n);

/** Wait until a GPU has computed the ids that were read, for measuring: pt_llm_read() returns
 * earlier. */
gboolean pt_llm_wait (PtLlm *llm, GError **error);

/**
 * The logits behind the last id that was read; valid until the next call, also of pt_llm_sample().
 * NULL with an error, also if the model chooses its tokens itself.
 */
gconstpointer pt_llm_logits (PtLlm *llm, PtDType *dtype, GError **error);

/**
 * Say whether pt_llm_logits() must still work after pt_llm_sample(): then the host chooses, and a
 * GPU starts no step before pt_llm_read(). Off at first.
 */
void pt_llm_set_keeps_logits (PtLlm *llm, gboolean keeps);

/** Whether the model chooses its tokens itself: nobody gets logits, and only the temperature
 * counts. */
gboolean pt_llm_chooses (const PtLlm *llm);

/**
 * Choose the next id from the first @width of these logits with @sampler. If they lie on a GPU that
 * can choose, only the id comes from there, and the GPU starts to read it before pt_llm_read() is
 * called: if that is called with this id, there is nothing left to do.
 *
 * A model that chooses tokens itself has done so, by the temperature that it got.
 *
 * @id: -1 when none of the logits is a number: the model is damaged.
 */
gboolean pt_llm_sample (PtLlm *llm, PtSampler *sampler, gsize width, gint32 *id, GError **error);

G_END_DECLS
