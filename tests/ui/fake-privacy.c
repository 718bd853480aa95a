/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-privacy.h"

#include <string.h>

static const struct {
  const char *text, *label;
} WORDS[] = { { "Alice", "private_person" },
              { "alice", "private_person" },
              { "fellow", "private_person" },
              { "hunter2", "secret" } };

static gboolean
find_next (const char *text, gsize from, PtPrivacySpan *span)
{
  gboolean found = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (WORDS); i++) {
    const char *at = strstr (text + from, WORDS[i].text);
    gsize start = at != NULL ? (gsize) (at - text) : 0;

    if (at == NULL || (found && start > span->start))
      continue;
    *span = (PtPrivacySpan){ start, start + strlen (WORDS[i].text), WORDS[i].label, 0.9 };
    found = TRUE;
  }
  return found;
}

static PtPrivacyText
read_text (const char *given)
{
  PtPrivacyText text = { .text = g_intern_string (given) };
  PtPrivacySpan *spans = g_new0 (PtPrivacySpan, strlen (given) + 1);
  gsize at = 0;

  if (strstr (given, "unreadable") != NULL)
    text.error = "The text cannot be read.";
  while (text.error == NULL && find_next (given, at, &spans[text.n_spans]))
    at = spans[text.n_spans++].end;
  text.spans = spans;
  return text;
}

const PtPrivacyReport *
fake_privacy_report (const char *const *texts)
{
  PtPrivacyReport *report = g_new0 (PtPrivacyReport, 1);
  guint n = g_strv_length ((char **) texts);
  PtPrivacyText *read = g_new0 (PtPrivacyText, n + 1);

  for (guint i = 0; i < n; i++)
    read[i] = read_text (texts[i]);
  report->model = "privacy-filter";
  report->device = "CPU";
  report->n_texts = n;
  report->texts = read;
  return report;
}
