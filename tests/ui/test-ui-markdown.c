/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "ui/markdown/markdown.h"

static const PterisBlock *
block_at (GPtrArray *blocks, guint i)
{
  g_assert_cmpuint (i, <, blocks->len);
  return blocks->pdata[i];
}

static void
assert_inline (const char *text, gboolean partial, const char *expected)
{
  g_autoptr (GPtrArray) blocks = pteris_markdown_parse (text, partial);

  g_assert_cmpuint (blocks->len, ==, 1);
  g_assert_cmpstr (block_at (blocks, 0)->text, ==, expected);
}

#define LINK(url, text) "<a href=\"" url "\" title=\"" url "\">" text "</a>"

static void
test_inline (void)
{
  assert_inline ("plain & <simple>", FALSE, "plain &amp; &lt;simple&gt;");
  assert_inline ("a **bold** word", FALSE, "a <b>bold</b> word");
  assert_inline ("*one* _two_ ***three***", FALSE, "<i>one</i> <i>two</i> <i><b>three</b></i>");
  assert_inline ("**bold *and italic***", FALSE, "<b>bold <i>and italic</i></b>");
  assert_inline ("snake_case_name and 2 * 3 * 4", FALSE, "snake_case_name and 2 * 3 * 4");
  assert_inline ("~~gone~~ \\*kept\\*", FALSE, "<s>gone</s> *kept*");
  assert_inline ("**not closed", FALSE, "**not closed");
  assert_inline ("&lt;b&gt; &#8364; &nosuch; a\\\nb  \nc\nd", FALSE,
                 "&lt;b&gt; € &amp;nosuch; a\nb\nc\nd");
  assert_inline ("<b>no</b> HTML<br>but<br/>lines", FALSE,
                 "&lt;b&gt;no&lt;/b&gt; HTML\nbut\nlines");
}

static void
test_links (void)
{
  assert_inline ("[GNOME](https://gnome.org/?a=1&b=2)", FALSE,
                 LINK ("https://gnome.org/?a=1&amp;b=2", "GNOME"));
  assert_inline ("[write](MAILTO:me@example.org)", FALSE, LINK ("MAILTO:me@example.org", "write"));
  assert_inline ("see https://gnome.org.", FALSE,
                 "see " LINK ("https://gnome.org", "https://gnome.org") ".");
  assert_inline ("(http://a.b/c_d?e=f&g) xhttp://", FALSE,
                 "(" LINK ("http://a.b/c_d?e=f&amp;g", "http://a.b/c_d?e=f&amp;g") ") xhttp://");
  assert_inline ("[no](javascript:alert(1))", FALSE, "no");
  assert_inline ("[no](file:///etc/passwd) ![x](data:image/png;base64,AA)", FALSE, "no x");
  /* A picture is a link, and one within a link no link of its own. */
  assert_inline ("![a fern](https://example.org/fern.png)", FALSE,
                 LINK ("https://example.org/fern.png", "a fern"));
  assert_inline ("[![a fern](https://example.org/s.png)](https://example.org)", FALSE,
                 LINK ("https://example.org", "a fern"));
  assert_inline ("[a \"b\"](https://example.org/%22)", FALSE,
                 LINK ("https://example.org/%22", "a &quot;b&quot;"));
}

/* Marks that are not closed yet count as closed, and what may become a mark is not shown. */
static void
test_partial (void)
{
  assert_inline ("**not clo", TRUE, "<b>not clo</b>");
  assert_inline ("**not closed*", TRUE, "<b>not closed</b>");
  assert_inline ("*a **b**", TRUE, "<i>a <b>b</b></i>");
  assert_inline ("now **", TRUE, "now");
  assert_inline ("**bold** and", TRUE, "<b>bold</b> and");
  assert_inline ("~~gone", TRUE, "<s>gone</s>");
  assert_inline ("[GNOME](https://gno", TRUE, "GNOME");
  assert_inline ("text\n-", TRUE, "text");
  assert_inline ("text\n---", FALSE, "text");
  assert_inline ("2 * 3", TRUE, "2 * 3");
}

static void
assert_block (GPtrArray *blocks, guint i, PterisBlockKind kind, guint level, guint depth,
              const char *marker, const char *text)
{
  const PterisBlock *block = block_at (blocks, i);

  g_assert_cmpint (block->kind, ==, kind);
  g_assert_cmpuint (block->level, ==, level);
  g_assert_cmpuint (block->depth, ==, depth);
  g_assert_cmpstr (block->marker, ==, marker);
  g_assert_cmpstr (block->text, ==, text);
}

