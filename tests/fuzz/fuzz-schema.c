/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <jansson.h>

#include "engine/text/grammar/constraint.h"
#include "engine/text/grammar/json-schema.h"
#include "tests/fuzz/fuzz.h"

/*
 * JSON schemas. Behind a zero, if there is one, comes a text: it is read as far as the schema
 * accepts it. Then tokens are chosen until the text may end, and a text that may end is JSON.
 */

#define MOST_TOKENS 40

static const PtTokenizer *
tokenizer (void)
{
  static PtTokenizer *one;

  if (one == NULL) {
    g_autofree char *path = fuzz_data_path ("tokenizers/hf_smollm/tokenizer.json");

    one = pt_tokenizer_open (path, NULL);
    g_assert (one != NULL);
  }
  return one;
}

static const PtTokenTrie *
trie (void)
{
  static PtTokenTrie *one;

  if (one == NULL) {
    g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint32));
    gint32 end = 0; /* a special token */

    g_array_append_val (ends, end);
    one = pt_token_trie_new (tokenizer (), G_MAXUINT, ends, NULL);
    g_assert (one != NULL);
  }
  return one;
}

/* A token of the mask that depends on @choice; -1: only the end is left. */
static gint32
choose (const guint32 *mask, guint choice)
{
  guint n = trie ()->n_ids;

  for (guint i = 0; i < n; i++) {
    guint id = (choice + i) % n;

    if (id != 0 && (mask[id / 32] >> (id % 32) & 1) != 0)
      return (gint32) id;
  }
  return -1;
}

static void
check_text (PtConstraint *constraint, const GString *text)
{
  json_t *value;

  if (!pt_constraint_may_end (constraint))
    return;
  value = json_loadb (text->str, text->len, JSON_DECODE_ANY, NULL);
  if (value == NULL)
    g_error ("%s is not JSON", text->str);
  json_decref (value);
}

static void
write_on (PtConstraint *constraint, GString *text, guint choice)
{
  GError *error = NULL;

  for (guint i = 0; i < MOST_TOKENS && !pt_constraint_must_end (constraint); i++) {
    const guint32 *mask = pt_constraint_mask (constraint, &error);
    gint32 id = mask != NULL ? choose (mask, choice * (i + 1)) : -1;
    const char *bytes;
    gsize length;

    if (mask == NULL) {
      fuzz_check_error (error);
      return;
    }
    if (id < 0)
      break;
    if (!pt_constraint_accept (constraint, tokenizer (), id, &error))
      g_error ("%s", error->message);
    bytes = pt_tokenizer_bytes (tokenizer (), id, &length);
    g_string_append_len (text, bytes, (gssize) length);
  }
  check_text (constraint, text);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *schema = g_strndup ((const char *) data, size);
  g_autoptr (GString) text = g_string_new (NULL);
  GError *error = NULL;
  PtGrammar *grammar = pt_json_schema_compile (schema, &error);
  g_autoptr (PtConstraint) constraint =
      grammar != NULL ? pt_constraint_new (grammar, trie (), &error) : NULL;

  if (constraint == NULL) {
    fuzz_check_error (error);
    return 0;
  }
  for (gsize i = strlen (schema) + 1; i < size; i++)
    if (pt_constraint_accept_text (constraint, (const char *) data + i, 1))
      g_string_append_c (text, (char) data[i]);
  check_text (constraint, text);
  write_on (constraint, text, (guint) size * 31 + 7);
  return 0;
}
