/* SPDX-License-Identifier: BSD-3-Clause */

/* Values of each type. */

#include <math.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/text/grammar/schema-private.h"
#include "engine/text/grammar/string-pattern.h"

/* Whole numbers between two bounds have at most 15 digits; others at most 12,
 * and 6 behind the point. */
#define MAX_WHOLE G_GINT64_CONSTANT (999999999999999)
#define MAX_UNITS G_GINT64_CONSTANT (999999999999000000)
#define UNIT 1e-6
#define MAX_KEY 1000

/* ---- numbers ---- */

typedef struct {
  gboolean is_set;
  double least, most;    /* -INFINITY, INFINITY: there is no bound */
  gboolean above, below; /* the bound itself is left out */
} Bounds;

static gboolean
read_bound (PtSchema *self, const json_t *json, const char *keyword, double *value)
{
  const json_t *bound = json_object_get (json, keyword);

  if (bound != NULL && !json_is_number (bound)) {
    pt_schema_fail_value (self, keyword, "a number");
    return FALSE;
  }
  if (bound != NULL)
    *value = json_number_value (bound);
  return bound != NULL;
}

static Bounds
read_bounds (PtSchema *self, const json_t *json)
{
  Bounds bounds = { FALSE, -INFINITY, INFINITY, FALSE, FALSE };
  double value;

  if (read_bound (self, json, "minimum", &value)) {
    bounds.least = value;
    bounds.is_set = TRUE;
  }
  if (read_bound (self, json, "exclusiveMinimum", &value) && value >= bounds.least) {
    bounds.least = value;
    bounds.above = bounds.is_set = TRUE;
  }
  if (read_bound (self, json, "maximum", &value)) {
    bounds.most = value;
    bounds.is_set = TRUE;
  }
  if (read_bound (self, json, "exclusiveMaximum", &value) && value <= bounds.most) {
    bounds.most = value;
    bounds.below = bounds.is_set = TRUE;
  }
  return bounds;
}

static PtNode
bounded_integer (PtSchema *self, Bounds bounds, PtNode next)
{
  double low = ceil (bounds.least), high = floor (bounds.most);

  if (bounds.above && low <= bounds.least)
    low += 1;
  if (bounds.below && high >= bounds.most)
    high -= 1;
  if (low > (double) MAX_WHOLE || high < -(double) MAX_WHOLE)
    return pt_schema_fail (self, "Whole numbers of more than 15 digits are not supported");
  low = MAX (low, -(double) MAX_WHOLE);
  high = MIN (high, (double) MAX_WHOLE);
  if (low > high)
    return pt_schema_fail (self, "No whole number lies between the bounds");
  return pt_json_integer_between (self->grammar, (gint64) low, (gint64) high, next);
}

/* The smallest number of units that is not below @value, or the largest that is
 * not above it. */
static gint64
to_units (double value, gboolean up)
{
  char text[64];
  gint64 units;
  double back;
  char *point;

  g_ascii_formatd (text, sizeof text, "%.6f", value);
  back = g_ascii_strtod (text, NULL);
  point = strchr (text, '.');
  memmove (point, point + 1, strlen (point));
  units = g_ascii_strtoll (text, NULL, 10);
  if (up && back < value)
    units++;
  if (!up && back > value)
    units--;
  return units;
}

static PtNode
bounded_number (PtSchema *self, Bounds bounds, PtNode next)
{
  double most = (double) MAX_UNITS * UNIT;
  gint64 low = -MAX_UNITS, high = MAX_UNITS;

  if (bounds.least > most || bounds.most < -most)
    return pt_schema_fail (self, "Numbers with bounds beyond 10^12 are not supported");
  if (bounds.least > -most)
    low = to_units (bounds.least, TRUE);
  if (bounds.most < most)
    high = to_units (bounds.most, FALSE);
  if (bounds.above && (double) low * UNIT <= bounds.least)
    low++;
  if (bounds.below && (double) high * UNIT >= bounds.most)
    high--;
  if (low > high)
    return pt_schema_fail (self,
                           "No number with 6 digits behind the point lies between the bounds");
  return pt_json_decimal_between (self->grammar, low, high, next);
}

PtNode
pt_schema_number (PtSchema *self, const json_t *json, gboolean is_whole, PtNode next)
{
  Bounds bounds = read_bounds (self, json);

  if (self->failed)
    return PT_NODE_NEVER;
  if (!bounds.is_set)
    return is_whole ? pt_json_integer (self->grammar, next) : pt_json_number (self->grammar, next);
  return is_whole ? bounded_integer (self, bounds, next) : bounded_number (self, bounds, next);
}

/* ---- strings ---- */

static PtNode
patterned (PtSchema *self, const char *keyword, const char *pattern, PtNode next)
{
  gsize path = pt_schema_enter (self, keyword, NULL);
  g_autoptr (GError) reason = NULL;
  PtNode node = pt_string_pattern (self->grammar, pattern, next, &reason);

  if (reason != NULL) {
    gsize length = strlen (reason->message);

    /* The place in the schema ends the sentence. */
    if (length > 0 && reason->message[length - 1] == '.')
      reason->message[length - 1] = '\0';
    pt_schema_fail (self, "%s", reason->message);
  }
  pt_schema_leave (self, path);
  return node;
}

