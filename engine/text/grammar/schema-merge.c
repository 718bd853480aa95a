/* SPDX-License-Identifier: BSD-3-Clause */

/* References, and schemas that several others make together. */

#include <string.h>

#include "engine/base/json.h"
#include "engine/text/grammar/schema-private.h"

/* References and "allOf" in each other. */
#define MAX_EXPANSIONS 32
#define MAX_APART 4
/* What a merge counts for, and how many comparisons of values count as one step. */
#define MERGE_WORK 64
#define COMPARISONS 64

static const json_t *
own (PtSchema *self, json_t *json)
{
  g_ptr_array_add (self->owned, json);
  return json;
}

/* ---- references ---- */

/* Decodes %41 of addresses, then ~1 and ~0 of JSON pointers, in place. FALSE:
 * it is faulty. */
static gboolean
decode_token (char *token)
{
  g_autofree char *plain = g_uri_unescape_string (token, NULL);
  char *to = token;

  if (plain == NULL)
    return FALSE;
  for (const char *from = plain; *from != '\0'; from++) {
    if (*from == '~' && from[1] != '0' && from[1] != '1')
      return FALSE;
    *to++ = *from != '~' ? *from : *++from == '1' ? '/' : '~';
  }
  *to = '\0';
  return TRUE;
}

static const json_t *
follow (const json_t *json, char *token)
{
  if (!decode_token (token))
    return NULL;
  if (json_is_object (json))
    return json_object_get (json, token);
  if (json_is_array (json) && g_ascii_isdigit (*token))
    return json_array_get (json, (size_t) g_ascii_strtoull (token, NULL, 10));
  return NULL;
}

const json_t *
pt_schema_resolve (PtSchema *self, const json_t *json)
{
  const char *reference = json_string_value (json_object_get (json, "$ref"));
  const json_t *target = self->root;
  g_auto (GStrv) tokens = NULL;

  if (reference == NULL || (strcmp (reference, "#") != 0 && !g_str_has_prefix (reference, "#/"))) {
    pt_schema_fail (self, "“$ref” must lead to a part of this schema, such as “#/$defs/name”");
    return NULL;
  }
  tokens = g_strsplit (reference, "/", -1);
  for (guint i = 1; tokens[i] != NULL && target != NULL; i++)
    target = follow (target, tokens[i]);
  if (target == NULL)
    pt_schema_fail (self, "“$ref” leads to “%s”, which is not there", reference);
  return target;
}

/* ---- types and literals ---- */

static guint
type_by_name (const char *name)
{
  static const struct {
    const char *name;
    guint types;
  } types[] = {
    { "null", PT_TYPE_NULL },       { "boolean", PT_TYPE_BOOLEAN },
    { "integer", PT_TYPE_INTEGER }, { "number", PT_TYPE_INTEGER | PT_TYPE_NUMBER },
    { "string", PT_TYPE_STRING },   { "array", PT_TYPE_ARRAY },
    { "object", PT_TYPE_OBJECT },
  };

  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].name, name) == 0)
      return types[i].types;
  return 0;
}

guint
pt_schema_types (PtSchema *self, const json_t *json)
{
  const json_t *type = json_object_get (json, "type");
  guint types = 0;
  size_t i;
  json_t *name;

  if (type == NULL)
    return PT_TYPE_ALL;
  if (json_is_string (type))
    types = type_by_name (json_string_value (type));
  json_array_foreach (type, i, name) {
    guint one = type_by_name (json_string_value (name));

    if (one == 0)
      types = 0;
    if (one == 0)
      break;
    types |= one;
  }
  if (types == 0)
    pt_schema_fail_value (self, "type", "the name of a type of JSON, or a list of such names");
  return types;
}

static gboolean
has_value (const json_t *list, const json_t *value)
{
  size_t i;
  json_t *other;

  json_array_foreach (list, i, other) {
    if (json_equal (other, value))
      return TRUE;
  }
  return FALSE;
}

