/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * SentencePiece, tiktoken, Tekken and llama2.c against ids of the references:
 * tests/data/tokenizers/NAME.json says what each text becomes, and what that decodes to.
 * tools/make-tokenizer-fixtures.py writes some of them.
 */

#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/text/tokenizer.h"

/* ---- files with one thing in them ---- */

static char *
data_path (const char *name, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tokenizers", name, file, NULL);
}

static json_t *
load_case (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autofree char *path = data_path (file, NULL);
  g_autoptr (GError) error = NULL;
  json_t *json = pt_json_load (path, 1 << 20, &error);

  g_assert_no_error (error);
  return json;
}

static PtTokenizer *
open_tokenizer (const char *name)
{
  g_autofree char *folder = data_path (name, NULL);
  g_autoptr (GError) error = NULL;
  PtTokenizer *tokenizer = pt_tokenizer_open (folder, &error);

  g_assert_no_error (error);
  return tokenizer;
}

static char *
write_temporary (gconstpointer content, gsize length)
{
  char *path = g_build_filename (g_get_tmp_dir (), "pteris-tokenizer-XXXXXX", NULL);
  int fd = g_mkstemp (path);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  /* Never mind whether it gets to the disk. */
  g_assert_true (g_file_set_contents_full (path, content, (gssize) length, G_FILE_SET_CONTENTS_NONE,
                                           0600, NULL));
  return path;
}

static PtTokenizer *
open_content (gconstpointer content, gsize length, GError **error)
{
  g_autofree char *path = write_temporary (content, length);
  PtTokenizer *tokenizer = pt_tokenizer_open (path, error);

  g_remove (path);
  return tokenizer;
}

static void
check_refused (gconstpointer content, gsize length, PtError code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (open_content (content, length, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

/* ---- ids ---- */

static GArray *
encode (const PtTokenizer *tokenizer, const char *text, gssize length, PtEncodeFlags flags)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GError) error = NULL;

  pt_tokenizer_encode (tokenizer, text, length, flags, ids, &error);
  g_assert_no_error (error);
  return ids;
}

static char *
show (const GArray *ids)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? " " : "", g_array_index (ids, gint32, i));
  return g_string_free (text, FALSE);
}

static void
check_ids (const PtTokenizer *tokenizer, const char *text, PtEncodeFlags flags,
           const char *expected)
{
  g_autoptr (GArray) ids = encode (tokenizer, text, -1, flags);
  g_autofree char *got = show (ids);

  g_assert_cmpstr (got, ==, expected);
}

static GArray *
read_ids (const json_t *list)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (gsize i = 0; i < json_array_size (list); i++) {
    gint32 id = (gint32) json_integer_value (json_array_get (list, i));

    g_array_append_val (ids, id);
  }
  return ids;
}

static void
check_encode (const PtTokenizer *tokenizer, const char *text, gsize length, PtEncodeFlags flags,
              const json_t *expected)
{
  g_autoptr (GArray) ids = encode (tokenizer, text, (gssize) length, flags);
  g_autoptr (GArray) want = read_ids (expected);
  g_autofree char *got_text = show (ids), *want_text = show (want);

  if (strcmp (got_text, want_text) != 0)
    g_test_message ("text “%s”", text);
  g_assert_cmpstr (got_text, ==, want_text);
}

static void
check_decode (const PtTokenizer *tokenizer, const json_t *list, gboolean skip_special,
              const json_t *expected)
{
  g_autoptr (GArray) ids = read_ids (list);
  g_autoptr (GString) text = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data,
                                                  ids->len, skip_special);
  g_autoptr (GString) streamed = g_string_new (NULL);
  PtStreamDecoder decoder;

  if (expected == NULL)
    return;
  g_assert_cmpmem (text->str, text->len, json_string_value (expected),
                   json_string_length (expected));
  pt_stream_decoder_init (&decoder, tokenizer, skip_special);
  for (guint i = 0; i < ids->len; i++)
    pt_stream_decoder_push (&decoder, g_array_index (ids, gint32, i), streamed);
  pt_stream_decoder_finish (&decoder, streamed);
  g_assert_cmpmem (streamed->str, streamed->len, text->str, text->len);
}

