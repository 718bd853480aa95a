/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/text/sampler.h"

G_BEGIN_DECLS

/**
 * PtLlm: a text model that reads token ids and gives logits (runners, sections 3.1 to 3.6). It
 * keeps account of the ids that are in the model's KV cache, so that a conversation that grows
 * or changes near its end is not read again from the start. Engine thread.
 *
 * A model that also sees or hears reads embeddings (sections 5.1 and 5.5), which stand where ids
 * would. In the account they have names: negative numbers, which say of what they are made.
 */
typedef struct _PtLlm PtLlm;

/** Embeddings of a picture or a sound, in host memory. */
typedef struct {
  gconstpointer rows; /* [n, width] */
  PtDType dtype;      /* f32, f16 or bf16 */
  guint n;
  gsize width;
  const gint32 *names; /* of each, below 0 */
  gint32 token;        /* that stands for one of them, for models that want ids as well */
} PtLlmEmbeddings;

/** @module: must outlive the PtLlm. Loads its method "forward", or "prefill"; and "decode", if it
 * has one, for steps of one id. Or else "text_decoder", and "token_embedding" where that reads
 * embeddings only. */
PtLlm *pt_llm_new (PtModule *module, GError **error);
void pt_llm_free (PtLlm *llm);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLlm, pt_llm_free)

/** Positions that fit: at most so many ids can be read. */
guint pt_llm_context (const PtLlm *llm);
/**
 * Keep up to @n conversations apart, each in a state of its own, as far as the model and memory
 * allow: pt_llm_rewind() goes on with the one that its ids begin like. At first it is 1.
 */
void pt_llm_keep_conversations (PtLlm *llm, guint n);

/** For models that choose tokens themselves: how, from the next id on that is read. */
void pt_llm_set_temperature (PtLlm *llm, double temperature);

/**
 * Guess, from what has been read, ids that may be chosen next, and read them along with the one
 * that was: what is chosen stays the same. Off at first. FALSE: the model cannot, and it stays off.
 */
gboolean pt_llm_set_guessing (PtLlm *llm, gboolean guessing);

/** How many ids are in the cache. */
guint pt_llm_position (const PtLlm *llm);
/** Logits in a row; may be more than the tokenizer has ids. All ids are below it. */
gsize pt_llm_width (const PtLlm *llm);
/** Ids that one call of the method takes. */
guint pt_llm_chunk (const PtLlm *llm);

/**
 * Keep of the cache what is a prefix of @ids, at most @n - 1 ids, so that there is something left
 * to read. Returns how many ids are kept; pt_llm_read() goes on behind them.
 */
gboolean pt_llm_rewind (PtLlm *llm, const gint32 *ids, guint n, guint *kept, GError **error);

/**
 * Read @n more ids, in as few calls as the method's shapes allow. After an error, or when
 * @cancellable is set (PT_ERROR_CANCELLED), what has been read before stays.
 */
gboolean pt_llm_read (PtLlm *llm, const gint32 *ids, guint n, GCancellable *cancellable,
                      GError **error);

/** Elements of an embedding; 0: the model reads ids only. */
gsize pt_llm_embedding_width (const PtLlm *llm);

/** The same as pt_llm_read() for what is no token. PT_ERROR_UNSUPPORTED: of another width. */
gboolean pt_llm_read_embeddings (PtLlm *llm, const PtLlmEmbeddings *embeddings,
                                 GCancellable *cancellable, GError **error);

/**
 * No more than @n ids will be read in all, until pt_llm_rewind() is called: a GPU starts nothing
 * beyond. Only a hint; without it, it is what the model holds.
 */
void pt_llm_set_end (PtLlm *llm, guint n);

/** Wait until a GPU has computed what was read: pt_llm_read() need not. For whoever measures. */
gboolean pt_llm_wait (PtLlm *llm, GError **error);

/**
 * The logits behind the last id read, until the next call, also of pt_llm_sample(). NULL with an
 * error, also where the model chooses its tokens itself.
 */
gconstpointer pt_llm_logits (PtLlm *llm, PtDType *dtype, GError **error);

/**
 * Choose the next id from the first @width of these logits, as @sampler says. Where they lie on a
 * GPU that can choose, only the id comes from there, and the GPU reads it without waiting for
 * pt_llm_read(): when that comes with this very id, there is nothing left to do.
 *
 * A model that chooses tokens itself has done so, by the temperature it got.
 *
 * @id: -1 when they are not made of numbers: the model is damaged.
 */
gboolean pt_llm_sample (PtLlm *llm, PtSampler *sampler, gsize width, gint32 *id, GError **error);

G_END_DECLS
