/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/jinja/render.h"

/* ---- cases ---- */

static gboolean
is_cased (gunichar c)
{
  return g_unichar_islower (c) || g_unichar_isupper (c) || g_unichar_istitle (c);
}

/** Changes the case of @c. @inside: a letter precedes it in its word. */
static gunichar
change_character (gunichar c, PtJinjaCase how, gboolean inside)
{
  if (how == PT_JINJA_UPPER)
    return g_unichar_toupper (c);
  if (how == PT_JINJA_LOWER || inside)
    return g_unichar_tolower (c);
  return g_unichar_totitle (c);
}

PtJinjaValue
pt_jinja_change_case (PtJinjaRender *render, const PtJinjaText *text, PtJinjaCase how)
{
  PtJinjaBuilder builder;
  gboolean inside = FALSE;
  gsize begin = 0;

  pt_jinja_builder_init (&builder, render);
  for (gsize i = 0; i < text->length && !pt_jinja_failed (render);) {
    gsize next = i + (gsize) g_utf8_skip[(guint8) text->bytes[i]];
    gunichar c = g_utf8_get_char (text->bytes + i), other = change_character (c, how, inside);
    char bytes[8];

    if (other != c) {
      pt_jinja_build_slice (&builder, text, begin, i);
      pt_jinja_build_instead (&builder, text, i, bytes, (gsize) g_unichar_to_utf8 (other, bytes));
      begin = next;
    } else if (c == 0xDF && (how == PT_JINJA_UPPER || (how != PT_JINJA_LOWER && !inside))) {
      pt_jinja_build_slice (&builder, text, begin, i);
      pt_jinja_build_instead (&builder, text, i, how == PT_JINJA_UPPER ? "SS" : "Ss", 2);
      begin = next;
    }
    inside = how == PT_JINJA_CAPITALIZE || is_cased (c);
    i = next;
  }
  pt_jinja_build_slice (&builder, text, begin, text->length);
  return pt_jinja_built (&builder);
}

static PtJinjaValue
method_upper (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_change_case (render, self.text, PT_JINJA_UPPER);
}

static PtJinjaValue
method_lower (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_change_case (render, self.text, PT_JINJA_LOWER);
}

static PtJinjaValue
method_title (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_change_case (render, self.text, PT_JINJA_TITLE);
}

static PtJinjaValue
method_capitalize (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_change_case (render, self.text, PT_JINJA_CAPITALIZE);
}

/* ---- arguments ---- */

/** A text argument; NULL: not given, or not a text, which is an error. */
static const PtJinjaText *
text_argument (PtJinjaRender *render, const PtJinjaArguments *arguments, guint index,
               const char *name)
{
  PtJinjaValue value = pt_jinja_argument_or (arguments, index, name, PT_JINJA_NULL);

  if (value.kind == PT_JINJA_TEXT)
    return value.text;
  if (value.kind != PT_JINJA_NONE)
    pt_jinja_fail (render, PT_ERROR_TYPE, "a text is wanted, not %s.",
                   pt_jinja_kind_name (value.kind));
  return NULL;
}

static const PtJinjaText *
needed_text (PtJinjaRender *render, const PtJinjaArguments *arguments, guint index,
             const char *name)
{
  const PtJinjaText *text = text_argument (render, arguments, index, name);

  if (text == NULL)
    pt_jinja_fail (render, PT_ERROR_TYPE, "a text is wanted.");
  return text;
}

static gint64
whole_argument (PtJinjaRender *render, const PtJinjaArguments *arguments, guint index,
                const char *name, gint64 fallback)
{
  PtJinjaValue value = pt_jinja_argument_or (arguments, index, name, pt_jinja_int (fallback));

  if (value.kind == PT_JINJA_INT || value.kind == PT_JINJA_BOOL)
    return pt_jinja_whole (value);
  pt_jinja_fail (render, PT_ERROR_TYPE, "a whole number is wanted, not %s.",
                 pt_jinja_kind_name (value.kind));
  return fallback;
}

