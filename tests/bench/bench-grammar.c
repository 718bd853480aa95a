/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The time that binding an answer to a JSON schema takes for each token:
 *
 *     build/tests/bench/bench-grammar TOKENIZER
 *
 * For each schema: its compilation; then, for every token of an answer that the schema accepts, the
 * mask and the step to the next token: the first time, when states are made, and again. The
 * schemas are compiled once more for each of several rounds; medians of these.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/text/grammar/constraint.h"
#include "engine/text/grammar/json-schema.h"

#define ROUNDS 9

typedef struct {
  const char *name, *schema, *answer;
} Case;

static const Case CASES[] = {
  { "any object", "{\"type\":\"object\"}",
    "{\"title\": \"A walk in the forest\", \"tags\": [\"fern\", \"moss\"], \"length\": 12.5, "
    "\"guide\": {\"name\": \"Anna\", \"old\": false}}" },
  { "person",
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"age\":{\"type\":"
    "\"integer\","
    "\"minimum\":0,\"maximum\":150},\"hobbies\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}"
    "}},"
    "\"required\":[\"name\",\"age\",\"hobbies\"],\"additionalProperties\":false}",
    "{\n  \"name\": \"Anna Grünwald\",\n  \"age\": 33,\n  \"hobbies\": [\n    \"chess\",\n    "
    "\"hiking in the mountains\"\n  ]\n}" },
  { "steps of a solution",
    "{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/"
    "$defs/step\"}},"
    "\"final_answer\":{\"type\":\"string\"}},\"required\":[\"steps\",\"final_answer\"],"
    "\"additionalProperties\":false,\"$defs\":{\"step\":{\"type\":\"object\",\"properties\":"
    "{\"explanation\":{\"type\":\"string\"},\"output\":{\"type\":\"string\"}},"
    "\"required\":[\"explanation\",\"output\"],\"additionalProperties\":false}}}",
    "{\"steps\": [{\"explanation\": \"Subtract 7 from both sides of the equation.\", \"output\": "
    "\"8x "
    "= -30\"}, {\"explanation\": \"Divide both sides by 8.\", \"output\": \"x = -3.75\"}], "
    "\"final_answer\": \"x = -3.75\"}" },
  { "lengths, pattern, formats",
    "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\",\"format\":\"uuid\"},"
    "\"code\":"
    "{\"type\":\"string\",\"pattern\":\"^[A-Z]{2,3}-\\\\d{4}$\"},\"when\":{\"type\":\"string\","
    "\"format\":"
    "\"date-time\"},\"note\":{\"type\":\"string\",\"maxLength\":200}},\"required\":[\"id\","
    "\"code\",\"when\","
    "\"note\"]}",
    "{\"id\": \"123e4567-e89b-12d3-a456-426614174000\", \"code\": \"FRN-2041\", \"when\": "
    "\"2024-02-28T09:30:00Z\", \"note\": \"The fern by the window wants less water in winter, and "
    "more "
    "light than the moss beside it.\"}" },
  { "a tree",
    "{\"$ref\":\"#/$defs/"
    "n\",\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":"
    "\"string\"},\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
    "n\"}}},\"required\":[\"name\"]}}}",
    "{\"name\":\"plants\",\"children\":[{\"name\":\"ferns\",\"children\":[{\"name\":\"bracken\"},"
    "{\"name\":\"polypody\"}]},{\"name\":\"mosses\",\"children\":[]}]}" },
};

typedef struct {
  double compile_ms;
  double first_us, again_us; /* for each token */
  double worst_us;           /* of the first time */
} Times;

/* Nanoseconds that this process has computed, so that other programs do not count. */
static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

static double
us_since (gint64 begin)
{
  return (double) (now () - begin) / 1000;
}

static void
die (GError *error)
{
  fprintf (stderr, "%s\n", error->message);
  exit (1);
}

/* The time of all tokens, in microseconds. */
static double
walk (PtConstraint *constraint, const PtTokenizer *tokenizer, const GArray *ids, double *worst)
{
  GError *error = NULL;
  double all = 0;

  if (!pt_constraint_restart (constraint, &error))
    die (error);
  for (guint i = 0; i < ids->len; i++) {
    gint64 begin = now ();
    double us;

    if (pt_constraint_mask (constraint, &error) == NULL ||
        !pt_constraint_accept (constraint, tokenizer, g_array_index (ids, gint32, i), &error))
      die (error);
    us = us_since (begin);
    all += us;
    if (worst != NULL)
      *worst = MAX (*worst, us);
  }
  return all;
}

static Times
measure (const Case *c, const PtTokenizer *tokenizer, const PtTokenTrie *trie, const GArray *ids)
{
  g_autoptr (PtConstraint) constraint = NULL;
  GError *error = NULL;
  gint64 begin = now ();
  PtGrammar *grammar = pt_json_schema_compile (c->schema, &error);
  Times times = { 0 };

  if (grammar == NULL)
    die (error);
  constraint = pt_constraint_new (grammar, trie, &error);
  if (constraint == NULL)
    die (error);
  times.compile_ms = us_since (begin) / 1000;
  times.first_us = walk (constraint, tokenizer, ids, &times.worst_us) / ids->len;
  times.again_us = walk (constraint, tokenizer, ids, NULL) / ids->len;
  return times;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
median (const Times *times, gsize offset)
{
  double values[ROUNDS];

  for (guint i = 0; i < ROUNDS; i++)
    values[i] = *(const double *) (gconstpointer) ((const char *) &times[i] + offset);
  qsort (values, ROUNDS, sizeof *values, compare);
  return values[ROUNDS / 2];
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  g_autoptr (PtTokenizer) tokenizer = argc == 2 ? pt_tokenizer_open (argv[1], &error) : NULL;
  g_autoptr (PtTokenTrie) trie = NULL;
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint32));
  gint64 begin = now ();

  if (argc != 2) {
    fprintf (stderr, "usage: bench-grammar TOKENIZER\n");
    return 2;
  }
  if (tokenizer == NULL)
    die (error);
  trie = pt_token_trie_new (tokenizer, G_MAXUINT, ends, &error);
  if (trie == NULL)
    die (error);
  printf ("%u tokens; their trees took %.1f ms\n", trie->n_ids, us_since (begin) / 1000);
  printf ("%-28s %6s %12s %12s %12s %12s\n", "schema", "tokens", "compile ms", "first us",
          "worst us", "again us");
  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
    Times times[ROUNDS];

    if (!pt_tokenizer_encode (tokenizer, CASES[i].answer, -1, PT_ENCODE_PLAIN, ids, &error))
      die (error);
    for (guint k = 0; k < ROUNDS; k++)
      times[k] = measure (&CASES[i], tokenizer, trie, ids);
    printf ("%-28s %6u %12.2f %12.1f %12.1f %12.2f\n", CASES[i].name, ids->len,
            median (times, G_STRUCT_OFFSET (Times, compile_ms)),
            median (times, G_STRUCT_OFFSET (Times, first_us)),
            median (times, G_STRUCT_OFFSET (Times, worst_us)),
            median (times, G_STRUCT_OFFSET (Times, again_us)));
  }
  return 0;
}
