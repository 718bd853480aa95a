/* SPDX-License-Identifier: BSD-3-Clause */

/* The report of PT_JOB_PRIVACY: its references, texts with labels in them, and its JSON. */

#include <pteris/embed.h>

#include "engine/base/heap.h"
#include "engine/base/json.h"

PtPrivacyReport *
pt_privacy_report_ref (const PtPrivacyReport *report)
{
  if (report->owner != NULL)
    pt_heap_ref (report->owner);
  return (PtPrivacyReport *) report;
}

void
pt_privacy_report_unref (PtPrivacyReport *report)
{
  if (report != NULL && report->owner != NULL)
    pt_heap_unref (report->owner);
}

char *
pt_privacy_replace (const PtPrivacyText *text)
{
  GString *out = g_string_new (NULL);
  gsize at = 0;

  for (guint i = 0; i < text->n_spans; i++) {
    const PtPrivacySpan *span = &text->spans[i];

    g_string_append_len (out, text->text + at, (gssize) (span->start - at));
    g_string_append_printf (out, "[%s]", span->label);
    at = span->end;
  }
  g_string_append (out, text->text + at);
  return g_string_free (out, FALSE);
}

/* ---- JSON ---- */

static json_t *
describe_spans (const PtPrivacyText *text)
{
  json_t *spans = json_array ();

  for (guint i = 0; i < text->n_spans; i++) {
    const PtPrivacySpan *span = &text->spans[i];
    g_autofree char *part = g_strndup (text->text + span->start, span->end - span->start);

    json_array_append_new (
        spans, json_pack ("{s:I, s:I, s:o, s:f, s:o}", "start", (json_int_t) span->start, "end",
                          (json_int_t) span->end, "label", pt_json_text (span->label),
                          "probability", span->probability, "text", pt_json_text (part)));
  }
  return spans;
}

static json_t *
describe_text (const PtPrivacyText *text, guint i)
{
  g_autofree char *replaced = NULL;

  if (text->error != NULL)
    return json_pack ("{s:I, s:o}", "index", (json_int_t) i, "error", pt_json_text (text->error));
  replaced = pt_privacy_replace (text);
  return json_pack ("{s:I, s:I, s:f, s:o, s:o}", "index", (json_int_t) i, "tokens",
                    (json_int_t) text->n_tokens, "elapsed_s", text->elapsed_s, "replaced",
                    pt_json_text (replaced), "spans", describe_spans (text));
}

char *
pt_privacy_report_to_json (const PtPrivacyReport *report)
{
  json_t *texts = json_array ();
  guint n_failed = 0;

  for (guint i = 0; i < report->n_texts; i++) {
    n_failed += report->texts[i].error != NULL;
    json_array_append_new (texts, describe_text (&report->texts[i], i));
  }
  return pt_json_steal_text (
      json_pack ("{s:o, s:o, s:f, s:o, s:b, s:I}", "model", pt_json_text (report->model), "device",
                 pt_json_text (report->device), "load_s", report->load_s, "texts", texts, "ok",
                 n_failed == 0, "failed", (json_int_t) n_failed));
}
