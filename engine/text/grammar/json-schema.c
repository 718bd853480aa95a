/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/json-schema.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/base/set-error.h"
#include "engine/text/grammar/schema-private.h"

#define MAX_SCHEMA (512 * 1024)
#define MAX_DEPTH 100
#define MAX_WORK 500000
#define MAX_LITERALS 4096
#define MAX_COUNT 1000000

/* A rule whose schema is compiled later, so that references do not recurse. */
typedef struct {
  guint rule;
  const json_t *json;
  char *path;
} PendingRule;

static void
clear_pending (gpointer data)
{
  g_free (((PendingRule *) data)->path);
}

/* ---- errors ---- */

PtNode
pt_schema_fail (PtSchema *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (self->failed)
    return PT_NODE_NEVER;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pt_fail (self->error, PT_ERROR_ARGUMENT, "%s, at “%.300s” of the JSON schema.", text,
           self->path->str);
  self->failed = TRUE;
  return PT_NODE_NEVER;
}

PtNode
pt_schema_fail_value (PtSchema *self, const char *keyword, const char *expected)
{
  return pt_schema_fail (self, "“%s” must be %s", keyword, expected);
}

gsize
pt_schema_enter (PtSchema *self, const char *keyword, const char *name)
{
  gsize before = self->path->len;

  g_string_append_printf (self->path, "/%s", keyword);
  if (name != NULL)
    g_string_append_printf (self->path, "/%.200s", name);
  return before;
}

gsize
pt_schema_enter_at (PtSchema *self, const char *keyword, gsize index)
{
  gsize before = self->path->len;

  g_string_append_printf (self->path, "/%s/%" G_GSIZE_FORMAT, keyword, index);
  return before;
}

void
pt_schema_leave (PtSchema *self, gsize path_length)
{
  g_string_truncate (self->path, path_length);
}

gboolean
pt_schema_work (PtSchema *self, gsize n)
{
  if (n > MAX_WORK - self->work) {
    pt_schema_fail (self, "The schema is too large with all of its references");
    return FALSE;
  }
  self->work += (guint) n;
  return TRUE;
}

/* ---- keywords ---- */

PtKeywordKind
pt_schema_keyword (const char *name)
{
  static const struct {
    const char *name;
    PtKeywordKind kind;
  } keywords[] = {
    { "$comment", PT_KEYWORD_NOTE },
    { "$defs", PT_KEYWORD_NOTE },
    { "$id", PT_KEYWORD_NOTE },
    { "$schema", PT_KEYWORD_NOTE },
    { "default", PT_KEYWORD_NOTE },
    { "definitions", PT_KEYWORD_NOTE },
    { "deprecated", PT_KEYWORD_NOTE },
    { "description", PT_KEYWORD_NOTE },
    { "discriminator", PT_KEYWORD_NOTE },
    { "example", PT_KEYWORD_NOTE },
    { "examples", PT_KEYWORD_NOTE },
    { "readOnly", PT_KEYWORD_NOTE },
    { "title", PT_KEYWORD_NOTE },
    { "writeOnly", PT_KEYWORD_NOTE },
    { "$ref", PT_KEYWORD_CORE },
    { "allOf", PT_KEYWORD_CORE },
    { "anyOf", PT_KEYWORD_CORE },
    { "oneOf", PT_KEYWORD_CORE },
    { "type", PT_KEYWORD_CORE },
    { "const", PT_KEYWORD_LITERAL },
    { "enum", PT_KEYWORD_LITERAL },
    { "exclusiveMaximum", PT_KEYWORD_NUMBER },
    { "exclusiveMinimum", PT_KEYWORD_NUMBER },
    { "maximum", PT_KEYWORD_NUMBER },
    { "minimum", PT_KEYWORD_NUMBER },
    { "format", PT_KEYWORD_STRING },
    { "maxLength", PT_KEYWORD_STRING },
    { "minLength", PT_KEYWORD_STRING },
    { "pattern", PT_KEYWORD_STRING },
    { "items", PT_KEYWORD_ARRAY },
    { "maxItems", PT_KEYWORD_ARRAY },
    { "minItems", PT_KEYWORD_ARRAY },
    { "prefixItems", PT_KEYWORD_ARRAY },
    { "additionalProperties", PT_KEYWORD_OBJECT },
    { "properties", PT_KEYWORD_OBJECT },
    { "required", PT_KEYWORD_OBJECT },
  };

  if (g_str_has_prefix (name, "x-"))
    return PT_KEYWORD_NOTE;
  for (gsize i = 0; i < G_N_ELEMENTS (keywords); i++)
    if (g_str_equal (keywords[i].name, name))
      return keywords[i].kind;
  return PT_KEYWORD_UNKNOWN;
}

