/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/normalizer.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/base64.h"
#include "engine/text/characters.h"
#include "engine/text/charsmap.h"

/* Most nested sequences; real files nest once. */
#define MAX_DEPTH 8
#define MAX_STEPS 64
/* A replacement may lengthen the text; a hostile chain of them would do so exponentially. */
#define MAX_TEXT (1u << 30)
/* Grapheme clusters of fewer bytes are replaced as a whole. */
#define SHORT_CHARACTER 6

typedef enum {
  STEP_UNICODE,
  STEP_CHARACTERS,
  STEP_STRIP,
  STEP_REPLACE,
  STEP_PREPEND,
  STEP_CHARSMAP,
} StepKind;

typedef struct {
  StepKind kind;
  GNormalizeMode mode;              /* UNICODE */
  gboolean strip_left, strip_right; /* STRIP */
  void (*change) (GString *text);   /* CHARACTERS */
  PtPattern *pattern;               /* REPLACE; CHARSMAP: matches grapheme clusters */
  PtCharsMap *map;                  /* CHARSMAP */
  char *text;                       /* REPLACE: the replacement; PREPEND: the prefix */
  gsize length;
} Step;

struct _PtNormalizer {
  GArray *steps;
};

static void
clear_step (gpointer data)
{
  Step *step = data;

  pt_pattern_free (step->pattern);
  pt_chars_map_free (step->map);
  g_free (step->text);
}

static gboolean
set_text (Step *step, const json_t *json, const char *key, GError **error)
{
  const json_t *text = json_object_get (json, key);

  if (!json_is_string (text))
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer's normalizer lacks its “%s”.", key);
  step->length = json_string_length (text);
  step->text = g_memdup2 (json_string_value (text), step->length + 1);
  return TRUE;
}

static gboolean
unicode_mode (const char *type, GNormalizeMode *mode)
{
  static const struct {
    const char *type;
    GNormalizeMode mode;
  } modes[] = {
    { "NFC", G_NORMALIZE_NFC },
    { "NFD", G_NORMALIZE_NFD },
    { "NFKC", G_NORMALIZE_NFKC },
    { "NFKD", G_NORMALIZE_NFKD },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++) {
    if (strcmp (type, modes[i].type) == 0) {
      *mode = modes[i].mode;
      return TRUE;
    }
  }
  return FALSE;
}

static void (*character_step (const char *type)) (GString *text)
{
  return strcmp (type, "Lowercase") == 0      ? pt_lower
         : strcmp (type, "StripAccents") == 0 ? pt_drop_marks
         : strcmp (type, "Nmt") == 0          ? pt_clean_nmt
                                              : NULL;
}

/** Reads SentencePiece's table of replacements; it may be null or missing. */
static gboolean
read_charsmap (const json_t *json, Step *step, GError **error)
{
  const json_t *text = json_object_get (json, "precompiled_charsmap");
  g_autoptr (GString) blob = g_string_new (NULL);

  if (!json_is_string (text) ||
      !pt_base64_decode (json_string_value (text), json_string_length (text), blob))
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer's table of characters to replace is not base64.");
  step->kind = STEP_CHARSMAP;
  step->map = pt_chars_map_new (blob->str, blob->len, error);
  if (step->map == NULL)
    return FALSE;
  step->pattern = pt_pattern_new ("\\X", 2, FALSE, error);
  return step->pattern != NULL;
}