json_t *
pt_schema_literals (PtSchema *self, const json_t *json)
{
  const json_t *list = json_object_get (json, "enum"), *one = json_object_get (json, "const");
  json_t *values;

  if (list != NULL && (!json_is_array (list) || json_array_size (list) == 0)) {
    pt_schema_fail_value (self, "enum", "a list of values");
    return NULL;
  }
  if (list == NULL && one == NULL)
    return NULL;
  values = json_array ();
  if (one == NULL)
    json_array_extend (values, (json_t *) list);
  else if (list == NULL || has_value (list, one))
    json_array_append (values, (json_t *) one);
  return values;
}

/* ---- merging ---- */

const json_t *
pt_schema_without (PtSchema *self, const json_t *json, const char *keyword)
{
  json_t *rest = json_copy ((json_t *) json);

  json_object_del (rest, keyword);
  return own (self, rest);
}

static json_t *
merge_types (PtSchema *self, const json_t *a, const json_t *b)
{
  static const char *const names[] = { "null", "boolean", "string", "array", "object" };
  guint both = pt_schema_types (self, a) & pt_schema_types (self, b);
  json_t *list = json_array ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if ((both & type_by_name (names[i])) != 0)
      json_array_append_new (list, json_string (names[i]));
  if ((both & PT_TYPE_NUMBER) != 0)
    json_array_append_new (list, json_string ("number"));
  else if ((both & PT_TYPE_INTEGER) != 0)
    json_array_append_new (list, json_string ("integer"));
  return list;
}

static json_t *
merge_lists (const json_t *a, const json_t *b, gboolean is_union)
{
  json_t *list = is_union ? json_copy ((json_t *) a) : json_array ();
  size_t i;
  json_t *value;

  json_array_foreach (b, i, value) {
    if (has_value (a, value) != is_union)
      json_array_append (list, value);
  }
  return list;
}

/* A property that only one of two schemas has: in the other one it is an
 * additional property. */
static const json_t *
alone (PtSchema *self, const json_t *property, const json_t *other)
{
  const json_t *additional = json_object_get (other, "additionalProperties");

  return additional == NULL || json_is_true (additional)
             ? property
             : pt_schema_merge (self, property, additional);
}

static json_t *
merge_properties (PtSchema *self, const json_t *a, const json_t *b)
{
  const json_t *of_a = json_object_get (a, "properties"), *of_b = json_object_get (b, "properties");
  json_t *all = json_object ();
  const char *name;
  json_t *property;

  json_object_foreach ((json_t *) of_a, name, property) {
    const json_t *other = json_object_get (of_b, name);
    const json_t *merged =
        other != NULL ? pt_schema_merge (self, property, other) : alone (self, property, b);

    if (merged != NULL)
      json_object_set (all, name, (json_t *) merged);
  }
  json_object_foreach ((json_t *) of_b, name, property) {
    const json_t *merged = json_object_get (of_a, name) == NULL ? alone (self, property, a) : NULL;

    if (merged != NULL)
      json_object_set (all, name, (json_t *) merged);
  }
  return all;
}

static json_t *
merge_numbers (const json_t *a, const json_t *b, gboolean takes_larger)
{
  gboolean is_larger = json_number_value (a) > json_number_value (b);

  return json_incref ((json_t *) (is_larger == takes_larger ? a : b));
}

/* The value of @keyword where both have one; NULL: they cannot be combined. */
static json_t *
merge_values (PtSchema *self, const char *keyword, const json_t *a, const json_t *b)
{
  static const char *const largest[] = { "minimum", "exclusiveMinimum", "minLength", "minItems",
                                         NULL };
  static const char *const least[] = { "maximum", "exclusiveMaximum", "maxLength", "maxItems",
                                       NULL };

  if (json_equal (a, b))
    return json_incref ((json_t *) a);
  if (!pt_schema_work (self, json_array_size (a) * json_array_size (b) / COMPARISONS))
    return NULL;
  if (g_str_equal (keyword, "required") && json_is_array (a) && json_is_array (b))
    return merge_lists (a, b, TRUE);
  if (g_str_equal (keyword, "enum") && json_is_array (a) && json_is_array (b))
    return merge_lists (a, b, FALSE);
  if (g_str_equal (keyword, "items") || g_str_equal (keyword, "additionalProperties"))
    return json_incref ((json_t *) pt_schema_merge (self, a, b));
  if (g_strv_contains (largest, keyword) && json_is_number (a) && json_is_number (b))
    return merge_numbers (a, b, TRUE);
  if (g_strv_contains (least, keyword) && json_is_number (a) && json_is_number (b))
    return merge_numbers (a, b, FALSE);
  pt_schema_fail (self, "Two values of “%s” cannot be combined", keyword);
  return NULL;
}

