/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/openai-content.h"

#include <string.h>

#include "engine/base/json.h"
#include "server/answer.h"

#define MOST_MESSAGES 4096
#define MOST_FILES 64

/* ---- parts of a message ---- */

static void
read_picture (PterisQuestion *question, PterisFields *part, GPtrArray *files)
{
  PterisFields picture;
  const json_t *object = pteris_fields_object (part, "image_url");
  g_autofree char *path = pteris_fields_path (part, "image_url"), *field = NULL;
  const char *url, *file;

  pteris_fields_need (part, "image_url");
  if (pteris_fields_failed (part))
    return;
  pteris_fields_begin (&picture, object, path, part->error);
  pteris_fields_need (&picture, "url");
  url = pteris_fields_text (&picture, "url");
  pteris_fields_refuse (&picture, "detail", json_string ("auto"), "the model decides.");
  if (!pteris_fields_end (&picture))
    return;
  field = pteris_fields_path (&picture, "url");
  file = pteris_data_files_add_url (question->files, url, field, part->error);
  if (file != NULL)
    g_ptr_array_add (files, (char *) file);
}

static void
read_recording (PterisQuestion *question, PterisFields *part, GPtrArray *files)
{
  PterisFields sound;
  const json_t *object = pteris_fields_object (part, "input_audio");
  g_autofree char *path = pteris_fields_path (part, "input_audio"), *field = NULL;
  const char *data, *format, *file;

  pteris_fields_need (part, "input_audio");
  if (pteris_fields_failed (part))
    return;
  pteris_fields_begin (&sound, object, path, part->error);
  pteris_fields_need (&sound, "data");
  data = pteris_fields_text (&sound, "data");
  pteris_fields_need (&sound, "format");
  format = pteris_fields_text (&sound, "format");
  if (!pteris_fields_end (&sound))
    return;
  field = pteris_fields_path (&sound, "data");
  file = pteris_data_files_add_base64 (question->files, data, format, field, part->error);
  if (file != NULL)
    g_ptr_array_add (files, (char *) file);
}

static gboolean
is_text_part (const char *type)
{
  static const char *const types[] = { "text", "input_text", "output_text", NULL };

  return g_strv_contains (types, type);
}

static void
read_part (PterisQuestion *question, const json_t *json, const char *path, GString *text,
           GPtrArray *files, GError **error)
{
  PterisFields part;
  const char *type, *words;

  pteris_fields_begin (&part, json, path, error);
  pteris_fields_need (&part, "type");
  type = pteris_fields_text (&part, "type");
  if (type == NULL)
    return;
  if (is_text_part (type)) {
    pteris_fields_need (&part, "text");
    words = pteris_fields_text (&part, "text");
    pteris_fields_skip (&part, "annotations");
    pteris_fields_skip (&part, "logprobs");
    g_string_append (text, words != NULL ? words : "");
  } else if (strcmp (type, "image_url") == 0) {
    read_picture (question, &part, files);
  } else if (strcmp (type, "input_image") == 0) {
    g_autofree char *field = pteris_fields_path (&part, "image_url");
    const char *url = pteris_fields_text (&part, "image_url"), *file = NULL;

    pteris_fields_need (&part, "image_url");
    pteris_fields_refuse (&part, "detail", json_string ("auto"), "the model decides.");
    if (url != NULL)
      file = pteris_data_files_add_url (question->files, url, field, error);
    if (file != NULL)
      g_ptr_array_add (files, (char *) file);
  } else if (strcmp (type, "input_audio") == 0) {
    read_recording (question, &part, files);
  } else {
    pteris_fields_fail (&part, "type", PTERIS_FAULT_UNSUPPORTED,
                        "must be “text”, “image_url” or “input_audio”.");
  }
  pteris_fields_end (&part);
}

