/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Schemas that want too much time, memory or stack. Each is refused, or gives an error where it
 * becomes too much, or costs little; none harms the process.
 */

#include <string.h>

#include "engine/text/grammar/automaton.h"
#include "engine/text/grammar/json-schema.h"

/* Reads text of the grammar that a generator of random bytes finds. */
static void
use (const PtGrammar *grammar)
{
  g_autoptr (PtAutomaton) automaton = pt_automaton_new (grammar);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  PtState state = pt_automaton_start (automaton);

  for (guint i = 0; i < 3000 && state != PT_STATE_LOST && state != PT_STATE_DEAD; i++) {
    guint8 first = (guint8) g_rand_int (random);
    PtState next = PT_STATE_DEAD;

    pt_automaton_begin (automaton);
    for (guint k = 0; k < 256 && next == PT_STATE_DEAD; k++)
      next = pt_automaton_step (automaton, state, (guint8) (first + k));
    state = next;
    if (pt_automaton_memory (automaton) > 16 * 1024 * 1024 && state != PT_STATE_LOST &&
        state != PT_STATE_DEAD)
      state = pt_automaton_forget (automaton, state);
  }
  if (state == PT_STATE_LOST)
    g_test_message ("too complex at some place");
}

static void
check (const char *schema)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtGrammar) grammar = pt_json_schema_compile (schema, &error);

  g_test_message ("%.60s: %s", schema, error != NULL ? error->message : "taken");
  if (grammar == NULL)
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  else
    use (grammar);
}

/* @before @n times, @middle, @after @n times. */
static char *
nest (const char *before, const char *middle, const char *after, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, before);
  g_string_append (text, middle);
  for (guint i = 0; i < n; i++)
    g_string_append (text, after);
  return g_string_free (text, FALSE);
}

static void
test_patterns (void)
{
  static const char *const patterns[] = {
    "^(a|a)*$",
    "^(a*)*b$",
    "^((a{0,1000}){0,1000}){0,1000}$",
    "^(a|b)*a(a|b){200}$",
    "^(a?){32}a{32}$",
    "^(((((((a?){32}){32}){32}){32}){32}){32}){32}$",
    "^((((((((((){32}){32}){32}){32}){32}){32}){32}){32}){32}){32}$",
    "(.*)*(.*)*(.*)*x",
    "^[\\\\s\\\\S]{10000}$",
    "^(\\\\w{1,5000}\\\\s){1,5000}$",
    "a{10000}{10000}",
    "^(|a|b|){9999}$",
    "^(a|aa|aaa|aaaa|aaaaa){1,9999}(b|bb){1,9999}$",
    "([^\xc3\xa9]|[^a]|[^b]){1,500}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (patterns); i++) {
    g_autofree char *schema =
        g_strdup_printf ("{\"type\":\"string\",\"pattern\":\"%s\"}", patterns[i]);

    check (schema);
  }
}

