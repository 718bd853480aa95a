/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/pattern.h"

#include "engine/base/set-error.h"
#include "engine/base/json.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Longest pattern; real ones have some hundred characters. */
#define MAX_SOURCE (16 * 1024)
/* Most backtracking steps of one match, besides some for each byte of text. */
#define BASE_STEPS 1000000
#define MAX_JIT_STACK (1024 * 1024)
#define MAX_HEAP_KIB (64 * 1024)
/* Time limit for one text, besides a second per megabyte; only hostile patterns need more. */
#define BASE_TIME_US (2 * G_USEC_PER_SEC)
#define TIME_EVERY 16 /* matches */

struct _PtPattern {
  pcre2_code *code;
  gboolean may_be_empty; /* what it matches */
};

struct _PtMatcher {
  pcre2_match_data *data;
  pcre2_match_context *context;
  pcre2_jit_stack *stack;
  gint64 deadline;
  guint n_matches;
  GArray *spans; /* of pt_pattern_split() */
};

/*
 * White space by Unicode, as in the references. PCRE2's own "\s" also matches U+180E, which has not
 * been white space since 2013.
 */
#define SPACE "\\t-\\r\\x85\\p{Z}"
#define NO_SPACE "\\S\\x{180e}" /* in a class */

/** Skips a literal at @at: an escape, quoted text, "[:alpha:]". */
static const char *
skip_plain (const char *at, const char *end, gboolean in_class)
{
  const char *stop = NULL;

  if (at + 1 < end && at[0] == '\\' && at[1] == 'Q')
    stop = g_strstr_len (at, end - at, "\\E");
  else if (at + 1 < end && in_class && at[0] == '[' && at[1] == ':')
    stop = g_strstr_len (at, end - at, ":]");
  if (stop != NULL)
    return stop + 2;
  return at + (at[0] == '\\' && at + 1 < end ? 2 : 1);
}

/** Copies @source with "\s" and "\S" replaced by character classes. */
static GString *
spell_out (const char *source, gsize length)
{
  GString *out = g_string_sized_new (length + 64);
  const char *end = source + length;
  gboolean in_class = FALSE;

  for (const char *at = source, *next; at < end; at = next) {
    char escaped = *at == '\\' && at + 1 < end ? at[1] : '\0';

    next = skip_plain (at, end, in_class);
    if (escaped == 's' || escaped == 'S') {
      g_string_append (out, in_class ? (escaped == 's' ? SPACE : NO_SPACE)
                                     : (escaped == 's' ? "[" SPACE "]" : "[^" SPACE "]"));
      continue;
    }
    if (!in_class && *at == '[') {
      in_class = TRUE;
      if (next < end && *next == '^')
        next++;
      if (next < end && *next == ']') /* a leading "]" is a literal */
        next++;
    } else if (in_class && *at == ']') {
      in_class = FALSE;
    }
    g_string_append_len (out, at, next - at);
  }
  return out;
}

PtPattern *
pt_pattern_new (const char *source, gsize length, gboolean literal, GError **error)
{
  uint32_t options = PCRE2_UTF | (literal ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C);
  g_autoptr (GString) spelled = NULL;
  PtPattern *self;
  pcre2_code *code;
  uint32_t may_be_empty = 0;
  PCRE2_SIZE offset;
  int problem;

  if (length > MAX_SOURCE) {
    pt_fail (error, PT_ERROR_TOKENIZER, "A pattern of the tokenizer is too long (%zu bytes).",
             length);
    return NULL;
  }
  spelled = literal ? g_string_new_len (source, (gssize) length) : spell_out (source, length);
  code = pcre2_compile ((PCRE2_SPTR) spelled->str, spelled->len, options, &problem, &offset, NULL);
  if (code == NULL) {
    PCRE2_UCHAR message[160];

    pcre2_get_error_message (problem, message, sizeof message);
    if (problem == PCRE2_ERROR_HEAP_FAILED)
      pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory for the tokenizer's patterns.");
    else
      pt_fail (error, PT_ERROR_TOKENIZER, "The pattern “%.*s” of the tokenizer is not valid: %s.",
               (int) MIN (length, 80), source, (const char *) message);
    return NULL;
  }
  /* If JIT compilation fails (a hardened kernel, an unusual CPU), the interpreter is used. */
  pcre2_jit_compile (code, PCRE2_JIT_COMPLETE);
  self = g_new0 (PtPattern, 1);
  self->code = code;
  pcre2_pattern_info (code, PCRE2_INFO_MATCHEMPTY, &may_be_empty);
  self->may_be_empty = may_be_empty != 0;
  return self;
}

