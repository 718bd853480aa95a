/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/thinking.h"

#include <string.h>

static const struct {
  const char *begin, *end;
} MARKS[] = {
  { "<think>", "</think>" },       /* DeepSeek, Qwen, SmolLM3 and most others */
  { "<thinking>", "</thinking>" }, /* Granite's prompts */
  { "<thought>", "</thought>" },   /* Gemma's and EXAONE's */
  { "<reasoning>", "</reasoning>" },
  { "<seed:think>", "</seed:think>" },                                 /* Seed */
  { "[THINK]", "[/THINK]" },                                           /* Magistral */
  { "◁think▷", "◁/think▷" },                                           /* Kimi */
  { "<|channel|>analysis<|message|>", "<|channel|>final<|message|>" }, /* gpt-oss */
};

static PterisThinking
make (const char *thought, const char *end, gsize mark)
{
  PterisThinking thinking = { .open = end == NULL };

  thought += strspn (thought, " \t\r\n");
  thinking.thought = thought;
  thinking.length = end == NULL ? strlen (thought) : end > thought ? (gsize) (end - thought) : 0;
  thinking.answer = end == NULL ? thought + thinking.length : end + mark;
  thinking.answer += strspn (thinking.answer, "\r\n");
  while (thinking.length > 0 && g_ascii_isspace (thought[thinking.length - 1]))
    thinking.length--;
  return thinking;
}

PterisThinking
pteris_thinking_split (const char *text)
{
  const char *begin = text + strspn (text, " \t\r\n");
  const char *end;

  for (guint i = 0; i < G_N_ELEMENTS (MARKS); i++) {
    gsize n = strlen (MARKS[i].begin);

    if (strncmp (begin, MARKS[i].begin, n) == 0)
      return make (begin + n, strstr (begin + n, MARKS[i].end), strlen (MARKS[i].end));
    /* The mark may be incomplete. */
    if (begin[0] != '\0' && strncmp (begin, MARKS[i].begin, strlen (begin)) == 0)
      return (PterisThinking){ begin, 0, begin + strlen (begin), TRUE };
  }
  /* Some templates put the first mark into the prompt. */
  end = strstr (begin, MARKS[0].end);
  if (end != NULL && strstr (begin, MARKS[0].begin) == NULL)
    return make (begin, end, strlen (MARKS[0].end));
  return (PterisThinking){ .answer = text };
}
