/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Texts from random logits under many schemas: each one that may end is JSON that the schema
 * accepts, with tokenizers of all kinds.
 */

#include <math.h>
#include <string.h>

#include "engine/text/grammar/constraint.h"
#include "engine/text/grammar/json-schema.h"
#include "engine/text/sampler.h"
#include "tests/unit/text/json-validator.h"

/* Tokens of a text. After @HURRY of them, those that close something become likelier. */
#define MOST_TOKENS 4000
#define HURRY 40

static const char *const SCHEMAS[] = {
  "{\"type\":\"object\"}",
  "{\"type\":\"array\"}",
  "true",
  "{\"type\":\"string\"}",
  "{\"type\":\"integer\"}",
  "{\"type\":\"number\"}",
  "{\"type\":\"boolean\"}",
  "{\"type\":\"null\"}",
  "{\"type\":[\"integer\",\"string\",\"null\"]}",
  "{\"type\":\"integer\",\"minimum\":0,\"maximum\":150}",
  "{\"type\":\"integer\",\"minimum\":-1000,\"exclusiveMaximum\":7}",
  "{\"type\":\"number\",\"minimum\":0,\"maximum\":1}",
  "{\"type\":\"number\",\"exclusiveMinimum\":-90.5,\"maximum\":90.25}",
  "{\"type\":\"number\",\"minimum\":3}",
  "{\"type\":\"string\",\"minLength\":3,\"maxLength\":5}",
  "{\"type\":\"string\",\"maxLength\":100}",
  "{\"type\":\"string\",\"minLength\":30}",
  "{\"type\":\"string\",\"pattern\":\"^[A-Z][a-z]{2,8}( [A-Z][a-z]+)?$\"}",
  "{\"type\":\"string\",\"pattern\":\"^\\\\d{3}-\\\\d{4}$\"}",
  "{\"type\":\"string\",\"pattern\":\"^(\\\\([0-9]{3}\\\\))?[0-9]{3}-[0-9]{4}$\"}",
  "{\"type\":\"string\",\"pattern\":\"fern\"}",
  "{\"type\":\"string\",\"pattern\":\"^[^a-z]{1,4}$\"}",
  "{\"type\":\"string\",\"pattern\":\"^(ab|cd|\xc3\xa9)+\\\\s?[.!]$\"}",
  "{\"type\":\"string\",\"format\":\"date\"}",
  "{\"type\":\"string\",\"format\":\"time\"}",
  "{\"type\":\"string\",\"format\":\"date-time\"}",
  "{\"type\":\"string\",\"format\":\"uuid\"}",
  "{\"type\":\"string\",\"format\":\"email\"}",
  "{\"type\":\"string\",\"format\":\"ipv4\"}",
  "{\"enum\":[\"red\",\"amber\",\"green\",null,3,0.5,{\"a\":[1,2]}]}",
  "{\"const\":{\"a\":\"\\\"quoted\\\"\\n\"}}",
  "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":2,\"maxItems\":4}",
  "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":4}}",
  "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"string\"}],\"items\":"
  "false}",
  "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"}],\"items\":{\"type\":\"boolean\"},"
  "\"minItems\":2}",
  "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":"
  "2,\"maxItems\":2}}",
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":"
  "\"integer\",\"minimum\":0}},"
  "\"required\":[\"name\",\"age\"],\"additionalProperties\":false}",
  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\"},"
  "\"c\":{\"type\":\"null\"}}}",
  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\"},"
  "\"c\":{\"type\":\"null\"}},\"required\":[\"b\"]}",
  "{\"type\":\"object\",\"properties\":{\"ab\":{\"type\":\"integer\"},\"abc\":{\"type\":\"null\"}},"
  "\"additionalProperties\":{\"type\":\"string\"}}",
  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"additionalProperties\":"
  "true}",
  "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
  "{\"type\":\"object\",\"required\":[\"x\"]}",
  "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
  "{\"type\":\"object\",\"properties\":{\"na\\\"me\xc3\xa9\":{\"type\":\"boolean\"}},\"required\":["
  "\"na\\\"me\xc3\xa9\"]}",
  "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"array\",\"items\":{\"type\":\"null\"}}]}",
  "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"circle\"},\"radius\":{"
  "\"type\":\"number\"}},"
  "\"required\":[\"kind\",\"radius\"]},{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":"
  "\"square\"},"
  "\"side\":{\"type\":\"number\"}},\"required\":[\"kind\",\"side\"]}]}",
  "{\"allOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":["
  "\"a\"]},"
  "{\"properties\":{\"b\":{\"type\":\"boolean\"}},\"required\":[\"b\"]}]}",
  "{\"allOf\":[{\"type\":\"integer\",\"minimum\":10},{\"maximum\":20}]}",
  "{\"$ref\":\"#/$defs/"
  "tree\",\"$defs\":{\"tree\":{\"type\":\"object\",\"properties\":{\"value\":{\"type\":\"integer\"}"
  ","
  "\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
  "tree\"},\"maxItems\":2}},\"required\":[\"value\"]}}}",
  "{\"type\":\"object\",\"properties\":{\"next\":{\"anyOf\":[{\"$ref\":\"#\"},{\"type\":\"null\"}]}"
  "},\"required\":[\"next\"]}",
  "{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":\"array\",\"items\":{\"type\":"
  "\"object\",\"properties\":"
  "{\"explanation\":{\"type\":\"string\"},\"output\":{\"type\":\"string\"}},\"required\":["
  "\"explanation\",\"output\"],"
  "\"additionalProperties\":false}},\"final_answer\":{\"type\":\"string\"}},\"required\":["
  "\"steps\",\"final_answer\"],"
  "\"additionalProperties\":false}",
  "{\"type\":\"object\",\"properties\":{\"person\":{\"$ref\":\"#/$defs/"
  "P\"},\"others\":{\"type\":\"array\","
  "\"items\":{\"$ref\":\"#/$defs/"
  "P\"},\"maxItems\":3}},\"required\":[\"person\",\"others\"],\"$defs\":{\"P\":"
  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":20},\"mail\":{"
  "\"type\":\"string\","
  "\"format\":\"email\"}},\"required\":[\"name\"]}}}",
  "{\"type\":\"object\",\"properties\":{\"unit\":{\"type\":\"string\",\"enum\":[\"celsius\","
  "\"fahrenheit\"]},"
  "\"place\":{\"type\":[\"string\",\"null\"]},\"days\":{\"type\":\"integer\",\"minimum\":1,"
  "\"maximum\":14}},"
  "\"required\":[\"unit\",\"place\",\"days\"]}",
  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"b\":{\"type\":"
  "\"object\","
  "\"properties\":{\"c\":{\"type\":\"array\",\"items\":{\"type\":\"boolean\"},\"maxItems\":3}}}}}},"
  "\"required\":[\"a\"]}",
  "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":true},\"required\":[\"a\",\"b\"]}",
  "{\"type\":\"object\",\"properties\":{\"when\":{\"type\":\"string\",\"format\":\"date-time\"},"
  "\"id\":{\"type\":"
  "\"string\",\"format\":\"uuid\"}},\"required\":[\"id\",\"when\"]}",
  "{\"anyOf\":[{\"const\":1},{\"const\":12},{\"const\":123},{\"const\":\"1\"}]}",
  "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},"
  "\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
  "{\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"string\",\"maxLength\":2},{\"type\":"
  "\"integer\"},"
  "{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"null\"}}}]},\"maxItems\":5}",
};

