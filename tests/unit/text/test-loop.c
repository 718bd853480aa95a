/* SPDX-License-Identifier: BSD-3-Clause */

/* Answers that go round in circles, and such as only look so. */

#include <string.h>

#include "engine/text/loop.h"

/* A word, or a mark, is a token: its hash. */
static gint32
token_of (const char *piece, gsize length)
{
  g_autofree char *text = g_strndup (piece, length);

  return (gint32) (g_str_hash (text) & 0x7fffffff);
}

static gsize
piece_length (const char *text)
{
  gsize n = 1;

  if (!g_ascii_isalnum (*text) && (guchar) *text < 0x80)
    return 1;
  while (g_ascii_isalnum (text[n]) || (guchar) text[n] >= 0x80)
    n++;
  return n;
}

/** After how many tokens the loop is noticed; 0: it is not. */
static guint
watch (const char *text)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  PtLoopWatch loop;

  pt_loop_watch_init (&loop);
  while (*text != '\0') {
    gsize length = piece_length (text);
    g_autofree char *piece = g_strndup (text, length);
    gint32 id = token_of (text, length);

    g_array_append_val (ids, id);
    if (pt_loop_watch_push (&loop, (const gint32 *) (gconstpointer) ids->data, ids->len, piece))
      return ids->len;
    text += length;
  }
  return 0;
}

static char *
repeat (const char *text, guint n)
{
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (all, text);
  return g_string_free (all, FALSE);
}

static void
assert_loop (const char *text)
{
  if (watch (text) == 0)
    g_error ("This is a loop: %.200s…", text);
}

static void
assert_none (const char *text)
{
  guint at = watch (text);

  if (at > 0)
    g_error ("This is no loop, but one was noticed at token %u: %.200s…", at, text);
}

static void
test_cycles (void)
{
  static const char *const rounds[] = {
    "of the balcony ",
    "It is polite. ",
    "* 1 11-inch pancake\n",
    "Paris, la femme de la France. ",
    "Max was brought to a quiet town, where he was taken in. The owner, Mrs. Jenkins, was glad. ",
    "\xe5\xb7\xb4\xe9\xbb\x8e\xe6\x98\xaf\xe9\xa6\x96\xe9\x83\xbd\xe3\x80\x82 ",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rounds); i++) {
    g_autofree char *all = repeat (rounds[i], 200), *few = repeat (rounds[i], 2);
    g_autofree char *late = NULL;

    assert_loop (all);
    assert_none (few);
    late =
        g_strconcat ("The answer begins as any other does, and then it does not end.\n", all, NULL);
    assert_loop (late);
  }
}

/* Nearly the same, again and again: numbers of a list do not count, nor do capitals. */
static void
test_sentences (void)
{
  g_autoptr (GString) list = g_string_new (NULL), turns = g_string_new (NULL);
  static const char *const sentences[] = {
    "A good night's sleep is important for your health. ",
    "Sleep is important for your well-being, too! ",
    "It is also important for your overall health. ",
  };

  for (guint i = 1; i <= 20; i++)
    g_string_append_printf (list, "%u. Take your time to plan the %s carefully.\n", i,
                            i % 3 == 0 ? "trip" : "day");
  assert_loop (list->str);
  for (guint i = 0; i < 24; i++)
    g_string_append (turns, sentences[i * i % 7 % 3]);
  assert_loop (turns->str);
}

/* An answer that goes on is looked at anew. */
static void
test_again (void)
{
  g_autofree char *all = repeat ("It is polite to be polite, as the polite say. ", 16);
  PtLoopWatch loop;

  g_assert_cmpuint (watch (all), >, 0);
  pt_loop_watch_init (&loop);
  g_assert_false (pt_loop_watch_push (&loop, (const gint32[]){ 1 }, 1, "It is polite."));
}

/* ---- what repeats itself for good reasons ---- */

static void
test_tables (void)
{
  g_autoptr (GString) table = g_string_new ("| Day | From | To |\n|-----|------|----|\n");
  static const char *const days[] = { "Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday" };
  g_autofree char *rule = repeat ("|---", 24), *zeros = repeat ("0, 0, 0, 0, 0, 0, 0, 0,\n", 8);
  g_autofree char *dots = repeat (". ", 80), *line = repeat ("-", 100);

  for (guint i = 0; i < 28; i++)
    g_string_append_printf (table, "| %u | %s | 9:00 | 17:00 |\n", i / 7, days[i % 7]);
  assert_none (table->str);
  assert_none (rule);
  assert_none (zeros);
  assert_none (dots);
  assert_none (line);
}

static void
test_code (void)
{
  g_autoptr (GString) code = g_string_new ("```c\n");
  g_autoptr (GString) log = g_string_new (NULL);

  for (guint i = 0; i < 40; i++)
    g_string_append_printf (code, "  g_assert_cmpint (square (%u), ==, %u);\n", i, i * i);
  for (guint i = 0; i < 6; i++)
    g_string_append_printf (code, "  printf (\"Hello, this is the same line every time\\n\");\n");
  for (guint i = 0; i < 16; i++)
    g_string_append (code, "  { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },\n");
  g_string_append (code, "```\n");
  assert_none (code->str);
  for (guint i = 0; i < 40; i++)
    g_string_append_printf (log, "[2024-01-%02u] The server was started successfully\n",
                            i % 30 + 1);
  assert_none (log->str);
}

static void
test_lists (void)
{
  g_autoptr (GString) list = g_string_new (NULL), count = g_string_new (NULL);

  for (guint i = 1; i <= 12; i++)
    g_string_append_printf (list, "%u. **Step %u**: Add %u grams of flour and stir well.\n", i, i,
                            i * 10);
  for (guint i = 1; i <= 100; i++)
    g_string_append_printf (count, "%u\n", i);
  assert_none (list->str);
  assert_none (count->str);
  assert_none ("- Milk\n- Eggs\n- Flour\n- Milk\n- Eggs\n- Flour\n- Milk\n- Eggs\n- Flour\n");
}

/* A refrain after every verse, and a song that ends with it four times. */
static void
test_poem (void)
{
  static const char refrain[] = "Row, row, row your boat,\nGently down the stream,\nMerrily, "
                                "merrily, merrily, merrily,\nLife is "
                                "but a dream.\n\n";
  g_autoptr (GString) song = g_string_new (NULL);

  for (guint i = 0; i < 6; i++) {
    g_string_append_printf (
        song,
        "The river number %u is wide,\nand verse %u says who waits there,\nnobody "
        "but boatman %u,\nwith %u ribbons in the hair.\n\n",
        i, i, i, i);
    g_string_append (song, refrain);
  }
  for (guint i = 0; i < 2; i++)
    g_string_append (song, refrain);
  assert_none (song->str);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/loop/cycles", test_cycles);
  g_test_add_func ("/text/loop/sentences", test_sentences);
  g_test_add_func ("/text/loop/again", test_again);
  g_test_add_func ("/text/loop/tables", test_tables);
  g_test_add_func ("/text/loop/code", test_code);
  g_test_add_func ("/text/loop/lists", test_lists);
  g_test_add_func ("/text/loop/poem", test_poem);
  return g_test_run ();
}