static const char DOCUMENT[] = "# Title #\n"
                               "Two lines\nof text\n"
                               "\n"
                               "1. first\n2. second\n   goes on\n"
                               "   - inner\n"
                               "\n"
                               "     more of it\n"
                               "> said\n> so\n"
                               "\n"
                               "---\n"
                               "```c {x}\nint a;\n\n  b\n```\n"
                               "- [ ] to do\n- [x] done\n-\n"
                               "\n"
                               "After\n";

static void
test_blocks (void)
{
  g_autoptr (GPtrArray) blocks = pteris_markdown_parse (DOCUMENT, FALSE);

  g_assert_cmpuint (blocks->len, ==, 13);
  assert_block (blocks, 0, PTERIS_BLOCK_HEADING, 1, 0, NULL, "Title");
  assert_block (blocks, 1, PTERIS_BLOCK_PARAGRAPH, 0, 0, NULL, "Two lines\nof text");
  assert_block (blocks, 2, PTERIS_BLOCK_PARAGRAPH, 0, 1, "1.", "first");
  assert_block (blocks, 3, PTERIS_BLOCK_PARAGRAPH, 0, 1, "2.", "second\ngoes on");
  assert_block (blocks, 4, PTERIS_BLOCK_PARAGRAPH, 0, 2, "•", "inner");
  assert_block (blocks, 5, PTERIS_BLOCK_PARAGRAPH, 0, 2, NULL, "more of it");
  assert_block (blocks, 6, PTERIS_BLOCK_PARAGRAPH, 0, 0, NULL, "said\nso");
  g_assert_cmpuint (block_at (blocks, 6)->quotes, ==, 1);
  assert_block (blocks, 7, PTERIS_BLOCK_RULE, 0, 0, NULL, "");
  assert_block (blocks, 8, PTERIS_BLOCK_CODE, 0, 0, NULL, "int a;\n\n  b");
  g_assert_cmpstr (block_at (blocks, 8)->language, ==, "c");
  assert_block (blocks, 9, PTERIS_BLOCK_PARAGRAPH, 0, 1, "☐", "to do");
  assert_block (blocks, 10, PTERIS_BLOCK_PARAGRAPH, 0, 1, "☑", "done");
  assert_block (blocks, 11, PTERIS_BLOCK_PARAGRAPH, 0, 1, "•", "");
  assert_block (blocks, 12, PTERIS_BLOCK_PARAGRAPH, 0, 0, NULL, "After");
}

static void
test_table (void)
{
  g_autoptr (GPtrArray) blocks =
      pteris_markdown_parse ("| Fern | m | ok |\n|:--|--:|:-:|\n| *Pteris* | 1 |\n| a \\| b | 2 | "
                             "c<br>d | e |\n",
                             FALSE);
  const PterisBlock *table = block_at (blocks, 0);
  const GPtrArray *row;

  g_assert_cmpint (table->kind, ==, PTERIS_BLOCK_TABLE);
  g_assert_cmpuint (table->aligns->len, ==, 3);
  g_assert_cmpint (g_array_index (table->aligns, PterisAlign, 0), ==, PTERIS_ALIGN_START);
  g_assert_cmpint (g_array_index (table->aligns, PterisAlign, 1), ==, PTERIS_ALIGN_END);
  g_assert_cmpint (g_array_index (table->aligns, PterisAlign, 2), ==, PTERIS_ALIGN_CENTER);
  g_assert_cmpuint (table->rows->len, ==, 3);
  row = table->rows->pdata[1];
  g_assert_cmpstr (row->pdata[0], ==, "<i>Pteris</i>");
  row = table->rows->pdata[2];
  g_assert_cmpstr (row->pdata[0], ==, "a | b");
  g_assert_cmpstr (row->pdata[2], ==, "c\nd");
}

static void
assert_same (const PterisBlock *a, const PterisBlock *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpuint (a->level, ==, b->level);
  g_assert_cmpuint (a->depth, ==, b->depth);
  g_assert_cmpuint (a->quotes, ==, b->quotes);
  g_assert_cmpstr (a->marker, ==, b->marker);
  g_assert_cmpstr (a->text, ==, b->text);
  g_assert_cmpstr (a->language, ==, b->language);
}

/* Parsing on from the last start there was, as a stream is followed, gives what parsing everything
 * gives. Returns how many starts were used. */
