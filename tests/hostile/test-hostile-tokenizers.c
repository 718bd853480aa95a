/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hostile/hostile.h"

#include <string.h>
#include <unistd.h>

/*
 * SentencePiece, tiktoken, Tekken and llama2.c: good files cut, with bytes that make trouble, with
 * one thing wrong, and as large as they may be.
 */

static gboolean
use (gconstpointer data, gsize size, const char *what)
{
  g_autofree char *path = hostile_file ("tokenizer.model", data, size);

  return hostile_tokenizer (path, what);
}

/* ---- good files with some damage ---- */

static const char *const bases[] = {
  "spm_word/tokenizer.model",
  "spm_bpe_suffix/tokenizer.model",
  "spm_bpe_rules/tokenizer.model",
  "spm_unigram_defined/tokenizer.model",
  "spm_unigram/tokenizer.model",
  "tiktoken_llama3/tokenizer.model",
  "tekken/tekken.json",
  "llama2c/tokenizer.bin",
};

static void
test_damage (gconstpointer data)
{
  static const guint8 bytes[] = { 0x00, 0x01, 0x0A, 0x7F, 0x80, 0xFF };
  g_autofree char *name = g_build_filename ("tokenizers", data, NULL);
  GRand *rand = g_rand_new_with_seed (7);
  guint tries = HOSTILE_SCALE * 25;
  gsize size;
  g_autofree guint8 *good = hostile_data (name, &size);

  g_assert_true (use (good, size, name));
  for (guint i = 0; i < tries; i++) {
    g_autofree guint8 *copy = g_memdup2 (good, size);
    gsize cut = (gsize) g_rand_int_range (rand, 0, (gint32) size);

    use (copy, cut, name);
    for (guint j = 0; j < 1 + i % 4; j++) {
      /* The beginning, the end, where settings are, or anywhere. */
      gsize at = (gsize) g_rand_int_range (rand, 0, (gint32) size);

      at = i % 3 == 0 ? at % 64 : i % 3 == 1 ? size - 1 - at % MIN (size, 600) : at;
      copy[at] = bytes[g_rand_int_range (rand, 0, G_N_ELEMENTS (bytes))];
    }
    use (copy, size, name);
  }
  g_rand_free (rand);
  hostile_clean_up ();
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
put_number (GString *out, guint field, guint64 value)
{
  put_varint (out, field << 3);
  put_varint (out, value);
}

static void
put_piece (GString *out, const char *name, gsize length, guint type)
{
  g_autoptr (GString) piece = g_string_sized_new (length + 16);

  put_bytes (piece, 1, name, length);
  if (type != 1)
    put_number (piece, 3, type);
  put_bytes (out, 1, piece->str, piece->len);
}

/* Writes the end of a model: @kind, and a table of replacements. */
static void
put_settings (GString *out, guint kind, const GString *map)
{
  g_autoptr (GString) trainer = g_string_new (NULL);
  g_autoptr (GString) normalizer = g_string_new (NULL);

  put_number (trainer, 3, kind);
  put_bytes (out, 2, trainer->str, trainer->len);
  if (map == NULL)
    return;
  put_bytes (normalizer, 2, map->str, map->len);
  put_bytes (out, 3, normalizer->str, normalizer->len);
}

static GString *
begin_model (void)
{
  GString *out = g_string_new (NULL);

  put_piece (out, "<unk>", 5, 2);
  return out;
}

static void
test_lengths (void)
{
  static const guint64 lengths[] = { 0,          1,          127,         G_MAXUINT16,
                                     G_MAXINT32, 1u << 31,   G_MAXUINT32, (guint64) G_MAXUINT32 + 1,
                                     G_MAXINT64, G_MAXUINT64 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths) * 3; i++) {
    g_autoptr (GString) out = begin_model ();

    put_varint (out, (i % 3 + 1) << 3 | 2);
    put_varint (out, lengths[i / 3]);
    g_string_append (out, "\n\1a");
    use (out->str, out->len, "a length that is wrong");
  }
  hostile_clean_up ();
}

