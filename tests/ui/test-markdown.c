/* SPDX-License-Identifier: BSD-3-Clause */
#include <pango/pango.h>

#include "ui/markdown.h"

static void
assert_inline (const char *text, gboolean partial, const char *expected)
{
  g_autofree char *markup = pteris_markdown_inline (text, partial);

  g_assert_cmpstr (markup, ==, expected);
}

static void
test_inline (void)
{
  assert_inline ("plain & <simple>", FALSE, "plain &amp; &lt;simple&gt;");
  assert_inline ("a **bold** word", FALSE, "a <b>bold</b> word");
  assert_inline ("*one* _two_ ***three***", FALSE, "<i>one</i> <i>two</i> <b><i>three</i></b>");
  assert_inline ("**bold *and italic***", FALSE, "<b>bold <i>and italic</i></b>");
  assert_inline ("snake_case_name and 2 * 3 * 4", FALSE, "snake_case_name and 2 * 3 * 4");
  assert_inline ("~~gone~~ \\*kept\\*", FALSE, "<s>gone</s> *kept*");
  assert_inline ("**not closed", FALSE, "**not closed");
  assert_inline ("[GNOME](https://gnome.org/?a=1&b=2)", FALSE,
                 "<a href=\"https://gnome.org/?a=1&amp;b=2\">GNOME</a>");
  assert_inline ("[no](javascript:alert(1))", FALSE, "[no](javascript:alert(1))");
}

static void
test_partial (void)
{
  assert_inline ("**not clo", TRUE, "<b>not clo</b>");
  assert_inline ("**not closed*", TRUE, "<b>not closed</b>");
  assert_inline ("now **", TRUE, "now ");
}

static void
assert_block (GPtrArray *blocks, guint i, PterisBlockKind kind, guint level, const char *marker,
              const char *text)
{
  PterisBlock *block;

  g_assert_cmpuint (i, <, blocks->len);
  block = blocks->pdata[i];
  g_assert_cmpint (block->kind, ==, kind);
  g_assert_cmpuint (block->level, ==, level);
  g_assert_cmpstr (block->marker, ==, marker);
  g_assert_cmpstr (block->text, ==, text);
}

static const char DOCUMENT[] = "# Title #\n"
                               "Two lines\nof text\n"
                               "\n"
                               "1. first\n2. second\n   goes on\n"
                               "  - inner\n"
                               "> said\n> so\n"
                               "---\n"
                               "```c {x}\nint a;\n\n  b\n```\n"
                               "After\n";

static void
test_blocks (void)
{
  g_autoptr (GPtrArray) blocks = pteris_markdown_parse (DOCUMENT);

  g_assert_cmpuint (blocks->len, ==, 9);
  assert_block (blocks, 0, PTERIS_BLOCK_HEADING, 1, NULL, "Title");
  assert_block (blocks, 1, PTERIS_BLOCK_PARAGRAPH, 0, NULL, "Two lines\nof text");
  assert_block (blocks, 2, PTERIS_BLOCK_ITEM, 0, "1.", "first");
  assert_block (blocks, 3, PTERIS_BLOCK_ITEM, 0, "2.", "second\ngoes on");
  assert_block (blocks, 4, PTERIS_BLOCK_ITEM, 1, "•", "inner");
  assert_block (blocks, 5, PTERIS_BLOCK_QUOTE, 0, NULL, "said\nso");
  assert_block (blocks, 6, PTERIS_BLOCK_RULE, 0, NULL, "");
  assert_block (blocks, 7, PTERIS_BLOCK_CODE, 0, "c", "int a;\n\n  b");
  assert_block (blocks, 8, PTERIS_BLOCK_PARAGRAPH, 0, NULL, "After");
}

/* Parsing on from the last block but one, as a stream is followed, gives what parsing everything
 * gives. */
static void
assert_stream (const char *text)
{
  gsize length = strlen (text);
  gsize start = 0;

  for (gsize n = 1; n <= length; n++) {
    g_autofree char *prefix = g_strndup (text, n);
    g_autoptr (GPtrArray) all = pteris_markdown_parse (prefix);
    g_autoptr (GPtrArray) rest = pteris_markdown_parse (prefix + start);
    guint skipped = all->len - rest->len;

    g_assert_cmpuint (all->len, >=, rest->len);
    for (guint i = 0; i < rest->len; i++) {
      PterisBlock *whole = all->pdata[skipped + i];
      PterisBlock *part = rest->pdata[i];

      g_assert_cmpint (whole->kind, ==, part->kind);
      g_assert_cmpuint (whole->start, ==, start + part->start);
      g_assert_cmpstr (whole->text, ==, part->text);
    }
    if (rest->len > 1)
      start += ((PterisBlock *) rest->pdata[rest->len - 2])->start;
  }
}

static void
test_stream (void)
{
  assert_stream (DOCUMENT);
  assert_stream ("a\n- b\n\n  c\n```\nd");
  assert_stream ("text\n---more\n```a`b");
}

/* Whatever a model writes, what comes out is well-formed. */
static void
test_any_text (void)
{
  static const char ALPHABET[] = "**__``~~[](ab <&>\"'\n\n#>-1. \\";
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 4000; round++) {
    g_autoptr (GString) text = g_string_new (NULL);
    guint length = (guint) g_rand_int_range (random, 0, 60);

    for (guint i = 0; i < length; i++)
      g_string_append_c (text, ALPHABET[g_rand_int_range (random, 0, (int) sizeof ALPHABET - 1)]);
    for (int partial = 0; partial < 2; partial++) {
      g_autofree char *markup = pteris_markdown_inline (text->str, partial);
      g_autoptr (GError) error = NULL;

      g_assert_true (pango_parse_markup (markup, -1, 0, NULL, NULL, NULL, &error));
      g_assert_no_error (error);
    }
    assert_stream (text->str);
  }
}

/* Marks that nothing closes must not take time that grows with their square. */
static void
test_long (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *markup = NULL;

  for (guint i = 0; i < 100000; i++)
    g_string_append (text, "**a *b `c [d ");
  markup = pteris_markdown_inline (text->str, FALSE);
  g_assert_nonnull (markup);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/markdown/inline", test_inline);
  g_test_add_func ("/markdown/partial", test_partial);
  g_test_add_func ("/markdown/blocks", test_blocks);
  g_test_add_func ("/markdown/stream", test_stream);
  g_test_add_func ("/markdown/any-text", test_any_text);
  g_test_add_func ("/markdown/long", test_long);
  return g_test_run ();
}
