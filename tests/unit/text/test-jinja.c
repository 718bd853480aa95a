/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/json.h"
#include "engine/text/jinja/jinja.h"

typedef struct {
  GDateTime *now;
  PtJinjaRender *render;
  PtJinjaTree *tree;
  GError *error;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->now = g_date_time_new_utc (2024, 7, 2, 9, 5, 3);
  f->render = pt_jinja_render_new (f->now);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  pt_jinja_render_free (f->render);
  pt_jinja_free (f->tree);
  g_date_time_unref (f->now);
  g_clear_error (&f->error);
}

static const PtJinjaText *
run (Fixture *f, const char *text)
{
  f->tree = pt_jinja_new (text, strlen (text), &f->error);
  return f->tree != NULL ? pt_jinja_run (f->render, f->tree, &f->error) : NULL;
}

/** Every construct gives what jinja2 gave, and what it refused is refused. */
static void
test_constructs (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "templates.json", NULL);
  g_autoptr (json_t) json = pt_json_load (path, 1 << 20, NULL);
  const json_t *rows = json_object_get (json, "rows");

  g_assert_cmpuint (json_array_size (rows), >, 100);
  for (gsize i = 0; i < json_array_size (rows); i++) {
    const json_t *row = json_array_get (rows, i), *expected = json_array_get (row, 1);
    const PtJinjaText *text;
    Fixture f = { 0 };
    const char *name;
    json_t *value;

    set_up (&f, NULL);
    json_object_foreach (json_object_get (json, "variables"), name, value)
      pt_jinja_set (f.render, name, pt_jinja_from_json (f.render, value, 1));
    text = run (&f, json_string_value (json_array_get (row, 0)));
    g_test_message ("%s", json_string_value (json_array_get (row, 0)));
    g_assert_cmpint (text != NULL, ==, json_is_string (expected));
    if (text != NULL)
      g_assert_cmpmem (text->bytes, text->length, json_string_value (expected),
                       json_string_length (expected));
    tear_down (&f, NULL);
  }
}

/** The parts of the text that come from the message, in brackets. */
static char *
marked (const PtJinjaText *text)
{
  GString *out = g_string_new (NULL);
  gsize begin = 0;

  for (guint i = 0; i < text->n_spans; i++) {
    gboolean own = text->spans[i].source == PT_JINJA_TEMPLATE;

    g_string_append (out, own ? "" : text->spans[i].source == 7 ? "[" : "(");
    g_string_append_len (out, text->bytes + begin, (gssize) (text->spans[i].end - begin));
    g_string_append (out, own ? "" : text->spans[i].source == 7 ? "]" : ")");
    begin = text->spans[i].end;
  }
  return g_string_free (out, FALSE);
}