/* ---- stripping ---- */

static gboolean
is_stripped (PtJinjaRender *render, gunichar c, const PtJinjaText *characters)
{
  const char *end;

  if (characters == NULL)
    return pt_jinja_is_space (c);
  if (!pt_jinja_step (render, 1 + characters->length / 16))
    return FALSE;
  end = characters->bytes + characters->length;
  for (const char *at = characters->bytes; at < end; at = g_utf8_next_char (at))
    if (g_utf8_get_char (at) == c)
      return TRUE;
  return FALSE;
}

PtJinjaValue
pt_jinja_strip (PtJinjaRender *render, const PtJinjaText *text, const PtJinjaText *characters,
                gboolean left, gboolean right)
{
  const char *begin = text->bytes, *end = text->bytes + text->length;

  while (left && begin < end && is_stripped (render, g_utf8_get_char (begin), characters))
    begin = g_utf8_next_char (begin);
  while (right && begin < end) {
    const char *before = g_utf8_prev_char (end);

    if (!is_stripped (render, g_utf8_get_char (before), characters))
      break;
    end = before;
  }
  return pt_jinja_slice_text (render, text, (gsize) (begin - text->bytes),
                              (gsize) (end - text->bytes));
}

static PtJinjaValue
method_strip (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_strip (render, self.text, text_argument (render, arguments, 0, "chars"), TRUE,
                         TRUE);
}

static PtJinjaValue
method_lstrip (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_strip (render, self.text, text_argument (render, arguments, 0, "chars"), TRUE,
                         FALSE);
}

static PtJinjaValue
method_rstrip (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_strip (render, self.text, text_argument (render, arguments, 0, "chars"), FALSE,
                         TRUE);
}

/** Cut @part off one end. */
static PtJinjaValue
remove_end (PtJinjaRender *render, const PtJinjaText *text, const PtJinjaText *part, gboolean front)
{
  gsize length;

  if (part == NULL)
    return PT_JINJA_NOTHING;
  length = part->length;
  if (length > text->length ||
      memcmp (front ? text->bytes : text->bytes + text->length - length, part->bytes, length) != 0)
    return pt_jinja_text (text);
  return pt_jinja_slice_text (render, text, front ? length : 0,
                              text->length - (front ? 0 : length));
}

static PtJinjaValue
method_removeprefix (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return remove_end (render, self.text, needed_text (render, arguments, 0, "prefix"), TRUE);
}

static PtJinjaValue
method_removesuffix (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return remove_end (render, self.text, needed_text (render, arguments, 0, "suffix"), FALSE);
}

/* ---- splitting and joining ---- */

/** Splits at white space, at most @count times; the last item is the rest. */
static void
split_words (PtJinjaRender *render, const PtJinjaText *text, gint64 count, PtJinjaList *list)
{
  const char *end = text->bytes + text->length, *at = text->bytes;

  for (;;) {
    const char *begin;

    while (at < end && pt_jinja_is_space (g_utf8_get_char (at)))
      at = g_utf8_next_char (at);
    if (at == end || pt_jinja_failed (render))
      return;
    begin = at;
    if (count-- == 0) {
      pt_jinja_append (
          render, list,
          pt_jinja_slice_text (render, text, (gsize) (begin - text->bytes), text->length));
      return;
    }
    while (at < end && !pt_jinja_is_space (g_utf8_get_char (at)))
      at = g_utf8_next_char (at);
    pt_jinja_append (render, list,
                     pt_jinja_slice_text (render, text, (gsize) (begin - text->bytes),
                                          (gsize) (at - text->bytes)));
  }
}