static guint
assert_stream (const char *text)
{
  gsize length = strlen (text), cut = 0;
  guint n_kept = 0, n_cuts = 0;

  for (gsize n = 1; n <= length; n++) {
    g_autofree char *prefix = g_strndup (text, n);
    g_autoptr (GPtrArray) all = pteris_markdown_parse (prefix, TRUE);
    g_autoptr (GPtrArray) rest = pteris_markdown_parse (prefix + cut, TRUE);

    g_assert_cmpuint (all->len, ==, n_kept + rest->len);
    for (guint i = 0; i < rest->len; i++)
      assert_same (all->pdata[n_kept + i], rest->pdata[i]);
    for (guint i = rest->len; i-- > 1;) {
      if (block_at (rest, i)->start == PTERIS_NO_START)
        continue;
      cut += block_at (rest, i)->start;
      n_kept += i;
      n_cuts++;
      break;
    }
  }
  return n_cuts;
}

static void
test_stream (void)
{
  g_assert_cmpuint (assert_stream (DOCUMENT), >=, 1);
  g_assert_cmpuint (assert_stream ("One.\n\nTwo.\n\n- three\n- four\n\nFive\n\n```\nsix\n\nseven\n"
                                   "```\n\nEight\n\n| a |\n|---|\n| b |\n\nNine\n"),
                    >=, 5);
  assert_stream ("a\n- b\n\n  c\n```\nd");
  assert_stream ("text\n---more\n```a`b");
  assert_stream ("- a\n\n1\n\n- ```\n  x\n\n  y\n  ```\n\nz\n\n```\n\n\nq\n\nr");
  assert_stream ("```\n\n\nonly\n\nthis\n");
}

/* GLib's parser knows no <a>; the markup itself is what Pango takes. */
static void
assert_well_formed (const char *markup)
{
  static const GMarkupParser PARSER = { NULL };
  g_autofree char *whole = g_strconcat ("<markup>", markup, "</markup>", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&PARSER, 0, NULL, NULL);

  g_assert_true (g_markup_parse_context_parse (context, whole, -1, &error));
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
  g_assert_no_error (error);
}

static char *
random_text (GRand *random, guint max)
{
  static const char *const PIECES[] = {
    "*",       "*",    "**",    "_",    "__",    "`", "``",  "```", "~~",   "[",  "](",
    ")",       "a",    "b",     " ",    " ",     "<", "&",   ">",   "\"",   "'",  "\n",
    "\n",      "\n\n", "#",     "- ",   "1. ",   "|", "|-|", "\\",  "    ", "!",  "http://x.y",
    "www.a.b", "[x]",  "&amp;", "&#0;", "word ", "é", "---", "~~~", "<br>", "\t",
  };
  GString *text = g_string_new (NULL);
  guint length = (guint) g_rand_int_range (random, 0, (int) max);

  for (guint i = 0; i < length; i++)
    g_string_append (text, PIECES[g_rand_int_range (random, 0, G_N_ELEMENTS (PIECES))]);
  return g_string_free (text, FALSE);
}

/* For any text the markup is well-formed, and a stream gives the same result. */
static void
test_any_text (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 6000; round++) {
    g_autofree char *text = random_text (random, 40);

    for (int partial = 0; partial < 2; partial++) {
      g_autoptr (GPtrArray) blocks = pteris_markdown_parse (text, partial);

      for (guint i = 0; i < blocks->len; i++) {
        const PterisBlock *block = block_at (blocks, i);

        if (block->kind != PTERIS_BLOCK_CODE)
          assert_well_formed (block->text);
        for (guint r = 0; block->kind == PTERIS_BLOCK_TABLE && r < block->rows->len; r++) {
          const GPtrArray *row = block->rows->pdata[r];

          g_assert_cmpuint (row->len, ==, block->aligns->len);
          for (guint c = 0; c < row->len; c++)
            assert_well_formed (row->pdata[c]);
        }
      }
    }
    assert_stream (text);
  }
}

/* Marks that nothing closes must not take time that grows with their square. */
static void
test_long (void)
{
  static const char *const PIECES[] = { "**a *b `c [d ", "a\n\n", "- ", "> ", "|", "```\n", "[](" };

  for (guint k = 0; k < G_N_ELEMENTS (PIECES); k++) {
    g_autoptr (GString) text = g_string_new (NULL);
    g_autoptr (GPtrArray) blocks = NULL;

    for (guint i = 0; i < 20000; i++)
      g_string_append (text, PIECES[k]);
    blocks = pteris_markdown_parse (text->str, TRUE);
    g_assert_nonnull (blocks);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/markdown/inline", test_inline);
  g_test_add_func ("/markdown/links", test_links);
  g_test_add_func ("/markdown/partial", test_partial);
  g_test_add_func ("/markdown/blocks", test_blocks);
  g_test_add_func ("/markdown/table", test_table);
  g_test_add_func ("/markdown/stream", test_stream);
  g_test_add_func ("/markdown/any-text", test_any_text);
  g_test_add_func ("/markdown/long", test_long);
  return g_test_run ();
}
