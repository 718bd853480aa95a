/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/jinja/render.h"

/** A test "is NAME". @other: its argument, or undefined. */
typedef gboolean (*TestFunc) (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other);

/* ---- of one value ---- */

static gboolean
test_kind (PtJinjaValue value, const char *name, gboolean *holds)
{
  const struct {
    const char *name;
    gboolean holds;
  } tests[] = {
    { "defined", value.kind != PT_JINJA_UNDEFINED },
    { "undefined", value.kind == PT_JINJA_UNDEFINED },
    { "none", value.kind == PT_JINJA_NONE },
    { "string", value.kind == PT_JINJA_TEXT },
    { "mapping", value.kind == PT_JINJA_DICT },
    { "number", pt_jinja_is_number (value) },
    { "integer", value.kind == PT_JINJA_INT },
    { "float", value.kind == PT_JINJA_FLOAT },
    { "boolean", value.kind == PT_JINJA_BOOL },
    { "true", value.kind == PT_JINJA_BOOL && value.truth },
    { "false", value.kind == PT_JINJA_BOOL && !value.truth },
    { "iterable", value.kind == PT_JINJA_UNDEFINED || value.kind == PT_JINJA_TEXT ||
                      value.kind == PT_JINJA_DICT || pt_jinja_is_list (value) },
    { "sequence", value.kind == PT_JINJA_UNDEFINED || value.kind == PT_JINJA_TEXT ||
                      value.kind == PT_JINJA_DICT || value.kind == PT_JINJA_LIST ||
                      value.kind == PT_JINJA_TUPLE },
    { "callable", value.kind == PT_JINJA_MACRO || value.kind == PT_JINJA_FUNCTION },
    { "escaped", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    if (strcmp (tests[i].name, name) == 0) {
      *holds = tests[i].holds;
      return TRUE;
    }
  return FALSE;
}

static gboolean
is_case (PtJinjaRender *render, PtJinjaValue value, const char *method)
{
  const PtJinjaText *text = pt_jinja_str (render, value);
  PtJinjaArguments none = { 0 };

  if (text == NULL)
    return FALSE;
  return pt_jinja_is_true (
      pt_jinja_builtin (pt_jinja_text_methods, method) (render, pt_jinja_text (text), &none));
}

static gboolean
test_upper (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return is_case (render, value, "isupper");
}

static gboolean
test_lower (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return is_case (render, value, "islower");
}

static gboolean
test_filter (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  g_autofree char *name = NULL;

  if (value.kind != PT_JINJA_TEXT)
    return FALSE;
  name = g_strndup (value.text->bytes, value.text->length);
  return pt_jinja_find_filter (name) != NULL;
}

/* ---- of two ---- */

static gboolean
divisible (PtJinjaRender *render, PtJinjaValue value, gint64 by, gint64 rest)
{
  PtJinjaValue left = pt_jinja_operate (render, '%', value, pt_jinja_int (by));

  return pt_jinja_is_number (left) && pt_jinja_real (left) == (double) rest;
}

static gboolean
test_odd (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return divisible (render, value, 2, 1);
}

static gboolean
test_even (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return divisible (render, value, 2, 0);
}

static gboolean
test_divisibleby (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  PtJinjaValue left = pt_jinja_operate (render, '%', value, other);

  return pt_jinja_is_number (left) && pt_jinja_real (left) == 0;
}

static gboolean
test_eq (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, PT_JINJA_EQ, value, other);
}

static gboolean
test_ne (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, PT_JINJA_NE, value, other);
}

static gboolean
test_lt (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, '<', value, other);
}

static gboolean
test_le (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, PT_JINJA_LE, value, other);
}

static gboolean
test_gt (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, '>', value, other);
}

static gboolean
test_ge (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, PT_JINJA_GE, value, other);
}

static gboolean
test_in (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return pt_jinja_holds (render, PT_JINJA_IN, value, other);
}

static gboolean
test_sameas (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue other)
{
  return value.kind == other.kind && pt_jinja_holds (render, PT_JINJA_EQ, value, other);
}

static const struct {
  const char *name;
  TestFunc func;
} tests[] = {
  { "odd", test_odd },     { "even", test_even },     { "divisibleby", test_divisibleby },
  { "eq", test_eq },       { "equalto", test_eq },    { "==", test_eq },
  { "ne", test_ne },       { "!=", test_ne },         { "lt", test_lt },
  { "lessthan", test_lt }, { "<", test_lt },          { "le", test_le },
  { "<=", test_le },       { "gt", test_gt },         { "greaterthan", test_gt },
  { ">", test_gt },        { "ge", test_ge },         { ">=", test_ge },
  { "in", test_in },       { "sameas", test_sameas }, { "upper", test_upper },
  { "lower", test_lower }, { "filter", test_filter },
};

gboolean
pt_jinja_test (PtJinjaRender *render, const char *name, PtJinjaValue value,
               const PtJinjaArguments *arguments)
{
  gboolean holds = FALSE;

  if (pt_jinja_failed (render) || test_kind (value, name, &holds))
    return holds;
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    if (strcmp (tests[i].name, name) == 0)
      return tests[i].func (render, value,
                            arguments->n > 0 ? arguments->values[0] : PT_JINJA_NOTHING);
  pt_jinja_fail (render, PT_ERROR_UNSUPPORTED, "there is no test “%.64s”.", name);
  return FALSE;
}