/* Double arrays that lead everywhere, into themselves and to no text. */
static void
test_maps (void)
{
  static const guint32 words[] = { 0,          1,          0x161,     0x100 | 'a', 0x80000000,
                                   0xFFFFFFFF, 0x3FF,      1u << 9,   0x7FFFFFFF,  (1u << 10) | 'a',
                                   0x400,      0x80000005, 0xFFFFFC61 };
  GRand *rand = g_rand_new_with_seed (3);

  for (guint i = 0; i < HOSTILE_SCALE * 50; i++) {
    g_autoptr (GString) out = begin_model ();
    g_autoptr (GString) map = g_string_new (NULL);
    guint32 n = (guint32) g_rand_int_range (rand, 1, 600), size = GUINT32_TO_LE (n * 4);

    g_string_append_len (map, (const char *) &size, 4);
    for (guint32 j = 0; j < n; j++) {
      guint32 word = g_rand_int_range (rand, 0, 3) == 0
                         ? words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))]
                         : (g_rand_int (rand) & 0x3FF00) | (j & 0xFF);

      word = GUINT32_TO_LE (word);
      g_string_append_len (map, (const char *) &word, 4);
    }
    g_string_append_len (map, "abc\0 \0\xff\xfe\0", 9);
    put_piece (out, "a", 1, 1);
    put_settings (out, 1 + i % 4, map);
    use (out->str, out->len, "a table of characters");
  }
  g_rand_free (rand);
  hostile_clean_up ();
}

/* Repeatedly replaces a character by the longest text. */
static void
test_growth (void)
{
  g_autoptr (GString) out = begin_model ();
  g_autoptr (GString) map = g_string_new (NULL);
  guint32 units[512] = { 0 };
  guint32 size = GUINT32_TO_LE ((guint32) sizeof units);

  units[0] = GUINT32_TO_LE (256u << 10);
  units[256 ^ 'a'] = GUINT32_TO_LE ('a' | 1u << 8 | 1u << 10);
  units[256 ^ 'a' ^ 1] = GUINT32_TO_LE (1u << 31);
  g_string_append_len (map, (const char *) &size, 4);
  g_string_append_len (map, (const char *) units, sizeof units);
  for (guint i = 0; i < 5000000; i++)
    g_string_append_c (map, 'b');
  g_string_append_c (map, '\0');
  put_piece (out, "b", 1, 1);
  put_settings (out, 2, map);
  use (out->str, out->len, "a character that becomes 5 MB");
  hostile_clean_up ();
}

/* The most pieces, and a very long one; each is a prefix of the next. */
static void
test_sizes (void)
{
  for (guint kind = 1; kind <= 4; kind++) {
    g_autoptr (GString) many = begin_model ();
    g_autoptr (GString) chain = begin_model ();
    g_autofree char *run = g_strnfill (4000, 'a');

    for (guint i = 0; i < HOSTILE_SCALE * 60000; i++) {
      char name[16];
      int length = g_snprintf (name, sizeof name, "%x", i);

      put_piece (many, name, (gsize) length, i % 7 == 0 ? 4 : 1);
    }
    put_settings (many, kind, NULL);
    use (many->str, many->len, "many pieces");
    for (gsize i = 1; i < HOSTILE_SCALE * 500; i++)
      put_piece (chain, run, i, i % 2 == 0 ? 5 : 1);
    put_settings (chain, kind, NULL);
    use (chain->str, chain->len, "pieces that begin alike");
  }
  hostile_clean_up ();
}

static void
test_long_piece (void)
{
  gsize length = HOSTILE_SCALE * 1500 * 1000;
  g_autofree char *run = g_strnfill (length, 'a');

  for (guint type = 1; type <= 4; type++) {
    g_autoptr (GString) out = begin_model ();

    put_piece (out, run, length, type);
    put_settings (out, 1, NULL);
    use (out->str, out->len, "a piece of megabytes");
  }
  hostile_clean_up ();
}

/* ---- the others ---- */

static void
test_lines (void)
{
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (GString) one = g_string_new (NULL);

  for (guint i = 0; i < HOSTILE_SCALE * 100000; i++) {
    guchar bytes[4] = { (guchar) i, (guchar) (i >> 8), (guchar) (i >> 16), 1 };
    g_autofree char *base64 = g_base64_encode (bytes, i < 256 ? 1 : 4);

    g_string_append_printf (many, "%s %u\n", base64, i);
  }
  use (many->str, many->len, "many lines");
  for (gsize i = 0; i < HOSTILE_SCALE * 700 * 1000; i++)
    g_string_append (one, "AAAA");
  g_string_append (one, " 0\n");
  use (one->str, one->len, "a line of megabytes");
  g_string_truncate (one, 0);
  for (gsize i = 0; i < HOSTILE_SCALE * 500 * 1000; i++)
    g_string_append (one, "\n\n\n\n");
  g_string_prepend (one, "AA== 0\n");
  use (one->str, one->len, "empty lines");
  hostile_clean_up ();
}

