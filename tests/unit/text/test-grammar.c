/* SPDX-License-Identifier: BSD-3-Clause */

/* Which texts the grammars of JSON schemas accept, and which schemas are refused. */

#include <string.h>

#include "engine/text/grammar/automaton.h"
#include "engine/text/grammar/json-schema.h"

static PtGrammar *
compile (const char *schema)
{
  g_autoptr (GError) error = NULL;
  PtGrammar *grammar = pt_json_schema_compile (schema, &error);

  if (grammar == NULL)
    g_error ("%s: %s", schema, error->message);
  return grammar;
}

/* Whether @text is a whole text of the grammar. */
static gboolean
accepts (const PtGrammar *grammar, const char *text)
{
  g_autoptr (PtAutomaton) automaton = pt_automaton_new (grammar);
  PtState state = pt_automaton_start (automaton);

  for (const char *byte = text; *byte != '\0'; byte++) {
    state = pt_automaton_step (automaton, state, (guint8) *byte);
    if (state == PT_STATE_DEAD || state == PT_STATE_LOST)
      return FALSE;
  }
  return pt_automaton_info (automaton, state).may_end;
}

typedef struct {
  const char *schema;
  const char *good[8], *bad[12];
} Case;

static void
check_cases (const Case *cases, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_autoptr (PtGrammar) grammar = compile (cases[i].schema);

    for (const char *const *text = cases[i].good; *text != NULL; text++)
      if (!accepts (grammar, *text))
        g_error ("%s does not accept %s", cases[i].schema, *text);
    for (const char *const *text = cases[i].bad; *text != NULL; text++)
      if (accepts (grammar, *text))
        g_error ("%s accepts %s", cases[i].schema, *text);
  }
}

