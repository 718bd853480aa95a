/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/tokenizer-private.h"
#include "engine/text/unigram.h"

G_BEGIN_DECLS

/**
 * PtHfModel: the "model" of a tokenizer.json, which turns pieces into ids: BPE, Unigram, WordPiece
 * or WordLevel (docs/formats/tokenizers.md, sections 3.4 and 3.6). Immutable.
 */
typedef struct _PtHfModel PtHfModel;

/**
 * Adds the tokens of its "vocab" to @vocabulary, which must outlive the model.
 *
 * @byte_level: pieces are bytes, and the vocabulary has a letter for each byte
 *   (docs/formats/tokenizers.md, section 3.5).
 */
PtHfModel *pt_hf_model_new (const json_t *json, const PtHfLists *lists, gboolean byte_level,
                            PtVocabulary *vocabulary, GError **error);
void pt_hf_model_free (PtHfModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHfModel, pt_hf_model_free)

/** Working memory of one text. */
typedef struct {
  PtScratch *scratch;
  PtUnigramScratch unigram;
  GArray *pieces;   /* PtUnigramPiece */
  GString *letters; /* of a piece that is bytes */
} PtHfWork;

void pt_hf_work_init (PtHfWork *work, PtScratch *scratch);
void pt_hf_work_clear (PtHfWork *work);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtHfWork, pt_hf_work_clear)

/** Append the ids of one piece (valid UTF-8 unless byte-level) to @ids. */
gboolean pt_hf_model_encode (const PtHfModel *model, const char *piece, gsize length,
                             PtHfWork *work, GArray *ids, GError **error);

G_END_DECLS
