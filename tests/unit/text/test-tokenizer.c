/* SPDX-License-Identifier: BSD-3-Clause */

/* tokenizer.json against ids of the reference: tests/data/tokenizers/NAME.json says what each text
 * becomes with and without added tokens, and what it decodes to. */

#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/text/bpe.h"
#include "engine/text/tokenizer.h"

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tokenizers", name, NULL);
}

static json_t *
load_case (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".json", NULL);
  g_autofree char *path = data_path (file);
  g_autoptr (GError) error = NULL;
  json_t *json = pt_json_load (path, 1 << 20, &error);

  g_assert_no_error (error);
  return json;
}

static PtTokenizer *
open_tokenizer (const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  PtTokenizer *tokenizer;

  if (strcmp (name, "smollm2") == 0)
    path = g_test_build_filename (G_TEST_DIST, "..", "resources", "starter",
                                  "smollm2-135m-instruct", NULL);
  else if (strcmp (name, "whisper") == 0)
    path = g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "whisper-base", NULL);
  else
    path = data_path (name);
  tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  return tokenizer;
}

static char *
show_ids (GArray *ids)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (text, "%d ", g_array_index (ids, gint32, i));
  return g_string_free (text, FALSE);
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
check_encode (PtTokenizer *tokenizer, const json_t *text, const json_t *expected,
              PtEncodeFlags flags)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) want = read_ids (expected);
  g_autofree char *got_text = NULL, *want_text = NULL;
  g_autoptr (GError) error = NULL;

  pt_tokenizer_encode (tokenizer, json_string_value (text), (gssize) json_string_length (text),
                       flags, ids, &error);
  g_assert_no_error (error);
  got_text = show_ids (ids);
  want_text = show_ids (want);
  if (strcmp (got_text, want_text) != 0)
    g_test_message ("text “%s”", json_string_value (text));
  g_assert_cmpstr (got_text, ==, want_text);
}

static void
check_decode (PtTokenizer *tokenizer, const json_t *list, const json_t *expected,
              gboolean skip_special)
{
  g_autoptr (GArray) ids = read_ids (list);
  g_autoptr (GString) text = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data,
                                                  ids->len, skip_special);

  g_assert_cmpmem (text->str, text->len, json_string_value (expected),
                   json_string_length (expected));
}

static void
test_reference (gconstpointer data)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer (data);
  g_autoptr (json_t) json = load_case (data);
  const json_t *strings = json_object_get (json, "strings");
  const json_t *partial = json_object_get (json, "partial_decodes");

  g_assert_cmpuint (pt_tokenizer_n_ids (tokenizer), ==,
                    (guint) pt_json_int (json, "vocab_size", 0));
  g_assert_cmpuint (json_array_size (strings), >, 100);
  for (gsize i = 0; i < json_array_size (strings); i++) {
    const json_t *item = json_array_get (strings, i);
    const json_t *text = json_object_get (item, "text");
    const json_t *ids = json_object_get (item, "ids");

    check_encode (tokenizer, text, ids, PT_ENCODE_SPECIAL);
    check_encode (tokenizer, text, json_object_get (item, "ids_with_special"),
                  PT_ENCODE_SPECIAL | PT_ENCODE_ADD);
    if (json_object_get (item, "decoded") != NULL)
      check_decode (tokenizer, ids, json_object_get (item, "decoded"), FALSE);
    if (json_object_get (item, "decoded_skip_special") != NULL)
      check_decode (tokenizer, ids, json_object_get (item, "decoded_skip_special"), TRUE);
  }
  for (gsize i = 0; i < json_array_size (partial); i++)
    check_decode (tokenizer, json_object_get (json_array_get (partial, i), "ids"),
                  json_object_get (json_array_get (partial, i), "decoded"), FALSE);
}