/* ---- the tables ---- */

/*
 * The reference finds marks of conversations in any text when they are SentencePiece's, but not
 * control tokens. Here marks are found where both are.
 */
static void
check_row (const PtTokenizer *tokenizer, const json_t *row, gboolean spm)
{
  const json_t *text = json_object_get (row, "text"), *ids = json_object_get (row, "ids");
  const json_t *as_text = json_object_get (row, "ids_specials_as_text");
  const char *base64 = pt_json_string (row, "base64");
  const json_t *decoded = json_object_get (row, "decoded_bytes");
  g_autofree guchar *bytes = NULL;
  PtEncodeFlags flags = as_text != NULL ? PT_ENCODE_SPECIAL : PT_ENCODE_PLAIN;
  gsize length;

  if (base64 != NULL)
    bytes = g_base64_decode (base64, &length);
  else
    length = json_string_length (text);
  if (bytes == NULL && strstr (json_string_value (text), "_of_turn>") != NULL)
    flags = PT_ENCODE_SPECIAL;
  check_encode (tokenizer, bytes != NULL ? (const char *) bytes : json_string_value (text), length,
                flags, ids);
  if (as_text != NULL)
    check_encode (tokenizer, json_string_value (text), length, PT_ENCODE_PLAIN, as_text);
  decoded = decoded != NULL ? decoded : json_object_get (row, "decoded");
  if (json_is_object (decoded))
    decoded = json_object_get (decoded, "text");
  check_decode (tokenizer, ids, spm && flags == PT_ENCODE_PLAIN, decoded);
}

static void
test_reference (gconstpointer data)
{
  static const char *const lists[] = { "strings", "byte_strings" };
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer (data);
  g_autoptr (json_t) json = load_case (data);
  const json_t *partial = json_object_get (json, "partial_decodes");
  gboolean spm = g_strcmp0 (pt_json_string (json, "kind"), "spm") == 0;
  guint n = 0;

  g_assert_cmpuint (pt_tokenizer_n_ids (tokenizer), ==,
                    (guint) pt_json_int (json, "vocab_size", 0));
  for (gsize list = 0; list < G_N_ELEMENTS (lists); list++) {
    const json_t *rows = json_object_get (json, lists[list]);

    for (gsize i = 0; i < json_array_size (rows); i++, n++)
      check_row (tokenizer, json_array_get (rows, i), spm);
  }
  g_assert_cmpuint (n, >, 100);
  for (gsize i = 0; i < json_array_size (partial); i++) {
    const json_t *row = json_array_get (partial, i);

    check_decode (tokenizer, json_object_get (row, "ids"), spm, json_object_get (row, "decoded"));
  }
}

/* ---- special tokens ---- */

static void
test_tiktoken (void)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ("tiktoken_llama3");
  gsize length;

  g_assert_cmpint (pt_tokenizer_bos (tokenizer), ==, 700);
  g_assert_cmpint (pt_tokenizer_eos (tokenizer), ==, 701);
  g_assert_cmpint (pt_tokenizer_find (tokenizer, "<|eot_id|>"), ==, 709);
  g_assert_cmpint (pt_tokenizer_find (tokenizer, "<|reserved_special_token_2|>"), ==, 711);
  g_assert_cmpint (pt_tokenizer_find (tokenizer, "<|reserved_special_token_246|>"), ==, 955);
  g_assert_true (pt_tokenizer_is_special (tokenizer, 955));
  g_assert_false (pt_tokenizer_is_special (tokenizer, 699));
  check_ids (tokenizer, "a<|eot_id|>b", PT_ENCODE_SPECIAL | PT_ENCODE_ADD, "700 97 709 98");
  g_assert_nonnull (pt_tokenizer_bytes (tokenizer, 255, &length));
  g_assert_cmpuint (length, ==, 1);
}

