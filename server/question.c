/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/question.h"

#include <string.h>

#include "engine/base/json.h"

/* OpenAI takes 4; more do no harm. */
#define MOST_STOPS 16
#define MOST_STOP_BYTES 1024
#define MOST_TOOLS 128
/* PtChatOptions.seed 0 means a new one each time. */
#define SEED_ZERO G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)

static void
clear_message (gpointer data)
{
  PtMessage *message = data;

  g_free ((char *) message->role);
  g_free ((char *) message->text);
  g_free ((gpointer) message->files);
}

PterisQuestion *
pteris_question_new (void)
{
  PterisQuestion *self = g_new0 (PterisQuestion, 1);

  self->chat = (PtChatOptions) PT_CHAT_OPTIONS_INIT;
  self->messages = g_array_new (FALSE, FALSE, sizeof (PtMessage));
  g_array_set_clear_func (self->messages, clear_message);
  self->files = pteris_data_files_new ();
  return self;
}

void
pteris_question_free (PterisQuestion *self)
{
  if (self == NULL)
    return;
  g_free (self->model);
  g_free (self->user);
  g_array_unref (self->messages);
  g_strfreev ((char **) self->chat.stop);
  g_free ((char *) self->chat.tools);
  g_free ((char *) self->chat.json_schema);
  g_free ((char *) self->chat.called);
  g_free ((gpointer) self->chat.logit_bias);
  pteris_data_files_free (self->files);
  g_free (self);
}

void
pteris_question_add (PterisQuestion *self, const char *role, const char *text, GPtrArray *files)
{
  PtMessage message = { g_strdup (role), g_strdup (text != NULL ? text : ""), NULL };

  if (files != NULL && files->len > 0) {
    g_ptr_array_add (files, NULL);
    message.files = (const char *const *) g_ptr_array_steal (files, NULL);
  }
  if (files != NULL)
    g_ptr_array_unref (files);
  g_array_append_val (self->messages, message);
}

void
pteris_question_read_model (PterisQuestion *self, PterisFields *fields)
{
  const char *model = pteris_fields_text (fields, "model");

  pteris_fields_need (fields, "model");
  g_free (self->model);
  self->model = g_strdup (model);
}

void
pteris_question_read_sampling (PterisQuestion *self, PterisFields *fields, const char *name,
                               const char *setting)
{
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++) {
    const PtSamplingField *field = &PT_SAMPLING_FIELDS[i];
    double value;

    if (strcmp (field->name, setting) != 0)
      continue;
    value = pteris_fields_number (fields, name, field->least, field->most, PT_SAMPLING_UNSET);
    if (!pt_sampling_is_set (value))
      return;
    if (!pt_sampling_may_be (i, value))
      pteris_fields_fail (fields, name, PTERIS_FAULT_VALUE, "must be %s from %g to %g.",
                          field->is_whole ? "a whole number" : "a number", field->least,
                          field->most);
    pt_sampling_set (&self->chat.sampling, i, value);
  }
}

void
pteris_question_read_stop (PterisQuestion *self, PterisFields *fields, const char *name)
{
  g_autofree const char **stop = pteris_fields_texts (fields, name, MOST_STOPS);

  for (guint i = 0; stop != NULL && stop[i] != NULL; i++)
    if (*stop[i] == '\0' || strlen (stop[i]) > MOST_STOP_BYTES)
      pteris_fields_fail (fields, name, PTERIS_FAULT_VALUE, "may have texts of 1 to %d bytes only.",
                          MOST_STOP_BYTES);
  g_strfreev ((char **) self->chat.stop);
  self->chat.stop =
      stop != NULL && stop[0] != NULL ? (const char *const *) g_strdupv ((char **) stop) : NULL;
}

void
pteris_question_read_seed (PterisQuestion *self, PterisFields *fields, const char *name)
{
  gboolean given = pteris_fields_any (fields, name) != NULL;
  gint64 seed = pteris_fields_int (fields, name, G_MININT64, G_MAXINT64, 0);

  if (given)
    self->chat.seed = seed != 0 ? (guint64) seed : SEED_ZERO;
}

static void
check_tool (const json_t *tool, const char *path, GError **error)
{
  PterisFields fields, function;
  const json_t *inner;
  const char *type, *name;
  g_autofree char *inner_path = NULL;

  pteris_fields_begin (&fields, tool, path, error);
  pteris_fields_need (&fields, "type");
  type = pteris_fields_text (&fields, "type");
  if (type != NULL && strcmp (type, "function") != 0)
    pteris_fields_fail (&fields, "type", PTERIS_FAULT_UNSUPPORTED, "must be “function”.");
  pteris_fields_need (&fields, "function");
  inner = pteris_fields_object (&fields, "function");
  if (!pteris_fields_end (&fields))
    return;
  inner_path = pteris_fields_path (&fields, "function");
  pteris_fields_begin (&function, inner, inner_path, error);
  pteris_fields_need (&function, "name");
  name = pteris_fields_text (&function, "name");
  if (name != NULL && *name == '\0')
    pteris_fields_fail (&function, "name", PTERIS_FAULT_VALUE, "is empty.");
  pteris_fields_text (&function, "description");
  pteris_fields_object (&function, "parameters");
  pteris_fields_bool (&function, "strict", FALSE);
  pteris_fields_end (&function);
}

void
pteris_question_read_tools (PterisQuestion *self, PterisFields *fields, const char *name)
{
  const json_t *tools = pteris_fields_array (fields, name);
  gsize n = json_array_size (tools);

  if (n > MOST_TOOLS)
    pteris_fields_fail (fields, name, PTERIS_FAULT_VALUE, "may have at most %d tools.", MOST_TOOLS);
  for (gsize i = 0; i < n && !pteris_fields_failed (fields); i++) {
    g_autofree char *path = g_strdup_printf ("%s[%u]", name, (guint) i);

    check_tool (json_array_get (tools, i), path, fields->error);
  }
  if (n == 0 || pteris_fields_failed (fields))
    return;
  g_free ((char *) self->chat.tools);
  self->chat.tools = pt_json_steal_text (json_deep_copy (tools));
}

gboolean
pteris_question_has_tool (const PterisQuestion *self, const char *name)
{
  g_autoptr (json_t) tools =
      self->chat.tools != NULL ? json_loads (self->chat.tools, 0, NULL) : NULL;

  for (gsize i = 0; i < json_array_size (tools); i++) {
    const json_t *function = json_object_get (json_array_get (tools, i), "function");

    if (g_strcmp0 (json_string_value (json_object_get (function, "name")), name) == 0)
      return TRUE;
  }
  return FALSE;
}

char *
pteris_question_calls_text (const json_t *calls)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (calls); i++) {
    g_autofree char *call = pt_json_steal_text (json_deep_copy (json_array_get (calls, i)));

    g_string_append_printf (text, "%s<tool_call>\n%s\n</tool_call>", i > 0 ? "\n" : "",
                            g_strchomp (call));
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
