/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/json.h"
#include "engine/text/chat-template.h"
#include "engine/text/tokenizer.h"
#include "tests/hostile/hostile.h"

#include <string.h>
#include <unistd.h>

/* Tokenizers and chat templates that are wrong in one respect. */

/* The tokenizer @base with the member at @path set to @value, both as in JSON. */
static const struct {
  const char *base, *path, *value;
  gboolean may_work;
} changes[] = {
  { "bytelevel", "model", "null", FALSE },
  { "bytelevel", "model", "[]", FALSE },
  { "bytelevel", "model.type", "\"Unigram\"", FALSE },
  { "bytelevel", "model.vocab", "{}", TRUE },
  { "bytelevel", "model.vocab", "{\"a\": 2147483648}", FALSE },
  { "bytelevel", "model.vocab", "{\"a\": -1}", FALSE },
  { "bytelevel", "model.vocab", "{\"a\": 9223372036854775807}", FALSE },
  { "bytelevel", "model.vocab", "{\"a\": 0.5}", FALSE },
  { "bytelevel", "model.vocab", "{\"a\": 1, \"b\": 1, \"c\": 1}", TRUE },
  { "bytelevel", "model.vocab", "{\"\": 0, \"a\": 1}", TRUE },
  { "bytelevel", "model.vocab", "{\"\\u0000\": 0}", TRUE },
  { "bytelevel", "model.vocab", "[1, 2, 3]", FALSE },
  { "bytelevel", "model.merges", "[\"a a\", \"aa aa\", \"a a\", \"aa a\", \"a aa\"]", TRUE },
  { "bytelevel", "model.merges", "[\"a\", \" \", \"\", 7, null]", FALSE },
  { "bytelevel", "model.merges", "[[\"a\"], [\"a\", \"a\", \"a\"]]", FALSE },
  { "bytelevel", "model.merges", "{\"a\": \"b\"}", TRUE },
  { "bytelevel", "model.unk_token", "\"not there\"", TRUE },
  { "bytelevel", "added_tokens", "[{\"id\": 2147483648, \"content\": \"x\"}]", FALSE },
  { "bytelevel", "added_tokens", "[{\"id\": -5, \"content\": \"x\"}]", FALSE },
  { "bytelevel", "added_tokens", "[{\"id\": 1, \"content\": \"\"}]", TRUE },
  { "bytelevel", "added_tokens",
    "[{\"id\": 1, \"content\": \"a\"}, {\"id\": 1, \"content\": \"a\"}]", TRUE },
  { "bytelevel", "added_tokens", "[1, null, [], {}]", FALSE },
  { "bytelevel", "normalizer",
    "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"(a+)+$\"}, "
    "\"content\": \"b\"}",
    TRUE },
  { "bytelevel", "normalizer",
    "{\"type\": \"Replace\", \"pattern\": {\"String\": \"\"}, "
    "\"content\": \"aaaaaaaaaaaaaaaa\"}",
    TRUE },
  { "bytelevel", "normalizer", "{\"type\": \"Nothing\"}", FALSE },
  { "bytelevel", "pre_tokenizer", "{\"type\": \"Sequence\"}", TRUE },
  { "bytelevel", "post_processor", "{\"type\": \"Sequence\", \"processors\": [[]]}", FALSE },
  { "bytelevel", "decoder", "{\"type\": \"Nothing\"}", FALSE },
  { "sp", "model.vocab", "{\"<0x00>\": 1, \"<0xFF>\": 2, \"<0xGG>\": 3}", TRUE },
};

