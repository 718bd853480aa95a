/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/conformance/tasks.h"

#include <math.h>
#include <string.h>

#include "engine/tasks/embed/embedder.h"
#include "engine/tasks/embed/privacy-filter.h"

/* Vectors of texts, and names in texts. */

static PtEmbedReport *
embed (TaskCase *c, PtEmbedder *embedder, const char *text, gboolean query)
{
  const char *texts[] = { text, NULL };
  const PtEmbedOptions options = { .texts = texts, .n_queries = query ? 1 : 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtEmbedReport) report = pt_embedder_run (embedder, &options, NULL, NULL, NULL, &error);

  if (report == NULL || report->embeddings[0].error != NULL) {
    task_fail (c, "“%s”: %s", text, report != NULL ? report->embeddings[0].error : error->message);
    return NULL;
  }
  return g_steal_pointer (&report);
}

static gboolean
check_vectors (TaskCase *c, const char *text, const PtEmbedReport *report, const json_t *rows)
{
  const json_t *tolerance = json_object_get (c->root, "tolerance");
  double atol = json_number_value (json_object_get (tolerance, "atol"));
  const PtEmbedding *got = &report->embeddings[0];

  if (got->n_vectors != json_array_size (rows))
    return task_fail (c, "“%s”: %u vectors", text, got->n_vectors);
  for (guint i = 0; i < got->n_vectors; i++) {
    const json_t *row = json_array_get (rows, i);

    if (report->dimension != json_array_size (row))
      return task_fail (c, "“%s”: %u numbers", text, report->dimension);
    for (guint k = 0; k < report->dimension; k++) {
      double number = got->values[(gsize) i * report->dimension + k];
      double want = json_number_value (json_array_get (row, k));

      if (!(fabs (number - want) <= atol))
        return task_fail (c, "“%s”: number %u of vector %u is %g and not %g", text, k, i, number,
                          want);
    }
  }
  return TRUE;
}

/* The "embeddings" of a case: what each text gives as a query and as a document. */
static gboolean
check_embedding (TaskCase *c, PtEmbedder *embedder, const json_t *want)
{
  const char *text = json_string_value (json_object_get (want, "text"));
  g_autoptr (PtEmbedReport) report =
      embed (c, embedder, text, json_is_true (json_object_get (want, "query")));

  if (report == NULL)
    return FALSE;
  if (report->embeddings[0].n_tokens !=
      (guint) json_integer_value (json_object_get (want, "tokens")))
    return task_fail (c, "“%s”: %u tokens", text, report->embeddings[0].n_tokens);
  return check_vectors (c, text, report, json_object_get (want, "vectors"));
}

/* A case without them has the text of a call as its note. */
static gboolean
check_step (TaskCase *c, PtEmbedder *embedder, const json_t *step)
{
  const char *text = json_string_value (json_object_get (step, "note"));
  g_autoptr (PtEmbedReport) report = text != NULL ? embed (c, embedder, text, FALSE) : NULL;

  if (report == NULL)
    return text == NULL;
  return task_same_numbers (c, text, report->embeddings[0].values, PT_DTYPE_F32,
                            (gsize) report->embeddings[0].n_vectors * report->dimension,
                            json_array_get (json_object_get (step, "outputs"), 0));
}

gboolean
task_embedding (TaskCase *c)
{
  const PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtEmbedder) embedder = pt_embedder_new (c->set, &job, &error);
  const json_t *wanted = json_object_get (c->root, "embeddings");
  const json_t *steps = json_object_get (c->root, "steps");
  gboolean ok = TRUE;

  if (embedder == NULL)
    return task_fail (c, "%s", error->message);
  if (json_array_size (wanted) + json_array_size (steps) == 0)
    return task_fail (c, "the case has no texts");
  for (gsize i = 0; ok && i < json_array_size (wanted); i++)
    ok = check_embedding (c, embedder, json_array_get (wanted, i));
  for (gsize i = 0; ok && wanted == NULL && i < json_array_size (steps); i++)
    ok = check_step (c, embedder, json_array_get (steps, i));
  return ok;
}

/* ---- names in texts ---- */

static gboolean
check_spans (TaskCase *c, const PtPrivacyText *got, const json_t *want)
{
  const json_t *spans = json_object_get (want, "spans");

  if (got->error != NULL)
    return task_fail (c, "%s", got->error);
  if (got->n_tokens != (guint) json_integer_value (json_object_get (want, "tokens")) ||
      got->n_spans != json_array_size (spans))
    return task_fail (c, "%u tokens, %u spans", got->n_tokens, got->n_spans);
  for (guint i = 0; i < got->n_spans; i++) {
    const json_t *span = json_array_get (spans, i);

    if ((json_int_t) got->spans[i].start != json_integer_value (json_object_get (span, "start")) ||
        (json_int_t) got->spans[i].end != json_integer_value (json_object_get (span, "end")) ||
        g_strcmp0 (got->spans[i].label, pt_json_string (span, "label")) != 0)
      return task_fail (c, "span %u is %" G_GSIZE_FORMAT "-%" G_GSIZE_FORMAT " %s", i,
                        got->spans[i].start, got->spans[i].end, got->spans[i].label);
  }
  return TRUE;
}

gboolean
task_privacy (TaskCase *c)
{
  const PtJob job = PT_JOB_INIT (PT_JOB_PRIVACY);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtPrivacyFilter) filter = pt_privacy_filter_new (c->set, &job, &error);
  const json_t *wanted = json_object_get (c->root, "privacy");
  gboolean ok = TRUE;

  if (filter == NULL)
    return task_fail (c, "%s", error->message);
  for (gsize i = 0; ok && i < json_array_size (wanted); i++) {
    const json_t *want = json_array_get (wanted, i);
    const char *texts[] = { json_string_value (json_object_get (want, "text")), NULL };
    const PtPrivacyOptions options = { texts };
    g_autoptr (PtPrivacyReport) report =
        pt_privacy_filter_run (filter, &options, NULL, NULL, NULL, &error);

    ok = report != NULL ? check_spans (c, &report->texts[0], want)
                        : task_fail (c, "%s", error->message);
  }
  return ok;
}