/* The members of @b, with those that @merged has already. */
static gboolean
merge_members (PtSchema *self, json_t *merged, const json_t *a, const json_t *b)
{
  const char *name;
  json_t *value;

  json_object_foreach ((json_t *) b, name, value) {
    const json_t *other = json_object_get (a, name);
    json_t *both;

    if (g_str_equal (name, "properties") || g_str_equal (name, "type") ||
        pt_schema_keyword (name) == PT_KEYWORD_NOTE)
      continue;
    both = other == NULL ? json_incref (value) : merge_values (self, name, other, value);
    if (both == NULL)
      return FALSE;
    json_object_set_new (merged, name, both);
  }
  return TRUE;
}

static const json_t *
never (PtSchema *self)
{
  return own (self, json_false ());
}

const json_t *
pt_schema_merge (PtSchema *self, const json_t *a, const json_t *b)
{
  json_t *merged;

  if (!pt_schema_work (self, MERGE_WORK))
    return NULL;
  if (json_is_true (a) || json_is_false (b))
    return b;
  if (json_is_true (b) || json_is_false (a))
    return a;
  a = pt_schema_expand (self, a);
  b = a != NULL ? pt_schema_expand (self, b) : NULL;
  if (b == NULL)
    return NULL;
  if (!json_is_object (a) || !json_is_object (b))
    return json_is_false (a) || json_is_false (b) ? never (self) : json_is_true (a) ? b : a;
  merged = json_copy ((json_t *) a);
  own (self, merged);
  if (json_object_get (a, "type") != NULL || json_object_get (b, "type") != NULL)
    json_object_set_new (merged, "type", merge_types (self, a, b));
  if (json_object_get (a, "properties") != NULL || json_object_get (b, "properties") != NULL)
    json_object_set_new (merged, "properties", merge_properties (self, a, b));
  if (!merge_members (self, merged, a, b) || self->failed)
    return NULL;
  if (json_array_size (json_object_get (merged, "type")) == 0 &&
      json_is_array (json_object_get (merged, "type")))
    return never (self);
  return merged;
}

static gboolean
check_operand (PtSchema *self, const json_t *json)
{
  const char *name;
  json_t *value;

  if (!json_is_object (json) && !json_is_boolean (json)) {
    pt_schema_fail (self, "A schema must be an object, true or false");
    return FALSE;
  }
  json_object_foreach ((json_t *) json, name, value)
    if (pt_schema_keyword (name) == PT_KEYWORD_UNKNOWN &&
        !(g_str_equal (name, "uniqueItems") && json_is_false (value))) {
      pt_schema_fail (self, "“%s” is not supported", name);
      return FALSE;
    }
  return pt_schema_work (self, 2 + json_object_size (json));
}

static const json_t *
merge_all_of (PtSchema *self, const json_t *json)
{
  const json_t *list = json_object_get (json, "allOf"),
               *merged = pt_schema_without (self, json, "allOf");
  size_t i;
  json_t *part;

  if (!json_is_array (list) || json_array_size (list) == 0) {
    pt_schema_fail_value (self, "allOf", "a list of schemas");
    return NULL;
  }
  json_array_foreach (list, i, part) {
    gsize path = pt_schema_enter_at (self, "allOf", i);

    merged = pt_schema_merge (self, merged, part);
    if (merged == NULL)
      return NULL;
    pt_schema_leave (self, path);
  }
  return merged;
}