static void
set_member (json_t *root, const char *path, const char *value)
{
  g_auto (GStrv) names = g_strsplit (path, ".", 0);
  json_t *object = root, *json = json_loads (value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  guint i;

  /* jansson has no keys with a zero in them; such a vocabulary is just another bad value. */
  if (json == NULL)
    json = json_string (value);
  for (i = 0; names[i + 1] != NULL; i++)
    object = json_object_get (object, names[i]);
  g_assert_cmpint (json_object_set_new (object, names[i], json), ==, 0);
}

static json_t *
load_base (const char *base)
{
  g_autofree char *name = g_strdup_printf ("../fuzz/corpus/tokenizer/%s.json", base);
  g_autofree char *path = hostile_data_path (name);
  json_t *root = json_load_file (path, 0, NULL);

  g_assert_nonnull (root);
  return root;
}

static char *
write_json (json_t *root)
{
  char *text = json_dumps (root, JSON_COMPACT), *path;

  g_assert_nonnull (text);
  path = hostile_file ("tokenizer.json", text, strlen (text));
  free (text);
  return path;
}

static void
test_changes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    g_autoptr (json_t) root = load_base (changes[i].base);
    g_autofree char *what = g_strdup_printf ("%s = %s", changes[i].path, changes[i].value);
    g_autofree char *path = NULL;

    set_member (root, changes[i].path, changes[i].value);
    path = write_json (root);
    if (hostile_tokenizer (path, what) && !changes[i].may_work)
      g_error ("a tokenizer with %s works", what);
  }
  hostile_clean_up ();
}

/* Patterns that backtrack for ever, or want all the memory. */
static void
test_patterns (void)
{
  static const char *const patterns[] = {
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(.*)*\\1x",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(?=(a+))a*b\\1",
    "((a{0,9}){0,9}){0,9}$",
    "(?R)",
    "(a(?1)?)+",
    "a{1,65535}{1,65535}",
    "(",
    "[",
    "\\",
    "*",
    "(?<n>a)(?<n>b)",
    "\\p{Nope}",
    "(?s).*.*.*.*.*.*.*.*x",
    "",
    "x*",
    "(?C)a",
    "(*LIMIT_MATCH=0)a",
  };
  g_autofree char *nested = g_strnfill (3000, '(');
  g_autofree char *long_one = g_strnfill (100000, 'a');

  for (guint i = 0; i < G_N_ELEMENTS (patterns) + 2; i++) {
    const char *pattern = i < G_N_ELEMENTS (patterns)    ? patterns[i]
                          : i == G_N_ELEMENTS (patterns) ? nested
                                                         : long_one;
    g_autoptr (json_t) root = load_base ("bytelevel");
    g_autofree char *path = NULL;

    json_object_set_new (root, "pre_tokenizer",
                         json_pack ("{s:s, s:{s:s}, s:s, s:b}", "type", "Split", "pattern", "Regex",
                                    pattern, "behavior", "Isolated", "invert", 0));
    path = write_json (root);
    hostile_tokenizer (path, "a pattern");
  }
  hostile_clean_up ();
}

static void
test_nesting (void)
{
  g_autoptr (GString) text = g_string_new ("{\"model\":");
  g_autoptr (json_t) root = load_base ("bytelevel");
  json_t *step = json_pack ("{s:s}", "type", "NFC");
  char *path;

  for (guint i = 0; i < 10000; i++)
    g_string_append (text, "[");
  path = hostile_file ("tokenizer.json", text->str, text->len);
  g_assert_false (hostile_tokenizer (path, "10,000 brackets"));
  g_free (path);
  for (guint i = 0; i < 500; i++)
    step = json_pack ("{s:s, s:[o]}", "type", "Sequence", "normalizers", step);
  json_object_set_new (root, "normalizer", step);
  path = write_json (root);
  g_assert_false (hostile_tokenizer (path, "500 normalizers in each other"));
  g_free (path);
  hostile_clean_up ();
}

