/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/thinking.h"

#include <string.h>

#define SPACE " \t\r\n"
#define ENDS_OF_LINES "\r\n"

static const struct {
  const char *begin, *end;
} MARKS[] = {
  { "<think>", "</think>" },       /* DeepSeek, Qwen, SmolLM3 and most others */
  { "<thinking>", "</thinking>" }, /* Granite's prompts */
  { "<thought>", "</thought>" },   /* Gemma's and EXAONE's */
  { "<reasoning>", "</reasoning>" },
  { "<seed:think>", "</seed:think>" },                                 /* Seed */
  { "[THINK]", "[/THINK]" },                                           /* Magistral */
  { "<|channel>thought", "<channel|>" },                               /* Gemma 4 */
  { "◁think▷", "◁/think▷" },                                           /* Kimi */
  { "<|channel|>analysis<|message|>", "<|channel|>final<|message|>" }, /* gpt-oss */
};

/* ---- whole texts ---- */

static PtThought
make (const char *thought, const char *end, gsize mark)
{
  PtThought found = { .open = end == NULL };

  thought += strspn (thought, SPACE);
  found.thought = thought;
  found.length = end == NULL ? strlen (thought) : end > thought ? (gsize) (end - thought) : 0;
  found.answer = end == NULL ? thought + found.length : end + mark;
  found.answer += strspn (found.answer, ENDS_OF_LINES);
  while (found.length > 0 && g_ascii_isspace (thought[found.length - 1]))
    found.length--;
  return found;
}

PtThought
pt_thinking_split (const char *text)
{
  const char *begin = text + strspn (text, SPACE);
  const char *end;

  for (guint i = 0; i < G_N_ELEMENTS (MARKS); i++) {
    gsize n = strlen (MARKS[i].begin);

    if (strncmp (begin, MARKS[i].begin, n) == 0)
      return make (begin + n, strstr (begin + n, MARKS[i].end), strlen (MARKS[i].end));
    /* The mark may be incomplete. */
    if (begin[0] != '\0' && strncmp (begin, MARKS[i].begin, strlen (begin)) == 0)
      return (PtThought){ begin, 0, begin + strlen (begin), TRUE };
  }
  /* Some templates put the first mark into the prompt. */
  end = strstr (begin, MARKS[0].end);
  if (end != NULL && strstr (begin, MARKS[0].begin) == NULL)
    return make (begin, end, strlen (MARKS[0].end));
  return (PtThought){ .answer = text };
}

/* ---- streams ---- */

void
pt_thinking_stream_init (PtThinkingStream *self)
{
  *self = (PtThinkingStream){ .held = g_string_new (NULL) };
}

void
pt_thinking_stream_clear (PtThinkingStream *self)
{
  if (self->held != NULL)
    g_string_free (self->held, TRUE);
  self->held = NULL;
}

void
pt_thinking_stream_answer (PtThinkingStream *self)
{
  self->place = PT_STREAM_ANSWER;
}

gboolean
pt_thinking_stream_thinks (const PtThinkingStream *self)
{
  return self->place == PT_STREAM_THINKS || self->place == PT_STREAM_THOUGHT;
}

const char *
pt_thinking_mark (guint i)
{
  return i < G_N_ELEMENTS (MARKS) ? MARKS[i].begin : NULL;
}

gboolean
pt_thinking_is_mark (const char *name, gsize length)
{
  g_autofree char *text = g_strndup (name, length);

  for (guint i = 0; i < G_N_ELEMENTS (MARKS) && length > 0; i++)
    if (strstr (MARKS[i].begin, text) != NULL || strstr (MARKS[i].end, text) != NULL)
      return TRUE;
  return FALSE;
}

void
pt_thinking_stream_see_prompt (PtThinkingStream *self, const char *prompt)
{
  gsize n = strlen (prompt);

  while (n > 0 && g_ascii_isspace (prompt[n - 1]))
    n--;
  for (guint i = 0; i < G_N_ELEMENTS (MARKS); i++) {
    gsize length = strlen (MARKS[i].begin);

    if (n >= length && memcmp (prompt + n - length, MARKS[i].begin, length) == 0) {
      self->which = i;
      self->place = PT_STREAM_THINKS;
    }
  }
}