static void
test_tekken (void)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ("tekken");

  g_assert_cmpint (pt_tokenizer_bos (tokenizer), ==, 1);
  g_assert_cmpint (pt_tokenizer_eos (tokenizer), ==, 2);
  g_assert_cmpint (pt_tokenizer_find (tokenizer, "[STREAMING_PAD]"), ==, 32);
  check_ids (tokenizer, "[INST]a[/INST]", PT_ENCODE_SPECIAL | PT_ENCODE_ADD, "1 3 137 4");
  check_ids (tokenizer, "<s>", PT_ENCODE_PLAIN, "100 155 102");
}

/** A tekken.json with tokens for all bytes and @more at the end of its vocabulary. */
static PtTokenizer *
small_tekken (const char *config, const char *more, const char *tail)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  PtTokenizer *tokenizer;

  g_string_printf (text, "{\"config\":{%s},\"vocab\":[", config);
  for (guint i = 0; i < 256; i++) {
    guchar byte = (guchar) i;
    g_autofree char *base64 = g_base64_encode (&byte, 1);

    g_string_append_printf (text, "{\"rank\":%u,\"token_bytes\":\"%s\"},", i, base64);
  }
  g_string_append_printf (text, "%s]%s}", more, tail);
  tokenizer = open_content (text->str, text->len, &error);
  g_assert_no_error (error);
  return tokenizer;
}

static void
test_tekken_defaults (void)
{
  /* "<s>" as a piece of text, which is not the token of that name; ranks that are not used. */
  static const char more[] = "{\"rank\":256,\"token_bytes\":\"PHM+\"},"
                             "{\"rank\":257,\"token_bytes\":\"YWI=\"}";
  g_autoptr (PtTokenizer) all = small_tekken ("\"version\":\"v3\"", more, "");
  g_autoptr (PtTokenizer) some =
      small_tekken ("\"default_vocab_size\":287,\"default_num_special_tokens\":30", more,
                    ",\"special_tokens\":[{\"rank\":1,\"token_str\":\"<s>\"}]");

  g_assert_cmpuint (pt_tokenizer_n_ids (all), ==, 1258);
  check_ids (all, "ab[INST]", PT_ENCODE_SPECIAL, "1257 3");
  check_ids (all, "<s>ab", PT_ENCODE_SPECIAL, "1 1257");
  check_ids (all, "<s>ab", PT_ENCODE_PLAIN, "1060 1115 1062 1257");
  g_assert_cmpint (pt_tokenizer_find (all, "<s>"), ==, 1);
  g_assert_cmpint (pt_tokenizer_find (all, "<SPECIAL_999>"), ==, 999);
  g_assert_cmpuint (pt_tokenizer_n_ids (some), ==, 287);
  check_ids (some, "ab<SPECIAL_2>", PT_ENCODE_SPECIAL, "127 128 2");
  g_assert_cmpint (pt_tokenizer_find (some, "[INST]"), ==, -1);
}

/** Control tokens are never made from text, unlike in SentencePiece. */
static void
test_marks (void)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ("spm_gemma");
  gint32 mark = pt_tokenizer_find (tokenizer, "<start_of_turn>");
  g_autofree char *expected = g_strdup_printf ("%d", mark);
  g_autoptr (GArray) ids = encode (tokenizer, "<start_of_turn>user<eos>", -1, PT_ENCODE_PLAIN);
  g_autoptr (GString) text = NULL;

  g_assert_cmpint (mark, >=, 0);
  g_assert_true (pt_tokenizer_is_special (tokenizer, mark));
  check_ids (tokenizer, "<start_of_turn>", PT_ENCODE_SPECIAL, expected);
  for (guint i = 0; i < ids->len; i++)
    g_assert_false (pt_tokenizer_is_special (tokenizer, g_array_index (ids, gint32, i)));
  text = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, TRUE);
  g_assert_cmpstr (text->str, ==, "<start_of_turn>user<eos>");
}

