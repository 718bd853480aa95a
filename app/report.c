/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report.h"

#include <string.h>

#include "engine/base/clean.h"

typedef struct {
  const PterisOptions *options;
  int (*show) (const json_t *report);
  int status;
} Report;

static char *
clean_name (const char *name)
{
  return pt_clean_text (name, NULL, ' ');
}

/* A copy whose texts and names are of one line each, whatever the file says. */
static json_t *
clean_report (const json_t *json)
{
  json_t *copy, *member;
  const char *name;
  size_t i;

  if (json_is_string (json)) {
    g_autofree char *text = clean_name (json_string_value (json));

    return json_string (text);
  }
  if (json_is_array (json)) {
    copy = json_array ();
    json_array_foreach (json, i, member)
      json_array_append_new (copy, clean_report (member));
    return copy;
  }
  if (!json_is_object (json))
    return json_copy ((json_t *) json);
  copy = json_object ();
  json_object_foreach ((json_t *) json, name, member) {
    g_autofree char *key = clean_name (name);

    json_object_set_new (copy, key, clean_report (member));
  }
  return copy;
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Report *report = user_data;
  json_t *json;

  if (event->kind != PT_EVENT_REPORT)
    return;
  json = json_loads (event->text, 0, NULL);
  if (report->options->json) {
    pteris_put_json (event->text);
  } else if (json != NULL) {
    json_t *clean = clean_report (json);

    report->status = report->show (clean);
    json_decref (clean);
  }
  json_decref (json);
}

int
pteris_report_run (const PterisOptions *options, const PtJob *job,
                   int (*show) (const json_t *report))
{
  g_autoptr (PterisCli) cli = pteris_cli_new (options);
  Report report = { options, show, PTERIS_EXIT_DONE };
  int status = pteris_cli_run (cli, job, on_event, &report);

  return status == PTERIS_EXIT_DONE ? report.status : status;
}

typedef struct {
  gboolean json;
  int (*show) (const PtEvent *event, gboolean json);
  int status;
} Shown;

static void
on_shown (const PtEvent *event, gpointer user_data)
{
  Shown *shown = user_data;

  if (event->kind == PT_EVENT_REPORT)
    shown->status = shown->show (event, shown->json);
}

int
pteris_report_show (const PterisOptions *options, const PtJob *job,
                    int (*show) (const PtEvent *event, gboolean json))
{
  g_autoptr (PterisCli) cli = pteris_cli_new (options);
  Shown shown = { options->json, show, PTERIS_EXIT_DONE };
  int status = pteris_cli_run (cli, job, on_shown, &shown);

  return status == PTERIS_EXIT_DONE ? shown.status : status;
}

const char *
pteris_report_text (const json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));

  return text != NULL ? text : "";
}

double
pteris_report_number (const json_t *object, const char *key)
{
  return json_number_value (json_object_get (object, key));
}

gboolean
pteris_report_flag (const json_t *object, const char *key)
{
  return json_is_true (json_object_get (object, key));
}

char *
pteris_report_value (const json_t *described)
{
  const json_t *shape = json_object_get (described, "shape");
  const json_t *value = json_object_get (described, "value");
  g_autoptr (GString) text = g_string_new (NULL);

  if (shape == NULL) {
    g_string_append (text, pteris_report_text (described, "kind"));
    if (value != NULL && !json_is_null (value)) {
      char *plain = json_dumps (value, JSON_ENCODE_ANY | JSON_REAL_PRECISION (6));

      g_string_append_printf (text, " %s", plain != NULL ? plain : "");
      free (plain);
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
  }
  g_string_append_printf (text, "%s [", pteris_report_text (described, "dtype"));
  for (gsize i = 0; i < json_array_size (shape); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            (gint64) json_integer_value (json_array_get (shape, i)));
  g_string_append_c (text, ']');
  if (pteris_report_flag (described, "dynamic"))
    g_string_append (text, " at most");
  return g_string_free (g_steal_pointer (&text), FALSE);
}