/* Keywords that change nothing with this value. */
static gboolean
is_neutral (const char *name, const json_t *value)
{
  return g_str_equal (name, "uniqueItems") && json_is_false (value);
}

static gboolean
check_keywords (PtSchema *self, const json_t *json)
{
  const char *name;
  json_t *value;

  if (!pt_schema_work (self, 1 + json_object_size (json)))
    return FALSE;
  json_object_foreach ((json_t *) json, name, value)
    if (pt_schema_keyword (name) == PT_KEYWORD_UNKNOWN && !is_neutral (name, value)) {
      pt_schema_fail (self, "“%s” is not supported", name);
      return FALSE;
    }
  return TRUE;
}

gboolean
pt_schema_says_something (const json_t *json)
{
  const char *name;
  json_t *value;

  if (!json_is_object (json))
    return json_is_false (json);
  json_object_foreach ((json_t *) json, name, value)
    if (pt_schema_keyword (name) != PT_KEYWORD_NOTE && !is_neutral (name, value))
      return TRUE;
  return FALSE;
}

gboolean
pt_schema_count (PtSchema *self, const json_t *json, const char *keyword, guint32 *count)
{
  const json_t *value = json_object_get (json, keyword);
  double number = json_number_value (value);

  if (value == NULL)
    return TRUE;
  if (!json_is_number (value) || number < 0 || number > MAX_COUNT ||
      number > (double) (guint32) number) {
    pt_schema_fail_value (self, keyword, "a whole number from 0 to 1000000");
    return FALSE;
  }
  *count = (guint32) number;
  return TRUE;
}

/* ---- rules ---- */

guint
pt_schema_rule (PtSchema *self, const json_t *json)
{
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (self->rules, json));
  PendingRule rule;

  if (known != 0)
    return known - 1;
  rule.rule = pt_grammar_new_rule (self->grammar);
  rule.json = json;
  rule.path = g_strdup (self->path->str);
  g_hash_table_insert (self->rules, (gpointer) json, GUINT_TO_POINTER (rule.rule + 1));
  g_array_append_val (self->pending, rule);
  return rule.rule;
}

static PtNode
reference (PtSchema *self, const json_t *json, PtNode next)
{
  const json_t *target = pt_schema_resolve (self, json);
  g_autofree char *path = NULL;
  guint rule;

  if (target == NULL)
    return PT_NODE_NEVER;
  path = g_strdup (self->path->str);
  g_string_assign (self->path, json_string_value (json_object_get (json, "$ref")));
  rule = pt_schema_rule (self, target);
  g_string_assign (self->path, path);
  return pt_grammar_call (self->grammar, rule, next);
}

/* ---- any value ---- */

static PtNode
any_array (PtSchema *self, PtNode next)
{
  PtGrammar *g = self->grammar;
  PtNode end = pt_grammar_literal (g, "]", 1, next), loop, more;
  guint rule = self->any_rule - 1, repeat;

  loop = pt_grammar_begin_repeat (g, 0, PT_UNBOUNDED, pt_json_space (g, end), &repeat);
  more = pt_json_space (
      g, pt_grammar_literal (g, ",", 1, pt_json_space (g, pt_grammar_call (g, rule, loop))));
  more = pt_grammar_call (g, rule, pt_grammar_end_repeat (g, repeat, more));
  return pt_grammar_literal (g, "[", 1, pt_json_space (g, pt_grammar_choice (g, end, more)));
}