static void
test_control (void)
{
  g_autoptr (PtTokenizer) spm = open_tokenizer ("spm_llama2");
  g_autoptr (PtTokenizer) bin = open_tokenizer ("llama2c");
  g_autoptr (GArray) ids = encode (spm, "<s>Hello</s>", -1, PT_ENCODE_SPECIAL);
  g_autoptr (GArray) plain = encode (bin, "<s>", -1, PT_ENCODE_PLAIN);
  g_autoptr (GString) text = NULL;

  g_assert_cmpint (pt_tokenizer_bos (spm), ==, 1);
  g_assert_cmpint (pt_tokenizer_eos (spm), ==, 2);
  g_assert_cmpint (g_array_index (ids, gint32, 0), ==, 1);
  g_assert_cmpint (g_array_index (ids, gint32, ids->len - 1), ==, 2);
  text = pt_tokenizer_decode (spm, (const gint32 *) (gpointer) ids->data, ids->len, TRUE);
  g_assert_cmpstr (text->str, ==, "Hello");
  g_assert_cmpint (pt_tokenizer_bos (bin), ==, 1);
  g_assert_cmpint (pt_tokenizer_find (bin, "</s>"), ==, 2);
  for (guint i = 0; i < plain->len; i++)
    g_assert_cmpint (g_array_index (plain, gint32, i), >, 2);
}

/** A conversation in parts is one text, but for special tokens, which only count in some. */
static void
test_parts (gconstpointer data)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer (data);
  gint32 eos = pt_tokenizer_eos (tokenizer);
  gsize length;
  g_autofree char *mark = g_strdup (pt_tokenizer_bytes (tokenizer, eos, &length));
  g_autofree char *half = g_strndup (mark, 2);
  const PtTextPart parts[] = { { "Good mor", -1, TRUE }, { "ning, ", -1, FALSE },
                               { mark, -1, FALSE },      { "wor\xff", -1, FALSE },
                               { "ld", -1, TRUE },       { half, -1, TRUE },
                               { mark + 2, -1, TRUE } };
  g_autofree char *whole = g_strconcat ("Good morning, ", mark, "wor\xEF\xBF\xBDld", NULL);
  g_autoptr (GArray) expected = encode (tokenizer, whole, -1, PT_ENCODE_PLAIN);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autofree char *got = NULL, *want = NULL;
  g_autoptr (GError) error = NULL;

  g_array_append_val (expected, eos);
  pt_tokenizer_encode_parts (tokenizer, parts, G_N_ELEMENTS (parts), PT_ENCODE_PLAIN, ids, &error);
  g_assert_no_error (error);
  got = show (ids);
  want = show (expected);
  g_assert_cmpstr (got, ==, want);
}

/* ---- models of SentencePiece made here ---- */

static void
put_varint (GString *out, guint64 value)
{
  for (; value >= 0x80; value >>= 7)
    g_string_append_c (out, (char) (value | 0x80));
  g_string_append_c (out, (char) value);
}

static void
put_bytes (GString *out, guint field, gconstpointer bytes, gsize length)
{
  put_varint (out, field << 3 | 2);
  put_varint (out, length);
  g_string_append_len (out, bytes, (gssize) length);
}

