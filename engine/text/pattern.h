/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Splitting text by a pattern of a tokenizer file. Patterns come from files, so matching is bounded
 * in steps and time: a pattern that backtracks for ever is an error, not a hang.
 */

typedef struct _PtPattern PtPattern;

/** A piece of text: bytes [begin, end) of some buffer. */
typedef struct {
  gsize begin, end;
  gboolean is_match; /* as pt_pattern_find() leaves it */
} PtSpan;

/** PtMatcher: working memory and budget of searches. One for each text and thread. */
typedef struct _PtMatcher PtMatcher;

/** @length: bytes of the whole text to search. NULL with PT_ERROR_MEMORY. */
PtMatcher *pt_matcher_new (gsize length, GError **error);
void pt_matcher_free (PtMatcher *matcher);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMatcher, pt_matcher_free)

/** How matches and the gaps between them are joined to pieces (docs/formats/tokenizers.md, section
 * 3.3).
 */
typedef enum {
  PT_SPLIT_REMOVED,
  PT_SPLIT_ISOLATED,
  PT_SPLIT_MERGED_WITH_PREVIOUS,
  PT_SPLIT_MERGED_WITH_NEXT,
  PT_SPLIT_CONTIGUOUS,
} PtSplitBehavior;

/** @literal: @source is plain text, not a regular expression. */
PtPattern *pt_pattern_new (const char *source, gsize length, gboolean literal, GError **error);
/** The pattern of a step in a tokenizer.json: {"String": ...} or {"Regex": ...}. */
PtPattern *pt_pattern_from_json (const json_t *json, GError **error);
void pt_pattern_free (PtPattern *pattern);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPattern, pt_pattern_free)

/**
 * Append the matches and gaps of text[begin, end) to @spans (GArray of PtSpan), in order. A match
 * may be empty, a gap is not. @text: valid UTF-8. Look-around assertions do not see bytes outside
 * of begin and end.
 */
gboolean pt_pattern_find (const PtPattern *pattern, PtMatcher *matcher, const char *text,
                          gsize begin, gsize end, GArray *spans, GError **error);

/**
 * Split text[begin, end) by @behavior and append the pieces to @pieces (GArray of PtSpan).
 * @invert swaps matches and gaps.
 */
gboolean pt_pattern_split (const PtPattern *pattern, PtMatcher *matcher, const char *text,
                           gsize begin, gsize end, PtSplitBehavior behavior, gboolean invert,
                           GArray *pieces, GError **error);

G_END_DECLS