/* The rule is set before it is complete, since values contain values. */
PtNode
pt_schema_any (PtSchema *self, PtNode next)
{
  static const char *const words[] = { "false", "null", "true" };
  g_autoptr (json_t) object = NULL;
  PtGrammar *g = self->grammar;

  if (self->any_rule == 0) {
    PtNode node;

    object = json_pack ("{s:s}", "type", "object");
    self->any_rule = pt_grammar_new_rule (g) + 1;
    node = pt_grammar_choice (g, pt_json_literals (g, words, G_N_ELEMENTS (words), PT_NODE_END),
                              pt_json_number (g, PT_NODE_END));
    node = pt_grammar_choice (g, node, pt_json_string_of (g, 0, PT_UNBOUNDED, PT_NODE_END));
    node = pt_grammar_choice (g, node, any_array (self, PT_NODE_END));
    node = pt_grammar_choice (g, node, pt_schema_object (self, object, PT_NODE_END));
    pt_grammar_set_rule (g, self->any_rule - 1, node);
  }
  return pt_grammar_call (g, self->any_rule - 1, next);
}

/* ---- literals ---- */

static char *
write_literal (const json_t *value)
{
  for (guint precision = 15;; precision++) {
    char *text =
        json_dumps (value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION (precision));
    g_autoptr (json_t) again = text != NULL ? json_loads (text, JSON_DECODE_ANY, NULL) : NULL;

    if (text == NULL || precision >= 17 || json_equal (value, again))
      return text;
    free (text);
  }
}

static guint
type_of (const json_t *value)
{
  switch (json_typeof (value)) {
  case JSON_NULL: return PT_TYPE_NULL;
  case JSON_TRUE:
  case JSON_FALSE: return PT_TYPE_BOOLEAN;
  case JSON_INTEGER: return PT_TYPE_INTEGER | PT_TYPE_NUMBER;
  case JSON_REAL:
    return json_real_value (value) > (double) (gint64) json_real_value (value) ||
                   json_real_value (value) < (double) (gint64) json_real_value (value)
               ? PT_TYPE_NUMBER
               : PT_TYPE_INTEGER | PT_TYPE_NUMBER;
  case JSON_STRING: return PT_TYPE_STRING;
  case JSON_ARRAY: return PT_TYPE_ARRAY;
  case JSON_OBJECT:
  default: return PT_TYPE_OBJECT;
  }
}

/* Only notes and "type" may stand beside "enum" and "const". */
static gboolean
check_literal_neighbours (PtSchema *self, const json_t *json)
{
  const char *name;
  json_t *value;

  json_object_foreach ((json_t *) json, name, value) {
    PtKeywordKind kind = pt_schema_keyword (name);

    if (kind >= PT_KEYWORD_NUMBER) {
      pt_schema_fail (self, "“%s” together with “enum” or “const” is not supported", name);
      return FALSE;
    }
  }
  return TRUE;
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static PtNode
literals (PtSchema *self, const json_t *json, const json_t *values, guint types, PtNode next)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (free);
  g_autoptr (GPtrArray) distinct = g_ptr_array_new ();
  size_t i;
  json_t *value;

  if (!check_literal_neighbours (self, json) || !pt_schema_work (self, json_array_size (values)))
    return PT_NODE_NEVER;
  if (json_array_size (values) > MAX_LITERALS)
    return pt_schema_fail (self, "“enum” has more than %d values", MAX_LITERALS);
  json_array_foreach (values, i, value) {
    if ((type_of (value) & types) != 0)
      g_ptr_array_add (texts, write_literal (value));
  }
  g_ptr_array_sort (texts, compare_texts);
  for (guint k = 0; k < texts->len; k++)
    if (k == 0 || strcmp (texts->pdata[k - 1], texts->pdata[k]) != 0)
      g_ptr_array_add (distinct, texts->pdata[k]);
  return pt_json_literals (self->grammar, (const char *const *) (gconstpointer) distinct->pdata,
                           distinct->len, next);
}