static void
put_piece (GString *out, const char *name, float score, guint type)
{
  g_autoptr (GString) piece = g_string_new (NULL);
  guint32 bits;

  memcpy (&bits, &score, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  put_bytes (piece, 1, name, strlen (name));
  g_string_append_c (piece, 2 << 3 | 5);
  g_string_append_len (piece, (const char *) &bits, sizeof bits);
  put_varint (piece, 3 << 3);
  put_varint (piece, type);
  put_bytes (out, 1, piece->str, piece->len);
}

/** A trainer's part that says which kind of model it is. */
static void
put_kind (GString *out, guint kind)
{
  const char part[] = { 3 << 3, (char) kind };

  put_bytes (out, 2, part, sizeof part);
}

static void
test_sentencepiece_refused (void)
{
  static const struct {
    const char *name;
    float score;
    guint type;
    const char *part;
  } pieces[] = {
    { "", 0, 1, "not a text" },          { "\xff", 0, 1, "not a text" },
    { "a", G_MAXFLOAT * 2, 1, "score" }, { "a", 0, 7, "unknown type" },
    { "a", 0, 0, "unknown type" },       { "<unk>", 0, 2, "two ids" },
    { "u", 0, 2, "two pieces" },         { "<0x1>", 0, 6, "not a byte" },
    { "<0x1G>", 0, 6, "not a byte" },    { "<0x00>", 0, 6, "pieces for bytes" },
  };
  static const char bytes[] = "\x98\x02\x01"; /* byte_fallback, field 35 */
  static const char map[] = { 2 << 3 | 2, 6, 4, 0, 0, 0, 1, 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++) {
    g_autoptr (GString) file = g_string_new (NULL);

    put_piece (file, "<unk>", 0, 2);
    put_piece (file, pieces[i].name, pieces[i].score, pieces[i].type);
    check_refused (file->str, file->len, PT_ERROR_TOKENIZER, pieces[i].part);
  }
  for (guint i = 0; i < 5; i++) {
    g_autoptr (GString) file = g_string_new (NULL);

    put_piece (file, "<unk>", 0, i == 0 ? 1 : 2);
    if (i == 1)
      put_bytes (file, 2, bytes, sizeof bytes - 1);
    else if (i == 2)
      put_bytes (file, 3, map, sizeof map);
    else if (i == 3)
      put_kind (file, 9);
    else if (i == 4)
      g_string_append_len (file, "\x12\x7f", 2);
    check_refused (file->str, file->len, PT_ERROR_TOKENIZER,
                   i == 0   ? "unknown"
                   : i == 1 ? "byte 00"
                   : i == 2 ? "characters to replace"
                            : "damaged");
  }
}

/** Every beginning of a model is refused or works, nothing else. */
static void
test_cuts (gconstpointer data)
{
  const char *name = data;
  gboolean json = strcmp (name, "tekken/tekken.json") == 0;
  g_autofree char *path = data_path (name, NULL), *content = NULL;
  gsize length, step;

  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  step = json ? 1009 : 97;
  for (gsize cut = 0; cut < length; cut += cut < 200 ? 1 : step) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtTokenizer) tokenizer = open_content (content, cut, &error);

    g_assert_true ((tokenizer == NULL) == (error != NULL));
    if (tokenizer != NULL)
      g_array_unref (encode (tokenizer, "some \xff text", -1, PT_ENCODE_SPECIAL));
  }
}