const json_t *
pt_schema_expand (PtSchema *self, const json_t *json)
{
  guint before = self->depth;

  for (;;) {
    if (!check_operand (self, json))
      return NULL;
    if (json_object_get (json, "$ref") == NULL && json_object_get (json, "allOf") == NULL)
      break;
    if (self->depth++ > before + MAX_EXPANSIONS || self->depth > 4 * MAX_EXPANSIONS) {
      pt_schema_fail (self, "“$ref” and “allOf” lead to each other without an end");
      return NULL;
    }
    if (json_object_get (json, "allOf") != NULL) {
      json = merge_all_of (self, json);
    } else {
      const json_t *target = pt_schema_resolve (self, json);
      const json_t *rest = pt_schema_without (self, json, "$ref");

      json = target == NULL                     ? NULL
             : !pt_schema_says_something (rest) ? target
                                                : pt_schema_merge (self, rest, target);
    }
    if (json == NULL)
      return NULL;
  }
  self->depth = before;
  return json;
}

/* ---- schemas that exclude each other ---- */

/* The types that a value may have, literals considered. Without "type" these
 * are all. */
static guint
types_of (PtSchema *self, const json_t *json)
{
  static const guint by_json[] = { [JSON_OBJECT] = PT_TYPE_OBJECT,
                                   [JSON_ARRAY] = PT_TYPE_ARRAY,
                                   [JSON_STRING] = PT_TYPE_STRING,
                                   [JSON_INTEGER] = PT_TYPE_INTEGER | PT_TYPE_NUMBER,
                                   [JSON_REAL] = PT_TYPE_INTEGER | PT_TYPE_NUMBER,
                                   [JSON_TRUE] = PT_TYPE_BOOLEAN,
                                   [JSON_FALSE] = PT_TYPE_BOOLEAN,
                                   [JSON_NULL] = PT_TYPE_NULL };
  g_autoptr (json_t) values = pt_schema_literals (self, json);
  guint types = pt_schema_types (self, json), found = 0;
  size_t i;
  json_t *value;

  if (values == NULL)
    return types;
  json_array_foreach (values, i, value) {
    found |= by_json[json_typeof (value)];
  }
  return types & found;
}

static gboolean
are_literals_apart (PtSchema *self, const json_t *a, const json_t *b)
{
  g_autoptr (json_t) of_a = pt_schema_literals (self, a), of_b = pt_schema_literals (self, b);
  size_t i;
  json_t *value;

  if (of_a == NULL || of_b == NULL ||
      !pt_schema_work (self, json_array_size (of_a) * json_array_size (of_b) / COMPARISONS))
    return FALSE;
  json_array_foreach (of_a, i, value) {
    if (has_value (of_b, value))
      return FALSE;
  }
  return TRUE;
}

/* Whether @a requires a property that @b, an object too, forbids or wants
 * otherwise. */
static gboolean
are_properties_apart (PtSchema *self, const json_t *a, const json_t *b, guint depth)
{
  const json_t *required = json_object_get (a, "required");
  const json_t *of_a = json_object_get (a, "properties"), *of_b = json_object_get (b, "properties");
  size_t i, n = json_array_size (required);
  json_t *name;

  if (!pt_schema_work (self, n * (1 + n) / COMPARISONS))
    return FALSE;
  json_array_foreach (required, i, name) {
    const char *key = json_string_value (name);
    const json_t *mine = key != NULL ? json_object_get (of_a, key) : NULL;
    const json_t *theirs = key != NULL ? json_object_get (of_b, key) : NULL;

    if (key != NULL && theirs == NULL &&
        json_is_false (json_object_get (b, "additionalProperties")))
      return TRUE;
    if (theirs != NULL && mine != NULL && has_value (json_object_get (b, "required"), name) &&
        pt_schema_are_apart (self, mine, theirs, depth + 1))
      return TRUE;
  }
  return FALSE;
}

gboolean
pt_schema_are_apart (PtSchema *self, const json_t *a, const json_t *b, guint depth)
{
  if (json_is_false (a) || json_is_false (b))
    return TRUE;
  if (depth > MAX_APART)
    return FALSE;
  a = pt_schema_expand (self, a);
  b = a != NULL ? pt_schema_expand (self, b) : NULL;
  if (b == NULL || !json_is_object (a) || !json_is_object (b))
    return FALSE;
  if ((types_of (self, a) & types_of (self, b)) == 0 || are_literals_apart (self, a, b))
    return TRUE;
  return types_of (self, a) == PT_TYPE_OBJECT && types_of (self, b) == PT_TYPE_OBJECT &&
         (are_properties_apart (self, a, b, depth) || are_properties_apart (self, b, a, depth));
}