PtNode
pt_schema_string (PtSchema *self, const json_t *json, PtNode next)
{
  const json_t *pattern = json_object_get (json, "pattern"),
               *format = json_object_get (json, "format");
  guint32 least = 0, most = PT_UNBOUNDED;

  if (!pt_schema_count (self, json, "minLength", &least) ||
      !pt_schema_count (self, json, "maxLength", &most))
    return PT_NODE_NEVER;
  if ((pattern != NULL && !json_is_string (pattern)) ||
      (format != NULL && !json_is_string (format)))
    return pt_schema_fail_value (self, pattern != NULL ? "pattern" : "format", "a text");
  if (pattern == NULL && format == NULL)
    return pt_json_string_of (self->grammar, least, most, next);
  if ((pattern != NULL && format != NULL) || least > 0 || most != PT_UNBOUNDED)
    return pt_schema_fail (self, "“pattern”, “format”, and “minLength” or “maxLength” are not "
                                 "supported together: write the length into the pattern");
  if (pattern != NULL)
    return patterned (self, "pattern", json_string_value (pattern), next);
  if (pt_format_pattern (json_string_value (format)) == NULL)
    return pt_schema_fail (self, "The format “%s” is not supported", json_string_value (format));
  return patterned (self, "format", pt_format_pattern (json_string_value (format)), next);
}

/* ---- arrays ---- */

static PtNode
comma (PtSchema *self, PtNode next)
{
  PtGrammar *g = self->grammar;

  return pt_json_space (g, pt_grammar_literal (g, ",", 1, pt_json_space (g, next)));
}

/* Elements behind those that have schemas of their own: @least to @most of
 * them. */
static PtNode
more_items (PtSchema *self, guint rule, guint32 least, guint32 most, PtNode next)
{
  PtGrammar *g = self->grammar;
  guint repeat;
  PtNode loop = pt_grammar_begin_repeat (g, least, most, next, &repeat);

  return pt_grammar_end_repeat (g, repeat, comma (self, pt_grammar_call (g, rule, loop)));
}

static guint32
less (guint32 n, guint32 by)
{
  return n == PT_UNBOUNDED ? n : n > by ? n - by : 0;
}

/* The schema of elements without one of their own; NULL: there are none. */
static const json_t *
rest_of_items (const json_t *json, const json_t *list, guint32 least)
{
  const json_t *items = json_object_get (json, "items");

  if (json_is_false (items))
    return NULL;
  if (items != NULL && items != list)
    return items;
  return list == NULL || least > json_array_size (list) ? json_true () : NULL;
}

PtNode
pt_schema_array (PtSchema *self, const json_t *json, PtNode next)
{
  PtGrammar *g = self->grammar;
  const json_t *list = json_object_get (json, "prefixItems"), *rest;
  guint32 least = 0, most = PT_UNBOUNDED, n;
  PtNode empty = pt_grammar_literal (g, "]", 1, next), end = pt_json_space (g, empty);
  PtNode behind = PT_NODE_NEVER, first = PT_NODE_NEVER;

  if (!pt_schema_count (self, json, "minItems", &least) ||
      !pt_schema_count (self, json, "maxItems", &most))
    return PT_NODE_NEVER;
  if (list == NULL && json_is_array (json_object_get (json, "items"))) /* as in draft 7 */
    list = json_object_get (json, "items");
  if (list != NULL && !json_is_array (list))
    return pt_schema_fail_value (self, "prefixItems", "a list of schemas");
  if (least > most)
    return pt_schema_fail (self, "“minItems” is larger than “maxItems”");
  n = MIN ((guint32) json_array_size (list), most);
  rest = rest_of_items (json, list, least);
  behind = less (least, n) == 0 ? end : PT_NODE_NEVER;
  if (rest != NULL && less (most, n) > 0) {
    gsize path = pt_schema_enter (self, "items", NULL);
    guint rule = pt_schema_rule (self, rest);

    pt_schema_leave (self, path);
    behind = more_items (self, rule, less (least, n), less (most, n), end);
    if (n == 0)
      first =
          pt_grammar_call (g, rule, more_items (self, rule, less (least, 1), less (most, 1), end));
  }
  for (guint32 i = n; i-- > 0;) {
    gsize path = pt_schema_enter_at (self, "prefixItems", i);

    first = pt_schema_value (self, json_array_get (list, i), behind);
    behind = pt_grammar_choice (g, i >= least ? end : PT_NODE_NEVER, comma (self, first));
    pt_schema_leave (self, path);
  }
  first = pt_grammar_choice (g, least == 0 ? empty : PT_NODE_NEVER, first);
  return pt_grammar_literal (g, "[", 1, pt_json_space (g, first));
}

/* ---- objects ---- */

/* The properties of an object, in the order in which they are written. */
typedef struct {
  const char *name;
  const json_t *schema;
  gboolean required;
} Property;

