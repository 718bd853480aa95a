/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/json.h"
#include "engine/text/chat-template.h"
#include "engine/text/jinja/jinja.h"
#include "tests/fuzz/fuzz.h"

/*
 * Chat templates. An input that begins with "{" and a quotation mark is a tokenizer_config.json;
 * any other the text of a template, and behind a zero, if there is one, the JSON of its variables.
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

static gboolean
is_config (const char *text)
{
  if (*text != '{')
    return FALSE;
  do
    text++;
  while (g_ascii_isspace (*text));
  return *text == '"';
}

static PtChatTemplate *
open_template (const char *text, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint32));

  if (!is_config (text))
    return pt_chat_template_new (text, "<|im_start|>", tokenizer (), error);
  fuzz_file (data, size);
  if (!pt_chat_end_tokens (fuzz_folder (), tokenizer (), ends, error))
    return NULL;
  return pt_chat_template_open (fuzz_folder (), tokenizer (), error);
}

/** Encodes a conversation: messages must not contain marks of the template. */
static void
encode (PtChatTemplate *chat, const PtMessage *messages, guint n, PtThinking thinking)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  GError *error = NULL;

  if (!pt_chat_template_encode (chat, messages, n, thinking, NULL, NULL, ids, &error))
    fuzz_check_error (error);
}

static void
check_text (const PtJinjaText *text)
{
  gsize begin = 0;

  g_assert (g_utf8_validate_len (text->bytes, text->length, NULL));
  for (guint i = 0; i < text->n_spans; i++) {
    g_assert (text->spans[i].end > begin);
    begin = text->spans[i].end;
  }
  g_assert (begin == text->length);
  fuzz_touch (text->bytes, text->length);
}

/** With variables of any kind. */
static void
render (const char *text, const char *json, gsize length)
{
  g_autoptr (GDateTime) now = g_date_time_new_utc (2024, 7, 2, 9, 5, 3);
  g_autoptr (PtJinjaRender) rendering = pt_jinja_render_new (now);
  g_autoptr (json_t) variables = json_loadb (json, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  GError *error = NULL;
  g_autoptr (PtJinjaTree) tree = pt_jinja_new (text, strlen (text), &error);
  const PtJinjaText *out = NULL;
  const char *name;
  json_t *value;

  if (tree != NULL) {
    json_object_foreach (variables, name, value)
      pt_jinja_set (rendering, name, pt_jinja_from_json (rendering, value, 1));
    out = pt_jinja_run (rendering, tree, &error);
  }
  if (out != NULL)
    check_text (out);
  else
    fuzz_check_error (error);
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
  g_autofree char *text = g_strndup ((const char *) data, size);
  gsize length = strlen (text);
  GError *error = NULL;
  g_autoptr (PtChatTemplate) chat = NULL;

  if (length < size) {
    render (text, (const char *) data + length + 1, size - length - 1);
    return 0;
  }
  chat = open_template (text, data, size, &error);
  if (chat == NULL) {
    fuzz_check_error (error);
    return 0;
  }
  encode (chat, messages, G_N_ELEMENTS (messages), PT_THINKING_DEFAULT);
  encode (chat, messages, 3, PT_THINKING_ON);
  encode (chat, messages + 1, 1, PT_THINKING_OFF);
  return 0;
}
