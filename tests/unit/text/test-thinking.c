/* SPDX-License-Identifier: BSD-3-Clause */

/* Thoughts in front of answers: in whole texts, and in texts that come in pieces. */

#include <string.h>

#include "engine/text/thinking.h"

static void
assert_split (const char *text, const char *thought, const char *answer, gboolean open)
{
  PtThought found = pt_thinking_split (text);
  g_autofree char *copy = found.thought != NULL ? g_strndup (found.thought, found.length) : NULL;

  g_assert_cmpstr (copy, ==, thought);
  g_assert_cmpstr (found.answer, ==, answer);
  g_assert_cmpint (found.open, ==, open);
}

static void
test_split (void)
{
  assert_split ("No thought, 1 < 2", NULL, "No thought, 1 < 2", FALSE);
  assert_split ("<think>\nHm. \n</think>\n\nYes", "Hm.", "Yes", FALSE);
  assert_split ("<think>\nHm", "Hm", "", TRUE);
  assert_split (" <thi", "", "", TRUE);
  assert_split ("Hm.\n</think>\nYes", "Hm.", "Yes", FALSE);
  assert_split ("[THINK]a[/THINK]b", "a", "b", FALSE);
  assert_split ("<think></think>b", "", "b", FALSE);
  assert_split ("See <think> and </think>.", NULL, "See <think> and </think>.", FALSE);
  assert_split ("<|channel>thought\nHm.\n<channel|>Yes", "Hm.", "Yes", FALSE);
}

/* ---- streams ---- */

typedef struct {
  GString *all, *parts[3]; /* by PtAnswerPart */
} Heard;

static void
on_part (const char *text, gsize n, PtAnswerPart part, gpointer user_data)
{
  Heard *heard = user_data;

  g_assert_cmpuint (n, >, 0);
  g_assert_true (g_utf8_validate (text, (gssize) n, NULL));
  g_string_append_len (heard->all, text, (gssize) n);
  g_string_append_len (heard->parts[part], text, (gssize) n);
}

static const struct {
  const char *prompt, *text, *thought, *answer;
} STREAMS[] = {
  { "", "No thought, 1 < 2", "", "No thought, 1 < 2" },
  { "", "<think>\nHm. \n</think>\n\nYes.\n", "Hm.", "Yes.\n" },
  { "", " \n<think>a  b\n\nc</think>d", "a  b\n\nc", "d" },
  { "", "<think></think>b", "", "b" },
  { "", "<think>no end </thin", "no end </thin", "" },
  { "", "<think>space at the end \n", "space at the end", "" },
  { "", "<thi", "", "<thi" },
  { "", "<thin air>", "", "<thin air>" },
  { "", "  indented", "", "  indented" },
  { "", "See <think>a</think>.", "", "See <think>a</think>." },
  { "", "◁think▷Größe?◁/think▷Groß", "Größe?", "Groß" },
  { "", "[THINK]a[/THIN[/THINK]b", "a[/THIN", "b" },
  { "", "<think>1</think>2<think>3</think>4", "1", "2<think>3</think>4" },
  { "<|im_start|>assistant\n<think>\n", "Hm.\n</think>\n\nYes", "Hm.", "Yes" },
  { "<think>", "\n\nHm", "Hm", "" },
  { "<think>\n\n</think>\n\n", "Yes", "", "Yes" },
  { "<think> and", "Hm.</think>Yes", "", "Hm.</think>Yes" },
};

/* Each text, in pieces of any number of characters, has the same parts, and nothing is lost. */
static void
test_stream (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (STREAMS); i++)
    for (glong step = 1; step < 9; step++) {
      PtThinkingStream stream;
      Heard heard = { g_string_new (NULL),
                      { g_string_new (NULL), g_string_new (NULL), g_string_new (NULL) } };
      const char *text = STREAMS[i].text;

      pt_thinking_stream_init (&stream);
      pt_thinking_stream_see_prompt (&stream, STREAMS[i].prompt);
      while (*text != '\0') {
        const char *next = g_utf8_offset_to_pointer (text, MIN (step, g_utf8_strlen (text, -1)));

        pt_thinking_stream_push (&stream, text, (gsize) (next - text), on_part, &heard);
        text = next;
      }
      pt_thinking_stream_finish (&stream, on_part, &heard);
      g_assert_cmpstr (heard.all->str, ==, STREAMS[i].text);
      g_assert_cmpstr (heard.parts[PT_ANSWER_THOUGHT]->str, ==, STREAMS[i].thought);
      g_assert_cmpstr (heard.parts[PT_ANSWER_TEXT]->str, ==, STREAMS[i].answer);
      pt_thinking_stream_clear (&stream);
      g_string_free (heard.all, TRUE);
      for (guint part = 0; part < G_N_ELEMENTS (heard.parts); part++)
        g_string_free (heard.parts[part], TRUE);
    }
}

/* What is decided is given out at once. */
static void
test_at_once (void)
{
  PtThinkingStream stream;
  Heard heard = { g_string_new (NULL),
                  { g_string_new (NULL), g_string_new (NULL), g_string_new (NULL) } };
  const GString *thought = heard.parts[PT_ANSWER_THOUGHT];

  pt_thinking_stream_init (&stream);
  pt_thinking_stream_push (&stream, "<think>Hm", 9, on_part, &heard);
  g_assert_cmpstr (thought->str, ==, "Hm");
  g_assert_true (pt_thinking_stream_thinks (&stream));
  pt_thinking_stream_push (&stream, " </t", 4, on_part, &heard);
  g_assert_cmpstr (thought->str, ==, "Hm");
  pt_thinking_stream_push (&stream, "able", 4, on_part, &heard);
  g_assert_cmpstr (thought->str, ==, "Hm </table");
  pt_thinking_stream_push (&stream, "</think>a", 9, on_part, &heard);
  g_assert_false (pt_thinking_stream_thinks (&stream));
  g_assert_cmpstr (heard.parts[PT_ANSWER_TEXT]->str, ==, "a");
  pt_thinking_stream_clear (&stream);
  g_string_free (heard.all, TRUE);
  for (guint part = 0; part < G_N_ELEMENTS (heard.parts); part++)
    g_string_free (heard.parts[part], TRUE);
}

static void
test_marks (void)
{
  g_assert_cmpstr (pt_thinking_mark (0), ==, "<think>");
  g_assert_null (pt_thinking_mark (100));
  g_assert_true (pt_thinking_is_mark ("</think>rest", strlen ("</think>")));
  g_assert_true (pt_thinking_is_mark ("<|channel>", strlen ("<|channel>")));
  g_assert_false (pt_thinking_is_mark ("<|im_end|>", strlen ("<|im_end|>")));
  g_assert_false (pt_thinking_is_mark ("", 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/thinking/split", test_split);
  g_test_add_func ("/text/thinking/stream", test_stream);
  g_test_add_func ("/text/thinking/at-once", test_at_once);
  g_test_add_func ("/text/thinking/marks", test_marks);
  return g_test_run ();
}