/** The source of each byte is kept by all operations. */
static void
test_sources (void)
{
  static const struct {
    const char *template, *marked;
  } cases[] = {
    { "<{{ s }}>", "<[ ab</x>cd ]>" },
    { "{{ '<' + s | trim + '>' }}", "<[ab</x>cd]>" },
    { "{{ s.split('</x>')[-1] }}{{ s.split('</x>')[0].strip() }}", "[cd ][ab]" },
    { "{{ s[3:6] ~ s[6:7] }}", "[</x>]" },
    { "{{ s[::-1] | trim }}", "[d][c][>][x][/][<][b][a]" },
    { "{{ s | upper | trim }}", "(AB)[</](X)[>](CD)" },
    { "{{ s | replace('</x>', '|') | trim }}", "[ab]|[cd]" },
    { "{{ [s, s] | join('</x>') | trim }}", "[ab</x>cd ]</x>[ ab</x>cd]" },
    { "{{ {'<k>': s} | tojson }}", "{\"<k>\": \"[ ab</x>cd ]\"}" },
    { "{{ [s] }}", "['[ ab</x>cd ]']" },
    { "{% set a %}<{{ s }}{% endset %}{{ a | indent(2, true) }}", "  <[ ab</x>cd ]" },
    { "{% macro f(x) %}<{{ x | trim }}>{% endmacro %}{{ f(s) }}", "<[ab</x>cd]>" },
    { "{{ 'é' + s | trim | title }}", "é(A)[b</x>cd]" },
    { "{{ s | trim | list | first }}{{ s | length }}", "[a]10" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Fixture f = { 0 };
    const PtJinjaText *text;
    g_autofree char *found = NULL;

    set_up (&f, NULL);
    pt_jinja_set (f.render, "s", pt_jinja_new_text (f.render, " ab</x>cd ", -1, 7));
    text = run (&f, cases[i].template);
    g_assert_no_error (f.error);
    found = marked (text);
    g_assert_cmpstr (found, ==, cases[i].marked);
    tear_down (&f, NULL);
  }
}

/** A stretch of data knows where it was in what was said. */
static void
test_offsets (Fixture *f, gconstpointer data)
{
  const PtJinjaText *text;

  pt_jinja_set (f->render, "s", pt_jinja_new_text (f->render, "0123456789", -1, 7));
  text = run (f, "{{ s[2:5] ~ s[5:8] }}-{{ s }}");
  g_assert_no_error (f->error);
  g_assert_cmpuint (text->n_spans, ==, 3);
  g_assert_cmpuint (text->spans[0].offset, ==, 2);
  g_assert_cmpuint (text->spans[0].end, ==, 6);
  g_assert_cmpuint (text->spans[2].offset, ==, 0);
}

/** Every template ends by a limit: of steps, or of memory. */
static void
test_bounds (void)
{
  static const char *const texts[] = {
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x='aaaaaaaaaaaaaaaa') %}{% for a in range(99) %}"
    "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor "
    "%}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
    "{% set l = [] %}{% set x = l.append(l) %}{{ l }}",
    "{% set l = [] %}{% set x = l.append(l) %}{{ l | tojson }}{{ l == [l] }}",
    "{% set l = [1] %}{% for a in l %}{% set x = l.append(1) %}{% endfor %}{{ 'x' * 999999999 }}",
    "{% set s = 'a' * 999999 %}{% for i in range(99999) %}{{ 'aaaaab' in s }}{% endfor %}",
    "{% set s = 'a' * 999999 %}{% for i in range(99999) %}{{ s | upper | length }}{% endfor %}",
    "{% set s = 'a' * 999999 %}{% for i in range(99999) %}{% if s == s ~ '' %}{% endif %}{% endfor "
    "%}",
    "{% set s = 'ab' * 499999 %}{% for i in range(99999) %}{{ s.split('b') | join('c') }}{% endfor "
    "%}",
    "{% set s = 'ab' * 499999 %}{% for i in range(99999) %}{{ s.strip('ba' * 9999) }}{% endfor %}",
    "{{ 10 ** 10 ** 10 }}",
    "{{ 9223372036854775807 + 1 }}",
    "{{ -9223372036854775 * 99999999 }}",
    "{{ 'x' | indent(999999999) | indent(999999999) }}{{ [1] * 999999999 }}",
    "{{ range(100001) }}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    gint64 begin = g_get_monotonic_time ();
    Fixture f = { 0 };

    set_up (&f, NULL);
    g_assert_null (run (&f, texts[i]));
    g_assert_cmpuint (f.error->domain, ==, PT_ERROR);
    g_test_message ("%.60s: %.0f ms", texts[i], (double) (g_get_monotonic_time () - begin) / 1000);
    tear_down (&f, NULL);
  }
}

/** Too deep nesting is rejected before the evaluation. */
static void
test_depth (void)
{
  static const struct {
    const char *begin, *middle, *end;
  } nests[] = {
    { "{{ ", "(", "" },         { "{{ ", "[", "" },         { "{{ ", "not ", "" },
    { "{{ ", "-", "" },         { "{{ 1", " + 1", " }}" },  { "{{ x", ".y", " }}" },
    { "{{ x", "|list", " }}" }, { "{{ x", " if x", " }}" }, { "{{ 1", " and 1", " }}" },
    { "", "{% if x %}", "" },   { "{{ x", "[0]", " }}" },   { "{{ 1", " if x else 1", " }}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (nests); i++) {
    g_autoptr (GString) text = g_string_new (nests[i].begin);
    Fixture f = { 0 };

    for (guint k = 0; k < 20000; k++)
      g_string_append (text, nests[i].middle);
    g_string_append (text, nests[i].end);
    set_up (&f, NULL);
    g_assert_null (run (&f, text->str));
    g_assert_true (g_error_matches (f.error, PT_ERROR, PT_ERROR_UNSUPPORTED) ||
                   g_error_matches (f.error, PT_ERROR, PT_ERROR_FORMAT));
    tear_down (&f, NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/jinja/constructs", test_constructs);
  g_test_add_func ("/text/jinja/sources", test_sources);
  g_test_add ("/text/jinja/offsets", Fixture, NULL, set_up, test_offsets, tear_down);
  g_test_add_func ("/text/jinja/bounds", test_bounds);
  g_test_add_func ("/text/jinja/depth", test_depth);
  return g_test_run ();
}