/* Byte-level BPE, SentencePiece with byte tokens, Unigram, tiktoken, Tekken, llama2.c. */
static const char *const TOKENIZERS[] = { "hf_smollm", "hf_qwen2",   "hf_gemma",
                                          "hf_llama2", "spm_llama2", "tiktoken_llama3",
                                          "tekken",    "llama2c",    "hf_unigram_bytes" };

typedef struct {
  PtTokenizer *tokenizer;
  PtTokenTrie *trie;
  PtSampler *sampler;
  guint n;
  float *logits;
  PtRandom random;
} Fixture;

static void
open_tokenizer (Fixture *f, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tokenizers", name, NULL);
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GError) error = NULL;
  gint32 end;

  f->tokenizer = pt_tokenizer_open (path, &error);
  g_assert_no_error (error);
  f->n = pt_tokenizer_n_ids (f->tokenizer);
  end = pt_tokenizer_eos (f->tokenizer);
  if (end >= 0)
    g_array_append_val (ends, end);
  f->trie = pt_token_trie_new (f->tokenizer, f->n, ends, &error);
  g_assert_no_error (error);
  f->sampler = pt_sampler_new (f->n, &error);
  g_assert_no_error (error);
  f->logits = g_new (float, f->n);
}

static void
close_tokenizer (Fixture *f)
{
  g_free (f->logits);
  pt_sampler_free (f->sampler);
  pt_token_trie_free (f->trie);
  pt_tokenizer_free (f->tokenizer);
}