gboolean
pteris_openai_read_content (PterisQuestion *question, const json_t *content, const char *path,
                            GString *text, GPtrArray *files, GError **error)
{
  if (json_is_string (content)) {
    if (strlen (json_string_value (content)) != json_string_length (content))
      return pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, path,
                               "“%s” has a zero byte. Remove it.", path);
    g_string_append (text, json_string_value (content));
    return TRUE;
  }
  if (!json_is_array (content))
    return pteris_fault_set (error, 400, PTERIS_FAULT_TYPE, path,
                             "“%s” must be a text or a list of parts.", path);
  for (gsize i = 0; i < json_array_size (content) && *error == NULL; i++) {
    g_autofree char *part = g_strdup_printf ("%s[%u]", path, (guint) i);

    read_part (question, json_array_get (content, i), part, text, files, error);
    if (files->len > MOST_FILES)
      pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, path, "“%s” has more than %d files.", path,
                        MOST_FILES);
  }
  return *error == NULL;
}

/* ---- messages ---- */

/* The list of {"name", "arguments"} of an answer's “tool_calls”; NULL with a fault. */
static json_t *
read_calls (const json_t *calls, const char *path, GError **error)
{
  g_autoptr (json_t) list = json_array ();

  for (gsize i = 0; i < json_array_size (calls); i++) {
    g_autofree char *at = g_strdup_printf ("%s[%u]", path, (guint) i), *inner = NULL;
    PterisFields call, function;
    const json_t *object;
    const char *name, *arguments;
    json_t *parsed;

    pteris_fields_begin (&call, json_array_get (calls, i), at, error);
    pteris_fields_text (&call, "id");
    pteris_fields_refuse (&call, "type", json_string ("function"), NULL);
    pteris_fields_skip (&call, "index");
    pteris_fields_need (&call, "function");
    object = pteris_fields_object (&call, "function");
    if (!pteris_fields_end (&call))
      return NULL;
    inner = pteris_fields_path (&call, "function");
    pteris_fields_begin (&function, object, inner, error);
    pteris_fields_need (&function, "name");
    name = pteris_fields_text (&function, "name");
    arguments = pteris_fields_text (&function, "arguments");
    if (!pteris_fields_end (&function))
      return NULL;
    parsed = json_loads (arguments != NULL && *arguments != '\0' ? arguments : "{}", 0, NULL);
    if (!json_is_object (parsed)) {
      json_decref (parsed);
      pteris_fields_fail (&function, "arguments", PTERIS_FAULT_VALUE,
                          "must be the text of a JSON object.");
      return NULL;
    }
    json_array_append_new (list, json_pack ("{s:s, s:o}", "name", name, "arguments", parsed));
  }
  return g_steal_pointer (&list);
}

static void
append_calls (PterisFields *message, GString *text)
{
  const json_t *calls = pteris_fields_array (message, "tool_calls");
  g_autofree char *path = pteris_fields_path (message, "tool_calls"), *written = NULL;
  g_autoptr (json_t) list = NULL;

  if (json_array_size (calls) == 0)
    return;
  list = read_calls (calls, path, message->error);
  if (list == NULL)
    return;
  written = pteris_question_calls_text (list);
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, written);
}

/* The role that the engine knows; NULL: there is none. */
static const char *
known_role (const char *role)
{
  static const char *const roles[] = { "system", "user", "assistant", "tool", NULL };

  if (strcmp (role, "developer") == 0)
    return "system";
  return g_strv_contains (roles, role) ? role : NULL;
}

static void
read_message (PterisQuestion *question, const json_t *json, const char *path, GError **error)
{
  PterisFields message;
  const char *role, *known = NULL;
  const json_t *content;
  g_autofree char *content_path = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  gboolean is_assistant;

  pteris_fields_begin (&message, json, path, error);
  pteris_fields_need (&message, "role");
  role = pteris_fields_text (&message, "role");
  if (role == NULL)
    return;
  known = known_role (role);
  if (known == NULL)
    pteris_fields_fail (&message, "role", PTERIS_FAULT_VALUE,
                        "must be “system”, “developer”, “user”, “assistant” or “tool”.");
  is_assistant = g_strcmp0 (known, "assistant") == 0;
  if (!is_assistant)
    pteris_fields_need (&message, "content");
  content = pteris_fields_any (&message, "content");
  content_path = pteris_fields_path (&message, "content");
  if (content != NULL)
    pteris_openai_read_content (question, content, content_path, text, files, error);
  if (is_assistant) {
    append_calls (&message, text);
    pteris_fields_refuse (&message, "audio", NULL, NULL);
    pteris_fields_refuse (&message, "function_call", NULL, "use “tool_calls”.");
    pteris_fields_text (&message, "refusal");
    /* Thoughts are not shown to the model again. */
    pteris_fields_text (&message, "reasoning_content");
    pteris_fields_skip (&message, "annotations");
  }
  if (g_strcmp0 (known, "tool") == 0) {
    pteris_fields_text (&message, "tool_call_id");
    pteris_fields_text (&message, "name");
  } else {
    pteris_fields_refuse (&message, "name", NULL, "models do not see names of participants.");
  }
  if (pteris_fields_end (&message))
    pteris_question_add (question, known, text->str, g_steal_pointer (&files));
}

