/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads tokenizer.json of Hugging Face: added tokens, normalizer, pre-tokenizer, model,
 * post-processor and decoder (docs/formats/tokenizers.md, section 3). */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/added-tokens.h"
#include "engine/text/hf-model.h"
#include "engine/text/normalizer.h"
#include "engine/text/pre-tokenizer.h"
#include "engine/text/token-decoder.h"
#include "engine/text/tokenizer-private.h"

#define MAX_DEPTH 8

typedef struct {
  PtTokenizer base;
  PtNormalizer *normalizer;
  PtPreTokenizer *pre_tokenizer;
  PtAddedTokens *added;
  PtHfModel *model;
} HfTokenizer;

/* State of one encoding. */
typedef struct {
  const HfTokenizer *self;
  const PtTrust *trust;
  PtMatcher *matcher;
  PtHfWork *work;
  GArray *pieces; /* PtSpan */
  GArray *ids;
} Encoding;

/* ---- encoding ---- */

/** Encodes normalised text without added tokens: splits it into pieces, and these into tokens. */
static gboolean
encode_pieces (Encoding *e, GString *text, gboolean at_start, GError **error)
{
  if (!pt_pre_tokenizer_split (e->self->pre_tokenizer, e->matcher, text, at_start, e->pieces,
                               error))
    return FALSE;
  for (guint i = 0; i < e->pieces->len; i++) {
    PtSpan span = g_array_index (e->pieces, PtSpan, i);

    if (!pt_hf_model_encode (e->self->model, text->str + span.begin, span.end - span.begin, e->work,
                             e->ids, error))
      return FALSE;
  }
  return TRUE;
}

/** Encodes text between raw added tokens: normalises it and matches the normalised added tokens. */
static gboolean
encode_section (Encoding *e, const char *text, gsize begin, gsize end, GError **error)
{
  gboolean trusted = pt_trust_covers (e->trust, begin, end), at_start = begin == 0;
  g_autoptr (GString) section = g_string_new_len (text + begin, (gssize) (end - begin));
  g_autoptr (GString) part = NULL;
  PtAddedMatch match;
  PtTrust trust = { NULL, 0 };
  PtSpan all;
  gsize done = 0;

  if (!pt_normalizer_apply (e->self->normalizer, e->matcher, section, error))
    return FALSE;
  all = (PtSpan){ 0, section->len, FALSE };
  if (trusted)
    trust = (PtTrust){ &all, 1 };
  while (pt_added_tokens_next (e->self->added, section->str, section->len, done, TRUE, &trust,
                               &match)) {
    part = part != NULL ? part : g_string_new (NULL);
    g_string_truncate (part, 0);
    g_string_append_len (part, section->str + done, (gssize) (match.begin - done));
    if (!encode_pieces (e, part, at_start && done == 0, error))
      return FALSE;
    g_array_append_val (e->ids, match.id);
    done = match.end;
  }
  if (done == 0)
    return encode_pieces (e, section, at_start, error);
  g_string_erase (section, 0, (gssize) done);
  return encode_pieces (e, section, FALSE, error);
}

static gboolean
encode_text (Encoding *e, const char *text, gsize length, GError **error)
{
  PtAddedMatch match;
  gsize done = 0;

  while (pt_added_tokens_next (e->self->added, text, length, done, FALSE, e->trust, &match)) {
    if (match.begin > done && !encode_section (e, text, done, match.begin, error))
      return FALSE;
    g_array_append_val (e->ids, match.id);
    done = match.end;
  }
  return done >= length || encode_section (e, text, done, length, error);
}

static gboolean
hf_encode (const PtTokenizer *base, const char *text, gsize length, PtScratch *scratch,
           const PtTrust *trust, GArray *ids, GError **error)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  g_autoptr (PtMatcher) matcher = pt_matcher_new (length, error);
  g_auto (PtHfWork) work = { 0 };
  Encoding e = { (const HfTokenizer *) base, trust, matcher, &work, pieces, ids };

  pt_hf_work_init (&work, scratch);
  return matcher != NULL && encode_text (&e, text, length, error);
}