/** Reads BERT's normalizer, which combines others. */
static gboolean
read_bert (PtNormalizer *self, const json_t *json)
{
  gboolean lower = pt_json_bool (json, "lowercase", TRUE);
  gboolean accents = pt_json_bool (json, "strip_accents", lower);
  const Step nfd = { .kind = STEP_UNICODE, .mode = G_NORMALIZE_NFD };
  const struct {
    gboolean wanted;
    Step step;
  } steps[] = {
    { pt_json_bool (json, "clean_text", TRUE), { STEP_CHARACTERS, .change = pt_clean_bert } },
    { pt_json_bool (json, "handle_chinese_chars", TRUE),
      { STEP_CHARACTERS, .change = pt_space_chinese } },
    { accents, nfd },
    { accents, { STEP_CHARACTERS, .change = pt_drop_accents } },
    { lower, { STEP_CHARACTERS, .change = pt_lower } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    if (steps[i].wanted)
      g_array_append_val (self->steps, steps[i].step);
  return TRUE;
}

static gboolean
read_step (const json_t *json, Step *step, GError **error)
{
  const char *type = pt_json_string (json, "type");

  if (type == NULL)
    return pt_fail (error, PT_ERROR_TOKENIZER, "A normalizer of the tokenizer has no type.");
  if (unicode_mode (type, &step->mode)) {
    step->kind = STEP_UNICODE;
    return TRUE;
  }
  step->change = character_step (type);
  if (step->change != NULL) {
    step->kind = STEP_CHARACTERS;
    return TRUE;
  }
  if (strcmp (type, "Precompiled") == 0)
    return read_charsmap (json, step, error);
  if (strcmp (type, "Strip") == 0) {
    step->kind = STEP_STRIP;
    step->strip_left = pt_json_bool (json, "strip_left", TRUE);
    step->strip_right = pt_json_bool (json, "strip_right", TRUE);
    return TRUE;
  }
  if (strcmp (type, "Replace") == 0) {
    step->kind = STEP_REPLACE;
    step->pattern = pt_pattern_from_json (json_object_get (json, "pattern"), error);
    return step->pattern != NULL && set_text (step, json, "content", error);
  }
  if (strcmp (type, "Prepend") == 0) {
    step->kind = STEP_PREPEND;
    return set_text (step, json, "prepend", error);
  }
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The tokenizer's normalizer “%.64s” is not supported yet.", type);
}

static gboolean
read_steps (PtNormalizer *self, const json_t *json, int depth, GError **error)
{
  const char *type = pt_json_string (json, "type");
  Step step = { 0 };

  if (json == NULL || json_is_null (json))
    return TRUE;
  if (depth > MAX_DEPTH || self->steps->len >= MAX_STEPS)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer's normalizer is nested too deeply.");
  if (type != NULL && strcmp (type, "Sequence") == 0) {
    const json_t *list = json_object_get (json, "normalizers");

    if (!json_is_array (list))
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "A sequence of normalizers of the tokenizer has no list.");
    for (gsize i = 0; i < json_array_size (list); i++)
      if (!read_steps (self, json_array_get (list, i), depth + 1, error))
        return FALSE;
    return TRUE;
  }
  if (type != NULL && strcmp (type, "BertNormalizer") == 0)
    return read_bert (self, json);
  if (!read_step (json, &step, error)) {
    clear_step (&step);
    return FALSE;
  }
  g_array_append_val (self->steps, step);
  return TRUE;
}

PtNormalizer *
pt_normalizer_new (const json_t *json, GError **error)
{
  g_autoptr (PtNormalizer) self = g_new0 (PtNormalizer, 1);

  self->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (self->steps, clear_step);
  if (!read_steps (self, json, 0, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_normalizer_free (PtNormalizer *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->steps);
  g_free (self);
}

static gboolean
is_ascii (const GString *text)
{
  for (gsize i = 0; i < text->len; i++)
    if ((guchar) text->str[i] >= 0x80)
      return FALSE;
  return TRUE;
}

/** Applies a function of GLib to the runs between zero bytes, at which it would stop. */
static void
map_runs (GString *text, char *(*map) (const char *run, gssize length, gconstpointer data),
          gconstpointer data)
{
  g_autoptr (GString) out = g_string_sized_new (text->len);
  gsize begin = 0;

  while (begin < text->len) {
    gsize length = strlen (text->str + begin);
    g_autofree char *mapped = map (text->str + begin, (gssize) length, data);

    g_string_append (out, mapped);
    begin += length;
    if (begin < text->len) {
      g_string_append_c (out, '\0');
      begin++;
    }
  }
  g_string_truncate (text, 0);
  g_string_append_len (text, out->str, (gssize) out->len);
}

static char *
normalize_run (const char *run, gssize length, gconstpointer data)
{
  return g_utf8_normalize (run, length, *(const GNormalizeMode *) data);
}

/**
 * Applies the table of replacements. Short grapheme clusters are looked up whole, and a match of
 * their beginning replaces the whole cluster; longer ones are replaced character by character.
 */
static void
replace_by_map (const PtCharsMap *map, const char *text, gsize length, GString *out)
{
  const char *replacement = NULL;
  gsize size = 0;

  if (length < SHORT_CHARACTER && pt_chars_map_first (map, text, length, &replacement, &size) > 0) {
    g_string_append_len (out, replacement, (gssize) size);
    return;
  }
  for (gsize i = 0; i < length;) {
    gsize step = (gsize) g_utf8_skip[(guint8) text[i]];

    if (pt_chars_map_first (map, text + i, step, &replacement, &size) > 0)
      g_string_append_len (out, replacement, (gssize) size);
    else
      g_string_append_len (out, text + i, (gssize) step);
    i += step;
  }
}

static gboolean
apply_charsmap (const Step *step, PtMatcher *matcher, GString *text, GError **error)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  g_autoptr (GString) out = g_string_sized_new (text->len);

  if (!pt_pattern_find (step->pattern, matcher, text->str, 0, text->len, spans, error))
    return FALSE;
  for (guint i = 0; i < spans->len; i++) {
    PtSpan span = g_array_index (spans, PtSpan, i);

    replace_by_map (step->map, text->str + span.begin, span.end - span.begin, out);
    if (out->len > MAX_TEXT)
      return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer makes this text too long.");
  }
  g_string_truncate (text, 0);
  g_string_append_len (text, out->str, (gssize) out->len);
  return TRUE;
}

static void
strip (GString *text, gboolean left, gboolean right)
{
  if (right) {
    const char *end = text->str + text->len;

    while (end > text->str) {
      const char *last = g_utf8_prev_char (end);

      if (!pt_is_white (g_utf8_get_char (last)))
        break;
      end = last;
    }
    g_string_truncate (text, (gsize) (end - text->str));
  }
  if (left) {
    const char *begin = text->str;

    while (begin < text->str + text->len && pt_is_white (g_utf8_get_char (begin)))
      begin = g_utf8_next_char (begin);
    g_string_erase (text, 0, begin - text->str);
  }
}

static gboolean
replace (const Step *step, PtMatcher *matcher, GString *text, GError **error)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  g_autoptr (GString) out = NULL;

  if (!pt_pattern_find (step->pattern, matcher, text->str, 0, text->len, spans, error))
    return FALSE;
  out = g_string_sized_new (text->len);
  for (guint i = 0; i < spans->len; i++) {
    PtSpan span = g_array_index (spans, PtSpan, i);

    if (out->len + step->length > MAX_TEXT)
      return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer makes this text too long.");
    if (span.is_match)
      g_string_append_len (out, step->text, (gssize) step->length);
    else
      g_string_append_len (out, text->str + span.begin, (gssize) (span.end - span.begin));
  }
  g_string_truncate (text, 0);
  g_string_append_len (text, out->str, (gssize) out->len);
  return TRUE;
}

gboolean
pt_normalizer_apply (const PtNormalizer *self, PtMatcher *matcher, GString *text, GError **error)
{
  for (guint i = 0; i < self->steps->len; i++) {
    const Step *step = &g_array_index (self->steps, Step, i);

    switch (step->kind) {
    case STEP_UNICODE:
      if (!is_ascii (text))
        map_runs (text, normalize_run, &step->mode);
      break;
    case STEP_CHARACTERS: step->change (text); break;
    case STEP_CHARSMAP:
      if (!apply_charsmap (step, matcher, text, error))
        return FALSE;
      break;
    case STEP_STRIP: strip (text, step->strip_left, step->strip_right); break;
    case STEP_REPLACE:
      if (!replace (step, matcher, text, error))
        return FALSE;
      break;
    case STEP_PREPEND:
      if (text->len > 0)
        g_string_prepend_len (text, step->text, (gssize) step->length);
      break;
    }
  }
  return TRUE;
}