PtPattern *
pt_pattern_from_json (const json_t *json, GError **error)
{
  const json_t *literal = json_object_get (json, "String");
  const json_t *regex = json_object_get (json, "Regex");

  if (json_is_string (literal))
    return pt_pattern_new (json_string_value (literal), json_string_length (literal), TRUE, error);
  if (json_is_string (regex))
    return pt_pattern_new (json_string_value (regex), json_string_length (regex), FALSE, error);
  pt_fail (error, PT_ERROR_TOKENIZER,
           "A pattern of the tokenizer is neither a text nor a regular expression.");
  return NULL;
}

void
pt_pattern_free (PtPattern *self)
{
  if (self == NULL)
    return;
  pcre2_code_free (self->code);
  g_free (self);
}

PtMatcher *
pt_matcher_new (gsize length, GError **error)
{
  g_autoptr (PtMatcher) self = g_new0 (PtMatcher, 1);
  uint32_t steps = (uint32_t) MIN (BASE_STEPS + 8 * length, G_MAXUINT32);

  self->spans = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  self->data = pcre2_match_data_create (1, NULL);
  self->context = pcre2_match_context_create (NULL);
  self->stack = pcre2_jit_stack_create (32 * 1024, MAX_JIT_STACK, NULL);
  if (self->data == NULL || self->context == NULL || self->stack == NULL) {
    pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory to read the text.");
    return NULL;
  }
  pcre2_set_match_limit (self->context, steps);
  pcre2_set_depth_limit (self->context, steps);
  pcre2_set_heap_limit (self->context, MAX_HEAP_KIB);
  pcre2_jit_stack_assign (self->context, NULL, self->stack);
  self->deadline = g_get_monotonic_time () + BASE_TIME_US + (gint64) length;
  return g_steal_pointer (&self);
}

void
pt_matcher_free (PtMatcher *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->spans);
  pcre2_match_data_free (self->data);
  pcre2_match_context_free (self->context);
  pcre2_jit_stack_free (self->stack);
  g_free (self);
}

static void
add_span (GArray *spans, gsize begin, gsize end, gboolean is_match)
{
  PtSpan span = { begin, end, is_match };

  if (is_match || begin < end)
    g_array_append_val (spans, span);
}

static gboolean
match_problem (int code, GError **error)
{
  PCRE2_UCHAR message[160];

  if (code == PCRE2_ERROR_NOMEMORY)
    return pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory to read the text.");
  pcre2_get_error_message (code, message, sizeof message);
  return pt_fail (error, PT_ERROR_TOKENIZER,
                  "A pattern of the tokenizer cannot be applied to this text: %s.",
                  (const char *) message);
}