/* ---- loading ---- */

static gboolean
special_ids (const json_t *specials, const char *name, GArray *ids, GError **error)
{
  const json_t *list = json_object_get (json_object_get (specials, name), "ids");

  if (!json_is_array (list) || json_array_size (list) > 16)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer's post-processor does not say what “%.64s” is.", name);
  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    gint32 id;

    if (!json_is_integer (item) || json_integer_value (item) < 0 ||
        json_integer_value (item) >= PT_MAX_TOKENS)
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "The tokenizer's post-processor has an id that is out of range.");
    id = (gint32) json_integer_value (item);
    g_array_append_val (ids, id);
  }
  return TRUE;
}

static gboolean
read_template (HfTokenizer *self, const json_t *json, GError **error)
{
  const json_t *single = json_object_get (json, "single");
  const json_t *specials = json_object_get (json, "special_tokens");
  GArray *ids = self->base.prefix;

  if (json_array_size (single) > 64)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer's post-processor is too long.");
  for (gsize i = 0; i < json_array_size (single); i++) {
    const json_t *item = json_array_get (single, i);
    const char *name = pt_json_string (json_object_get (item, "SpecialToken"), "id");

    if (json_object_get (item, "Sequence") != NULL)
      ids = self->base.suffix;
    else if (name == NULL || !special_ids (specials, name, ids, error))
      return name != NULL ? FALSE
                          : pt_fail (error, PT_ERROR_TOKENIZER,
                                     "The tokenizer's post-processor is damaged.");
  }
  return TRUE;
}

/** BertProcessing and RobertaProcessing: "cls" goes before, "sep" behind the text; each is ["<s>",
 * id]. */
static void
read_pair (HfTokenizer *self, const json_t *json)
{
  const json_t *before = json_array_get (json_object_get (json, "cls"), 1);
  const json_t *behind = json_array_get (json_object_get (json, "sep"), 1);
  gint32 id;

  if (json_is_integer (before)) {
    id = (gint32) CLAMP (json_integer_value (before), 0, PT_MAX_TOKENS);
    g_array_append_val (self->base.prefix, id);
  }
  if (json_is_integer (behind)) {
    id = (gint32) CLAMP (json_integer_value (behind), 0, PT_MAX_TOKENS);
    g_array_append_val (self->base.suffix, id);
  }
}

static gboolean
read_post_processor (HfTokenizer *self, const json_t *json, int depth, GError **error)
{
  const char *type = pt_json_string (json, "type");
  const json_t *list;

  if (json == NULL || json_is_null (json) || g_strcmp0 (type, "ByteLevel") == 0)
    return TRUE;
  if (type == NULL || depth > MAX_DEPTH)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer's post-processor is damaged.");
  if (strcmp (type, "TemplateProcessing") == 0)
    return read_template (self, json, error);
  if (strcmp (type, "BertProcessing") == 0 || strcmp (type, "RobertaProcessing") == 0) {
    read_pair (self, json);
    return TRUE;
  }
  if (strcmp (type, "Sequence") != 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The tokenizer's post-processor “%.64s” is not supported yet.", type);
  list = json_object_get (json, "processors");
  for (gsize i = 0; i < json_array_size (list); i++)
    if (!read_post_processor (self, json_array_get (list, i), depth + 1, error))
      return FALSE;
  return TRUE;
}

/* ---- lengths of texts ---- */

/* Exporters of tokenizers write at most a few thousand. */
#define MAX_TEXT_LENGTH (1 << 20)

static gboolean
is_left (const json_t *json)
{
  return g_strcmp0 (pt_json_string (json, "direction"), "Left") == 0;
}

/* The token that fills texts up where the file has no "padding". */
static gint32
find_pad (const HfTokenizer *self)
{
  static const char *const NAMES[] = { "[PAD]", "<pad>", "<|pad|>", "<|endoftext|>" };

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    gint32 id = pt_tokenizer_find (&self->base, NAMES[i]);

    if (id >= 0)
      return id;
  }
  return 0;
}