static PtJinjaValue
method_split (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *separator = text_argument (render, arguments, 0, "sep");
  gint64 count = whole_argument (render, arguments, 1, "maxsplit", -1);
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);
  gssize found;
  gsize begin = 0;

  if (pt_jinja_failed (render))
    return PT_JINJA_NOTHING;
  if (separator == NULL) {
    split_words (render, self.text, count, list.list);
    return list;
  }
  if (separator->length == 0)
    pt_jinja_fail (render, PT_ERROR_ARGUMENT, "a text is split at nothing.");
  while (!pt_jinja_failed (render) && count-- != 0 &&
         (found = pt_jinja_text_search (render, self.text, separator, begin)) >= 0) {
    pt_jinja_append (render, list.list,
                     pt_jinja_slice_text (render, self.text, begin, (gsize) found));
    begin = (gsize) found + separator->length;
  }
  pt_jinja_append (render, list.list,
                   pt_jinja_slice_text (render, self.text, begin, self.text->length));
  return list;
}

/** The offset of the last @part before @end, or -1. */
static gssize
search_back (PtJinjaRender *render, const PtJinjaText *text, const PtJinjaText *part, gsize end)
{
  for (gsize at = end; at >= part->length && pt_jinja_step (render, 1); at--)
    if (memcmp (text->bytes + at - part->length, part->bytes, part->length) == 0)
      return (gssize) (at - part->length);
  return -1;
}

static PtJinjaValue
method_rsplit (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *separator = text_argument (render, arguments, 0, "sep");
  gint64 count = whole_argument (render, arguments, 1, "maxsplit", -1);
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);
  gsize end = self.text->length;
  gssize found;

  if (separator == NULL && count < 0)
    return method_split (render, self, arguments);
  if (separator == NULL || separator->length == 0)
    pt_jinja_fail (render, PT_ERROR_UNSUPPORTED, "rsplit() without a separator is not supported.");
  while (!pt_jinja_failed (render) && count-- != 0 &&
         (found = search_back (render, self.text, separator, end)) >= 0) {
    pt_jinja_append (
        render, list.list,
        pt_jinja_slice_text (render, self.text, (gsize) found + separator->length, end));
    end = (gsize) found;
  }
  pt_jinja_append (render, list.list, pt_jinja_slice_text (render, self.text, 0, end));
  if (pt_jinja_failed (render))
    return PT_JINJA_NOTHING;
  for (guint i = 0; i < list.list->n / 2; i++) {
    PtJinjaValue other = list.list->items[i];

    list.list->items[i] = list.list->items[list.list->n - 1 - i];
    list.list->items[list.list->n - 1 - i] = other;
  }
  return list;
}