static void
test_special_as_text (void)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ("smollm2");
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GString) text = NULL;
  g_autoptr (GError) error = NULL;
  gint32 end = pt_tokenizer_find (tokenizer, "<|im_end|>");

  g_assert_cmpint (end, ==, 2);
  g_assert_true (pt_tokenizer_is_special (tokenizer, end));
  g_assert_false (pt_tokenizer_is_special (tokenizer, 504));
  g_assert_cmpint (pt_tokenizer_find (tokenizer, "<|nothing|>"), ==, -1);

  pt_tokenizer_encode (tokenizer, "a<|im_end|>b", -1, PT_ENCODE_PLAIN, ids, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ids->len, >, 3);
  for (guint i = 0; i < ids->len; i++)
    g_assert_cmpint (g_array_index (ids, gint32, i), !=, end);
  text = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, TRUE);
  g_assert_cmpstr (text->str, ==, "a<|im_end|>b");

  g_array_set_size (ids, 0);
  pt_tokenizer_encode (tokenizer, "a<|im_end|>b", -1, PT_ENCODE_SPECIAL, ids, &error);
  g_assert_cmpuint (ids->len, ==, 3);
  g_assert_cmpint (g_array_index (ids, gint32, 1), ==, end);
}

static void
test_invalid_utf8 (void)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ("hf_smollm");
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GString) text = NULL;
  static const char bad[] = "a\xFF\0\xE2\x82z";

  g_assert_true (pt_tokenizer_encode (tokenizer, bad, sizeof bad - 1, PT_ENCODE_PLAIN, ids, NULL));
  text = pt_tokenizer_decode (tokenizer, (const gint32 *) (gpointer) ids->data, ids->len, FALSE);
  g_assert_true (g_str_has_prefix (text->str, "a\xEF\xBF\xBD"));
  g_assert_cmpint (text->str[text->len - 1], ==, 'z');
  g_assert_nonnull (memchr (text->str, '\0', text->len));
}

/** For any split, a stream returns valid UTF-8 that adds up to the whole text. */
static void
test_stream (gconstpointer data)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer (data);
  g_autoptr (json_t) json = load_case (data);
  const json_t *strings = json_object_get (json, "strings");

  for (gsize i = 0; i < json_array_size (strings); i++) {
    const json_t *item = json_array_get (strings, i);
    const json_t *expected = json_object_get (item, "decoded");
    g_autoptr (GArray) ids = read_ids (json_object_get (item, "ids"));
    g_autoptr (GString) all = g_string_new (NULL);
    g_autoptr (GString) part = g_string_new (NULL);
    PtStreamDecoder decoder;

    pt_stream_decoder_init (&decoder, tokenizer, FALSE);
    for (guint j = 0; j < ids->len; j++) {
      g_string_truncate (part, 0);
      pt_stream_decoder_push (&decoder, g_array_index (ids, gint32, j), part);
      g_assert_true (g_utf8_validate_len (part->str, part->len, NULL) ||
                     memchr (part->str, 0, part->len) != NULL);
      g_string_append_len (all, part->str, (gssize) part->len);
    }
    pt_stream_decoder_finish (&decoder, all);
    g_assert_cmpmem (all->str, all->len, json_string_value (expected),
                     json_string_length (expected));
  }
}

static void
test_byte_letters (void)
{
  for (int byte = 0; byte < 256; byte++) {
    char letter[8] = { 0 };
    gsize length = pt_byte_letter ((guint8) byte, letter);

    g_assert_true (g_utf8_validate (letter, (gssize) length, NULL));
    g_assert_cmpint (pt_byte_of_letter (g_utf8_get_char (letter)), ==, byte);
  }
  g_assert_cmpint (pt_byte_of_letter (0x120), ==, ' ');
  g_assert_cmpint (pt_byte_of_letter (0x10A), ==, '\n');
  g_assert_cmpint (pt_byte_of_letter (' '), ==, -1);
  g_assert_cmpint (pt_byte_of_letter (0x144), ==, -1);
}

/* ---- damaged and hostile files ---- */

#define MODEL(vocab, merges) \
  "{\"model\":{\"type\":\"BPE\",\"vocab\":" vocab ",\"merges\":" merges "}"

static char *
write_temporary (const char *content, gsize length)
{
  char *path = g_build_filename (g_get_tmp_dir (), "pteris-tokenizer-XXXXXX", NULL);
  int fd = g_mkstemp (path);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  g_assert_true (g_file_set_contents (path, content, (gssize) length, NULL));
  return path;
}