gboolean
pt_pattern_find (const PtPattern *self, PtMatcher *matcher, const char *text, gsize begin,
                 gsize end, GArray *spans, GError **error)
{
  const PCRE2_SIZE *found = pcre2_get_ovector_pointer (matcher->data);
  const char *base = text + begin;
  gsize length = end - begin, gap = 0, from = 0, last = G_MAXSIZE;

  /* An empty match is possible at the end of a text, but not in an empty text. */
  while (from < length || (from == length && from > 0 && self->may_be_empty)) {
    int n = pcre2_match (self->code, (PCRE2_SPTR) base, length, from, PCRE2_NO_UTF_CHECK,
                         matcher->data, matcher->context);

    if (n == PCRE2_ERROR_NOMATCH)
      break;
    if (n < 0)
      return match_problem (n, error);
    if (++matcher->n_matches % TIME_EVERY == 0 && g_get_monotonic_time () > matcher->deadline)
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "The tokenizer's patterns take too long on this text.");
    if (found[0] < from || found[1] < found[0] || (found[1] == found[0] && found[1] == last)) {
      /* An empty match directly behind a match does not count. */
      from = from < length ? (gsize) (g_utf8_next_char (base + from) - base) : length + 1;
      continue;
    }
    add_span (spans, begin + gap, begin + found[0], FALSE);
    add_span (spans, begin + found[0], begin + found[1], TRUE);
    from = gap = last = found[1];
  }
  add_span (spans, begin + gap, end, FALSE);
  return TRUE;
}

/** MergedWithPrevious and MergedWithNext: of several matches in a row only the first is merged. */
static void
merge_spans (const PtSpan *spans, guint n, gboolean with_previous, GArray *pieces)
{
  guint first = pieces->len;
  gboolean after_match = FALSE;

  for (guint i = 0; i < n; i++) {
    PtSpan span = spans[with_previous ? i : n - 1 - i];

    if (span.is_match && !after_match && pieces->len > first) {
      PtSpan *last = &g_array_index (pieces, PtSpan, pieces->len - 1);

      if (with_previous)
        last->end = span.end;
      else
        last->begin = span.begin;
    } else {
      g_array_append_val (pieces, span);
    }
    after_match = span.is_match;
  }
  if (with_previous)
    return;
  for (guint i = first, j = pieces->len; i + 1 < j; i++) {
    PtSpan *a = &g_array_index (pieces, PtSpan, i);
    PtSpan *b = &g_array_index (pieces, PtSpan, --j);
    PtSpan swap = *a;

    *a = *b;
    *b = swap;
  }
}

/* Removes empty pieces. */
static void
drop_empty (GArray *pieces, guint first)
{
  guint kept = first;

  for (guint i = first; i < pieces->len; i++) {
    PtSpan piece = g_array_index (pieces, PtSpan, i);

    if (piece.begin < piece.end)
      g_array_index (pieces, PtSpan, kept++) = piece;
  }
  g_array_set_size (pieces, kept);
}

gboolean
pt_pattern_split (const PtPattern *self, PtMatcher *matcher, const char *text, gsize begin,
                  gsize end, PtSplitBehavior behavior, gboolean invert, GArray *pieces,
                  GError **error)
{
  GArray *spans = matcher->spans;
  guint first = pieces->len;

  g_array_set_size (spans, 0);
  if (!pt_pattern_find (self, matcher, text, begin, end, spans, error))
    return FALSE;
  for (guint i = 0; invert && i < spans->len; i++)
    g_array_index (spans, PtSpan, i).is_match ^= TRUE;

  if (behavior == PT_SPLIT_MERGED_WITH_PREVIOUS || behavior == PT_SPLIT_MERGED_WITH_NEXT) {
    merge_spans ((const PtSpan *) (gpointer) spans->data, spans->len,
                 behavior == PT_SPLIT_MERGED_WITH_PREVIOUS, pieces);
    if (self->may_be_empty)
      drop_empty (pieces, first);
    return TRUE;
  }
  for (guint i = 0; i < spans->len; i++) {
    PtSpan span = g_array_index (spans, PtSpan, i);
    PtSpan *last = pieces->len > first ? &g_array_index (pieces, PtSpan, pieces->len - 1) : NULL;

    if (behavior == PT_SPLIT_REMOVED && span.is_match)
      continue;
    if (behavior == PT_SPLIT_CONTIGUOUS && last != NULL && last->is_match == span.is_match)
      last->end = span.end;
    else
      g_array_append_val (pieces, span);
  }
  if (self->may_be_empty)
    drop_empty (pieces, first);
  return TRUE;
}