static gboolean
ends_line (gunichar c)
{
  return (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

PtJinjaValue
pt_jinja_lines (PtJinjaRender *render, const PtJinjaText *text, gboolean keep)
{
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);
  const char *end = text->bytes + text->length, *begin = text->bytes;

  for (const char *at = begin; at < end && pt_jinja_step (render, 1);) {
    gunichar c = g_utf8_get_char (at);
    const char *next = g_utf8_next_char (at);

    if (c == '\r' && next < end && *next == '\n')
      next++;
    if (ends_line (c)) {
      pt_jinja_append (render, list.list,
                       pt_jinja_slice_text (render, text, (gsize) (begin - text->bytes),
                                            (gsize) ((keep ? next : at) - text->bytes)));
      begin = next;
    }
    at = next;
  }
  if (begin < end)
    pt_jinja_append (
        render, list.list,
        pt_jinja_slice_text (render, text, (gsize) (begin - text->bytes), text->length));
  return list;
}

static PtJinjaValue
method_splitlines (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue keep = pt_jinja_argument_or (arguments, 0, "keepends", pt_jinja_bool (FALSE));

  return pt_jinja_lines (render, self.text, pt_jinja_is_true (keep));
}

PtJinjaValue
pt_jinja_join (PtJinjaRender *render, const PtJinjaText *separator, const PtJinjaList *items)
{
  PtJinjaBuilder builder;

  pt_jinja_builder_init (&builder, render);
  for (guint i = 0; i < items->n && !pt_jinja_failed (render); i++) {
    if (i > 0)
      pt_jinja_build_slice (&builder, separator, 0, separator->length);
    pt_jinja_build_str (&builder, items->items[i]);
  }
  return pt_jinja_built (&builder);
}

static PtJinjaValue
method_join (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaList *items =
      pt_jinja_items (render, pt_jinja_argument_or (arguments, 0, "iterable", PT_JINJA_NULL));

  return items != NULL ? pt_jinja_join (render, self.text, items) : PT_JINJA_NOTHING;
}

/* ---- searching ---- */

PtJinjaValue
pt_jinja_replace (PtJinjaRender *render, const PtJinjaText *text, const PtJinjaText *from,
                  const PtJinjaText *to, gint64 count)
{
  PtJinjaBuilder builder;
  gsize begin = 0;

  pt_jinja_builder_init (&builder, render);
  while (count-- != 0 && begin <= text->length && !pt_jinja_failed (render)) {
    gssize found = pt_jinja_text_search (render, text, from, begin);
    gsize end;

    if (found < 0)
      break;
    pt_jinja_build_slice (&builder, text, begin, (gsize) found);
    pt_jinja_build_slice (&builder, to, 0, to->length);
    end = (gsize) found + from->length;
    /* An empty text is replaced between all characters. */
    if (from->length == 0 && end < text->length) {
      end += (gsize) g_utf8_skip[(guint8) text->bytes[end]];
      pt_jinja_build_slice (&builder, text, (gsize) found, end);
    } else if (from->length == 0) {
      begin = end;
      break;
    }
    begin = end;
  }
  if (begin < text->length)
    pt_jinja_build_slice (&builder, text, begin, text->length);
  return pt_jinja_built (&builder);
}

static PtJinjaValue
method_replace (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *from = needed_text (render, arguments, 0, "old");
  const PtJinjaText *to = needed_text (render, arguments, 1, "new");
  gint64 count = whole_argument (render, arguments, 2, "count", -1);

  if (pt_jinja_failed (render))
    return PT_JINJA_NOTHING;
  return pt_jinja_replace (render, self.text, from, to, count);
}

static gboolean
has_end (const PtJinjaText *text, const PtJinjaText *part, gboolean front)
{
  return part->length <= text->length &&
         memcmp (front ? text->bytes : text->bytes + text->length - part->length, part->bytes,
                 part->length) == 0;
}

/** Whether the text ends or begins with the argument, or with one item of a tuple. */
static PtJinjaValue
check_end (PtJinjaRender *render, const PtJinjaText *text, const PtJinjaArguments *arguments,
           gboolean front)
{
  PtJinjaValue part = pt_jinja_argument_or (arguments, 0, "prefix", PT_JINJA_NOTHING);

  if (part.kind == PT_JINJA_TEXT && arguments->n == 1)
    return pt_jinja_bool (has_end (text, part.text, front));
  if (part.kind != PT_JINJA_TUPLE || arguments->n != 1) {
    pt_jinja_fail (render, PT_ERROR_TYPE, "a text does not begin or end with %s.",
                   pt_jinja_kind_name (part.kind));
    return PT_JINJA_NOTHING;
  }
  for (guint i = 0; i < part.list->n; i++)
    if (part.list->items[i].kind == PT_JINJA_TEXT &&
        has_end (text, part.list->items[i].text, front))
      return pt_jinja_bool (TRUE);
  return pt_jinja_bool (FALSE);
}

static PtJinjaValue
method_startswith (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return check_end (render, self.text, arguments, TRUE);
}

static PtJinjaValue
method_endswith (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return check_end (render, self.text, arguments, FALSE);
}

/** Converts a byte offset to a character index. */
static PtJinjaValue
place (PtJinjaRender *render, const PtJinjaText *text, gssize found)
{
  if (found < 0 || !pt_jinja_step (render, (gsize) found / 64))
    return pt_jinja_int (-1);
  return pt_jinja_int (g_utf8_pointer_to_offset (text->bytes, text->bytes + found));
}

static PtJinjaValue
method_find (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *part = needed_text (render, arguments, 0, "sub");

  if (part == NULL)
    return PT_JINJA_NOTHING;
  return place (render, self.text, pt_jinja_text_search (render, self.text, part, 0));
}

static PtJinjaValue
method_rfind (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *part = needed_text (render, arguments, 0, "sub");

  if (part == NULL)
    return PT_JINJA_NOTHING;
  return place (render, self.text, search_back (render, self.text, part, self.text->length));
}

static PtJinjaValue
method_count (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaText *part = needed_text (render, arguments, 0, "sub");
  gint64 n = 0;
  gssize found;

  if (part == NULL)
    return PT_JINJA_NOTHING;
  if (part->length == 0)
    return pt_jinja_int ((gint64) pt_jinja_text_count (render, self.text) + 1);
  for (gsize at = 0; (found = pt_jinja_text_search (render, self.text, part, at)) >= 0; n++)
    at = (gsize) found + part->length;
  return pt_jinja_int (n);
}

/* ---- tests of all characters ---- */

static PtJinjaValue
all_characters (PtJinjaRender *render, const PtJinjaText *text, gboolean (*is) (gunichar c))
{
  const char *end = text->bytes + text->length;

  if (!pt_jinja_step (render, text->length / 16))
    return PT_JINJA_NOTHING;
  for (const char *at = text->bytes; at < end; at = g_utf8_next_char (at))
    if (!is (g_utf8_get_char (at)))
      return pt_jinja_bool (FALSE);
  return pt_jinja_bool (text->length > 0);
}

static PtJinjaValue
method_isdigit (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return all_characters (render, self.text, g_unichar_isdigit);
}

static PtJinjaValue
method_isalpha (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return all_characters (render, self.text, g_unichar_isalpha);
}

static PtJinjaValue
method_isspace (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return all_characters (render, self.text, pt_jinja_is_space);
}

/** Whether there are cased letters, and all in this case. */
static PtJinjaValue
in_case (PtJinjaRender *render, const PtJinjaText *text, gboolean (*other) (gunichar c))
{
  const char *end = text->bytes + text->length;
  gboolean cased = FALSE;

  if (!pt_jinja_step (render, text->length / 16))
    return PT_JINJA_NOTHING;
  for (const char *at = text->bytes; at < end; at = g_utf8_next_char (at)) {
    gunichar c = g_utf8_get_char (at);

    if (other (c) || g_unichar_istitle (c))
      return pt_jinja_bool (FALSE);
    cased = cased || is_cased (c);
  }
  return pt_jinja_bool (cased);
}

static PtJinjaValue
method_isupper (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return in_case (render, self.text, g_unichar_islower);
}

static PtJinjaValue
method_islower (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return in_case (render, self.text, g_unichar_isupper);
}

const PtJinjaBuiltin pt_jinja_text_methods[] = {
  { "upper", method_upper },
  { "lower", method_lower },
  { "title", method_title },
  { "capitalize", method_capitalize },
  { "strip", method_strip },
  { "lstrip", method_lstrip },
  { "rstrip", method_rstrip },
  { "removeprefix", method_removeprefix },
  { "removesuffix", method_removesuffix },
  { "split", method_split },
  { "rsplit", method_rsplit },
  { "splitlines", method_splitlines },
  { "join", method_join },
  { "replace", method_replace },
  { "startswith", method_startswith },
  { "endswith", method_endswith },
  { "find", method_find },
  { "rfind", method_rfind },
  { "count", method_count },
  { "isdigit", method_isdigit },
  { "isalpha", method_isalpha },
  { "isspace", method_isspace },
  { "isupper", method_isupper },
  { "islower", method_islower },
  { NULL, NULL },
};