/* ---- schemas ---- */

/* Without "type" the keywords tell what is meant: all that is not of the type
 * that they are about would be accepted, too. */
static guint
guess_types (const json_t *json)
{
  const char *name;
  json_t *value;
  guint types = 0;

  json_object_foreach ((json_t *) json, name, value) {
    switch (pt_schema_keyword (name)) {
    case PT_KEYWORD_NUMBER: types |= PT_TYPE_NUMBER; break;
    case PT_KEYWORD_STRING: types |= PT_TYPE_STRING; break;
    case PT_KEYWORD_ARRAY: types |= PT_TYPE_ARRAY; break;
    case PT_KEYWORD_OBJECT: types |= PT_TYPE_OBJECT; break;
    case PT_KEYWORD_UNKNOWN:
    case PT_KEYWORD_NOTE:
    case PT_KEYWORD_CORE:
    case PT_KEYWORD_LITERAL:
    default: break;
    }
  }
  return types;
}

static PtNode
typed (PtSchema *self, const json_t *json, guint types, PtNode next)
{
  static const char *const booleans[] = { "false", "true" };
  PtGrammar *g = self->grammar;
  PtNode node = PT_NODE_NEVER;

  if ((types & PT_TYPE_NULL) != 0)
    node = pt_grammar_choice (g, node, pt_grammar_literal (g, "null", -1, next));
  if ((types & PT_TYPE_BOOLEAN) != 0)
    node = pt_grammar_choice (g, node, pt_json_literals (g, booleans, 2, next));
  if ((types & (PT_TYPE_INTEGER | PT_TYPE_NUMBER)) != 0)
    node = pt_grammar_choice (g, node,
                              pt_schema_number (self, json, (types & PT_TYPE_NUMBER) == 0, next));
  if ((types & PT_TYPE_STRING) != 0)
    node = pt_grammar_choice (g, node, pt_schema_string (self, json, next));
  if ((types & PT_TYPE_ARRAY) != 0)
    node = pt_grammar_choice (g, node, pt_schema_array (self, json, next));
  if ((types & PT_TYPE_OBJECT) != 0)
    node = pt_grammar_choice (g, node, pt_schema_object (self, json, next));
  return node;
}

/* Each branch of "oneOf" must exclude the others, since a grammar cannot count.
 */
static void
check_apart (PtSchema *self, const GPtrArray *branches)
{
  for (guint i = 0; i < branches->len && !self->failed; i++)
    for (guint j = i + 1; j < branches->len && !self->failed; j++)
      if (pt_schema_work (self, 1) &&
          !pt_schema_are_apart (self, branches->pdata[i], branches->pdata[j], 0))
        pt_schema_fail (self,
                        "“oneOf” is supported only where no two branches accept "
                        "the same value, "
                        "and branches %u and %u may; use “anyOf”",
                        i, j);
}

/* "anyOf" or "oneOf", each branch with all that stands beside it. */
static PtNode
branches (PtSchema *self, const json_t *json, const char *keyword, PtNode next)
{
  g_autoptr (GPtrArray) merged = g_ptr_array_new ();
  const json_t *rest = pt_schema_without (self, json, keyword), *list;
  gboolean alone = !pt_schema_says_something (rest);
  PtNode node = PT_NODE_NEVER;
  size_t i;
  json_t *branch;

  list = json_object_get (json, keyword);
  if (!json_is_array (list) || json_array_size (list) == 0)
    return pt_schema_fail_value (self, keyword, "a list of schemas");
  json_array_foreach (list, i, branch) {
    gsize path = pt_schema_enter_at (self, keyword, i);
    const json_t *whole = alone ? branch : pt_schema_merge (self, rest, branch);

    if (whole == NULL)
      return PT_NODE_NEVER;
    g_ptr_array_add (merged, (gpointer) whole);
    node = pt_grammar_choice (self->grammar, node, pt_schema_value (self, whole, next));
    pt_schema_leave (self, path);
    if (self->failed)
      return PT_NODE_NEVER;
  }
  if (g_str_equal (keyword, "oneOf"))
    check_apart (self, merged);
  return node;
}

