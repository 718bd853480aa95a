/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/tool-calls.h"

/* Calls of tools as the models of each family write them. */

static const struct {
  const char *family, *text, *calls;
} CASES[] = {
  { "qwen3",
    "<think>\nI could use [{\"name\": \"no\"}].\n</think>\n\n<tool_call>\n{\"name\": \"weather\", "
    "\"arguments\": {\"city\": \"Oslo\", \"days\": 3}}\n</tool_call>",
    "[{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\",\"days\":3}}]" },
  { "bielik-two",
    "<tool_call>\n{\"name\": \"a\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": "
    "\"b\", \"arguments\": {\"x\": [1, 2.5, null]}}\n</tool_call>",
    "[{\"name\":\"a\",\"arguments\":{}},{\"name\":\"b\",\"arguments\":{\"x\":[1,2.5,null]}}]" },
  { "qwen3.5",
    "<tool_call>\n<function=weather>\n<parameter=city>\nNew York\n</parameter>\n<parameter=days>\n"
    "3\n</parameter>\n<parameter=code>\nif a:\n  b()\n</parameter>\n</function>\n</tool_call>",
    "[{\"name\":\"weather\",\"arguments\":{\"city\":\"New York\",\"days\":3,\"code\":\"if a:\\n  "
    "b()\"}}]" },
  { "hammer",
    "```\n[{\"name\": \"f\", \"arguments\": {\"a\": \"]\"}}, {\"name\": \"g\", \"arguments\": "
    "{}}]\n```",
    "[{\"name\":\"f\",\"arguments\":{\"a\":\"]\"}},{\"name\":\"g\",\"arguments\":{}}]" },
  { "lfm2.5",
    "<|tool_call_start|>[weather(city=\"New \\\"York\\\"\", days=3, exact=True, near=['a', "
    "'b'], more={'k': None}), stop()]<|tool_call_end|>Looking it up.",
    "[{\"name\":\"weather\",\"arguments\":{\"city\":\"New \\\"York\\\"\",\"days\":3,\"exact\":true,"
    "\"near\":[\"a\",\"b\"],\"more\":{\"k\":null}}},{\"name\":\"stop\",\"arguments\":{}}]" },
  { "lfm2.5-json",
    "<|tool_call_start|>[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]<|tool_call_end|>",
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]" },
  { "phi4-mini", "<|tool_call|>[{\"name\": \"f\", \"parameters\": {\"a\": 1}}]<|/tool_call|>",
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]" },
  { "phi4-mini-functools", "functools[{\"name\": \"f\", \"arguments\": {\"a\": 1}}]",
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]" },
  { "llama3.2", "{\"name\": \"f\", \"parameters\": {\"a\": \"b\"}}",
    "[{\"name\":\"f\",\"arguments\":{\"a\":\"b\"}}]" },
  { "llama3.2-python-tag",
    "<|python_tag|>{\"name\": \"f\", \"parameters\": {}}; {\"name\": "
    "\"g\", \"parameters\": {}}<|eom_id|>",
    "[{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":{}}]" },
  { "llama3.2-python", "[f(a=1), g(b='c')]",
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}},{\"name\":\"g\",\"arguments\":{\"b\":\"c\"}}]" },
  { "gemma4",
    "<|tool_call>call:weather{city:<|\"|>New, York}<|\"|>,days:3,exact:true,near:[<|\"|>a<|\"|>,"
    "1.5],more:{k:null}}<tool_call|><|tool_response>",
    "[{\"name\":\"weather\",\"arguments\":{\"city\":\"New, York}\",\"days\":3,\"exact\":true,"
    "\"near\":[\"a\",1.5],\"more\":{\"k\":null}}}]" },
  { "arguments-as-text",
    "<tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": "
    "1}\"}</tool_call>",
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]" },
  { "openai", "[{\"type\": \"function\", \"function\": {\"name\": \"f\", \"arguments\": {}}}]",
    "[{\"name\":\"f\",\"arguments\":{}}]" },
  { "none", "The list [1, 2, 3] has {three} items (a=1).", "[]" },
  { "empty", "", "[]" },
  { "open", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": ", "[]" },
  { "open-python", "<|tool_call_start|>[f(a=\"b", "[]" },
  { "open-gemma", "<|tool_call>call:f{a:<|\"|>b", "[]" },
  { "open-function", "<tool_call><function=f><parameter=a>x",
    "[{\"name\":\"f\",\"arguments\":{}}]" },
  { "no-object", "<tool_call>{\"name\": \"f\", \"arguments\": [1]}</tool_call>", "[]" },
};

static void
test_case (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  json_t *got = pt_tool_calls_json (CASES[i].text);
  json_t *want = json_loads (CASES[i].calls, 0, NULL);
  g_autofree char *text = json_dumps (got, JSON_COMPACT);

  g_assert_nonnull (want);
  if (!json_equal (got, want))
    g_assert_cmpstr (text, ==, CASES[i].calls);
  json_decref (got);
  json_decref (want);
}

/* Deep lists and many calls end at limits. */
static void
test_limits (void)
{
  g_autoptr (GString) deep = g_string_new ("<|tool_call>call:f{a:");
  g_autoptr (GString) many = g_string_new ("[");
  g_autoptr (GPtrArray) none = NULL;
  g_autoptr (GPtrArray) calls = NULL;

  for (guint i = 0; i < 10000; i++)
    g_string_append_c (deep, '[');
  for (guint i = 0; i < 1000; i++)
    g_string_append (many, "f(), ");
  none = pt_tool_calls_parse (deep->str);
  g_assert_cmpuint (none->len, ==, 0);
  g_string_append (many, "f()]");
  calls = pt_tool_calls_parse (many->str);
  g_assert_cmpuint (calls->len, ==, 64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autofree char *path = g_strconcat ("/tool-calls/", CASES[i].family, NULL);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_case);
  }
  g_test_add_func ("/tool-calls/limits", test_limits);
  return g_test_run ();
}