static gboolean
has_name (const json_t *required, const char *name)
{
  size_t i;
  json_t *value;

  json_array_foreach (required, i, value) {
    if (g_strcmp0 (json_string_value (value), name) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
check_object (PtSchema *self, const json_t *properties, const json_t *required)
{
  const char *name;
  json_t *value;
  size_t i;

  if (properties != NULL && !json_is_object (properties)) {
    pt_schema_fail_value (self, "properties", "an object of schemas");
    return FALSE;
  }
  json_object_foreach ((json_t *) properties, name, value)
    if (strlen (name) > MAX_KEY) {
      pt_schema_fail (self, "A property has a name of more than %d bytes", MAX_KEY);
      return FALSE;
    }
  if (required != NULL && !json_is_array (required)) {
    pt_schema_fail_value (self, "required", "a list of names");
    return FALSE;
  }
  json_array_foreach (required, i, value) {
    if (!json_is_string (value) || json_string_length (value) > MAX_KEY) {
      pt_schema_fail_value (self, "required", "a list of names of at most 1000 bytes");
      return FALSE;
    }
  }
  return pt_schema_work (self,
                         json_array_size (required) * (1 + json_object_size (properties)) / 8);
}

/* The properties that have schemas, then those that are only required. */
static GArray *
list_properties (const json_t *properties, const json_t *required, const json_t *others)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Property));
  g_autoptr (GHashTable) listed = g_hash_table_new (g_str_hash, g_str_equal);
  const char *name;
  json_t *value;
  size_t i;

  json_object_foreach ((json_t *) properties, name, value) {
    Property property = { name, value, has_name (required, name) };

    g_array_append_val (list, property);
  }
  json_array_foreach (required, i, value) {
    Property property = { json_string_value (value), others, TRUE };

    if (json_object_get (properties, property.name) == NULL &&
        g_hash_table_add (listed, (gpointer) property.name))
      g_array_append_val (list, property);
  }
  return list;
}

/* A rule for a property that is none of @list. */
static guint
pair_rule (PtSchema *self, const GArray *list, const json_t *schema)
{
  PtGrammar *g = self->grammar;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gboolean is_any = list->len == 0 && json_is_true (schema);
  gsize path = pt_schema_enter (self, "additionalProperties", NULL);
  guint rule;
  PtNode value;

  if (is_any && self->pair_rule != 0) {
    pt_schema_leave (self, path);
    return self->pair_rule - 1;
  }
  rule = pt_grammar_new_rule (g);
  if (is_any)
    self->pair_rule = rule + 1;
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (names, (gpointer) g_array_index (list, Property, i).name);
  value = is_any ? pt_schema_any (self, PT_NODE_END)
                 : pt_grammar_call (g, pt_schema_rule (self, schema), PT_NODE_END);
  pt_grammar_set_rule (
      g, rule,
      pt_json_other_key (g, (const char *const *) (gconstpointer) names->pdata, names->len, value));
  pt_schema_leave (self, path);
  return rule;
}

/* What may follow a property: the end, unless @next is needed, or a comma and
 * @next. */
static PtNode
after_property (PtSchema *self, PtNode end, gboolean may_end, PtNode next)
{
  return pt_grammar_choice (self->grammar, may_end ? end : PT_NODE_NEVER,
                            next != PT_NODE_NEVER ? comma (self, next) : PT_NODE_NEVER);
}

PtNode
pt_schema_object (PtSchema *self, const json_t *json, PtNode next)
{
  PtGrammar *g = self->grammar;
  const json_t *properties = json_object_get (json, "properties"),
               *required = json_object_get (json, "required"),
               *others = json_object_get (json, "additionalProperties");
  PtNode empty = pt_grammar_literal (g, "}", 1, next), end = pt_json_space (g, empty);
  PtNode key = PT_NODE_NEVER; /* the properties that may come next */
  gboolean may_end = TRUE;
  g_autoptr (GArray) list = NULL;

  if (!check_object (self, properties, required))
    return PT_NODE_NEVER;
  list = list_properties (properties, required, others != NULL ? others : json_true ());
  if ((others == NULL && properties == NULL) || (others != NULL && !json_is_false (others))) {
    guint rule = pair_rule (self, list, others != NULL ? others : json_true ());

    key = pt_grammar_call (g, rule, more_items (self, rule, 0, PT_UNBOUNDED, end));
  }
  for (guint i = list->len; i-- > 0 && !self->failed;) {
    const Property *property = &g_array_index (list, Property, i);
    gsize path = pt_schema_enter (self, "properties", property->name);
    PtNode value =
        pt_schema_value (self, property->schema, after_property (self, end, may_end, key));
    PtNode this = pt_json_key (g, property->name, value);

    key = property->required ? this : pt_grammar_choice (g, this, key);
    may_end = may_end && !property->required;
    pt_schema_leave (self, path);
  }
  return pt_grammar_literal (
      g, "{", 1, pt_json_space (g, pt_grammar_choice (g, may_end ? empty : PT_NODE_NEVER, key)));
}
