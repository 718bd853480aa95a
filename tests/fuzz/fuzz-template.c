/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/chat-template.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

/*
 * Chat templates: an input that begins with "{" and a quotation mark is a tokenizer_config.json,
 * any other the text of a template.
 */

static const PtTokenizer *
tokenizer (void)
{
  static PtTokenizer *one;

  if (one == NULL) {
    g_autofree char *path = fuzz_data_path ("tokenizers/hf_smollm/tokenizer.json");

    one = pt_tokenizer_open (path, NULL);
    g_assert (one != NULL);
  }
  return one;
}

static PtChatTemplate *
open_template (const guint8 *data, gsize size, GError **error)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint32));
  const char *second = text + 1;

  if (text[0] != '{')
    return pt_chat_template_new (text, "<|im_start|>", tokenizer (), error);
  while (g_ascii_isspace (*second))
    second++;
  if (*second != '"')
    return pt_chat_template_new (text, NULL, tokenizer (), error);
  fuzz_file (data, size);
  if (!pt_chat_end_tokens (fuzz_folder (), tokenizer (), ends, error))
    return NULL;
  return pt_chat_template_open (fuzz_folder (), tokenizer (), error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const PtMessage messages[] = {
    { "system", "You are <|im_end|> terse." },
    { "user", "Hello" },
    { "assistant", "<think>hm</think> Hi" },
    { "user", "{{ 7 * 7 }} {% raw %}" },
  };
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  GError *error = NULL;
  g_autoptr (PtChatTemplate) chat = open_template (data, size, &error);

  if (chat == NULL) {
    fuzz_check_error (error);
    return 0;
  }
  if (pt_chat_template_default_system (chat) != NULL)
    fuzz_touch (pt_chat_template_default_system (chat),
                strlen (pt_chat_template_default_system (chat)));
  if (!pt_chat_template_encode (chat, messages, G_N_ELEMENTS (messages), NULL, NULL, ids, &error))
    fuzz_check_error (g_steal_pointer (&error));
  if (!pt_chat_template_encode (chat, messages + 1, 1, NULL, NULL, ids, &error))
    fuzz_check_error (error);
  return 0;
}
