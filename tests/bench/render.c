/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * render: chat templates for conversations. One JSON object a line on standard input: "template"
 * and "variables"; for each a line on standard output: "text", with "data", the part of it that
 * does not come from the template; or "error". tools/compare-templates.py asks it.
 */

#include <stdio.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/text/jinja/jinja.h"

/* 2 July 2024, 09:05:03: what strftime_now() says. */
static GDateTime *
some_time (void)
{
  return g_date_time_new_utc (2024, 7, 2, 9, 5, 3);
}

static json_t *
render_one (const json_t *question, GError **error)
{
  const char *name;
  json_t *value;
  g_autoptr (GDateTime) now = some_time ();
  g_autoptr (GString) data = g_string_new (NULL);
  const char *source = pt_json_string (question, "template");
  g_autoptr (PtJinjaTree) tree = pt_jinja_new (source, strlen (source), error);
  g_autoptr (PtJinjaRender) render = pt_jinja_render_new (now);
  const PtJinjaText *text;

  if (tree == NULL)
    return NULL;
  json_object_foreach (json_object_get (question, "variables"), name, value)
    pt_jinja_set (render, name, pt_jinja_from_json (render, value, PT_JINJA_DATA));
  text = pt_jinja_run (render, tree, error);
  if (text == NULL)
    return NULL;
  for (guint i = 0; i < text->n_spans; i++) {
    gsize begin = i > 0 ? text->spans[i - 1].end : 0;

    if (text->spans[i].source == PT_JINJA_DATA)
      g_string_append_len (data, text->bytes + begin, (gssize) (text->spans[i].end - begin));
  }
  return json_pack ("{s:s%, s:s%}", "text", text->bytes, text->length, "data", data->str,
                    data->len);
}

int
main (void)
{
  g_autofree char *line = g_malloc (64 * 1024 * 1024);

  while (fgets (line, 64 * 1024 * 1024, stdin) != NULL) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) question = json_loads (line, 0, NULL);
    json_t *answer = render_one (question, &error);
    g_autofree char *text = NULL;

    if (answer == NULL)
      answer = json_pack ("{s:s}", "error", error->message);
    text = pt_json_steal_text (answer);
    puts (text);
    fflush (stdout);
  }
  return 0;
}
