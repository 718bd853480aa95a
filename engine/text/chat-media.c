/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/chat-media.h"

#include <string.h>

/* The first entry of a kind whose tokens are in the vocabulary is used. */
static const struct {
  const char *tokens[2];
  PtChatMark mark;
} marks[] = {
  { { "<start_of_image>", "<end_of_image>" },
    { PT_MODEL_IMAGES, "<start_of_image>", "\n\n<start_of_image>", "<end_of_image>\n\n" } },
  { { "<|image|>", "<|image>" }, { PT_MODEL_IMAGES, "<|image|>", "<|image>", "<image|>" } },
  { { NULL }, { PT_MODEL_IMAGES, "<image>", "", "" } },
  { { "[BEGIN_AUDIO]" }, { PT_MODEL_AUDIO, "[AUDIO]", "[BEGIN_AUDIO]", "" } },
  { { "<|audio|>" }, { PT_MODEL_AUDIO, "<|audio|>", "", "" } },
  { { NULL }, { PT_MODEL_AUDIO, "<audio>", "", "" } },
};

const PtChatMark *
pt_chat_mark (const PtTokenizer *tokenizer, PtModelInput kind)
{
  gsize i = 0;

  for (;; i++) {
    gboolean all = marks[i].mark.kind == kind;

    for (guint k = 0; all && k < 2 && marks[i].tokens[k] != NULL; k++)
      all = pt_tokenizer_find (tokenizer, marks[i].tokens[k]) >= 0;
    if (all)
      return &marks[i].mark;
  }
}

gssize
pt_chat_mark_find (const PtChatMark *mark, const char *text, gsize length)
{
  const char *found = g_strstr_len (text, (gssize) length, mark->place);

  return found != NULL ? found - text : -1;
}