static void
test_tiktoken_refused (void)
{
  static const struct {
    const char *content;
    const char *part;
  } cases[] = {
    { "IQ== 0\nIg== 1\n", "the byte 00" },
    { "IQ== 0\nIg== x\n", "Line 2" },
    { "IQ== 0\n\n\nIg==\n", "Line 4" },
    { "IQ== 0\nIg=a 1\n", "Line 2" },
    { "IQ== 0\nI=== 1\n", "Line 2" },
    { "IQ== 0\n==== 1\n", "Line 2" },
    { "IQ== 0\nIg= 1\n", "Line 2" },
    { "IQ== 0\nIg== 1 2\n", "Line 2" },
    { "IQ== 0\n 1\n", "Line 2" },
    { "IQ== 0\nIQ== 1\n", "two ids" },
    { "IQ== 0\nIg== 0\n", "the id 0" },
    { "IQ== 99999999999999999999\n", "out of range" },
    { "IQ== 1\n", "the id 1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_refused (cases[i].content, strlen (cases[i].content), PT_ERROR_TOKENIZER, cases[i].part);
}

static void
test_tekken_refused (void)
{
  static const struct {
    const char *content;
    const char *part;
  } cases[] = {
    { "{\"config\":{},\"vocab\":[]}", "the byte 00" },
    { "{\"config\":{},\"vocab\":[1]}", "Token 0" },
    { "{\"config\":{},\"vocab\":[{\"rank\":0,\"token_bytes\":\"A\"}]}", "Token 0" },
    { "{\"config\":{},\"vocab\":[{\"rank\":0,\"token_bytes\":\"\"}]}", "Token 0" },
    { "{\"config\":{},\"vocab\":[{\"rank\":-1,\"token_bytes\":\"AA==\"}]}", "Token 0" },
    { "{\"config\":{},\"vocab\":[{\"rank\":9999999,\"token_bytes\":\"AA==\"}]}", "the byte 00" },
    { "{\"config\":{\"default_num_special_tokens\":-1},\"vocab\":[]}", "are invalid" },
    { "{\"config\":{\"default_num_special_tokens\":999999},\"vocab\":[]}", "are invalid" },
    { "{\"config\":{\"default_vocab_size\":99999999},\"vocab\":[]}", "are invalid" },
    { "{\"config\":{},\"vocab\":[],\"special_tokens\":[{\"rank\":1000,\"token_str\":\"a\"}]}",
      "Special token 0" },
    { "{\"config\":{},\"vocab\":[],\"special_tokens\":[{\"rank\":1}]}", "Special token 0" },
    { "{\"config\":{},\"vocab\":[],\"special_tokens\":[{\"rank\":1,\"token_str\":\"a\"},"
      "{\"rank\":2,\"token_str\":\"a\"}]}",
      "two ids" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_refused (cases[i].content, strlen (cases[i].content), PT_ERROR_TOKENIZER, cases[i].part);
}

/* ---- llama2.c ---- */

static void
put_token (GString *out, float score, const char *name)
{
  guint32 bits, length = GUINT32_TO_LE ((guint32) strlen (name));

  memcpy (&bits, &score, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  g_string_append_len (out, (const char *) &bits, 4);
  g_string_append_len (out, (const char *) &length, 4);
  g_string_append (out, name);
}

static GString *
begin_llama2c (gint32 n, gint32 bos, gint32 eos)
{
  const gint32 header[] = { GINT32_TO_LE (n), GINT32_TO_LE (bos), GINT32_TO_LE (eos),
                            GINT32_TO_LE (8) };

  return g_string_new_len ((const char *) header, sizeof header);
}

/** The tokens of bytes are not called so; the last ones are not there, or one too many is. */
static void
test_llama2c (gconstpointer data)
{
  gint32 n = GPOINTER_TO_INT (data);
  g_autoptr (GString) file = begin_llama2c (n, 1, 2);
  g_autoptr (PtTokenizer) tokenizer = NULL;
  g_autoptr (GError) error = NULL;

  put_token (file, 0, "<unk>");
  put_token (file, 0, "<s>");
  put_token (file, 0, "</s>");
  for (guint i = 0; i < 256; i++)
    put_token (file, 0, "byte");
  put_token (file, -1e9f, " ");   /* 259 */
  put_token (file, -1e9f, "a");   /* 260 */
  put_token (file, -3, "aa");     /* 261 */
  put_token (file, -2, " a");     /* 262 */
  put_token (file, -2e10f, "  "); /* 263: too low to merge */
  tokenizer = open_content (file->str, file->len, &error);
  g_assert_no_error (error);
  g_assert_cmpint ((gint32) pt_tokenizer_n_ids (tokenizer), ==, n);
  check_ids (tokenizer, "aaa", PT_ENCODE_PLAIN, "262 261");
  check_ids (tokenizer, "  b", PT_ENCODE_ADD, "1 259 259 259 101");
  check_ids (tokenizer, "", PT_ENCODE_PLAIN, "");
  check_ids (tokenizer, "a</s>a", PT_ENCODE_SPECIAL, "262 2 262");
}

static void
test_llama2c_refused (void)
{
  for (guint i = 0; i < 6; i++) {
    g_autoptr (GString) file = begin_llama2c (i == 0 ? -1 : 3, i == 1 ? 3 : 1, 2);

    put_token (file, i == 2 ? G_MAXFLOAT * 2 : 0, "a");
    if (i == 3)
      g_string_append (file, "1234567");
    for (guint j = 0; i == 4 && j < 4; j++)
      put_token (file, 0, "b");
    check_refused (file->str, file->len, i == 2 || i == 5 ? PT_ERROR_TOKENIZER : PT_ERROR_FORMAT,
                   i == 2   ? "score"
                   : i == 5 ? "the byte"
                            : "not a tokenizer");
  }
}

/* ---- which file, which kind ---- */

static void
touch (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
}

static void
check_found (const char *folder, const char *name)
{
  g_autofree char *path = pt_tokenizer_find_file (folder);
  g_autofree char *found = path != NULL ? g_path_get_basename (path) : NULL;

  g_assert_cmpstr (found, ==, name);
}

static void
test_find_file (void)
{
  static const char *const names[] = { "b.tiktoken",      "a.tiktoken",  "tokenizer.bin",
                                       "tokenizer.model", "tekken.json", "tokenizer.json" };
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);

  check_found (folder, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    touch (folder, names[i]);
    check_found (folder, i == 1 ? NULL : names[i]);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    g_remove (path);
  }
  g_rmdir (folder);
}

/** One piece of a megabyte, where no word ends: merging is not quadratic, nor is the lattice. */
static void
test_long_piece (gconstpointer data)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer (data);
  g_autofree char *text = g_strnfill (1 << 20, 'a');
  g_autoptr (GArray) ids = encode (tokenizer, text, -1, PT_ENCODE_PLAIN);

  g_assert_cmpuint (ids->len, >, 1000);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = {
    "spm_llama2",     "spm_gemma",           "spm_unigram",       "spm_bpe_rules",
    "spm_bpe_suffix", "spm_unigram_defined", "spm_char",          "spm_word",
    "tekken",         "tiktoken_llama3",     "spm_unigram_bytes", "llama2c",
  };
  static const char *const files[] = { "spm_bpe_rules/tokenizer.model",
                                       "spm_unigram_defined/tokenizer.model",
                                       "tiktoken_llama3/tokenizer.model", "tekken/tekken.json",
                                       "llama2c/tokenizer.bin" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *reference = g_strconcat ("/text/tokenizer/reference/", names[i], NULL);
    g_autofree char *piece = g_strconcat ("/text/tokenizer/long-piece/", names[i], NULL);

    g_test_add_data_func (reference, names[i], test_reference);
    if (strcmp (names[i], "spm_word") != 0)
      g_test_add_data_func (piece, names[i], test_long_piece);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *cuts = g_strconcat ("/text/tokenizer/cuts/", files[i], NULL);

    g_test_add_data_func (cuts, files[i], test_cuts);
  }
  g_test_add_func ("/text/tokenizer/tiktoken", test_tiktoken);
  g_test_add_func ("/text/tokenizer/tekken", test_tekken);
  g_test_add_func ("/text/tokenizer/tekken-defaults", test_tekken_defaults);
  g_test_add_func ("/text/tokenizer/marks", test_marks);
  g_test_add_func ("/text/tokenizer/control", test_control);
  g_test_add_data_func ("/text/tokenizer/parts/tiktoken", "tiktoken_llama3", test_parts);
  g_test_add_data_func ("/text/tokenizer/parts/tekken", "tekken", test_parts);
  g_test_add_data_func ("/text/tokenizer/parts/spm_llama2", "spm_llama2", test_parts);
  g_test_add_data_func ("/text/tokenizer/parts/spm_gemma", "spm_gemma", test_parts);
  g_test_add_data_func ("/text/tokenizer/parts/llama2c", "llama2c", test_parts);
  g_test_add_data_func ("/text/tokenizer/llama2c/short", GINT_TO_POINTER (270), test_llama2c);
  g_test_add_data_func ("/text/tokenizer/llama2c/long", GINT_TO_POINTER (263), test_llama2c);
  g_test_add_func ("/text/tokenizer/find-file", test_find_file);
  g_test_add_func ("/text/tokenizer/refused/sentencepiece", test_sentencepiece_refused);
  g_test_add_func ("/text/tokenizer/refused/tiktoken", test_tiktoken_refused);
  g_test_add_func ("/text/tokenizer/refused/tekken", test_tekken_refused);
  g_test_add_func ("/text/tokenizer/refused/llama2c", test_llama2c_refused);
  return g_test_run ();
}