void
pteris_openai_read_messages (PterisQuestion *question, PterisFields *fields)
{
  const json_t *messages = pteris_fields_array (fields, "messages");
  gsize n = json_array_size (messages);

  pteris_fields_need (fields, "messages");
  if (messages != NULL && (n == 0 || n > MOST_MESSAGES))
    pteris_fields_fail (fields, "messages", PTERIS_FAULT_VALUE, "must have 1 to %d messages.",
                        MOST_MESSAGES);
  for (gsize i = 0; i < n && !pteris_fields_failed (fields); i++) {
    g_autofree char *path = g_strdup_printf ("messages[%u]", (guint) i);

    read_message (question, json_array_get (messages, i), path, fields->error);
  }
}

/* ---- options ---- */

void
pteris_openai_read_format (PterisQuestion *question, const json_t *format, const char *path,
                           gboolean is_response, GError **error)
{
  PterisFields fields, inner;
  const json_t *schema = NULL;
  const char *type;
  g_autofree char *inner_path = NULL;
  PterisFields *holder = &fields;

  if (format == NULL)
    return;
  pteris_fields_begin (&fields, format, path, error);
  pteris_fields_need (&fields, "type");
  type = pteris_fields_text (&fields, "type");
  if (type == NULL)
    return;
  if (strcmp (type, "json_schema") == 0) {
    if (!is_response) {
      const json_t *object;

      pteris_fields_need (&fields, "json_schema");
      object = pteris_fields_object (&fields, "json_schema");
      if (!pteris_fields_end (&fields))
        return;
      inner_path = pteris_fields_path (&fields, "json_schema");
      pteris_fields_begin (&inner, object, inner_path, error);
      holder = &inner;
    }
    pteris_fields_text (holder, "name");
    pteris_fields_text (holder, "description");
    pteris_fields_bool (holder, "strict", TRUE);
    pteris_fields_need (holder, "schema");
    schema = pteris_fields_object (holder, "schema");
  } else if (strcmp (type, "json_object") != 0 && strcmp (type, "text") != 0) {
    pteris_fields_fail (&fields, "type", PTERIS_FAULT_VALUE,
                        "must be “text”, “json_object” or “json_schema”.");
  }
  if (!pteris_fields_end (holder))
    return;
  if (schema != NULL)
    question->chat.json_schema = pt_json_steal_text (json_deep_copy (schema));
  else if (strcmp (type, "json_object") == 0)
    question->chat.json_schema = g_strdup ("{\"type\": \"object\"}");
}

void
pteris_openai_read_stream (PterisQuestion *question, PterisFields *fields)
{
  const json_t *options = pteris_fields_object (fields, "stream_options");
  PterisFields inner;

  question->stream = pteris_fields_bool (fields, "stream", FALSE);
  if (options == NULL)
    return;
  if (!question->stream)
    pteris_fields_fail (fields, "stream_options", PTERIS_FAULT_VALUE, "needs “stream”: true.");
  pteris_fields_begin (&inner, options, "stream_options", fields->error);
  question->usage = pteris_fields_bool (&inner, "include_usage", FALSE);
  pteris_fields_bool (&inner, "include_obfuscation", FALSE);
  pteris_fields_end (&inner);
}