/* The same lists, as files may have them. */
static void
test_lists (void)
{
#define NAMES "{\"a\":0,\"b\":1,\"ab\":2,\"\\\"\":3,\"\303\251\":4,\"\360\237\230\200\":5}"
  static const char *const files[] = {
    MODEL (NAMES, "[\"a b\"]") "}",
    MODEL (NAMES, "[\"#version: 0.2\",\"a b\"]") "}",
    MODEL (NAMES, "[[\"a\", \"b\"]]") "}",
    MODEL (" { \"\\u0061\" : 0 , \"b\":1,\n\"a\\u0062\":2,\"\\u0022\":3,\"\\u00E9\":4,"
           "\"\\ud83d\\uDE00\":5\t}",
           "[ \"\\u0061 b\" ]") "}",
    "{\"added_tokens\":[],\"model\":{\"merges\":[\"a b\"],\"vocab\":" NAMES ",\"type\":\"BPE\"}}",
    "{\"x\":{\"model\":{\"vocab\":{\"q\":7}}},\"model\":{\"vocab\":" NAMES
    ",\"merges\":[\"a b\"],\"y\":\"]}\\\"\"},\"z\":[1,{}]}",
    "{\"model\":{\"vocab\":{\"q\":7},\"vocab\":" NAMES ",\"merges\":[\"a b\"]}}",
    "{\"model\":{\"vocab\":{\"q\":7},\"merges\":[\"q q\"]},\"model\":{\"vocab\":" NAMES
    ",\"merges\":[\"a b\"]}}",
    "{\"model\":{\"vocab\":{\"ab\":9,\"a\":0,\"b\":1,\"ab\":2,\"\\\"\":3,\"\303\251\":4,"
    "\"\360\237\230\200\":5},\"merges\":[\"a b\"]}}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = write_temporary (files[i], strlen (files[i])), *shown = NULL;
    g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
    g_autoptr (GError) error = NULL;
    g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (path, &error);

    g_assert_no_error (error);
    pt_tokenizer_encode (tokenizer, "ab\303\251\"\360\237\230\200ba", -1, 0, ids, &error);
    g_assert_no_error (error);
    shown = show_ids (ids);
    g_assert_cmpstr (shown, ==, "2 4 3 5 1 0 ");
    g_remove (path);
  }
}

