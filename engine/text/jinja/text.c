/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/jinja/text.h"

#include <math.h>
#include <string.h>

/* Far more than any conversation. */
#define MAX_TEXT (32 * 1024 * 1024)
/* Bytes that may be copied or searched for one step of the budget. */
#define BYTES_PER_STEP 64

/* ---- building ---- */

void
pt_jinja_builder_init (PtJinjaBuilder *self, PtJinjaRender *render)
{
  self->render = render;
  self->bytes = g_string_new (NULL);
  self->spans = g_array_new (FALSE, FALSE, sizeof (PtJinjaSpan));
}

void
pt_jinja_builder_clear (PtJinjaBuilder *self)
{
  g_string_free (self->bytes, TRUE);
  g_array_unref (self->spans);
}

PtJinjaValue
pt_jinja_built (PtJinjaBuilder *self)
{
  PtJinjaText *text = pt_jinja_take (self->render, 1, sizeof *text);
  char *bytes = pt_jinja_take (self->render, self->bytes->len + 1, 1);
  PtJinjaSpan *spans = pt_jinja_take (self->render, self->spans->len, sizeof *spans);
  PtJinjaValue value = PT_JINJA_NOTHING;

  if (text != NULL && bytes != NULL && spans != NULL) {
    memcpy (bytes, self->bytes->str, self->bytes->len);
    if (self->spans->len > 0)
      memcpy (spans, self->spans->data, self->spans->len * sizeof *spans);
    *text = (PtJinjaText){ bytes, self->bytes->len, spans, self->spans->len };
    value = pt_jinja_text (text);
  }
  pt_jinja_builder_clear (self);
  return value;
}

void
pt_jinja_build (PtJinjaBuilder *self, const char *bytes, gsize length, guint32 source, gsize offset)
{
  gboolean placed = source != PT_JINJA_DATA && source != PT_JINJA_TEMPLATE;
  PtJinjaSpan span = { 0, source, placed ? (guint32) offset : 0 };
  PtJinjaSpan *last = NULL;

  if (length == 0 || !pt_jinja_step (self->render, 1 + length / BYTES_PER_STEP))
    return;
  if (length > MAX_TEXT - self->bytes->len) {
    pt_jinja_fail (self->render, PT_ERROR_MEMORY, "its text becomes too long.");
    return;
  }
  if (self->spans->len > 0)
    last = &g_array_index (self->spans, PtJinjaSpan, self->spans->len - 1);
  if (last != NULL && last->source == source && placed) {
    gsize begin = self->spans->len > 1
                      ? g_array_index (self->spans, PtJinjaSpan, self->spans->len - 2).end
                      : 0;

    if (last->offset + (last->end - begin) != offset)
      last = NULL;
  } else if (last != NULL && last->source != source) {
    last = NULL;
  }
  g_string_append_len (self->bytes, bytes, (gssize) length);
  span.end = self->bytes->len;
  if (last != NULL)
    last->end = span.end;
  else
    g_array_append_val (self->spans, span);
}

void
pt_jinja_build_own (PtJinjaBuilder *self, const char *text)
{
  pt_jinja_build (self, text, strlen (text), PT_JINJA_TEMPLATE, 0);
}

