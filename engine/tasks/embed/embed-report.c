/* SPDX-License-Identifier: BSD-3-Clause */

/* The report of PT_JOB_EMBED: its references, similarities, and its JSON. */

#include <pteris/embed.h>

#include <string.h>

#include "engine/base/heap.h"
#include "engine/base/json.h"

PtEmbedReport *
pt_embed_report_ref (const PtEmbedReport *report)
{
  if (report->owner != NULL)
    pt_heap_ref (report->owner);
  return (PtEmbedReport *) report;
}

void
pt_embed_report_unref (PtEmbedReport *report)
{
  if (report != NULL && report->owner != NULL)
    pt_heap_unref (report->owner);
}

double
pt_embed_dot (const float *a, const float *b, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

/* The largest dot product of @vector with one of @embedding that counts. */
static double
best_of (const float *vector, const PtEmbedding *embedding, guint width)
{
  gboolean any = FALSE;
  double best = 0;

  for (guint i = 0; i < embedding->n_vectors; i++) {
    double product;

    if (embedding->counts != NULL && !embedding->counts[i])
      continue;
    product = pt_embed_dot (vector, embedding->values + (gsize) i * width, width);
    best = any ? MAX (best, product) : product;
    any = TRUE;
  }
  return best;
}

double
pt_embed_report_similarity (const PtEmbedReport *report, guint a, guint b)
{
  const PtEmbedding *first, *second;
  double sum = 0;

  g_return_val_if_fail (a < report->n_embeddings && b < report->n_embeddings, 0);
  first = &report->embeddings[a];
  second = &report->embeddings[b];
  if (first->error != NULL || second->error != NULL)
    return 0;
  for (guint i = 0; i < first->n_vectors; i++)
    sum += best_of (first->values + (gsize) i * report->dimension, second, report->dimension);
  return sum;
}

/* ---- JSON ---- */

static void
put_vector (GString *out, const float *vector, guint n)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (out, '[');
  for (guint i = 0; i < n; i++) {
    g_ascii_formatd (number, sizeof number, "%.9g", vector[i]);
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", number);
  }
  g_string_append_c (out, ']');
}

static void
put_vectors (GString *out, const PtEmbedReport *report, const PtEmbedding *embedding)
{
  if (!report->many) {
    put_vector (out, embedding->values, report->dimension);
    return;
  }
  g_string_append_c (out, '[');
  for (guint i = 0; i < embedding->n_vectors; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    put_vector (out, embedding->values + (gsize) i * report->dimension, report->dimension);
  }
  g_string_append_c (out, ']');
}

char *
pt_embed_report_vector_to_json (const PtEmbedReport *report, guint i)
{
  GString *out;

  g_return_val_if_fail (i < report->n_embeddings, NULL);
  if (report->embeddings[i].error != NULL)
    return NULL;
  out = g_string_new (NULL);
  put_vectors (out, report, &report->embeddings[i]);
  return g_string_free (out, FALSE);
}

/* Appends the members of @json, which is freed, without the braces. */
static void
put_members (GString *out, json_t *json)
{
  g_autofree char *text = pt_json_steal_text (json);
  gsize length = strlen (text);

  g_string_append_len (out, text + 1, (gssize) length - 2);
}

static void
put_embedding (GString *out, const PtEmbedReport *report, guint i)
{
  const PtEmbedding *embedding = &report->embeddings[i];

  g_string_append_printf (out, "%s{\"object\": \"embedding\", ", i > 0 ? ", " : "");
  if (embedding->error != NULL) {
    put_members (out, json_pack ("{s:I, s:o}", "index", (json_int_t) i, "error",
                                 pt_json_text (embedding->error)));
    g_string_append_c (out, '}');
    return;
  }
  put_members (out, json_pack ("{s:I, s:I, s:b, s:f}", "index", (json_int_t) i, "tokens",
                               (json_int_t) embedding->n_tokens, "truncated", embedding->truncated,
                               "elapsed_s", embedding->elapsed_s));
  g_string_append (out, ", \"embedding\": ");
  put_vectors (out, report, embedding);
  if (report->many) {
    g_string_append (out, ", \"counts\": [");
    for (guint k = 0; k < embedding->n_vectors; k++)
      g_string_append_printf (out, "%s%s", k > 0 ? ", " : "",
                              embedding->counts[k] ? "true" : "false");
    g_string_append_c (out, ']');
  }
  g_string_append_c (out, '}');
}

char *
pt_embed_report_to_json (const PtEmbedReport *report)
{
  GString *out = g_string_new ("{");
  guint n_failed = 0;

  put_members (out, json_pack ("{s:s, s:o, s:o, s:f, s:I, s:b}", "object", "list", "model",
                               pt_json_text (report->model), "device",
                               pt_json_text (report->device), "load_s", report->load_s, "dimension",
                               (json_int_t) report->dimension, "normalized", report->normalized));
  g_string_append (out, ", \"data\": [");
  for (guint i = 0; i < report->n_embeddings; i++) {
    n_failed += report->embeddings[i].error != NULL;
    put_embedding (out, report, i);
  }
  g_string_append_printf (out, "], \"ok\": %s, \"failed\": %u}", n_failed == 0 ? "true" : "false",
                          n_failed);
  return g_string_free (out, FALSE);
}