static void
check_refused (const char *content, gsize length, PtError code, const char *part)
{
  g_autofree char *path = write_temporary (content, length);
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_tokenizer_open (path, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
  g_remove (path);
}

static void
test_refused (void)
{
  static const struct {
    const char *content;
    PtError code;
    const char *part;
  } cases[] = {
    { "", PT_ERROR_FORMAT, "is not a tokenizer" },
    { "hello", PT_ERROR_FORMAT, "is not a tokenizer" },
    { "{", PT_ERROR_FORMAT, "not valid JSON" },
    { "{}", PT_ERROR_TOKENIZER, "no model" },
    { "{\"model\": 7}", PT_ERROR_TOKENIZER, "no model" },
    { "{\"model\": {\"type\":\"Odd\"}}", PT_ERROR_UNSUPPORTED, "Odd" },
    { "{\"model\": {\"type\":\"Unigram\"}}", PT_ERROR_TOKENIZER, "no vocabulary" },
    { "{\"model\": {\"type\":\"Unigram\", \"vocab\":[[\"a\"]]}}", PT_ERROR_TOKENIZER,
      "not a text with a score" },
    { "{\"model\": {\"type\":\"Unigram\", \"vocab\":[[\"a\",0],[\"a\",0]]}}", PT_ERROR_TOKENIZER,
      "two ids" },
    { "{\"model\": {\"type\":\"Unigram\", \"vocab\":[[\"a\",0]], \"unk_id\":1}}",
      PT_ERROR_TOKENIZER, "unknown token" },
    { "{\"model\": {\"type\":\"WordPiece\"}}", PT_ERROR_TOKENIZER, "no vocabulary" },
    { MODEL ("{\"a\":0}", "[]") ",\"normalizer\":{\"type\":\"Precompiled\"}}", PT_ERROR_TOKENIZER,
      "not base64" },
    { MODEL ("{\"a\":0}", "[]") ",\"normalizer\":{\"type\":\"Precompiled\","
                                "\"precompiled_charsmap\":\"AAAA\"}}",
      PT_ERROR_TOKENIZER, "damaged" },
    { MODEL ("{\"a\":0}", "[]") ",\"pre_tokenizer\":{\"type\":\"CharDelimiterSplit\"}}",
      PT_ERROR_TOKENIZER, "at no character" },
    { "\n{}", PT_ERROR_TOKENIZER, "no model" },
    { MODEL ("{}", "[]") "}", PT_ERROR_TOKENIZER, "no vocabulary" },
    { MODEL ("{\"a\":0}", "7") "}", PT_ERROR_TOKENIZER, "no list of merges" },
    { MODEL ("{\"a\":\"0\"}", "[]") "}", PT_ERROR_TOKENIZER, "not a number" },
    { MODEL ("{\"a\":-1}", "[]") "}", PT_ERROR_TOKENIZER, "out of range" },
    { MODEL ("{\"a\":2147483648}", "[]") "}", PT_ERROR_TOKENIZER, "out of range" },
    { MODEL ("{\"a\":9223372036854775807}", "[]") "}", PT_ERROR_TOKENIZER, "out of range" },
    { MODEL ("{\"a\":99999999999999999999999}", "[]") "}", PT_ERROR_TOKENIZER, "not a number" },
    { MODEL ("{\"a\":0,\"b\":0}", "[]") "}", PT_ERROR_TOKENIZER, "Two tokens have the id 0" },
    { MODEL ("{\"a\":0}", "[\"a b\"]") "}", PT_ERROR_TOKENIZER, "not in its vocabulary" },
    { MODEL ("{\"a\":0}", "[\"ab\"]") "}", PT_ERROR_TOKENIZER, "not a pair" },
    { MODEL ("{\"a\":0}", "[\"a b c\"]") "}", PT_ERROR_TOKENIZER, "not a pair" },
    { MODEL ("{\"a\":0}", "[[\"a\",7]]") "}", PT_ERROR_TOKENIZER, "not a pair" },
    { MODEL ("{\"a\":0}", "[7]") "}", PT_ERROR_TOKENIZER, "not a pair" },
    { MODEL ("{\"a\":0}", "[]") ",\"added_tokens\":[{\"id\":0}]}", PT_ERROR_TOKENIZER, "added" },
    { MODEL ("{\"a\":0}", "[]") ",\"added_tokens\":[{\"id\":2147483648,\"content\":\"x\"}]}",
      PT_ERROR_TOKENIZER, "out of range" },
    { MODEL ("{\"a\":0}", "[]") ",\"added_tokens\":[{\"id\":3,\"content\":\"a\"}]}",
      PT_ERROR_TOKENIZER, "two ids" },
    { MODEL ("{\"a\":0}", "[]") ",\"normalizer\":{\"type\":\"Odd\"}}", PT_ERROR_UNSUPPORTED,
      "Odd" },
    { MODEL ("{\"a\":0}", "[]") ",\"pre_tokenizer\":{\"type\":\"Odd\"}}", PT_ERROR_UNSUPPORTED,
      "Odd" },
    { MODEL ("{\"a\":0}", "[]") ",\"decoder\":{\"type\":\"Odd\"}}", PT_ERROR_UNSUPPORTED, "Odd" },
    { MODEL ("{\"a\":0}", "[]") ",\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Isolated\","
                                "\"pattern\":{\"Regex\":\"(a\"}}}",
      PT_ERROR_TOKENIZER, "not valid" },
    { MODEL ("{\"a\":0}", "[]") ",\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":["
                                "{\"SpecialToken\":{\"id\":\"x\"}}]}}",
      PT_ERROR_TOKENIZER, "does not say" },
    { "{\"model\": {\"vocab\": {\"\xff\xfe\": 1}}}", PT_ERROR_FORMAT, "not valid JSON" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_refused (cases[i].content, strlen (cases[i].content), cases[i].code, cases[i].part);
}

static void
test_deep (void)
{
  g_autoptr (GString) nested = g_string_new (MODEL ("{\"a\":0}", "[]") ",\"normalizer\":");
  g_autoptr (GString) brackets = g_string_new ("{\"model\":");

  for (int i = 0; i < 1000; i++)
    g_string_append (nested, "{\"type\":\"Sequence\",\"normalizers\":[");
  for (int i = 0; i < 1000; i++)
    g_string_append (nested, "]}");
  g_string_append_c (nested, '}');
  check_refused (nested->str, nested->len, PT_ERROR_TOKENIZER, "too deeply");

  for (int i = 0; i < 100000; i++)
    g_string_append_c (brackets, '[');
  check_refused (brackets->str, brackets->len, PT_ERROR_FORMAT, "not valid JSON");
}

/** A pattern that backtracks for ever ends in an error. */
static void
test_regex_bomb (void)
{
  static const char content[] =
      MODEL ("{\"a\":0}", "[]") ",\"pre_tokenizer\":{\"type\":\"Split\",\"behavior\":\"Isolated\","
                                "\"pattern\":{\"Regex\":\"(?:a+)+(?:a+)+(?:a+)+[bc]\"}}}";
  g_autofree char *path = write_temporary (content, sizeof content - 1);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GError) error = NULL;
  g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (path, &error);
  g_autofree char *text = g_strnfill (5000, 'a');
  gint64 begin = g_get_monotonic_time ();

  g_assert_no_error (error);
  g_assert_false (pt_tokenizer_encode (tokenizer, text, -1, PT_ENCODE_PLAIN, ids, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_TOKENIZER);
  g_test_message ("%.0f ms", (double) (g_get_monotonic_time () - begin) / 1000);
  g_remove (path);
}

/** One piece of a megabyte: merging is not quadratic. */
static void
test_long_piece (void)
{
  g_autoptr (PtTokenizer) tokenizer = open_tokenizer ("hf_llama2");
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autofree char *text = g_strnfill (1 << 20, 'a');
  g_autoptr (GError) error = NULL;

  pt_tokenizer_encode (tokenizer, text, -1, PT_ENCODE_PLAIN, ids, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ids->len, >, 1000);
}

static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_tokenizer_open ("/nowhere/tokenizer.json", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MISSING_FILE);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "hf_llama3", "hf_qwen2",   "hf_smollm", "hf_gemma",
                                       "hf_llama2", "hf_whisper", "smollm2",   "whisper" };

  static const char *const models[] = { "hf_word_piece",    "hf_word_level", "hf_unigram",
                                        "hf_unigram_bytes", "hf_bpe_end",    "hf_bpe_inside",
                                        "hf_letters" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree char *reference = g_strconcat ("/text/tokenizer/reference/", models[i], NULL);

    g_test_add_data_func (reference, models[i], test_reference);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *reference = g_strconcat ("/text/tokenizer/reference/", names[i], NULL);
    g_autofree char *stream = g_strconcat ("/text/tokenizer/stream/", names[i], NULL);

    g_test_add_data_func (reference, names[i], test_reference);
    g_test_add_data_func (stream, names[i], test_stream);
  }
  g_test_add_func ("/text/tokenizer/special-as-text", test_special_as_text);
  g_test_add_func ("/text/tokenizer/invalid-utf8", test_invalid_utf8);
  g_test_add_func ("/text/tokenizer/byte-letters", test_byte_letters);
  g_test_add_func ("/text/tokenizer/lists", test_lists);
  g_test_add_func ("/text/tokenizer/refused", test_refused);
  g_test_add_func ("/text/tokenizer/deep", test_deep);
  g_test_add_func ("/text/tokenizer/regex-bomb", test_regex_bomb);
  g_test_add_func ("/text/tokenizer/long-piece", test_long_piece);
  g_test_add_func ("/text/tokenizer/missing", test_missing);
  return g_test_run ();
}
