/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report.h"

#include <string.h>

typedef struct {
  const PterisOptions *options;
  int (*show) (const json_t *report);
  int status;
} Report;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Report *report = user_data;
  json_t *json;

  if (event->kind != PT_EVENT_REPORT)
    return;
  json = json_loads (event->text, 0, NULL);
  if (report->options->json) {
    pteris_putf ("%s\n", event->text);
    fflush (stdout);
    /* A comparison that failed is a failure in either form. */
    if (json_is_false (json_object_get (json, "ok")) && json_object_get (json, "failed") != NULL)
      report->status = PTERIS_EXIT_FAILED;
  } else if (json != NULL) {
    report->status = report->show (json);
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
