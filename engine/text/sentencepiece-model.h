/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/charsmap.h"
#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/*
 * Reads and checks a SentencePiece .model (docs/formats/tokenizers.md, section 7.1).
 */

typedef enum { PT_SP_UNIGRAM = 1, PT_SP_BPE = 2, PT_SP_WORD = 3, PT_SP_CHAR = 4 } PtSpKind;

typedef enum {
  PT_PIECE_NORMAL = 1,
  PT_PIECE_UNKNOWN = 2,
  PT_PIECE_CONTROL = 3, /* no text becomes these */
  PT_PIECE_DEFINED = 4, /* by the user: always found first */
  PT_PIECE_UNUSED = 5,
  PT_PIECE_BYTE = 6,
  PT_PIECE_MARK =
      7, /* ours: a user-defined piece that is a control token, e.g. "<start_of_turn>" */
} PtPieceType;

typedef struct {
  PtSpKind kind;
  guint n;                  /* pieces */
  PtVocabulary *vocabulary; /* pieces of text are PT_NAMES_TEXT, others PT_NAMES_RESERVED */
  guint8 *types;            /* PtPieceType, by id */
  float *scores;            /* by id; finite */
  gint32 unknown;
  gint32 bos, eos; /* or -1 */
  gboolean byte_fallback;
  gint32 byte_ids[256]; /* with byte_fallback */
  gboolean has_unused;
  gboolean words_apart; /* no piece of text has "▁" behind another character */

  PtCharsMap *map; /* or NULL */
  gboolean dummy_prefix, remove_spaces, escape_spaces, spaces_behind;
} PtSpModel;

PtSpModel *pt_sp_model_new (const char *data, gsize size, GError **error);
void pt_sp_model_free (PtSpModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSpModel, pt_sp_model_free)

#define PT_SP_SPACE "\xE2\x96\x81" /* U+2581, the space in names of pieces */

/** Whether @text begins with PT_SP_SPACE. */
gboolean pt_sp_is_space (const char *text, gsize length);

G_END_DECLS