static void
test_values (void)
{
  static const Case cases[] = {
    { "{\"type\":\"null\"}",
      { "null", " null", "\n  null" },
      { "nul", "nulll", "", "  null", "null " } },
    { "{\"type\":\"boolean\"}", { "true", "false" }, { "True", "0" } },
    { "{\"type\":\"integer\"}",
      { "0", "-1", "123456789012345", "-0" },
      { "01", "1.0", "1e3", "+1", "-", "1234567890123456" } },
    { "{\"type\":\"number\"}",
      { "0", "-1.5", "1e5", "2.5E-10", "0.1234567890123456" },
      { ".5", "1.", "1e", "1e100", "00", "--1", "NaN" } },
    { "{\"type\":\"string\"}",
      { "\"\"", "\"a\\n\\u00e9\\uD83D\\uDE00\"", "\"h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"\\\"\"" },
      { "\"", "\"a\nb\"", "\"\\x\"", "\"\\ud800\"", "\"\\u0000\"", "\"\xff\"", "\"\xed\xa0\x80\"",
        "\"\xc0\xaf\"", "\"\xc3\"", "a" } },
    { "{\"type\":[\"string\",\"null\"]}", { "\"x\"", "null" }, { "1" } },
    { "true",
      { "1", "[]", "{}", "[1, {\"a\":[null]}]", "\"x\"", "{\"a\": 1,\"b\":2}" },
      { "[1,]", "{a:1}", "[1 2]" } },
    { "{}", { "true" }, { "" } },
    { "{\"const\":{\"a\":[1,\"\\u00e9\"]}}", { "{\"a\":[1,\"\xc3\xa9\"]}" }, { "{\"a\":[1]}" } },
    { "{\"enum\":[\"red\",\"redder\",1,0.1,null,\"red\"]}",
      { "\"red\"", "\"redder\"", "1", "0.1", "null" },
      { "\"re\"", "2", "\"blue\"" } },
    { "{\"type\":\"string\",\"enum\":[\"a\",1],\"title\":\"t\"}", { "\"a\"" }, { "1" } },
    { "{\"enum\":[\"a\",\"b\"],\"const\":\"b\"}", { "\"b\"" }, { "\"a\"" } },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_numbers (void)
{
  static const Case cases[] = {
    { "{\"type\":\"integer\",\"minimum\":7,\"maximum\":112}",
      { "7", "9", "10", "99", "100", "112" },
      { "6", "113", "0", "-7", "07", "70.0", "1000" } },
    { "{\"type\":\"integer\",\"minimum\":-12,\"exclusiveMaximum\":3}",
      { "-12", "-1", "0", "2", "-9" },
      { "-13", "3", "-0", "-20", "12" } },
    { "{\"type\":\"integer\",\"exclusiveMinimum\":0.5}",
      { "1", "999999999999999" },
      { "0", "-1" } },
    { "{\"type\":\"integer\",\"maximum\":-5}", { "-5", "-6", "-100" }, { "-4", "5", "0" } },
    { "{\"type\":\"integer\",\"maximum\":9223372036854775807}", { "5" }, { "1.5" } },
    { "{\"type\":\"number\",\"minimum\":0,\"maximum\":1}",
      { "0", "1", "0.5", "0.999999", "1.0", "0.0" },
      { "1.1", "-0.1", "1.000001", "2", "0.", "00", "1e0" } },
    { "{\"type\":\"number\",\"minimum\":-90,\"maximum\":90}",
      { "-90", "90", "12.345678", "-0.5", "89.999999", "-90.0" },
      { "90.000001", "-91", "100", "-90.1" } },
    { "{\"type\":\"number\",\"exclusiveMinimum\":0.25,\"exclusiveMaximum\":0.5}",
      { "0.250001", "0.3", "0.499999", "0.26" },
      { "0.25", "0.5", "0", "1", "0.2", "0.25000" } },
    { "{\"type\":\"number\",\"minimum\":9.5}",
      { "9.5", "10", "100.25", "9.51" },
      { "9.49", "9", "0" } },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_strings (void)
{
  static const Case cases[] = {
    { "{\"type\":\"string\",\"minLength\":2,\"maxLength\":3}",
      { "\"ab\"", "\"abc\"", "\"\xc3\xa9\\n\"", "\"\\uD83D\\uDE00x\"" },
      { "\"a\"", "\"abcd\"", "\"\xc3\xa9\"" } },
    { "{\"type\":\"string\",\"pattern\":\"^[a-c]+\\\\d{2,3}$\"}",
      { "\"a12\"", "\"abc123\"" },
      { "\"12\"", "\"d12\"", "\"a1\"", "\"a1234\"", "\"a12 \"" } },
    { "{\"type\":\"string\",\"pattern\":\"b+\"}",
      { "\"b\"", "\"abba\"", "\"\\\"b\"" },
      { "\"\"", "\"aa\"" } },
    { "{\"type\":\"string\",\"pattern\":\"^(?:ja|nein)$|^x\"}",
      { "\"ja\"", "\"nein\"", "\"xyz\"" },
      { "\"jax\"", "\"j\"" } },
    { "{\"type\":\"string\",\"pattern\":\"^[^x]\\\\w*?\\\\s\\\\.\\\"$\"}",
      { "\"a_1 .\\\"\"", "\"\\\"a\\n.\\\"\"", "\"\xe2\x82\xac .\\\"\"" },
      { "\"x .\\\"\"", "\"a.\\\"\"" } },
    { "{\"type\":\"string\",\"pattern\":\"^(a*)*(b?){3}$\"}",
      { "\"\"", "\"aaabbb\"" },
      { "\"bbbb\"" } },
    { "{\"type\":\"string\",\"pattern\":\"^\\\\u00e9[\\\\x41-\\\\x43\\\\-]$\"}",
      { "\"\xc3\xa9"
        "B\"",
        "\"\xc3\xa9-\"" },
      { "\"eB\"" } },
    { "{\"type\":\"string\",\"format\":\"date\"}",
      { "\"2024-02-28\"", "\"0001-12-31\"" },
      { "\"2024-02-30\"", "\"2024-13-01\"", "\"0000-01-01\"", "\"2024-1-1\"" } },
    { "{\"type\":\"string\",\"format\":\"date-time\"}",
      { "\"2024-02-28T23:59:59Z\"", "\"2024-01-31T00:00:00.5+01:00\"" },
      { "\"2024-02-28\"", "\"2024-02-28T24:00:00Z\"", "\"2024-02-28T23:59:59\"" } },
    { "{\"type\":\"string\",\"format\":\"uuid\"}",
      { "\"123e4567-e89b-12d3-a456-426614174000\"" },
      { "\"123e4567e89b12d3a456426614174000\"" } },
    { "{\"type\":\"string\",\"format\":\"ipv4\"}",
      { "\"10.0.255.1\"" },
      { "\"256.0.0.1\"", "\"1.2.3\"", "\"01.2.3.4\"" } },
    { "{\"type\":\"string\",\"format\":\"email\"}",
      { "\"a.b@example.org\"" },
      { "\"a@b\"", "\"@b.de\"" } },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_arrays (void)
{
  static const Case cases[] = {
    { "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
      { "[]", "[1]", "[1,2, 3]", "[\n  1,\n  2\n]" },
      { "[1,]", "[,1]", "[\"a\"]", "[1" } },
    { "{\"type\":\"array\",\"items\":{\"type\":\"null\"},\"minItems\":2,\"maxItems\":3}",
      { "[null,null]", "[null,null,null]" },
      { "[]", "[null]", "[null,null,null,null]" } },
    { "{\"type\":\"array\",\"maxItems\":0}", { "[]" }, { "[1]" } },
    { "{\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
      { "[]", "[1]", "[1,\"a\"]" },
      { "[\"a\"]", "[1,2]", "[1,\"a\",3]" } },
    { "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"}],\"items\":{\"type\":\"string\"}"
      ",\"minItems\":2}",
      { "[1,\"a\"]", "[1,\"a\",\"b\"]" },
      { "[1]", "[1,2]", "[]" } },
    { "{\"type\":\"array\",\"items\":[{\"type\":\"integer\"}],\"minItems\":1}",
      { "[1]" },
      { "[]", "[1,1]" } },
    { "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"array\"}}}",
      { "[[[1,\"a\",{}]],[]]" },
      { "[[1]]" } },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_objects (void)
{
  static const Case cases[] = {
    { "{\"type\":\"object\"}",
      { "{}", "{\"a\":1}", "{ \"a\": {\"b\": []}, \"c\":null }", "{\"\":0}" },
      { "[]", "{\"a\"}", "{\"a\":1,}", "1" } },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
      "\"string\"}},"
      "\"required\":[\"a\"]}",
      { "{\"a\":1}", "{\"a\": 1, \"b\": \"x\"}", "{\n  \"a\": 1,\n  \"b\": \"x\"\n}" },
      { "{}", "{\"b\":\"x\"}", "{\"a\":1,\"c\":2}", "{\"a\":\"1\"}", "{\"b\":\"x\",\"a\":1}" } },
    { "{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{},\"c\":{\"type\":\"null\"}}}",
      { "{}", "{\"b\":1}", "{\"a\":1,\"c\":null}", "{\"c\":null}" },
      { "{\"d\":1}", "{\"c\":null,\"a\":1}", "{,\"a\":1}" } },
    { "{\"type\":\"object\",\"properties\":{\"abc\":{\"type\":\"integer\"},\"abd\":{\"type\":"
      "\"null\"}},"
      "\"additionalProperties\":{\"type\":\"string\"}}",
      { "{\"abc\":1,\"x\":\"y\"}", "{\"ab\":\"x\",\"abcd\":\"y\",\"\":\"z\"}",
        "{\"abd\":null,\"ac\":\"\"}", "{\"\xc3\xa9\":\"\"}" },
      { "{\"abc\":\"x\"}", "{\"x\":1}", "{\"x\":\"y\",\"abc\":1}", "{\"\\u0061bc\":\"x\"}" } },
    { "{\"type\":\"object\",\"required\":[\"n\"]}",
      { "{\"n\":1}", "{\"n\":[],\"m\":2}" },
      { "{}", "{\"m\":1}" } },
    { "{\"type\":\"object\",\"required\":[\"n\",\"n\"],\"additionalProperties\":{\"type\":\"null\"}"
      "}",
      { "{\"n\":null}", "{\"n\":null,\"m\":null}" },
      { "{\"n\":1}", "{\"m\":null}" } },
    { "{\"type\":\"object\",\"properties\":{\"a\":false,\"b\":true},\"additionalProperties\":"
      "false}",
      { "{}", "{\"b\":1}" },
      { "{\"a\":1}" } },
    { "{\"properties\":{\"a\\\"\\n\\\\\xc3\xa9\":{\"type\":\"null\"}}}",
      { "{\"a\\\"\\n\\\\\xc3\xa9\":null}" },
      { "{\"a\":null}" } },
    { "{\"properties\":{\"a\xc3\xa9\":{\"type\":\"null\"}},\"additionalProperties\":{\"type\":"
      "\"integer\"}}",
      { "{\"a\xc3\xa8\":1}", "{\"a\":1}", "{\"a\xc3\xa9x\":1}" },
      { "{\"a\xc3\xa9\":1}", "{\"a\xc3\":1}" } },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_combined (void)
{
  static const Case cases[] = {
    { "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\",\"maxLength\":1}]}",
      { "1", "\"a\"" },
      { "\"ab\"", "null" } },
    { "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", { "1", "\"ab\"" }, { "null" } },
    { "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"a\"},\"x\":{\"type\":"
      "\"integer\"}},"
      "\"required\":[\"k\",\"x\"]},{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"b\"}},"
      "\"required\":[\"k\"]}]}",
      { "{\"k\":\"a\",\"x\":1}", "{\"k\":\"b\"}" },
      { "{\"k\":\"a\"}", "{\"k\":\"b\",\"x\":1}" } },
    { "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]},"
      "{\"properties\":{\"b\":{\"type\":\"null\"},\"a\":{\"minimum\":5}},\"required\":[\"b\"]}],"
      "\"type\":\"object\"}",
      { "{\"a\":5,\"b\":null}" },
      { "{\"a\":4,\"b\":null}", "{\"a\":5}", "{\"b\":null}" } },
    { "{\"allOf\":[{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},{\"minimum\":3},{\"maximum\":"
      "5}]}",
      { "3", "5" },
      { "2", "6" } },
    { "{\"allOf\":[{\"enum\":[1,2,3]},{\"enum\":[2,3,4]}]}", { "2", "3" }, { "1", "4" } },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"
      "\"integer\"}},"
      "\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
      { "{\"a\":1}", "{\"b\":1}", "{\"a\":1,\"b\":2}" },
      { "{}" } },
    { "{\"$ref\":\"#/$defs/a~1b%20c\",\"$defs\":{\"a/b c\":{\"type\":\"null\"}}}",
      { "null" },
      { "1" } },
    { "{\"$ref\":\"#/definitions/"
      "n\",\"minimum\":3,\"definitions\":{\"n\":{\"type\":\"integer\",\"maximum\":4}}}",
      { "3", "4" },
      { "2", "5" } },
    { "{\"type\":\"object\",\"properties\":{\"v\":{\"type\":\"integer\"},\"next\":{\"anyOf\":[{"
      "\"type\":\"null\"},"
      "{\"$ref\":\"#\"}]}},\"required\":[\"v\",\"next\"]}",
      { "{\"v\":1,\"next\":null}",
        "{\"v\":1,\"next\":{\"v\":2,\"next\":{\"v\":3,\"next\":null}}}" },
      { "{\"v\":1}", "{\"v\":1,\"next\":{}}" } },
    { "{\"$ref\":\"#/$defs/tree\",\"$defs\":{\"tree\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/"
      "$defs/tree\"}}}}",
      { "[]", "[[],[[]]]" },
      { "[1]", "[[]" } },
    /* A branch that never ends is not offered. */
    { "{\"anyOf\":[{\"$ref\":\"#/$defs/"
      "endless\"},{\"type\":\"null\"}],\"$defs\":{\"endless\":{\"type\":\"object\","
      "\"properties\":{\"a\":{\"$ref\":\"#/$defs/endless\"}},\"required\":[\"a\"]}}}",
      { "null" },
      { "{\"a\":null}" } },
    { "{\"anyOf\":[{\"allOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]},{\"type\":\"null\"}]}",
      { "null" },
      { "\"\"" } },
  };

  check_cases (cases, G_N_ELEMENTS (cases));
}

/* A schema that cannot be kept is refused, and the message names why and where. */
static void
test_refused (void)
{
  static const char *const cases[][3] = {
    { "{", "not valid JSON", "" },
    { "3", "must be an object", "#" },
    { "{\"type\":\"objekt\"}", "“type”", "#" },
    { "{\"type\":[]}", "“type”", "#" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"minProperties\":1}}}",
      "“minProperties”", "#/properties/a" },
    { "{\"properties\":{\"a\":{\"items\":{\"not\":{}}}}}", "“not”", "#/properties/a/items" },
    { "{\"type\":\"array\",\"uniqueItems\":true}", "“uniqueItems”", "#" },
    { "{\"type\":\"number\",\"multipleOf\":2}", "“multipleOf”", "#" },
    { "{\"allOf\":[{\"if\":{}}]}", "“if”", "#/allOf/0" },
    { "{\"$defs\":{\"a\":{\"patternProperties\":{}}},\"$ref\":\"#/$defs/a\"}",
      "“patternProperties”", "#/$defs/a" },
    { "{\"$ref\":\"#/$defs/b\"}", "not there", "#" },
    { "{\"$ref\":\"https://example.org/schema\"}", "“$ref”", "#" },
    { "{\"$ref\":\"#\"}", "No text", "" },
    { "{\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#\"}]}", "leads back to itself", "" },
    { "{\"allOf\":[{\"$ref\":\"#\"}]}", "without an end", "" },
    { "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}", "“oneOf”", "#" },
    { "{\"oneOf\":[{\"properties\":{\"a\":{}}},{\"type\":\"object\"}]}", "“oneOf”", "#" },
    { "{\"anyOf\":[]}", "“anyOf”", "#" },
    { "{\"enum\":[]}", "“enum”", "#" },
    { "{\"enum\":[\"a\"],\"minLength\":2}", "“minLength”", "#" },
    { "{\"type\":\"string\",\"format\":\"regex\"}", "“regex”", "#" },
    { "{\"type\":\"string\",\"pattern\":\"^(?=a)b$\"}", "Looking ahead", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"(a)\\\\1\"}", "escape", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"[a\"}", "“]”", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"(a\"}", "“)”", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"a)\"}", "closed", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"a{3,2}\"}", "repetition", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"a{99999}\"}", "too long", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"*a\"}", "nothing to repeat", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"a$b\"}", "ends", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"a\\\\\"}", "backslash", "#/pattern" },
    { "{\"type\":\"string\",\"pattern\":\"a\",\"maxLength\":3}", "together", "#" },
    { "{\"type\":\"string\",\"minLength\":-1}", "“minLength”", "#" },
    { "{\"type\":\"string\",\"minLength\":3,\"maxLength\":2}", "No text", "" },
    { "{\"type\":\"array\",\"minItems\":3,\"maxItems\":2}", "minItems", "#" },
    { "{\"type\":\"integer\",\"minimum\":3,\"maximum\":2}", "between the bounds", "#" },
    { "{\"type\":\"integer\",\"minimum\":\"3\"}", "“minimum”", "#" },
    { "{\"type\":\"integer\",\"minimum\":1e17}", "15 digits", "#" },
    { "{\"properties\":[]}", "“properties”", "#" },
    { "{\"required\":\"a\"}", "“required”", "#" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]}",
      "No text", "" },
    { "{\"type\":\"object\",\"properties\":{\"a\":false},\"required\":[\"a\"]}", "No text", "" },
    { "false", "No text", "" },
    { "{\"allOf\":[{\"type\":\"string\",\"pattern\":\"a\"},{\"pattern\":\"b\"}]}", "“pattern”",
      "#/allOf" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtGrammar) grammar = pt_json_schema_compile (cases[i][0], &error);

    if (grammar != NULL)
      g_error ("%s was taken", cases[i][0]);
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
    if (strstr (error->message, cases[i][1]) == NULL ||
        strstr (error->message, cases[i][2]) == NULL)
      g_error ("%s: %s", cases[i][0], error->message);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/grammar/values", test_values);
  g_test_add_func ("/text/grammar/numbers", test_numbers);
  g_test_add_func ("/text/grammar/strings", test_strings);
  g_test_add_func ("/text/grammar/arrays", test_arrays);
  g_test_add_func ("/text/grammar/objects", test_objects);
  g_test_add_func ("/text/grammar/combined", test_combined);
  g_test_add_func ("/text/grammar/refused", test_refused);
  return g_test_run ();
}
