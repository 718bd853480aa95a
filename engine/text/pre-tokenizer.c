/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/pre-tokenizer.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"

#define MAX_DEPTH 8
#define MAX_STEPS 64

/* GPT-2's pattern, used by ByteLevel with "use_regex". */
#define GPT2_PATTERN \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

/* \w by Unicode, which is more than PCRE2's \w. */
#define WORD_CLASS "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}"
#define WORD "[" WORD_CLASS "]"
#define PUNCTUATION "[!-/:-@\\[-`{-~]|\\p{P}"

typedef enum {
  STEP_SPLIT,        /* cut pieces by a pattern */
  STEP_SPACE_PREFIX, /* a space before every piece that has none */
  STEP_METASPACE,    /* spaces become @replacement, pieces begin with one */
} StepKind;

typedef enum { PREFIX_ALWAYS, PREFIX_FIRST, PREFIX_NEVER } PrefixScheme;

typedef struct {
  StepKind kind;
  PtPattern *pattern; /* SPLIT */
  PtSplitBehavior behavior;
  gboolean invert;
  char *replacement; /* METASPACE */
  PrefixScheme scheme;
} Step;

struct _PtPreTokenizer {
  GArray *steps;
  gboolean byte_level;
};

static void
clear_step (gpointer data)
{
  Step *step = data;

  pt_pattern_free (step->pattern);
  g_free (step->replacement);
}

/* ---- reading ---- */

static gboolean
add_split (PtPreTokenizer *self, PtPattern *pattern, PtSplitBehavior behavior, gboolean invert)
{
  Step step = { .kind = STEP_SPLIT, .pattern = pattern, .behavior = behavior, .invert = invert };

  if (pattern == NULL)
    return FALSE;
  g_array_append_val (self->steps, step);
  return TRUE;
}

static gboolean
add_regex (PtPreTokenizer *self, const char *regex, PtSplitBehavior behavior, gboolean invert,
           GError **error)
{
  return add_split (self, pt_pattern_new (regex, strlen (regex), FALSE, error), behavior, invert);
}

static gboolean
read_behavior (const json_t *json, PtSplitBehavior *behavior, GError **error)
{
  static const char *const names[] = {
    [PT_SPLIT_REMOVED] = "Removed",
    [PT_SPLIT_ISOLATED] = "Isolated",
    [PT_SPLIT_MERGED_WITH_PREVIOUS] = "MergedWithPrevious",
    [PT_SPLIT_MERGED_WITH_NEXT] = "MergedWithNext",
    [PT_SPLIT_CONTIGUOUS] = "Contiguous",
  };
  const char *name = pt_json_string (json, "behavior");

  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (names); i++) {
    if (strcmp (name, names[i]) == 0) {
      *behavior = (PtSplitBehavior) i;
      return TRUE;
    }
  }
  return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer splits in an unknown way, “%.64s”.",
                  name != NULL ? name : "");
}

static gboolean
read_split (PtPreTokenizer *self, const json_t *json, GError **error)
{
  PtSplitBehavior behavior;

  if (!read_behavior (json, &behavior, error))
    return FALSE;
  return add_split (self, pt_pattern_from_json (json_object_get (json, "pattern"), error), behavior,
                    pt_json_bool (json, "invert", FALSE));
}

static gboolean
read_byte_level (PtPreTokenizer *self, const json_t *json, GError **error)
{
  Step step = { .kind = STEP_SPACE_PREFIX };

  self->byte_level = TRUE;
  if (pt_json_bool (json, "add_prefix_space", TRUE))
    g_array_append_val (self->steps, step);
  if (!pt_json_bool (json, "use_regex", TRUE))
    return TRUE;
  return add_regex (self, GPT2_PATTERN, PT_SPLIT_ISOLATED, FALSE, error);
}

static gboolean
read_metaspace (PtPreTokenizer *self, const json_t *json, GError **error)
{
  const char *replacement = pt_json_string (json, "replacement");
  const char *scheme = pt_json_string (json, "prepend_scheme");
  Step step = { .kind = STEP_METASPACE, .scheme = PREFIX_ALWAYS };

  if (replacement == NULL || g_utf8_strlen (replacement, 8) != 1)
    replacement = "▁";
  if (scheme == NULL && !pt_json_bool (json, "add_prefix_space", TRUE))
    step.scheme = PREFIX_NEVER;
  else if (g_strcmp0 (scheme, "first") == 0)
    step.scheme = PREFIX_FIRST;
  else if (g_strcmp0 (scheme, "never") == 0)
    step.scheme = PREFIX_NEVER;
  step.replacement = g_strdup (replacement);
  g_array_append_val (self->steps, step);
  if (!pt_json_bool (json, "split", TRUE))
    return TRUE;
  return add_split (self, pt_pattern_new (replacement, strlen (replacement), TRUE, error),
                    PT_SPLIT_MERGED_WITH_NEXT, FALSE);
}

static gboolean
read_punctuation (PtPreTokenizer *self, const json_t *json, GError **error)
{
  PtSplitBehavior behavior = PT_SPLIT_ISOLATED;

  if (json_object_get (json, "behavior") != NULL && !read_behavior (json, &behavior, error))
    return FALSE;
  return add_regex (self, PUNCTUATION, behavior, FALSE, error);
}

static gboolean
read_delimiter (PtPreTokenizer *self, const json_t *json, GError **error)
{
  const char *delimiter = pt_json_string (json, "delimiter");

  if (delimiter == NULL || g_utf8_strlen (delimiter, 8) != 1)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer splits at no character.");
  return add_split (self, pt_pattern_new (delimiter, strlen (delimiter), TRUE, error),
                    PT_SPLIT_REMOVED, FALSE);
}