static gboolean
read_lengths (HfTokenizer *self, const json_t *json, GError **error)
{
  const json_t *truncation = json_object_get (json, "truncation");
  const json_t *padding = json_object_get (json, "padding");
  PtTextLength *out = &self->base.text_length;
  gint64 most = pt_json_int (truncation, "max_length", 0);
  gint64 fixed = pt_json_int (json_object_get (padding, "strategy"), "Fixed", 0);
  gint64 pad = pt_json_int (padding, "pad_id", find_pad (self));

  if (most < 0 || fixed < 0 || fixed > MAX_TEXT_LENGTH || pad < 0 || pad >= PT_MAX_TOKENS)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer's truncation or padding is out of range.");
  out->most = (guint) MIN (most, MAX_TEXT_LENGTH);
  out->cut_front = is_left (truncation);
  out->padded_to = (guint) fixed;
  out->pad_front = is_left (padding);
  out->pad = (gint32) pad;
  return TRUE;
}

static gboolean
read_tokenizer (HfTokenizer *self, const json_t *json, const PtHfLists *lists, GError **error)
{
  const json_t *model = json_object_get (json, "model");
  PtDecoding how = { 0 };
  const json_t *vocab = json_object_get (model, "vocab");
  gsize size = lists != NULL           ? lists->n_tokens
               : json_is_array (vocab) ? json_array_size (vocab)
                                       : json_object_size (vocab);
  guint expected = (guint) MIN (size, PT_MAX_TOKENS) + 256;

  if (!json_is_object (model))
    return pt_fail (error, PT_ERROR_TOKENIZER, "It has no model.");
  self->base.vocabulary = pt_vocabulary_new (expected, error);
  if (self->base.vocabulary == NULL)
    return FALSE;
  self->normalizer = pt_normalizer_new (json_object_get (json, "normalizer"), error);
  if (self->normalizer == NULL)
    return FALSE;
  self->pre_tokenizer = pt_pre_tokenizer_new (json_object_get (json, "pre_tokenizer"), error);
  if (self->pre_tokenizer == NULL)
    return FALSE;
  self->model = pt_hf_model_new (model, lists, pt_pre_tokenizer_is_byte_level (self->pre_tokenizer),
                                 self->base.vocabulary, error);
  if (self->model == NULL || !pt_token_decoder_apply (json_object_get (json, "decoder"),
                                                      self->base.vocabulary, &how, error))
    return FALSE;
  self->base.strip = how.strip_space ? PT_STRIP_ONE : PT_STRIP_NONE;
  self->base.spaces_words = how.spaces_words;
  self->base.collapses = how.collapses;
  self->added = pt_added_tokens_new (json_object_get (json, "added_tokens"), self->normalizer,
                                     self->base.vocabulary, error);
  return self->added != NULL &&
         read_post_processor (self, json_object_get (json, "post_processor"), 0, error) &&
         read_lengths (self, json, error);
}

static void
hf_free (PtTokenizer *base)
{
  HfTokenizer *self = (HfTokenizer *) base;

  pt_hf_model_free (self->model);
  pt_added_tokens_free (self->added);
  pt_pre_tokenizer_free (self->pre_tokenizer);
  pt_normalizer_free (self->normalizer);
  pt_tokenizer_clear_base (base);
  g_free (self);
}

PtTokenizer *
pt_hf_tokenizer_new (const json_t *json, const PtHfLists *lists, GError **error)
{
  HfTokenizer *self = g_new0 (HfTokenizer, 1);

  pt_tokenizer_init_base (&self->base);
  self->base.encode = hf_encode;
  self->base.free = hf_free;
  if (!read_tokenizer (self, json, lists, error)) {
    hf_free (&self->base);
    return NULL;
  }
  return &self->base;
}
