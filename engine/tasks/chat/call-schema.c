/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/chat/call-schema.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/base/set-error.h"

static const char *
name_of (const json_t *tool)
{
  return json_string_value (json_object_get (json_object_get (tool, "function"), "name"));
}

/* Lets the references of @schema, which becomes the part @place of another schema, lead to their
 * targets again. */
static void
move_references (json_t *schema, const char *place)
{
  const char *reference;
  const char *key;
  json_t *value;
  gsize i;

  json_object_foreach (schema, key, value)
    move_references (value, place);
  json_array_foreach (schema, i, value)
    move_references (value, place);
  reference = json_string_value (json_object_get (schema, "$ref"));
  if (reference != NULL && *reference == '#') {
    g_autofree char *moved = g_strconcat (place, reference + 1, NULL);

    json_object_set_new (schema, "$ref", json_string (moved));
  }
}

/* Makes @schema (consumed) the part @key of @parts. Returns a schema that refers to it. */
static json_t *
add_part (json_t *parts, const char *key, json_t *schema)
{
  g_autofree char *place = g_strconcat ("#/$defs/", key, NULL);

  move_references (schema, place);
  json_object_set_new (parts, key, schema);
  return json_pack ("{s:s}", "$ref", place);
}

static json_t *
parameters_of (const json_t *tool)
{
  const json_t *given = json_object_get (json_object_get (tool, "function"), "parameters");
  json_t *parameters = json_is_object (given) ? json_deep_copy (given) : json_object ();

  if (json_object_get (parameters, "type") == NULL)
    json_object_set_new (parameters, "type", json_string ("object"));
  return parameters;
}

/* Adds the calls of @tool, number @i, with arguments that fit @parameters (consumed), to @choices.
 */
static void
add_calls (json_t *choices, json_t *parts, const json_t *tool, json_t *parameters, gsize i)
{
  g_autofree char *key = g_strdup_printf ("arguments%" G_GSIZE_FORMAT, i);

  json_array_append_new (choices,
                         json_pack ("{s:s, s:{s:{s:s}, s:o}, s:[s, s], s:b}", "type", "object",
                                    "properties", "name", "const", name_of (tool), "arguments",
                                    add_part (parts, key, parameters), "required", "name",
                                    "arguments", "additionalProperties", FALSE));
}

char *
pt_call_schema (const char *tools, const char *only, const char *answer, GError **error)
{
  g_autoptr (json_t) list = json_loads (tools, 0, NULL);
  json_t *choices = json_array (), *parts = json_object ();
  g_autoptr (json_t) root = json_pack ("{s:o, s:o}", "anyOf", choices, "$defs", parts);
  json_t *form = answer != NULL ? json_loads (answer, JSON_DECODE_ANY, NULL) : NULL;

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *tool = json_array_get (list, i);

    if (name_of (tool) != NULL && (only == NULL || strcmp (name_of (tool), only) == 0))
      add_calls (choices, parts, tool, parameters_of (tool), i);
  }
  if (json_array_size (choices) == 0 || (answer != NULL && form == NULL)) {
    json_decref (form);
    pt_fail (error, PT_ERROR_ARGUMENT,
             answer != NULL && form == NULL
                 ? "The JSON schema is no JSON."
                 : "There is no tool that the answer could call by its name. Check the names.");
    return NULL;
  }
  if (form != NULL)
    json_array_append_new (choices, add_part (parts, "answer", form));
  return pt_json_steal_text (json_incref (root));
}

static gboolean
is_strict (const json_t *tool)
{
  return json_is_true (json_object_get (json_object_get (tool, "function"), "strict"));
}

gboolean
pt_tools_are_strict (const char *tools)
{
  g_autoptr (json_t) list = json_loads (tools, 0, NULL);

  for (gsize i = 0; i < json_array_size (list); i++)
    if (is_strict (json_array_get (list, i)))
      return TRUE;
  return FALSE;
}

char *
pt_strict_calls_schema (const char *tools, GError **error)
{
  g_autoptr (json_t) list = json_loads (tools, 0, NULL);
  json_t *choices = json_array (), *parts = json_pack ("{s:{s:o}}", "call", "anyOf", choices);
  g_autoptr (json_t) root =
      json_pack ("{s:[{s:s}, {s:s, s:i, s:{s:s}}], s:o}", "anyOf", "$ref", "#/$defs/call", "type",
                 "array", "minItems", 1, "items", "$ref", "#/$defs/call", "$defs", parts);

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *tool = json_array_get (list, i);

    if (name_of (tool) != NULL)
      add_calls (choices, parts, tool,
                 is_strict (tool) ? parameters_of (tool) : json_pack ("{s:s}", "type", "object"),
                 i);
  }
  if (json_array_size (choices) == 0) {
    pt_fail (error, PT_ERROR_ARGUMENT, "No tool has a name. Check the list of tools.");
    return NULL;
  }
  return pt_json_steal_text (json_incref (root));
}

gboolean
pt_tools_have (const char *tools, const char *name)
{
  g_autoptr (json_t) list = json_loads (tools, 0, NULL);

  for (gsize i = 0; i < json_array_size (list); i++)
    if (g_strcmp0 (name_of (json_array_get (list, i)), name) == 0)
      return TRUE;
  return FALSE;
}