/** The index of the span that holds the byte at @at. */
static guint
find_span (const PtJinjaText *text, gsize at)
{
  guint low = 0, high = text->n_spans;

  while (low + 1 < high) {
    guint middle = low + (high - low) / 2;

    if (text->spans[middle - 1].end <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static gsize
span_begin (const PtJinjaText *text, guint i)
{
  return i > 0 ? text->spans[i - 1].end : 0;
}

void
pt_jinja_build_slice (PtJinjaBuilder *self, const PtJinjaText *text, gsize begin, gsize end)
{
  for (guint i = find_span (text, begin); begin < end && i < text->n_spans; i++) {
    const PtJinjaSpan *span = &text->spans[i];
    gsize stop = MIN (end, span->end);

    pt_jinja_build (self, text->bytes + begin, stop - begin, span->source,
                    span->offset + (begin - span_begin (text, i)));
    begin = stop;
  }
}

guint32
pt_jinja_text_source (const PtJinjaText *text, gsize at)
{
  return text->spans[find_span (text, at)].source;
}

void
pt_jinja_build_instead (PtJinjaBuilder *self, const PtJinjaText *text, gsize at, const char *bytes,
                        gsize length)
{
  gboolean own = pt_jinja_text_source (text, at) == PT_JINJA_TEMPLATE;

  pt_jinja_build (self, bytes, length, own ? PT_JINJA_TEMPLATE : PT_JINJA_DATA, 0);
}

PtJinjaValue
pt_jinja_slice_text (PtJinjaRender *render, const PtJinjaText *text, gsize begin, gsize end)
{
  guint first = find_span (text, begin), n = 0;
  PtJinjaText *slice = pt_jinja_take (render, 1, sizeof *slice);
  PtJinjaSpan *spans;

  while (begin < end && first + n < text->n_spans && span_begin (text, first + n) < end)
    n++;
  spans = pt_jinja_take (render, n, sizeof *spans);
  if (slice == NULL || spans == NULL || !pt_jinja_step (render, n))
    return PT_JINJA_NOTHING;
  for (guint i = 0; i < n; i++) {
    spans[i] = text->spans[first + i];
    spans[i].end = MIN (spans[i].end, end) - begin;
  }
  if (n > 0 && spans[0].source != PT_JINJA_DATA && spans[0].source != PT_JINJA_TEMPLATE)
    spans[0].offset += (guint32) (begin - span_begin (text, first));
  *slice = (PtJinjaText){ text->bytes + begin, end - begin, spans, n };
  return pt_jinja_text (slice);
}

/* ---- looking ---- */

gssize
pt_jinja_text_search (PtJinjaRender *render, const PtJinjaText *text, const PtJinjaText *part,
                      gsize from)
{
  const char *at, *end = text->bytes + text->length;

  if (part->length == 0)
    return (gssize) from;
  for (at = text->bytes + from; (gsize) (end - at) >= part->length; at++) {
    const char *found = memchr (at, part->bytes[0], (gsize) (end - at) - part->length + 1);
    gsize passed = (found != NULL ? (gsize) (found - at) : (gsize) (end - at)) / BYTES_PER_STEP;

    if (!pt_jinja_step (render, 1 + passed + part->length / BYTES_PER_STEP) || found == NULL)
      return -1;
    at = found;
    if (memcmp (at, part->bytes, part->length) == 0)
      return at - text->bytes;
  }
  return -1;
}

gsize
pt_jinja_text_count (PtJinjaRender *render, const PtJinjaText *text)
{
  gsize n = 0;

  pt_jinja_step (render, text->length / BYTES_PER_STEP);
  for (gsize i = 0; i < text->length; i++)
    n += (text->bytes[i] & 0xC0) != 0x80;
  return n;
}

gboolean
pt_jinja_is_space (gunichar c)
{
  return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/* ---- str() and repr() ---- */

void
pt_jinja_format_float (double real, char *buffer, gsize size)
{
  char digits[40], *e;
  int precision, exponent;

  if (!isfinite (real)) {
    g_strlcpy (buffer, isnan (real) ? "nan" : real < 0 ? "-inf" : "inf", size);
    return;
  }
  for (precision = 0; precision < 17; precision++) {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%de", precision);
    g_ascii_formatd (digits, sizeof digits, format, real);
    if (g_ascii_strtod (digits, NULL) == real)
      break;
  }
  e = strchr (digits, 'e');
  exponent = e != NULL ? (int) g_ascii_strtoll (e + 1, NULL, 10) : 0;
  if (exponent < -4 || exponent >= 16) {
    g_strlcpy (buffer, digits, size);
    return;
  }
  {
    char format[8];

    g_snprintf (format, sizeof format, "%%.%df", MAX (precision - exponent, 1));
    g_ascii_formatd (buffer, (gint) size, format, real);
  }
}

void
pt_jinja_build_str (PtJinjaBuilder *self, PtJinjaValue value)
{
  if (value.kind == PT_JINJA_TEXT)
    pt_jinja_build_slice (self, value.text, 0, value.text->length);
  else if (value.kind != PT_JINJA_UNDEFINED)
    pt_jinja_build_repr (self, value);
}

const PtJinjaText *
pt_jinja_str (PtJinjaRender *render, PtJinjaValue value)
{
  PtJinjaBuilder builder;

  if (value.kind == PT_JINJA_TEXT)
    return value.text;
  pt_jinja_builder_init (&builder, render);
  pt_jinja_build_str (&builder, value);
  value = pt_jinja_built (&builder);
  return value.kind == PT_JINJA_TEXT ? value.text : NULL;
}

/** The escape of @c in a repr() with the quotes @quote; NULL: @c is not escaped. */
static const char *
repr_escape (gunichar c, char quote, char *buffer, gsize size)
{
  if (c == (gunichar) quote || c == '\\') {
    g_snprintf (buffer, size, "\\%c", (char) c);
    return buffer;
  }
  switch (c) {
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  default: break;
  }
  if (c == ' ' || (g_unichar_isprint (c) && !pt_jinja_is_space (c)))
    return NULL;
  g_snprintf (buffer, size, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
  return buffer;
}

static void
build_quoted (PtJinjaBuilder *self, const PtJinjaText *text)
{
  gboolean single = memchr (text->bytes, '\'', text->length) != NULL;
  gboolean twice = memchr (text->bytes, '"', text->length) != NULL;
  char quote = single && !twice ? '"' : '\'';
  const char mark[2] = { quote, '\0' };
  gsize begin = 0;

  pt_jinja_build_own (self, mark);
  for (gsize i = 0; i < text->length && !pt_jinja_failed (self->render);) {
    gsize next = i + (gsize) g_utf8_skip[(guint8) text->bytes[i]];
    char buffer[16];
    const char *escape =
        repr_escape (g_utf8_get_char (text->bytes + i), quote, buffer, sizeof buffer);

    if (escape != NULL) {
      pt_jinja_build_slice (self, text, begin, i);
      pt_jinja_build_instead (self, text, i, escape, strlen (escape));
      begin = next;
    }
    i = next;
  }
  pt_jinja_build_slice (self, text, begin, text->length);
  pt_jinja_build_own (self, mark);
}

static void
build_list (PtJinjaBuilder *self, const PtJinjaList *list, gboolean tuple)
{
  pt_jinja_build_own (self, tuple ? "(" : "[");
  for (guint i = 0; i < list->n && !pt_jinja_failed (self->render); i++) {
    if (i > 0)
      pt_jinja_build_own (self, ", ");
    pt_jinja_build_repr (self, list->items[i]);
  }
  pt_jinja_build_own (self, !tuple ? "]" : list->n == 1 ? ",)" : ")");
}

static void
build_dict (PtJinjaBuilder *self, const PtJinjaDict *dict)
{
  pt_jinja_build_own (self, "{");
  for (guint i = 0; i < dict->n && !pt_jinja_failed (self->render); i++) {
    if (i > 0)
      pt_jinja_build_own (self, ", ");
    pt_jinja_build_repr (self, dict->keys[i]);
    pt_jinja_build_own (self, ": ");
    pt_jinja_build_repr (self, dict->values[i]);
  }
  pt_jinja_build_own (self, "}");
}

void
pt_jinja_build_repr (PtJinjaBuilder *self, PtJinjaValue value)
{
  char buffer[48];

  if (!pt_jinja_enter (self->render))
    return;
  switch (value.kind) {
  case PT_JINJA_UNDEFINED: pt_jinja_build_own (self, "Undefined"); break;
  case PT_JINJA_NONE: pt_jinja_build_own (self, "None"); break;
  case PT_JINJA_BOOL: pt_jinja_build_own (self, value.truth ? "True" : "False"); break;
  case PT_JINJA_INT:
    g_snprintf (buffer, sizeof buffer, "%" G_GINT64_FORMAT, value.integer);
    pt_jinja_build_own (self, buffer);
    break;
  case PT_JINJA_FLOAT:
    pt_jinja_format_float (value.real, buffer, sizeof buffer);
    pt_jinja_build_own (self, buffer);
    break;
  case PT_JINJA_TEXT: build_quoted (self, value.text); break;
  case PT_JINJA_LIST:
  case PT_JINJA_GENERATOR: build_list (self, value.list, FALSE); break;
  case PT_JINJA_TUPLE: build_list (self, value.list, TRUE); break;
  case PT_JINJA_DICT: build_dict (self, value.dict); break;
  default:
    pt_jinja_fail (self->render, PT_ERROR_TYPE, "%s is no text.", pt_jinja_kind_name (value.kind));
  }
  pt_jinja_leave (self->render);
}
