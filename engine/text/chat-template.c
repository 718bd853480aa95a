/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/chat-template.h"

#include <string.h>

#include "engine/json.h"

#define MAX_FILE (8 * 1024 * 1024)
#define MAX_TEMPLATE (1024 * 1024)
/* More than any model has; a file may name millions. */
#define MAX_END_TOKENS 256

#define START "<|im_start|>"
#define END "<|im_end|>"

struct _PtChatTemplate {
  const PtTokenizer *tokenizer;
  gint32 start, end;
  gint32 bos;              /* -1: none */
  char *default_system;    /* or NULL */
  gboolean drops_thoughts; /* earlier answers are shown without what is thought in them */
};

/* --- finding the template --- */

/** FALSE with an error when there is one that cannot be read; *json = NULL when there is none. */
static gboolean
load_beside (const char *folder, const char *name, json_t **json, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  *json = pt_json_load (path, MAX_FILE, error);
  return *json != NULL;
}

/** A template is a text, or a list of named ones of which "default" counts. */
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
static const char *
config_token (const json_t *config, const char *key)
{
  const json_t *value = json_object_get (config, key);

  return json_is_object (value) ? pt_json_string (value, "content") : json_string_value (value);
}

/** FALSE with an error when there is one that cannot be read; *text = NULL when there is none. */
static gboolean
find_template (const char *folder, const json_t *config, char **text, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "chat_template.jinja", NULL);
  g_autoptr (json_t) other = NULL;
  gsize length;

  *text = NULL;
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    *text = pt_text_load (path, MAX_TEMPLATE, &length, error);
    return *text != NULL;
  }
  if (template_of (config) == NULL && !load_beside (folder, "chat_template.json", &other, error))
    return FALSE;
  *text = g_strdup (template_of (other != NULL ? other : config));
  return TRUE;
}

PtChatTemplate *
pt_chat_template_open (const char *folder, const PtTokenizer *tokenizer, GError **error)
{
  g_autoptr (json_t) config = NULL;
  g_autofree char *text = NULL;

  if (!load_beside (folder, "tokenizer_config.json", &config, error) ||
      !find_template (folder, config, &text, error))
    return NULL;
  return pt_chat_template_new (text, config_token (config, "bos_token"), tokenizer, error);
}

/* --- recognising it --- */

/** What a template of another family is called, by the marks in it. */
static const char *
family_of (const char *text)
{
  static const struct {
    const char *mark, *family;
  } families[] = {
    { "<|start_header_id|>", "Llama 3" },
    { "<start_of_turn>", "Gemma" },
    { "<|turn>", "Gemma 4" },
    { "[INST]", "Mistral" },
    { "<|user|>", "Phi" },
    { "<|User|>", "DeepSeek" },
    { "<|start|>", "Harmony" },
    { "<<SYS>>", "Llama 2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    if (strstr (text, families[i].mark) != NULL)
      return families[i].family;
  return NULL;
}

/** Jinja strings write a newline as \n or as itself. */
static char *
unescape_newlines (const char *text)
{
  g_autoptr (GString) out = g_string_new (text);

  g_string_replace (out, "\\n", "\n", 0);
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/**
 * The default system message is the one that stands in the template as plain text, from mark
 * to mark; others are put together from variables.
 */
static char *
find_default_system (const char *text)
{
  static const char mark[] = START "system\n";
  g_autofree char *plain = unescape_newlines (text);
  const char *begin = plain;

  while ((begin = strstr (begin, mark)) != NULL) {
    const char *end;
    g_autofree char *system = NULL;

    begin += strlen (mark);
    end = strstr (begin, END);
    if (end == NULL)
      return NULL;
    system = g_strndup (begin, (gsize) (end - begin));
    if (*system != '\0' && strpbrk (system, "{}") == NULL && strstr (system, "' +") == NULL &&
        strstr (system, "\" +") == NULL && strstr (system, "'+") == NULL &&
        strstr (system, "\"+") == NULL)
      return g_steal_pointer (&system);
  }
  return NULL;
}

PtChatTemplate *
pt_chat_template_new (const char *text, const char *bos, const PtTokenizer *tokenizer,
                      GError **error)
{
  gint32 start = pt_tokenizer_find (tokenizer, START);
  gint32 end = pt_tokenizer_find (tokenizer, END);
  const char *family = text != NULL ? family_of (text) : NULL;
  PtChatTemplate *self;

  if (start < 0 || end < 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The model's chat template (%s) is not supported yet: Pteris chats with models that "
             "use ChatML (" START " and " END ").",
             family != NULL ? family
             : text != NULL ? "of an unknown kind"
                            : "it has none");
    return NULL;
  }
  if (text != NULL && strlen (text) > MAX_TEMPLATE) {
    pt_fail (error, PT_ERROR_FORMAT, "The model's chat template is too long to be one.");
    return NULL;
  }
  if (text != NULL && strstr (text, START) == NULL && family != NULL) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The model's chat template (%s) is not supported yet: Pteris chats with models that "
             "use ChatML.",
             family);
    return NULL;
  }
  self = g_new0 (PtChatTemplate, 1);
  self->tokenizer = tokenizer;
  self->start = start;
  self->end = end;
  self->bos = -1;
  if (text != NULL) {
    self->default_system = find_default_system (text);
    self->drops_thoughts = strstr (text, "</think>") != NULL;
    if (bos != NULL && strstr (text, "bos_token") != NULL)
      self->bos = pt_tokenizer_find (tokenizer, bos);
  }
  return self;
}

