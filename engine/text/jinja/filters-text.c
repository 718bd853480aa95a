/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/text/jinja/render.h"

/* Filters of texts and numbers; their input is converted to a text first. */

#define MAX_INDENT 1000

static PtJinjaValue
filter_string (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_text (pt_jinja_str (render, self));
}

static PtJinjaValue
change_case (PtJinjaRender *render, PtJinjaValue self, PtJinjaCase how)
{
  const PtJinjaText *text = pt_jinja_str (render, self);

  return text != NULL ? pt_jinja_change_case (render, text, how) : PT_JINJA_NOTHING;
}

static PtJinjaValue
filter_upper (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return change_case (render, self, PT_JINJA_UPPER);
}

static PtJinjaValue
filter_lower (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return change_case (render, self, PT_JINJA_LOWER);
}

static PtJinjaValue
filter_capitalize (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return change_case (render, self, PT_JINJA_CAPITALIZE);
}

static gboolean
begins_word (const PtJinjaText *text, gsize at)
{
  gunichar c;

  if (at == 0)
    return TRUE;
  c = g_utf8_get_char (g_utf8_prev_char (text->bytes + at));
  return pt_jinja_is_space (c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

/** Words begin only behind spaces and some brackets, unlike in the method title(). */
static PtJinjaValue
filter_title (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *text = pt_jinja_str (render, self);
  PtJinjaBuilder builder;
  gsize begin = 0;

  if (text == NULL)
    return PT_JINJA_NOTHING;
  pt_jinja_builder_init (&builder, render);
  for (gsize i = 1; i <= text->length && !pt_jinja_failed (render); i++) {
    PtJinjaValue word;

    if (i < text->length && ((text->bytes[i] & 0xC0) == 0x80 || !begins_word (text, i)))
      continue;
    word = pt_jinja_slice_text (render, text, begin, i);
    if (word.kind == PT_JINJA_TEXT)
      pt_jinja_build_str (&builder, pt_jinja_change_case (render, word.text, PT_JINJA_CAPITALIZE));
    begin = i;
  }
  return pt_jinja_built (&builder);
}

static PtJinjaValue
filter_trim (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue characters = pt_jinja_argument_or (arguments, 0, "chars", PT_JINJA_NULL);
  const PtJinjaText *text = pt_jinja_str (render, self);

  if (text == NULL)
    return PT_JINJA_NOTHING;
  return pt_jinja_strip (render, text, characters.kind == PT_JINJA_TEXT ? characters.text : NULL,
                         TRUE, TRUE);
}

static PtJinjaValue
filter_replace (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue from, to, count = pt_jinja_argument_or (arguments, 2, "count", PT_JINJA_NULL);
  const PtJinjaText *text = pt_jinja_str (render, self), *old, *new;

  if (!pt_jinja_argument (arguments, 0, "old", &from) ||
      !pt_jinja_argument (arguments, 1, "new", &to)) {
    pt_jinja_fail (render, PT_ERROR_TYPE, "a replacement is missing.");
    return PT_JINJA_NOTHING;
  }
  old = pt_jinja_str (render, from);
  new = pt_jinja_str (render, to);
  if (text == NULL || old == NULL || new == NULL)
    return PT_JINJA_NOTHING;
  return pt_jinja_replace (render, text, old, new, count.kind == PT_JINJA_INT ? count.integer : -1);
}

static void
build_spaces (PtJinjaBuilder *builder, const PtJinjaText *indention, gint64 width)
{
  if (indention != NULL)
    pt_jinja_build_slice (builder, indention, 0, indention->length);
  else
    for (gint64 i = 0; i < width && !pt_jinja_failed (builder->render); i++)
      pt_jinja_build_own (builder, " ");
}

static PtJinjaValue
filter_indent (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue width = pt_jinja_argument_or (arguments, 0, "width", pt_jinja_int (4));
  gboolean first = pt_jinja_is_true (pt_jinja_argument_or (arguments, 1, "first", PT_JINJA_NULL));
  gboolean blank = pt_jinja_is_true (pt_jinja_argument_or (arguments, 2, "blank", PT_JINJA_NULL));
  const PtJinjaText *indention = width.kind == PT_JINJA_TEXT ? width.text : NULL;
  gint64 spaces = width.kind == PT_JINJA_INT ? CLAMP (width.integer, 0, MAX_INDENT) : 0;
  const PtJinjaText *text = pt_jinja_str (render, self);
  PtJinjaValue lines = text != NULL ? pt_jinja_lines (render, text, FALSE) : PT_JINJA_NOTHING;
  PtJinjaBuilder builder;

  pt_jinja_builder_init (&builder, render);
  if (first)
    build_spaces (&builder, indention, spaces);
  for (guint i = 0; !pt_jinja_failed (render) && i < lines.list->n; i++) {
    PtJinjaValue line = lines.list->items[i];

    if (i > 0)
      pt_jinja_build_own (&builder, "\n");
    if (i > 0 && (blank || line.text->length > 0))
      build_spaces (&builder, indention, spaces);
    pt_jinja_build_str (&builder, line);
  }
  /* A newline at the end is followed by one more line, which is empty. */
  if (!pt_jinja_failed (render) && text->length > 0 && text->bytes[text->length - 1] == '\n') {
    pt_jinja_build_own (&builder, "\n");
    if (blank)
      build_spaces (&builder, indention, spaces);
  }
  return pt_jinja_built (&builder);
}

static PtJinjaValue
filter_escape (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  static const struct {
    char character;
    const char *escape;
  } escapes[] = {
    { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '\'', "&#39;" }, { '"', "&#34;" }
  };
  const PtJinjaText *text = pt_jinja_str (render, self);
  PtJinjaBuilder builder;
  gsize begin = 0;

  if (text == NULL)
    return PT_JINJA_NOTHING;
  pt_jinja_builder_init (&builder, render);
  for (gsize i = 0; i < text->length && !pt_jinja_failed (render); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (escapes); k++)
      if (text->bytes[i] == escapes[k].character) {
        pt_jinja_build_slice (&builder, text, begin, i);
        pt_jinja_build_instead (&builder, text, i, escapes[k].escape, strlen (escapes[k].escape));
        begin = i + 1;
      }
  pt_jinja_build_slice (&builder, text, begin, text->length);
  return pt_jinja_built (&builder);
}

/* ---- numbers ---- */

/** Parses a number; FALSE: the text is not a number. */
static gboolean
parse_number (PtJinjaRender *render, const PtJinjaText *text, gint64 base, PtJinjaValue *value)
{
  PtJinjaValue inner = pt_jinja_strip (render, text, NULL, TRUE, TRUE);
  g_autofree char *copy = NULL;
  char *end;

  if (inner.kind != PT_JINJA_TEXT || inner.text->length == 0 || inner.text->length > 64)
    return FALSE;
  copy = g_strndup (inner.text->bytes, inner.text->length);
  if (base >= 2 && base <= 36) {
    gint64 number = g_ascii_strtoll (copy, &end, (guint) base);

    if (*end == '\0' && number != G_MAXINT64 && number != G_MININT64) {
      *value = pt_jinja_int (number);
      return TRUE;
    }
  }
  if (strpbrk (copy, "xXpP") != NULL)
    return FALSE;
  *value = pt_jinja_float (g_ascii_strtod (copy, &end));
  return *end == '\0';
}

static PtJinjaValue
filter_int (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue fallback = pt_jinja_argument_or (arguments, 0, "default", pt_jinja_int (0));
  PtJinjaValue base = pt_jinja_argument_or (arguments, 1, "base", pt_jinja_int (10));

  if (self.kind == PT_JINJA_TEXT &&
      !parse_number (render, self.text, base.kind == PT_JINJA_INT ? base.integer : 10, &self))
    return fallback;
  if (self.kind == PT_JINJA_INT || self.kind == PT_JINJA_BOOL)
    return pt_jinja_int (pt_jinja_whole (self));
  if (self.kind != PT_JINJA_FLOAT || !(fabs (self.real) < 9e18))
    return fallback;
  return pt_jinja_int ((gint64) self.real);
}

static PtJinjaValue
filter_float (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue fallback = pt_jinja_argument_or (arguments, 0, "default", pt_jinja_float (0));

  if (self.kind == PT_JINJA_TEXT && !parse_number (render, self.text, 10, &self))
    return fallback;
  return pt_jinja_is_number (self) ? pt_jinja_float (pt_jinja_real (self)) : fallback;
}

static PtJinjaValue
filter_abs (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  if (self.kind == PT_JINJA_FLOAT)
    return pt_jinja_float (fabs (self.real));
  if (pt_jinja_is_number (self) && pt_jinja_whole (self) >= 0)
    return pt_jinja_int (pt_jinja_whole (self));
  return pt_jinja_negate (render, self);
}

static PtJinjaValue
filter_round (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue precision = pt_jinja_argument_or (arguments, 0, "precision", pt_jinja_int (0));
  PtJinjaValue method = pt_jinja_argument_or (arguments, 1, "method", PT_JINJA_NULL);
  double scale, real;

  if (!pt_jinja_is_number (self) || precision.kind != PT_JINJA_INT) {
    pt_jinja_fail (render, PT_ERROR_TYPE, "only numbers are rounded.");
    return PT_JINJA_NOTHING;
  }
  scale = pow (10, (double) CLAMP (precision.integer, -300, 300));
  real = pt_jinja_real (self) * scale;
  if (method.kind == PT_JINJA_TEXT && pt_jinja_text_is (method.text, "ceil"))
    real = ceil (real);
  else if (method.kind == PT_JINJA_TEXT && pt_jinja_text_is (method.text, "floor"))
    real = floor (real);
  else
    real = nearbyint (real);
  return pt_jinja_float (real / scale);
}

/* ---- anything ---- */

static PtJinjaValue
filter_default (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue too = pt_jinja_argument_or (arguments, 1, "boolean", pt_jinja_bool (FALSE));
  PtJinjaValue fallback;

  if (self.kind != PT_JINJA_UNDEFINED && (!pt_jinja_is_true (too) || pt_jinja_is_true (self)))
    return self;
  if (pt_jinja_argument (arguments, 0, "default_value", &fallback))
    return fallback;
  return pt_jinja_new_text (render, "", 0, PT_JINJA_TEMPLATE);
}

const PtJinjaBuiltin pt_jinja_text_filters[] = {
  { "trim", filter_trim },
  { "string", filter_string },
  { "safe", filter_string },
  { "upper", filter_upper },
  { "lower", filter_lower },
  { "title", filter_title },
  { "capitalize", filter_capitalize },
  { "replace", filter_replace },
  { "indent", filter_indent },
  { "escape", filter_escape },
  { "e", filter_escape },
  { "int", filter_int },
  { "float", filter_float },
  { "abs", filter_abs },
  { "round", filter_round },
  { "default", filter_default },
  { "d", filter_default },
  { "tojson", pt_jinja_filter_tojson },
  { NULL, NULL },
};

PtJinjaFunc
pt_jinja_find_filter (const char *name)
{
  PtJinjaFunc func = pt_jinja_builtin (pt_jinja_text_filters, name);

  return func != NULL ? func : pt_jinja_builtin (pt_jinja_list_filters, name);
}