static gboolean
read_step (PtPreTokenizer *self, const json_t *json, const char *type, GError **error)
{
  if (strcmp (type, "Split") == 0)
    return read_split (self, json, error);
  if (strcmp (type, "ByteLevel") == 0)
    return read_byte_level (self, json, error);
  if (strcmp (type, "Digits") == 0)
    return add_regex (self, pt_json_bool (json, "individual_digits", FALSE) ? "\\p{N}" : "\\p{N}+",
                      PT_SPLIT_ISOLATED, FALSE, error);
  if (strcmp (type, "Metaspace") == 0)
    return read_metaspace (self, json, error);
  if (strcmp (type, "Punctuation") == 0)
    return read_punctuation (self, json, error);
  if (strcmp (type, "Whitespace") == 0)
    return add_regex (self, WORD "+|[^" WORD_CLASS "\\s]+", PT_SPLIT_REMOVED, TRUE, error);
  if (strcmp (type, "CharDelimiterSplit") == 0)
    return read_delimiter (self, json, error);
  if (strcmp (type, "BertPreTokenizer") == 0)
    return add_regex (self, "\\s+", PT_SPLIT_REMOVED, FALSE, error) &&
           add_regex (self, PUNCTUATION, PT_SPLIT_ISOLATED, FALSE, error);
  if (strcmp (type, "WhitespaceSplit") == 0)
    return add_regex (self, "\\s+", PT_SPLIT_REMOVED, FALSE, error);
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The tokenizer's pre-tokenizer “%.64s” is not supported yet.", type);
}

static gboolean
read_steps (PtPreTokenizer *self, const json_t *json, int depth, GError **error)
{
  const char *type = pt_json_string (json, "type");
  const json_t *list;

  if (json == NULL || json_is_null (json))
    return TRUE;
  if (type == NULL)
    return pt_fail (error, PT_ERROR_TOKENIZER, "A pre-tokenizer of the tokenizer has no type.");
  if (depth > MAX_DEPTH || self->steps->len >= MAX_STEPS)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer's pre-tokenizer is nested too deeply.");
  if (self->byte_level)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The tokenizer splits text after it became bytes (“%.64s” behind “ByteLevel”), "
                    "which is not supported yet.",
                    type);
  if (strcmp (type, "Sequence") != 0)
    return read_step (self, json, type, error);

  list = json_object_get (json, "pretokenizers");
  if (!json_is_array (list))
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "A sequence of pre-tokenizers of the tokenizer has no list.");
  for (gsize i = 0; i < json_array_size (list); i++)
    if (!read_steps (self, json_array_get (list, i), depth + 1, error))
      return FALSE;
  return TRUE;
}

PtPreTokenizer *
pt_pre_tokenizer_new (const json_t *json, GError **error)
{
  g_autoptr (PtPreTokenizer) self = g_new0 (PtPreTokenizer, 1);

  self->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (self->steps, clear_step);
  if (!read_steps (self, json, 0, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_pre_tokenizer_free (PtPreTokenizer *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->steps);
  g_free (self);
}

gboolean
pt_pre_tokenizer_is_byte_level (const PtPreTokenizer *self)
{
  return self->byte_level;
}

/* ---- splitting ---- */

/** Appends @piece with every space replaced. */
static void
append_replaced (GString *out, const char *piece, gsize length, const char *replacement)
{
  for (gsize i = 0; i < length; i++) {
    if (piece[i] == ' ')
      g_string_append (out, replacement);
    else
      g_string_append_c (out, piece[i]);
  }
}

/** Applies a step that changes the text: writes all pieces to a new text. */
static void
rewrite_pieces (const Step *step, GString *text, gboolean at_start, GArray *pieces)
{
  g_autoptr (GString) out = g_string_sized_new (text->len + pieces->len + 8);

  for (guint i = 0; i < pieces->len; i++) {
    PtSpan *span = &g_array_index (pieces, PtSpan, i);
    const char *piece = text->str + span->begin;
    gsize length = span->end - span->begin, begin = out->len;

    if (step->kind == STEP_SPACE_PREFIX) {
      if (piece[0] != ' ')
        g_string_append_c (out, ' ');
      g_string_append_len (out, piece, (gssize) length);
    } else {
      gboolean prefix = step->scheme == PREFIX_ALWAYS ||
                        (step->scheme == PREFIX_FIRST && at_start && span->begin == 0);

      if (prefix && piece[0] != ' ' && !g_str_has_prefix (piece, step->replacement))
        g_string_append (out, step->replacement);
      append_replaced (out, piece, length, step->replacement);
    }
    span->begin = begin;
    span->end = out->len;
  }
  g_string_truncate (text, 0);
  g_string_append_len (text, out->str, (gssize) out->len);
}

gboolean
pt_pre_tokenizer_split (const PtPreTokenizer *self, PtMatcher *matcher, GString *text,
                        gboolean at_start, GArray *pieces, GError **error)
{
  g_autoptr (GArray) finer = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  PtSpan whole = { 0, text->len, FALSE };

  g_array_set_size (pieces, 0);
  if (text->len > 0)
    g_array_append_val (pieces, whole);
  for (guint i = 0; i < self->steps->len; i++) {
    const Step *step = &g_array_index (self->steps, Step, i);

    if (step->kind != STEP_SPLIT) {
      rewrite_pieces (step, text, at_start, pieces);
      continue;
    }
    g_array_set_size (finer, 0);
    for (guint j = 0; j < pieces->len; j++) {
      PtSpan span = g_array_index (pieces, PtSpan, j);

      if (!pt_pattern_split (step->pattern, matcher, text->str, span.begin, span.end,
                             step->behavior, step->invert, finer, error))
        return FALSE;
    }
    g_array_set_size (pieces, 0);
    g_array_append_vals (pieces, finer->data, finer->len);
  }
  return TRUE;
}