/* {"type": "function", "function": {"name"}}, or in the newer form {"type": "function", "name"}. */
static char *
read_named (const json_t *choice, GError **error)
{
  PterisFields fields, function;
  const json_t *inner;
  const char *type, *name;

  pteris_fields_begin (&fields, choice, "tool_choice", error);
  pteris_fields_need (&fields, "type");
  type = pteris_fields_text (&fields, "type");
  if (type != NULL && strcmp (type, "function") != 0)
    pteris_fields_fail (&fields, "type", PTERIS_FAULT_UNSUPPORTED, "must be “function”.");
  inner = pteris_fields_object (&fields, "function");
  if (inner == NULL)
    pteris_fields_need (&fields, "name");
  name = pteris_fields_text (&fields, "name");
  if (!pteris_fields_end (&fields))
    return NULL;
  if (inner != NULL) {
    pteris_fields_begin (&function, inner, "tool_choice.function", error);
    pteris_fields_need (&function, "name");
    name = pteris_fields_text (&function, "name");
    if (!pteris_fields_end (&function))
      return NULL;
  }
  return g_strdup (name);
}

void
pteris_openai_read_tool_choice (PterisQuestion *question, PterisFields *fields)
{
  const json_t *choice = pteris_fields_any (fields, "tool_choice");
  const char *text = json_string_value (choice);

  question->one_call = !pteris_fields_bool (fields, "parallel_tool_calls", TRUE);
  if (choice == NULL || g_strcmp0 (text, "auto") == 0 || pteris_fields_failed (fields))
    return;
  if (g_strcmp0 (text, "none") == 0) {
    g_free ((char *) question->chat.tools);
    question->chat.tools = NULL;
    return;
  }
  if (json_is_object (choice)) {
    question->chat.called = read_named (choice, fields->error);
  } else if (g_strcmp0 (text, "required") != 0) {
    pteris_fields_fail (fields, "tool_choice", PTERIS_FAULT_VALUE,
                        "must be “auto”, “none”, “required” or a function.");
  }
  if (pteris_fields_failed (fields))
    return;
  question->chat.must_call = TRUE;
  if (question->chat.tools == NULL)
    pteris_fields_fail (fields, "tool_choice", PTERIS_FAULT_VALUE, "needs “tools”.");
  else if (question->chat.called != NULL &&
           !pteris_question_has_tool (question, question->chat.called))
    pteris_fields_fail (fields, "tool_choice", PTERIS_FAULT_VALUE,
                        "names “%s”, which is not among “tools”.", question->chat.called);
}

void
pteris_openai_read_sender (PterisQuestion *question, PterisFields *fields)
{
  const char *user = pteris_fields_text (fields, "user");
  const char *safety = pteris_fields_text (fields, "safety_identifier");

  question->user = g_strdup (user != NULL ? user : safety);
  pteris_fields_skip (fields, "metadata");
  pteris_fields_skip (fields, "prompt_cache_key");
  pteris_fields_refuse (fields, "store", json_false (), "this server keeps no answers.");
}

void
pteris_openai_read_effort (PterisQuestion *question, PterisFields *fields, const char *name)
{
  const char *effort = pteris_fields_text (fields, name);
  static const char *const efforts[] = { "minimal", "low", "medium", "high", NULL };

  if (effort == NULL)
    return;
  if (strcmp (effort, "none") == 0)
    question->chat.thinking = PT_THINKING_OFF;
  else if (g_strv_contains (efforts, effort))
    question->chat.thinking = PT_THINKING_ON;
  else
    pteris_fields_fail (fields, name, PTERIS_FAULT_VALUE,
                        "must be “none”, “minimal”, “low”, “medium” or “high”.");
}

json_t *
pteris_openai_calls (const json_t *calls, gboolean with_index)
{
  json_t *list = json_array ();

  for (gsize i = 0; i < json_array_size (calls); i++) {
    const json_t *call = json_array_get (calls, i);
    g_autofree char *id = pteris_new_id ("call_");
    g_autofree char *arguments =
        pt_json_steal_text (json_deep_copy (json_object_get (call, "arguments")));
    json_t *json =
        json_pack ("{s:s, s:s, s:{s:O, s:s}}", "id", id, "type", "function", "function", "name",
                   json_object_get (call, "name"), "arguments", g_strchomp (arguments));

    if (with_index)
      json_object_set_new (json, "index", json_integer ((json_int_t) i));
    json_array_append_new (list, json);
  }
  return list;
}
