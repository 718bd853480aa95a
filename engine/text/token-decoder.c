/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/token-decoder.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/bpe.h"

#define MAX_DEPTH 8

/* A chain of decoders; all real files fit into this struct. */
typedef struct {
  gboolean byte_level;
  gboolean byte_fallback;
  gboolean strip_space;
  const char *from, *to; /* replace the first by the second: "▁" by " " */
  const char *inside;    /* prefix of pieces inside a word; other pieces get a space */
  gboolean cleanup;      /* no spaces before punctuation */
  const char *end;       /* suffix at the end of a word; becomes a space */
  const char *pad;       /* of CTC: what is left out */
  const char *delimiter; /* CTC: replaced by a space */
} Chain;

static gboolean
read_replace (const json_t *json, Chain *chain, GError **error)
{
  const char *from = pt_json_string (json_object_get (json, "pattern"), "String");
  const char *to = pt_json_string (json, "content");

  if (from == NULL || *from == '\0' || to == NULL || chain->from != NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The tokenizer's decoder replaces text in a way that is not supported yet.");
  chain->from = from;
  chain->to = to;
  return TRUE;
}

static gboolean
read_strip (const json_t *json, Chain *chain, GError **error)
{
  gint64 start = pt_json_int (json, "start", 0), stop = pt_json_int (json, "stop", 0);

  if (start == 0 && stop == 0)
    return TRUE;
  if (start != 1 || stop != 0 || g_strcmp0 (pt_json_string (json, "content"), " ") != 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The tokenizer's decoder strips text in a way that is not supported yet.");
  chain->strip_space = TRUE;
  return TRUE;
}

static gboolean
read_metaspace (const json_t *json, Chain *chain)
{
  const char *replacement = pt_json_string (json, "replacement");
  const char *scheme = pt_json_string (json, "prepend_scheme");

  chain->from = replacement != NULL && *replacement != '\0' ? replacement : "▁";
  chain->to = " ";
  chain->strip_space = scheme != NULL ? strcmp (scheme, "never") != 0
                                      : pt_json_bool (json, "add_prefix_space", TRUE);
  return TRUE;
}

static gboolean
read_word_piece (const json_t *json, Chain *chain)
{
  const char *prefix = pt_json_string (json, "prefix");

  chain->inside = prefix != NULL ? prefix : "##";
  chain->cleanup = pt_json_bool (json, "cleanup", TRUE);
  chain->strip_space = TRUE;
  return TRUE;
}

/* A string of the decoder; missing strings have the reference's defaults. */
static const char *
text_or (const json_t *json, const char *key, const char *fallback)
{
  const char *text = pt_json_string (json, key);

  return text != NULL && *text != '\0' ? text : fallback;
}

static gboolean
read_ctc (const json_t *json, Chain *chain)
{
  chain->pad = text_or (json, "pad_token", "<pad>");
  chain->delimiter = text_or (json, "word_delimiter_token", "|");
  chain->cleanup = pt_json_bool (json, "cleanup", TRUE);
  return TRUE;
}

static gboolean
read_chain (const json_t *json, Chain *chain, int depth, GError **error)
{
  const char *type = pt_json_string (json, "type");

  if (json == NULL || json_is_null (json))
    return TRUE;
  if (type == NULL || depth > MAX_DEPTH)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer's decoder is damaged.");
  if (strcmp (type, "Sequence") == 0) {
    const json_t *list = json_object_get (json, "decoders");

    for (gsize i = 0; i < json_array_size (list); i++)
      if (!read_chain (json_array_get (list, i), chain, depth + 1, error))
        return FALSE;
    return TRUE;
  }
  if (strcmp (type, "ByteLevel") == 0)
    return chain->byte_level = TRUE;
  if (strcmp (type, "ByteFallback") == 0)
    return chain->byte_fallback = TRUE;
  if (strcmp (type, "Fuse") == 0)
    return TRUE;
  if (strcmp (type, "Replace") == 0)
    return read_replace (json, chain, error);
  if (strcmp (type, "Strip") == 0)
    return read_strip (json, chain, error);
  if (strcmp (type, "Metaspace") == 0)
    return read_metaspace (json, chain);
  if (strcmp (type, "WordPiece") == 0)
    return read_word_piece (json, chain);
  if (strcmp (type, "CTC") == 0)
    return read_ctc (json, chain);
  if (strcmp (type, "BPEDecoder") == 0) {
    chain->end = text_or (json, "suffix", "</w>");
    return TRUE;
  }
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The tokenizer's decoder “%.64s” is not supported yet.", type);
}

/** Maps letters to bytes; FALSE: a character is not a letter of a byte, so the name is the text. */
static gboolean
letters_to_bytes (const char *name, gsize length, GString *bytes)
{
  const char *end = name + length;

  for (const char *p = name; p < end; p = g_utf8_next_char (p)) {
    int byte = pt_byte_of_letter (g_utf8_get_char (p));

    if (byte < 0)
      return FALSE;
    g_string_append_c (bytes, (char) byte);
  }
  return TRUE;
}

static void
replace_all (const char *name, gsize length, const char *from, const char *to, GString *out)
{
  gsize size = strlen (from);

  for (gsize i = 0; i < length;) {
    if (length - i >= size && memcmp (name + i, from, size) == 0) {
      g_string_append (out, to);
      i += size;
    } else {
      g_string_append_c (out, name[i++]);
    }
  }
}

static void
clean_up (GString *bytes)
{
  static const char *const cleanups[][2] = {
    { " .", "." },   { " ?", "?" },     { " !", "!" },     { " ,", "," },
    { " ' ", "'" },  { " n't", "n't" }, { " 'm", "'m" },   { " do not", " don't" },
    { " 's", "'s" }, { " 've", "'ve" }, { " 're", "'re" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cleanups); i++)
    g_string_replace (bytes, cleanups[i][0], cleanups[i][1], 0);
}

/** Decodes a piece inside or at the beginning of a word. */
static void
decode_word_piece (const Chain *chain, const PtToken *token, GString *bytes)
{
  if (g_str_has_prefix (token->name, chain->inside))
    g_string_append (bytes, token->name + strlen (chain->inside));
  else
    g_string_append_printf (bytes, " %s", token->name);
  if (chain->cleanup)
    clean_up (bytes);
}

static void
decode_ctc (const Chain *chain, const PtToken *token, GString *bytes)
{
  replace_all (token->name, token->name_length, chain->pad, "", bytes);
  if (!chain->cleanup)
    return;
  clean_up (bytes);
  g_string_replace (bytes, chain->delimiter, " ", 0);
}

static void
decode_token (const Chain *chain, PtVocabulary *vocabulary, gint32 id, GString *bytes)
{
  const PtToken *token = pt_vocabulary_token (vocabulary, id);
  int byte;

  if (token == NULL)
    return;
  g_string_truncate (bytes, 0);
  if (chain->byte_level) {
    if (!letters_to_bytes (token->name, token->name_length, bytes))
      return;
  } else if (chain->byte_fallback &&
             (byte = pt_byte_of_name (token->name, token->name_length)) >= 0) {
    g_string_append_c (bytes, (char) byte);
    pt_vocabulary_set_flags (vocabulary, id, PT_TOKEN_BYTE);
  } else if (chain->inside != NULL) {
    decode_word_piece (chain, token, bytes);
  } else if (chain->pad != NULL) {
    decode_ctc (chain, token, bytes);
  } else if (chain->end != NULL) {
    replace_all (token->name, token->name_length, chain->end, " ", bytes);
  } else if (chain->from != NULL) {
    replace_all (token->name, token->name_length, chain->from, chain->to, bytes);
  } else {
    return;
  }
  pt_vocabulary_set_bytes (vocabulary, id, bytes->str, bytes->len);
}

gboolean
pt_token_decoder_apply (const json_t *decoder, PtVocabulary *vocabulary, PtDecoding *how,
                        GError **error)
{
  g_autoptr (GString) bytes = g_string_new (NULL);
  Chain chain = { 0 };

  if (!read_chain (decoder, &chain, 0, error))
    return FALSE;
  for (guint id = 0; id < pt_vocabulary_n_ids (vocabulary); id++)
    decode_token (&chain, vocabulary, (gint32) id, bytes);
  *how = (PtDecoding){ chain.strip_space, chain.end != NULL, chain.pad != NULL };
  return TRUE;
}