void
pt_chat_template_free (PtChatTemplate *self)
{
  if (self == NULL)
    return;
  g_free (self->default_system);
  g_free (self);
}

const char *
pt_chat_template_default_system (const PtChatTemplate *self)
{
  return self->default_system;
}

/* --- rendering --- */

static const char *
without_thoughts (const char *text)
{
  const char *end = g_strrstr (text, "</think>");

  if (end == NULL)
    return text;
  end += strlen ("</think>");
  return end + strspn (end, "\n");
}

static gboolean
is_open (const PtMessage *message)
{
  return strcmp (message->role, "assistant") == 0;
}

/* @open: it goes on; nothing ends it, and its thoughts are what it goes on from. */
static gboolean
encode_message (const PtChatTemplate *self, const PtMessage *message, gboolean open,
                PtAnswerFunc known, gpointer user_data, GArray *ids, GError **error)
{
  gboolean answer = strcmp (message->role, "assistant") == 0;
  const char *text = message->text;
  g_autofree char *head = g_strconcat (message->role, "\n", NULL);
  g_autofree char *body = NULL;

  if (answer && self->drops_thoughts && !open)
    text = without_thoughts (text);
  g_array_append_val (ids, self->start);
  if (answer && known != NULL) {
    guint before = ids->len;

    if (!pt_tokenizer_encode (self->tokenizer, head, -1, PT_ENCODE_PLAIN, ids, error))
      return FALSE;
    if (!known (text, ids, user_data))
      g_array_set_size (ids, before);
    else
      head[0] = '\0';
  }
  if (head[0] != '\0') {
    body = g_strconcat (head, text, NULL);
    if (!pt_tokenizer_encode (self->tokenizer, body, -1, PT_ENCODE_PLAIN, ids, error))
      return FALSE;
  }
  if (open)
    return TRUE;
  g_array_append_val (ids, self->end);
  return pt_tokenizer_encode (self->tokenizer, "\n", -1, PT_ENCODE_PLAIN, ids, error);
}

gboolean
pt_chat_template_encode (const PtChatTemplate *self, const PtMessage *messages, guint n_messages,
                         PtAnswerFunc known, gpointer user_data, GArray *ids, GError **error)
{
  gboolean has_system = n_messages > 0 && g_strcmp0 (messages[0].role, "system") == 0;

  if (self->bos >= 0)
    g_array_append_val (ids, self->bos);
  if (!has_system && self->default_system != NULL) {
    PtMessage system = { .role = "system", .text = self->default_system };

    if (!encode_message (self, &system, FALSE, NULL, NULL, ids, error))
      return FALSE;
  }
  for (guint i = 0; i < n_messages; i++) {
    gboolean open = i + 1 == n_messages && is_open (&messages[i]);

    if (!encode_message (self, &messages[i], open, known, user_data, ids, error))
      return FALSE;
    if (open)
      return TRUE;
  }
  g_array_append_val (ids, self->start);
  return pt_tokenizer_encode (self->tokenizer, "assistant\n", -1, PT_ENCODE_PLAIN, ids, error);
}

/* --- what ends an answer --- */

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
    END,     "<|endoftext|>",   "<|eot_id|>",    "<|eom_id|>", "<|end|>",
    "<eos>", "<|end_of_text|>", "<end_of_turn>", "<turn|>",    "</s>",
  };
  g_autoptr (json_t) config = NULL, generation = NULL;
  const char *eos;

  if (!load_beside (folder, "tokenizer_config.json", &config, error) ||
      !load_beside (folder, "generation_config.json", &generation, error))
    return FALSE;
  eos = config_token (config, "eos_token");
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