static void
make_logits (Fixture *f, gboolean hurries)
{
  for (guint i = 0; i < f->n; i++) {
    gsize length = 0;
    const char *bytes = pt_tokenizer_bytes (f->tokenizer, (gint32) i, &length);

    f->logits[i] = 4 * pt_random_coin (&f->random);
    if (hurries && length > 0 && strchr ("\"}]", bytes[0]) != NULL && bytes[0] != '\0')
      f->logits[i] += 8;
  }
}

/* A random text; NULL: it did not end. */
static char *
write_text (Fixture *f, PtConstraint *constraint)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GError) error = NULL;

  pt_constraint_restart (constraint, &error);
  for (guint i = 0; i < MOST_TOKENS && !pt_constraint_must_end (constraint); i++) {
    const guint32 *mask = pt_constraint_mask (constraint, &error);
    gint32 id;

    g_assert_no_error (error);
    make_logits (f, i > HURRY);
    pt_sampler_set_mask (f->sampler, mask, f->trie->n_ids);
    id = pt_sampler_sample (f->sampler, f->logits, PT_DTYPE_F32, f->n);
    g_assert_cmpint (id, >=, 0);
    if (id == pt_tokenizer_eos (f->tokenizer))
      break;
    pt_constraint_accept (constraint, f->tokenizer, id, &error);
    g_assert_no_error (error);
    g_array_append_val (ids, id);
  }
  if (!pt_constraint_may_end (constraint))
    return NULL;
  return g_string_free (pt_tokenizer_decode (f->tokenizer,
                                             (const gint32 *) (gconstpointer) ids->data, ids->len,
                                             TRUE),
                        FALSE);
}

static void
check_text (const char *schema, const char *text)
{
  json_error_t fault;
  json_t *root = json_loads (schema, JSON_DECODE_ANY, NULL);
  json_t *value = json_loads (text, JSON_DECODE_ANY, &fault);

  if (value == NULL)
    g_error ("%s gave %s: %s", schema, text, fault.text);
  if (!json_validator_accepts (root, root, value))
    g_error ("%s gave %s", schema, text);
  json_decref (value);
  json_decref (root);
}

static void
test_random (gconstpointer data)
{
  const PtSampling how = { 1, 0, 1, 0, 1, 0, 0, 0 };
  guint n_ended = 0, n_all = 0;
  Fixture f;

  open_tokenizer (&f, data);
  pt_sampler_configure (f.sampler, &how);
  pt_sampler_seed (f.sampler, 7);
  pt_random_init (&f.random, 11);
  for (gsize i = 0; i < G_N_ELEMENTS (SCHEMAS); i++) {
    g_autoptr (GError) error = NULL;
    PtGrammar *grammar = pt_json_schema_compile (SCHEMAS[i], &error);
    g_autoptr (PtConstraint) constraint = NULL;

    g_assert_no_error (error);
    constraint = pt_constraint_new (grammar, f.trie, &error);
    g_assert_no_error (error);
    for (guint k = 0; k < 4; k++, n_all++) {
      g_autofree char *text = write_text (&f, constraint);

      if (text != NULL)
        check_text (SCHEMAS[i], text);
      n_ended += text != NULL;
    }
  }
  g_test_message ("%s: %u of %u texts ended", (const char *) data, n_ended, n_all);
  g_assert_cmpuint (n_ended * 10, >, n_all * 9);
  close_tokenizer (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (TOKENIZERS); i++) {
    g_autofree char *path = g_strconcat ("/text/grammar/random/", TOKENIZERS[i], NULL);

    g_test_add_data_func (path, TOKENIZERS[i], test_random);
  }
  return g_test_run ();
}
