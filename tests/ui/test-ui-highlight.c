/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "ui/markdown/highlight.h"

static const char LETTERS[] = "csnktfmar";

/* @expected has under each character of @code the letter of its kind, or a space. */
static void
assert_kinds (const char *language, const char *code, const char *expected)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (PterisCodeSpan));
  g_autofree char *kinds = g_strnfill (strlen (code), ' ');

  g_assert_true (pteris_highlight (language, code, spans));
  for (guint i = 0; i < spans->len; i++) {
    const PterisCodeSpan *span = &g_array_index (spans, PterisCodeSpan, i);

    memset (kinds + span->start, LETTERS[span->kind], span->end - span->start);
  }
  g_assert_cmpstr (kinds, ==, expected);
}

static void
test_words (void)
{
  assert_kinds ("c", "#include <a.h>\nint x = 0x1F; // y", "mmmmmmmm       ttt     nnnn  cccc");
  assert_kinds ("C", "return f (\"a\\\"b\", 'c'); /* d", "kkkkkk f  ssssss  sss   cccc");
  assert_kinds ("python", "@cached\ndef f(x): return None # no",
                "mmmmmmm kkk f     kkkkkk tttt cccc");
  assert_kinds ("py", "s = '''a\nb''' + 1.5e-3", "    sssssssss   nnnnnn");
  assert_kinds ("js", "const a = `x\n${b}`;", "kkkkk     ssssssss ");
  assert_kinds ("ts", "let a: number = new Map()", "kkk    tttttt   kkk fff  ");
  assert_kinds ("json", "{\"a\": [1, true, \"b\"]}", " fff   n  tttt  sss  ");
  assert_kinds ("bash", "for f in $HOME/${x}; do echo \"$f\" # all",
                "kkk   kk mmmmm mmmm  kk tttt ssss ccccc");
  assert_kinds ("rust", "fn f<'a>(s: &'a str) -> char { 'x' }",
                "kk   mm      mm ttt     tttt   sss  ");
  assert_kinds ("go", "func main() { x := 3 }", "kkkk ffff          n  ");
  assert_kinds ("java", "@Override public String s;", "mmmmmmmmm kkkkkk tttttt   ");
  assert_kinds ("sql", "SELECT count(*) from t -- c", "kkkkkk ttttt    kkkk   cccc");
}

static void
test_marks (void)
{
  assert_kinds ("html", "<a href=\"x\">b &amp; <!-- c", "tt ffff ssst  mmmmm cccccc");
  assert_kinds ("css", ".a { color: #fff; margin: 2px }", " t   fffff  nnnn  ffffff  nnn  ");
  assert_kinds ("yaml", "- name: \"x\" # c\n  n: 3\n  b: true", "  ffff  sss ccc   f  n   f  kkkk");
  assert_kinds ("diff", "@@ 1\n+a\n-b\n c", "mmmm aa rr   ");
  assert_kinds ("markdown", "# t\n- a `b`", "ttt k   sss");
}

/* Code that is cut off anywhere, and anything that is no code. */
static void
test_any_text (void)
{
  static const char *const NAMES[] = {
    "c",  "c++",  "python", "js",   "ts",  "json", "sh",   "rs",
    "go", "java", "sql",    "html", "css", "yaml", "diff", "md"
  };
  static const char ALPHABET[] = "ab1\"'`\\#/*-@$<>!&:{}()=. \n\n+";
  g_autoptr (GRand) random = g_rand_new_with_seed (5);

  for (guint round = 0; round < 4000; round++) {
    g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (PterisCodeSpan));
    g_autoptr (GString) text = g_string_new (NULL);
    guint length = (guint) g_rand_int_range (random, 0, 50), end = 0;

    for (guint i = 0; i < length; i++)
      g_string_append_c (text, ALPHABET[g_rand_int_range (random, 0, (int) sizeof ALPHABET - 1)]);
    g_assert_true (pteris_highlight (NAMES[round % G_N_ELEMENTS (NAMES)], text->str, spans));
    for (guint i = 0; i < spans->len; i++) {
      const PterisCodeSpan *span = &g_array_index (spans, PterisCodeSpan, i);

      g_assert_cmpuint (span->start, >=, end);
      g_assert_cmpuint (span->end, >, span->start);
      end = span->end;
    }
    g_assert_cmpuint (end, <=, text->len);
  }
}

static void
test_unknown (void)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (PterisCodeSpan));

  g_assert_false (pteris_highlight ("", "int a;", spans));
  g_assert_false (pteris_highlight ("brainf**k and more than any word", "int a;", spans));
  g_assert_cmpuint (spans->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/highlight/words", test_words);
  g_test_add_func ("/highlight/marks", test_marks);
  g_test_add_func ("/highlight/any-text", test_any_text);
  g_test_add_func ("/highlight/unknown", test_unknown);
  return g_test_run ();
}