/* Up to the size that is read at all, and beyond. */
static void
test_sizes (void)
{
  static const char *const units[] = { "a", "\\u0000", "[],", "{},", "0," };
  static const char begin[] = "{\"version\":\"1.0\",\"x\":[";
  char *path;

  for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
    gsize width = strlen (units[i]), size = HOSTILE_SCALE * 5900 * 1000;
    g_autofree char *text = g_malloc (size);

    memset (text, ' ', size);
    memcpy (text, begin, sizeof begin - 1);
    if (i < 2)
      text[sizeof begin - 2] = '"';
    for (gsize at = sizeof begin - 1; at + width <= size; at += width)
      memcpy (text + at, units[i], width);
    memcpy (text + size - 8, i < 2 ? "      \"}" : "      ]}", 8);
    path = hostile_file ("tokenizer.json", text, size);
    hostile_tokenizer (path, units[i]);
    g_free (path);
  }
  path = hostile_file ("tokenizer.json", begin, sizeof begin - 1);
  g_assert_cmpint (truncate (path, 1 << 30), ==, 0);
  g_assert_false (hostile_tokenizer (path, "1 GB"));
  g_free (path);
  hostile_clean_up ();
}

/* A conversation through all steps. */
static void
test_chat (void)
{
  static const char *const bases[] = { "bytelevel", "split", "sp", "meta", "ws" };
  g_autofree char *model = hostile_data_path ("chat/qwen3_xnnpack_8da4w");

  for (guint i = 0; i < G_N_ELEMENTS (bases); i++) {
    g_autofree char *name = g_strdup_printf ("../fuzz/corpus/tokenizer/%s.json", bases[i]);
    g_autofree char *path = hostile_data_path (name);
    PtJob load = PT_JOB_INIT (PT_JOB_LOAD);

    load.model.path = model;
    load.model.tokenizer = path;
    hostile_chat (&load, NULL);
  }
}

static void
try_template (const PtTokenizer *tokenizer, const char *text)
{
  static const PtMessage messages[] = { { "system", "{{ x }}" }, { "user", "<|im_end|>{#" } };
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (PtChatTemplate) chat = NULL;
  GError *error = NULL;

  hostile_begin ();
  chat = pt_chat_template_new (text, NULL, tokenizer, &error);
  if (chat != NULL)
    pt_chat_template_encode (chat, messages, 2, PT_THINKING_DEFAULT, NULL, NULL, ids, &error);
  hostile_end ("a template");
  if (error != NULL)
    hostile_check_error (error, "a template");
}

static void
test_templates (void)
{
  static const char *const texts[] = {
    "",
    "{#",
    "{{ a[\"foo\"(",
    "{%",
    "{{",
    "}}",
    "{% for x in x %}",
    "<|im_start|>",
    "<|im_end|>",
    "<|im_start|>system\n",
    "<|im_start|>system\\n",
    "<|im_start|>system\n<|im_end|>",
    "\xff\xfe",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{{ 10 ** 10 ** 10 }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x='aaaaaaaa') %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}"
    "{% endfor %}",
    "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    "{% set s = 'ab' * 499999 %}{% for i in range(99999) %}{{ s.split('b') | join('c') }}"
    "{% endfor %}",
    "{% set l = [] %}{% set x = l.append(l) %}{{ l }}{{ l | tojson }}",
    "{% for m in messages %}{{ m.content[::-1] }}{{ m.content | tojson }}{% endfor %}",
    "{{ raise_exception(messages) }}",
    "{% for i in range(10**12) %}x{% endfor %}<|im_start|><|im_end|>",
  };
  g_autofree char *path = hostile_data_path ("tokenizers/hf_smollm/tokenizer.json");
  g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (path, NULL);

  g_assert_nonnull (tokenizer);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GString) many = g_string_new (NULL);

    try_template (tokenizer, texts[i]);
    while (texts[i][0] != '\0' && many->len < HOSTILE_SCALE * 100 * 1000)
      g_string_append (many, texts[i]);
    try_template (tokenizer, many->str);
    while (texts[i][0] != '\0' && many->len < 2 * 1000 * 1000)
      g_string_append (many, texts[i]);
    try_template (tokenizer, many->str);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/text/changes", test_changes);
  g_test_add_func ("/hostile/text/patterns", test_patterns);
  g_test_add_func ("/hostile/text/nesting", test_nesting);
  g_test_add_func ("/hostile/text/sizes", test_sizes);
  g_test_add_func ("/hostile/text/chat", test_chat);
  g_test_add_func ("/hostile/text/templates", test_templates);
  return g_test_run ();
}
