/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/text/json-validator.h"

#include <string.h>

static gboolean
is_type (const char *type, const json_t *value)
{
  if (g_str_equal (type, "integer"))
    return json_is_integer (value) ||
           (json_is_real (value) &&
            json_real_value (value) == (double) (gint64) json_real_value (value));
  return (g_str_equal (type, "number") && json_is_number (value)) ||
         (g_str_equal (type, "string") && json_is_string (value)) ||
         (g_str_equal (type, "boolean") && json_is_boolean (value)) ||
         (g_str_equal (type, "null") && json_is_null (value)) ||
         (g_str_equal (type, "array") && json_is_array (value)) ||
         (g_str_equal (type, "object") && json_is_object (value));
}

static gboolean
has_type (const json_t *type, const json_t *value)
{
  size_t i;
  json_t *one;

  if (json_is_string (type))
    return is_type (json_string_value (type), value);
  json_array_foreach (type, i, one) {
    if (is_type (json_string_value (one), value))
      return TRUE;
  }
  return type == NULL;
}

static gboolean
in_list (const json_t *list, const json_t *value)
{
  size_t i;
  json_t *one;

  json_array_foreach (list, i, one) {
    if (json_equal (one, value) || (json_is_number (one) && json_is_number (value) &&
                                    json_number_value (one) == json_number_value (value)))
      return TRUE;
  }
  return FALSE;
}

static gboolean
number_fits (const json_t *schema, double value)
{
  const json_t *bound;

  if ((bound = json_object_get (schema, "minimum")) != NULL && value < json_number_value (bound))
    return FALSE;
  if ((bound = json_object_get (schema, "maximum")) != NULL && value > json_number_value (bound))
    return FALSE;
  if ((bound = json_object_get (schema, "exclusiveMinimum")) != NULL &&
      value <= json_number_value (bound))
    return FALSE;
  return (bound = json_object_get (schema, "exclusiveMaximum")) == NULL ||
         value < json_number_value (bound);
}

static gboolean
matches (const char *pattern, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_DOLLAR_ENDONLY, 0, &error);

  g_assert_no_error (error);
  return g_regex_match (regex, text, 0, NULL);
}

static gboolean
has_format (const char *format, const char *text)
{
  GDate date;
  int year, month, day;
  g_autofree char *zoned = NULL;
  g_autoptr (GDateTime) time = NULL;

  if (g_str_equal (format, "date")) {
    if (sscanf (text, "%4d-%2d-%2d", &year, &month, &day) != 3 || strlen (text) != 10)
      return FALSE;
    g_date_clear (&date, 1);
    return g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year);
  }
  if (g_str_equal (format, "date-time") || g_str_equal (format, "time")) {
    zoned = g_strconcat (g_str_equal (format, "time") ? "2000-01-01T" : "", text, NULL);
    time = g_date_time_new_from_iso8601 (zoned, NULL);
    return time != NULL;
  }
  if (g_str_equal (format, "uuid"))
    return g_uuid_string_is_valid (text);
  if (g_str_equal (format, "ipv4"))
    return matches ("^\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}$", text);
  if (g_str_equal (format, "email"))
    return matches ("^[^@ ]+@[^@ ]+\\.[^@ ]+$", text);
  return TRUE;
}

static gboolean
string_fits (const json_t *schema, const char *text)
{
  const json_t *least = json_object_get (schema, "minLength"),
               *most = json_object_get (schema, "maxLength"),
               *pattern = json_object_get (schema, "pattern"),
               *format = json_object_get (schema, "format");
  glong length = g_utf8_strlen (text, -1);

  return (least == NULL || length >= json_number_value (least)) &&
         (most == NULL || length <= json_number_value (most)) &&
         (pattern == NULL || matches (json_string_value (pattern), text)) &&
         (format == NULL || has_format (json_string_value (format), text));
}

static gboolean
array_fits (const json_t *root, const json_t *schema, const json_t *array)
{
  const json_t *least = json_object_get (schema, "minItems"),
               *most = json_object_get (schema, "maxItems"),
               *first = json_object_get (schema, "prefixItems"),
               *items = json_object_get (schema, "items");
  size_t n = json_array_size (array);

  if ((least != NULL && (double) n < json_number_value (least)) ||
      (most != NULL && (double) n > json_number_value (most)))
    return FALSE;
  for (size_t i = 0; i < n; i++) {
    const json_t *own = i < json_array_size (first) ? json_array_get (first, i) : items;

    if (own != NULL && !json_validator_accepts (root, own, json_array_get (array, i)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
object_fits (const json_t *root, const json_t *schema, const json_t *object)
{
  const json_t *required = json_object_get (schema, "required"),
               *properties = json_object_get (schema, "properties"),
               *others = json_object_get (schema, "additionalProperties");
  const char *name;
  json_t *value;
  size_t i;

  json_array_foreach (required, i, value) {
    if (json_object_get (object, json_string_value (value)) == NULL)
      return FALSE;
  }
  json_object_foreach ((json_t *) object, name, value) {
    const json_t *own = json_object_get (properties, name);

    if (own == NULL)
      own = others;
    if (own != NULL && !json_validator_accepts (root, own, value))
      return FALSE;
  }
  return TRUE;
}

static guint
count_branches (const json_t *root, const json_t *list, const json_t *value)
{
  guint n = 0;
  size_t i;
  json_t *branch;

  json_array_foreach (list, i, branch) {
    n += json_validator_accepts (root, branch, value);
  }
  return n;
}

static gboolean
combinations_fit (const json_t *root, const json_t *schema, const json_t *value)
{
  const json_t *list, *reference = json_object_get (schema, "$ref");

  if ((list = json_object_get (schema, "anyOf")) != NULL && count_branches (root, list, value) == 0)
    return FALSE;
  if ((list = json_object_get (schema, "oneOf")) != NULL && count_branches (root, list, value) != 1)
    return FALSE;
  if ((list = json_object_get (schema, "allOf")) != NULL &&
      count_branches (root, list, value) != json_array_size (list))
    return FALSE;
  if (reference != NULL) {
    g_auto (GStrv) names = g_strsplit (json_string_value (reference), "/", -1);
    const json_t *target = root;

    for (guint i = 1; names[i] != NULL; i++)
      target = json_object_get (target, names[i]);
    g_assert_nonnull (target);
    return json_validator_accepts (root, target, value);
  }
  return TRUE;
}

gboolean
json_validator_accepts (const json_t *root, const json_t *schema, const json_t *value)
{
  const json_t *list = json_object_get (schema, "enum"), *one = json_object_get (schema, "const");

  if (json_is_boolean (schema))
    return json_is_true (schema);
  if (!has_type (json_object_get (schema, "type"), value) ||
      (list != NULL && !in_list (list, value)) ||
      (one != NULL && !json_equal (one, value) &&
       !(json_is_number (one) && json_number_value (one) == json_number_value (value))) ||
      !combinations_fit (root, schema, value))
    return FALSE;
  if (json_is_number (value))
    return number_fits (schema, json_number_value (value));
  if (json_is_string (value))
    return string_fits (schema, json_string_value (value));
  if (json_is_array (value))
    return array_fits (root, schema, value);
  return !json_is_object (value) || object_fits (root, schema, value);
}