/* Gives out the first @n bytes that are held. */
static void
give (PtThinkingStream *self, gsize n, PtAnswerPart part, PtThinkingFunc func, gpointer user_data)
{
  if (n == 0)
    return;
  if (func != NULL)
    func (self->held->str, n, part, user_data);
  g_string_erase (self->held, 0, (gssize) n);
}

/* Leaves out bytes of @these at the beginning. TRUE: something else has come. */
static gboolean
skip (PtThinkingStream *self, const char *these, PtThinkingFunc func, gpointer user_data)
{
  give (self, strspn (self->held->str, these), PT_ANSWER_MARK, func, user_data);
  return self->held->len > 0;
}

/* Looks for the first mark. TRUE: there is one, or none will come. */
static gboolean
begin (PtThinkingStream *self, PtThinkingFunc func, gpointer user_data)
{
  const char *text = self->held->str + strspn (self->held->str, SPACE);
  gsize n = strlen (text);

  self->place = PT_STREAM_ANSWER;
  for (guint i = 0; i < G_N_ELEMENTS (MARKS); i++) {
    gsize length = strlen (MARKS[i].begin);

    if (strncmp (text, MARKS[i].begin, length) == 0) {
      self->which = i;
      self->place = PT_STREAM_THINKS;
      give (self, (gsize) (text - self->held->str) + length, PT_ANSWER_MARK, func, user_data);
      return TRUE;
    }
    if (n < length && memcmp (text, MARKS[i].begin, n) == 0)
      self->place = PT_STREAM_BEGIN;
  }
  return self->place == PT_STREAM_ANSWER;
}

/* How many bytes at the end of @text may belong to @mark or to the space in front of it. */
static gsize
count_held (const GString *text, const char *mark)
{
  gsize n = MIN (strlen (mark), text->len), end;

  while (n > 0 && memcmp (text->str + text->len - n, mark, n) != 0)
    n--;
  end = text->len - n;
  while (end > 0 && g_ascii_isspace (text->str[end - 1]))
    end--;
  return text->len - end;
}

/* Looks for the second mark. TRUE: there is one. */
static gboolean
think (PtThinkingStream *self, PtThinkingFunc func, gpointer user_data)
{
  const char *mark = MARKS[self->which].end, *found = strstr (self->held->str, mark);
  gsize n;

  if (found == NULL) {
    give (self, self->held->len - count_held (self->held, mark), PT_ANSWER_THOUGHT, func,
          user_data);
    return FALSE;
  }
  n = (gsize) (found - self->held->str);
  while (n > 0 && g_ascii_isspace (self->held->str[n - 1]))
    n--;
  give (self, n, PT_ANSWER_THOUGHT, func, user_data);
  give (self, strspn (self->held->str, SPACE) + strlen (mark), PT_ANSWER_MARK, func, user_data);
  self->place = PT_STREAM_ANSWERS;
  return TRUE;
}

void
pt_thinking_stream_push (PtThinkingStream *self, const char *text, gsize n, PtThinkingFunc func,
                         gpointer user_data)
{
  g_string_append_len (self->held, text, (gssize) n);
  if (self->place == PT_STREAM_BEGIN && !begin (self, func, user_data))
    return;
  if (self->place == PT_STREAM_THINKS && skip (self, SPACE, func, user_data))
    self->place = PT_STREAM_THOUGHT;
  if (self->place == PT_STREAM_THOUGHT && !think (self, func, user_data))
    return;
  if (self->place == PT_STREAM_ANSWERS && skip (self, ENDS_OF_LINES, func, user_data))
    self->place = PT_STREAM_ANSWER;
  if (self->place == PT_STREAM_ANSWER)
    give (self, self->held->len, PT_ANSWER_TEXT, func, user_data);
}

void
pt_thinking_stream_finish (PtThinkingStream *self, PtThinkingFunc func, gpointer user_data)
{
  gsize space = self->held->len;

  if (pt_thinking_stream_thinks (self)) {
    /* Space at the end does not belong to the thought. */
    while (space > 0 && g_ascii_isspace (self->held->str[space - 1]))
      space--;
    give (self, space, PT_ANSWER_THOUGHT, func, user_data);
    give (self, self->held->len, PT_ANSWER_MARK, func, user_data);
  }
  give (self, self->held->len, PT_ANSWER_TEXT, func, user_data);
}
