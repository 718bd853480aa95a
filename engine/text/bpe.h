/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/text/tokenizer-private.h"

G_BEGIN_DECLS

/*
 * PtBpe: byte-pair encoding with the list of merges of a tokenizer.json
 * (docs/formats/tokenizers.md, section 3.4). A piece is split into one symbol for each character or
 * byte; merger.h merges them.
 */
typedef struct _PtBpe PtBpe;

/**
 * From the "model" object of a tokenizer.json. Adds the tokens of its "vocab" to @vocabulary, which
 * must outlive the PtBpe.
 *
 * @lists: the lists that are empty in @model, or NULL.
 * @byte_level: pieces are bytes, and the vocabulary has a letter for each byte
 *   (docs/formats/tokenizers.md, section 3.5).
 */
PtBpe *pt_bpe_new (const json_t *model, const PtHfLists *lists, gboolean byte_level,
                   PtVocabulary *vocabulary, GError **error);
void pt_bpe_free (PtBpe *bpe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtBpe, pt_bpe_free)

/** Append the ids of one piece (valid UTF-8 unless byte-level) to @ids. */
void pt_bpe_encode (const PtBpe *bpe, const char *piece, gsize length, PtScratch *scratch,
                    GArray *ids);

/** Write the letter of @byte in byte-level vocabularies, as UTF-8. Returns its length, 1 or 2
 * bytes. */
gsize pt_byte_letter (guint8 byte, char letter[2]);
/** The byte of the letter @c: 0..255; -1: @c is not such a letter. */
int pt_byte_of_letter (gunichar c);

G_END_DECLS