static void
test_tekken (void)
{
  static const char *const configs[] = {
    "\"default_num_special_tokens\":65536",
    "\"default_num_special_tokens\":65537",
    "\"default_num_special_tokens\":9223372036854775807",
    "\"default_num_special_tokens\":-9223372036854775807",
    "\"default_num_special_tokens\":null",
    "\"default_vocab_size\":0",
    "\"default_vocab_size\":1000",
    "\"default_vocab_size\":9223372036854775807",
    "\"pattern\":\"(a+)+$\"",
    "\"pattern\":\"(a|a)*$\"",
    "\"pattern\":\"\"",
    "\"pattern\":\"(\"",
    "\"pattern\":7",
  };

  for (guint i = 0; i < G_N_ELEMENTS (configs); i++) {
    g_autoptr (GString) out = g_string_new (NULL);

    g_string_printf (out, "{\"config\":{%s},\"vocab\":[", configs[i]);
    for (guint j = 0; j < 256; j++) {
      guchar byte = (guchar) j;
      g_autofree char *base64 = g_base64_encode (&byte, 1);

      g_string_append_printf (out, "%s{\"rank\":%u,\"token_bytes\":\"%s\"}", j > 0 ? "," : "", j,
                              base64);
    }
    g_string_append (out, "]}");
    use (out->str, out->len, configs[i]);
  }
  hostile_clean_up ();
}

static void
test_llama2c (void)
{
  static const gint32 headers[][4] = {
    { 0, 0, 0, 0 },         { -1, 0, 0, 0 },         { 1, 1, 0, 0 },          { 1, 0, -2, 0 },
    { 1 << 20, -1, -1, 8 }, { G_MAXINT32, 1, 2, 8 }, { G_MININT32, 1, 2, 8 }, { 300, 1, 2, -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++) {
    g_autoptr (GString) out = g_string_new (NULL);

    for (guint j = 0; j < 4; j++) {
      gint32 number = GINT32_TO_LE (headers[i][j]);

      g_string_append_len (out, (const char *) &number, 4);
    }
    use (out->str, out->len, "a header alone");
    g_string_append_len (out, "\0\0\0\0\1\0\0\0a", 9);
    use (out->str, out->len, "one token");
    g_string_append_len (out, "\0\0\0\0\xff\xff\xff\xff", 8);
    use (out->str, out->len, "a length below zero");
  }
  hostile_clean_up ();
}

static void
test_holes (void)
{
  static const struct {
    const char *bytes;
    gsize length;
  } heads[] = {
    { "\n\x0e\n\5<unk>\x15\0\0\0\0\x18\2", 16 },
    { "AA== 0\n", 7 },
    { "{\"config\"", 9 },
    { "\x10\0\0", 4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++) {
    g_autofree char *path = hostile_file ("tokenizer.model", heads[i].bytes, heads[i].length);

    g_assert_cmpint (truncate (path, 1 << 30), ==, 0);
    g_assert_false (hostile_tokenizer (path, "1 GB"));
    g_assert_cmpint (truncate (path, 15 * 1000 * 1000), ==, 0);
    hostile_tokenizer (path, "15 MB");
  }
  hostile_clean_up ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bases); i++) {
    g_autofree char *name = g_strconcat ("/hostile/tokenizers/damage/", bases[i], NULL);

    g_test_add_data_func (name, bases[i], test_damage);
  }
  g_test_add_func ("/hostile/tokenizers/lengths", test_lengths);
  g_test_add_func ("/hostile/tokenizers/maps", test_maps);
  g_test_add_func ("/hostile/tokenizers/growth", test_growth);
  g_test_add_func ("/hostile/tokenizers/sizes", test_sizes);
  g_test_add_func ("/hostile/tokenizers/long-piece", test_long_piece);
  g_test_add_func ("/hostile/tokenizers/lines", test_lines);
  g_test_add_func ("/hostile/tokenizers/tekken", test_tekken);
  g_test_add_func ("/hostile/tokenizers/llama2c", test_llama2c);
  g_test_add_func ("/hostile/tokenizers/holes", test_holes);
  return g_test_run ();
}
