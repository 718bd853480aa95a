/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/chat-config.h"

#include "engine/text/chat-template.h"

#define MAX_FILE (8 * 1024 * 1024)
#define MAX_TEMPLATE (1024 * 1024)
/* More than any model has; a file may list millions. */
#define MAX_END_TOKENS 256

/* ---- files ---- */

/** Reads a JSON file. FALSE with an error when it cannot be read; *json = NULL when there is none.
 * */
gboolean
pt_chat_config_load (const char *folder, const char *name, json_t **json, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  *json = pt_json_load (path, MAX_FILE, error);
  return *json != NULL;
}

/** A template is a text, or a list of named ones of which "default" counts, or a mapping. */
static const char *
template_of (const json_t *json)
{
  const json_t *value = json_object_get (json, "chat_template");

  if (json_is_string (value))
    return json_string_value (value);
  for (gsize i = 0; i < json_array_size (value); i++) {
    const json_t *item = json_array_get (value, i);

    if (g_strcmp0 (pt_json_string (item, "name"), "default") == 0)
      return pt_json_string (item, "template");
  }
  return NULL;
}

/** A token in tokenizer_config.json is its text, or an object with "content". */
const char *
pt_chat_config_token (const json_t *config, const char *key)
{
  const json_t *value = json_object_get (config, key);

  return json_is_object (value) ? pt_json_string (value, "content") : json_string_value (value);
}

/** Reads a text file. FALSE with an error when it cannot be read; *text = NULL when there is none.
 * */
gboolean
pt_chat_config_template (const char *folder, const json_t *config, char **text, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "chat_template.jinja", NULL);
  g_autoptr (json_t) other = NULL;
  gsize length;

  *text = NULL;
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    *text = pt_text_load (path, MAX_TEMPLATE, &length, error);
    return *text != NULL;
  }
  if (template_of (config) == NULL &&
      !pt_chat_config_load (folder, "chat_template.json", &other, error))
    return FALSE;
  *text = g_strdup (template_of (other != NULL ? other : config));
  return TRUE;
}

/* ---- tokens that end an answer ---- */

static void
add_once (GArray *ids, gint32 id)
{
  if (id < 0 || ids->len >= MAX_END_TOKENS)
    return;
  for (guint i = 0; i < ids->len; i++)
    if (g_array_index (ids, gint32, i) == id)
      return;
  g_array_append_val (ids, id);
}

static void
add_numbers (const json_t *value, guint n_ids, GArray *ids)
{
  if (json_is_integer (value) && json_integer_value (value) < n_ids)
    add_once (ids, (gint32) json_integer_value (value));
  for (gsize i = 0; i < json_array_size (value); i++)
    if (json_is_integer (json_array_get (value, i)))
      add_numbers (json_array_get (value, i), n_ids, ids);
}

gboolean
pt_chat_end_tokens (const char *folder, const PtTokenizer *tokenizer, GArray *ids, GError **error)
{
  static const char *const names[] = {
    "<|im_end|>",      "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end|>",          "<eos>",
    "<|end_of_text|>", "<end_of_turn>", "<turn|>",    "</s>",       "<|tool_response>",
  };
  g_autoptr (json_t) config = NULL, generation = NULL;
  const char *eos;

  if (!pt_chat_config_load (folder, "tokenizer_config.json", &config, error) ||
      !pt_chat_config_load (folder, "generation_config.json", &generation, error))
    return FALSE;
  eos = pt_chat_config_token (config, "eos_token");
  if (eos != NULL)
    add_once (ids, pt_tokenizer_find (tokenizer, eos));
  add_once (ids, pt_tokenizer_eos (tokenizer));
  add_numbers (json_object_get (generation, "eos_token_id"), pt_tokenizer_n_ids (tokenizer), ids);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    gint32 id = pt_tokenizer_find (tokenizer, names[i]);

    if (id >= 0 && pt_tokenizer_is_special (tokenizer, id))
      add_once (ids, id);
  }
  return TRUE;
}