static void
test_nesting (void)
{
  static const struct {
    const char *before, *middle, *after;
  } cases[] = {
    { "[", "", "]" },
    { "{\"items\":", "{}", "}" },
    { "{\"anyOf\":[", "true", "]}" },
    { "{\"allOf\":[", "true", "]}" },
    { "{\"properties\":{\"a\":", "{}", "}}" },
    { "{\"additionalProperties\":", "{}", "}" },
    { "{\"anyOf\":[{\"type\":\"null\"},", "true", "],\"maximum\":3}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint n = 50; n < 100000; n *= 10) {
      g_autofree char *schema = nest (cases[i].before, cases[i].middle, cases[i].after, n);

      check (schema);
    }
  {
    g_autofree char *groups = nest ("(", "a", ")*", 1000);
    g_autofree char *schema = g_strdup_printf ("{\"pattern\":\"%s\"}", groups);

    check (schema);
  }
}

/* Definitions that each use the next one twice. */
static void
test_doubling (void)
{
  static const char *const forms[] = {
    "{\"allOf\":[{\"$ref\":\"#/$defs/NEXT\"},{\"$ref\":\"#/$defs/NEXT\"}]}",
    "{\"type\":\"object\",\"anyOf\":[{\"$ref\":\"#/$defs/"
    "NEXT\",\"title\":\"a\",\"required\":[\"a\"]},"
    "{\"$ref\":\"#/$defs/NEXT\",\"required\":[\"b\"]}]}",
    "{\"anyOf\":[{\"$ref\":\"#/$defs/NEXT\"},{\"$ref\":\"#/$defs/NEXT\"}]}",
    "{\"items\":{\"$ref\":\"#/$defs/NEXT\"},\"prefixItems\":[{\"$ref\":\"#/$defs/NEXT\"}]}",
    "{\"oneOf\":[{\"$ref\":\"#/$defs/NEXT\"},{\"$ref\":\"#/$defs/NEXT\"}]}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++) {
    GString *schema = g_string_new ("{\"$ref\":\"#/$defs/0\",\"$defs\":{");

    for (guint k = 0; k < 200; k++) {
      char number[8];

      g_string_append_printf (schema, "\"%u\":", k);
      g_string_append (schema, forms[i]);
      g_snprintf (number, sizeof number, "%u", k + 1);
      g_string_replace (schema, "NEXT", number, 0);
      g_string_append_c (schema, ',');
    }
    g_string_append (schema, "\"200\":{\"type\":\"object\"}}}");
    check (schema->str);
    g_string_free (schema, TRUE);
  }
}

/* Rules that call each other in a line, known to the schema in this order, the other one, and none.
 */
static void
check_chains (void)
{
  static const guint steps[] = { 1, 1999, 811 };

  for (gsize k = 0; k < G_N_ELEMENTS (steps); k++) {
    GString *schema = g_string_new ("{\"anyOf\":[");

    for (guint i = 0; i < 2000; i++)
      g_string_append_printf (schema, "{\"$ref\":\"#/$defs/r%u\"},", i * steps[k] % 2000);
    g_string_append (schema, "{\"type\":\"null\"}],\"$defs\":{");
    for (guint i = 0; i < 2000; i++)
      g_string_append_printf (schema, "\"r%u\":{\"items\":{\"$ref\":\"#/$defs/r%u\"}},", i, i + 1);
    g_string_append (schema, "\"r2000\":{}}}");
    check (schema->str);
    g_string_free (schema, TRUE);
  }
}

static void
test_long (void)
{
  GString *properties = g_string_new ("{\"properties\":{"), *values = g_string_new ("{\"enum\":[");
  GString *branches = g_string_new ("{\"oneOf\":["), *rules = g_string_new ("{\"$defs\":{");
  g_autofree char *key = g_strnfill (100000, 'k');
  g_autofree char *long_key =
      g_strdup_printf ("{\"properties\":{\"%s\":{}},\"additionalProperties\":true}", key);
  g_autofree char *long_value = g_strdup_printf ("{\"enum\":[\"%s\",\"%sx\"]}", key, key);

  for (guint i = 0; i < 8000; i++) {
    g_string_append_printf (properties, "%s\"p%u\":{\"type\":\"null\"}", i > 0 ? "," : "", i);
    g_string_append_printf (values, "%s\"%.*s\"", i > 0 ? "," : "", (int) (i % 100 + 1), key);
    g_string_append_printf (branches, "%s{\"const\":%u}", i > 0 ? "," : "", i);
    g_string_append_printf (rules, "\"r%u\":{\"items\":{\"$ref\":\"#/$defs/r%u\"}},", i, i + 1);
  }
  g_string_append (properties, "},\"additionalProperties\":true}");
  g_string_append (values, "]}");
  g_string_append (branches, "]}");
  g_string_append (rules, "\"r8000\":{}},\"$ref\":\"#/$defs/r0\"}");
  check (properties->str);
  check (values->str);
  check (branches->str);
  check (rules->str);
  check_chains ();
  check (long_key);
  check (long_value);
  check ("{\"type\":\"string\",\"minLength\":1000000,\"maxLength\":1000000}");
  check ("{\"type\":\"array\",\"minItems\":1000000,\"items\":{\"type\":\"array\",\"minItems\":"
         "1000000}}");
  check ("{\"type\":\"string\",\"minLength\":1e300}");
  check ("{\"type\":\"integer\",\"minimum\":-1e300,\"maximum\":1e300}");
  check ("{\"type\":\"number\",\"minimum\":-1e300,\"maximum\":1e-300}");
  g_string_free (properties, TRUE);
  g_string_free (values, TRUE);
  g_string_free (branches, TRUE);
  g_string_free (rules, TRUE);
}

/* A value that may stand at many places at once. */
static void
test_ambiguous (void)
{
  GString *branches = g_string_new ("{\"anyOf\":[");

  for (guint i = 0; i < 3000; i++)
    g_string_append_printf (
        branches, "%s{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":%u}}",
        i > 0 ? "," : "", i);
  g_string_append (branches, "]}");
  check (branches->str);
  g_string_free (branches, TRUE);
  check ("{\"$ref\":\"#/$defs/"
         "a\",\"$defs\":{\"a\":{\"anyOf\":[{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/a\"}},"
         "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
         "b\"}}]},\"b\":{\"anyOf\":[{\"type\":\"array\",\"items\":"
         "{\"$ref\":\"#/$defs/a\"}},{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/b\"}}]}}}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/grammar/hostile/patterns", test_patterns);
  g_test_add_func ("/text/grammar/hostile/nesting", test_nesting);
  g_test_add_func ("/text/grammar/hostile/doubling", test_doubling);
  g_test_add_func ("/text/grammar/hostile/long", test_long);
  g_test_add_func ("/text/grammar/hostile/ambiguous", test_ambiguous);
  return g_test_run ();
}