static PtNode
object_schema (PtSchema *self, const json_t *json, PtNode next)
{
  const json_t *rest;
  g_autoptr (json_t) values = NULL;
  guint types;

  if (json_object_get (json, "$ref") != NULL) {
    rest = pt_schema_without (self, json, "$ref");
    if (!pt_schema_says_something (rest))
      return reference (self, json, next);
  }
  if (json_object_get (json, "$ref") != NULL || json_object_get (json, "allOf") != NULL) {
    json = pt_schema_expand (self, json);
    if (json == NULL)
      return PT_NODE_NEVER;
    return pt_schema_value (self, json, next);
  }
  if (json_object_get (json, "anyOf") != NULL)
    return branches (self, json, "anyOf", next);
  if (json_object_get (json, "oneOf") != NULL)
    return branches (self, json, "oneOf", next);
  types = pt_schema_types (self, json);
  values = pt_schema_literals (self, json);
  if (self->failed)
    return PT_NODE_NEVER;
  if (values != NULL)
    return literals (self, json, values, types, next);
  if (json_object_get (json, "type") == NULL)
    types = guess_types (json);
  return types != 0 ? typed (self, json, types, next) : pt_schema_any (self, next);
}

PtNode
pt_schema_value (PtSchema *self, const json_t *json, PtNode next)
{
  PtNode node = PT_NODE_NEVER;

  if (self->failed)
    return PT_NODE_NEVER;
  if (json_is_boolean (json))
    return json_is_true (json) ? pt_schema_any (self, next) : PT_NODE_NEVER;
  if (!json_is_object (json))
    return pt_schema_fail (self, "A schema must be an object, true or false");
  if (self->depth >= MAX_DEPTH)
    return pt_schema_fail (self, "The schema is nested more than %d levels deep", MAX_DEPTH);
  self->depth++;
  if (check_keywords (self, json))
    node = object_schema (self, json, next);
  self->depth--;
  return node;
}

/* Compiles the rules that were asked for, which may ask for more. */
static void
compile_rules (PtSchema *self)
{
  for (guint i = 0; i < self->pending->len && !self->failed; i++) {
    PendingRule rule = g_array_index (self->pending, PendingRule, i);

    g_string_assign (self->path, rule.path);
    pt_grammar_set_rule (self->grammar, rule.rule, pt_schema_value (self, rule.json, PT_NODE_END));
  }
}

PtGrammar *
pt_json_schema_compile (const char *schema, GError **error)
{
  g_autoptr (PtGrammar) grammar = pt_grammar_new ();
  g_autoptr (json_t) root = NULL;
  PtSchema self = { .grammar = grammar, .error = error };
  json_error_t fault;
  gboolean ok;
  PtNode start;

  if (strlen (schema) > MAX_SCHEMA) {
    pt_fail (error, PT_ERROR_ARGUMENT, "The JSON schema is larger than 512 KB.");
    return NULL;
  }
  root = json_loads (schema, JSON_DECODE_ANY, &fault);
  if (root == NULL) {
    pt_fail (error, PT_ERROR_ARGUMENT, "The JSON schema is not valid JSON: line %d: %s.",
             fault.line, fault.text);
    return NULL;
  }
  self.root = root;
  self.rules = g_hash_table_new (NULL, NULL);
  self.pending = g_array_new (FALSE, FALSE, sizeof (PendingRule));
  g_array_set_clear_func (self.pending, clear_pending);
  self.owned = g_ptr_array_new_with_free_func ((GDestroyNotify) json_decref);
  self.path = g_string_new ("#");
  start = pt_schema_value (&self, root, PT_NODE_END);
  compile_rules (&self);
  ok = !self.failed && pt_grammar_finish (grammar, pt_json_space (grammar, start), error);
  g_hash_table_unref (self.rules);
  g_array_unref (self.pending);
  g_ptr_array_unref (self.owned);
  g_string_free (self.path, TRUE);
  return ok ? g_steal_pointer (&grammar) : NULL;
}
