/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris embed: vectors of texts, and how alike texts are. */

#include "app/cli.h"
#include "engine/base/clean.h"

/* Characters of a text in a table. */
#define MAX_SHOWN 48
/* The similarities of at most this many texts are shown as a table, with a column for each. */
#define MAX_COLUMNS 64

typedef struct {
  gboolean json, compare;
  char **texts;
  int status;
} Embed;

static char *
shorten (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *clean = pt_clean_text (valid, NULL, ' ');
  g_autofree char *part = NULL;

  if (g_utf8_strlen (clean, -1) <= MAX_SHOWN)
    return g_steal_pointer (&clean);
  part = g_utf8_substring (clean, 0, MAX_SHOWN - 1);
  return g_strconcat (part, "…", NULL);
}

/* A row for every text that is not a query, or for all; a column for every query, or for all. */
static void
show_table (const Embed *self, const PtEmbedReport *report)
{
  guint n = report->n_embeddings, n_columns = report->n_queries > 0 ? report->n_queries : n;
  guint first = report->n_queries > 0 && report->n_queries < n ? report->n_queries : 0;

  for (guint i = first; i < n; i++) {
    g_autofree char *text = shorten (self->texts[i]);
    g_autoptr (GString) line = g_string_new (NULL);

    if (report->embeddings[i].error != NULL)
      continue;
    for (guint k = 0; k < n_columns; k++)
      if (report->embeddings[k].error != NULL)
        g_string_append (line, "       -  ");
      else
        g_string_append_printf (line, "%8.4f  ", pt_embed_report_similarity (report, k, i));
    pteris_put_line ("%s%s", line->str, text);
  }
}

static void
show_vectors (const PtEmbedReport *report)
{
  for (guint i = 0; i < report->n_embeddings; i++) {
    g_autofree char *text = pt_embed_report_vector_to_json (report, i);

    pteris_put_json (text != NULL ? text : "null");
  }
}

static void
complain_about (const PtEmbedReport *report)
{
  guint n_cut = 0;

  for (guint i = 0; i < report->n_embeddings; i++) {
    n_cut += report->embeddings[i].truncated;
    if (report->embeddings[i].error != NULL)
      pteris_complain ("text %u: %s", i + 1, report->embeddings[i].error);
  }
  if (n_cut > 0)
    pteris_note ("%u of %u texts are longer than the model reads; the rest of them was left out.",
                 n_cut, report->n_embeddings);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Embed *self = user_data;
  const PtEmbedReport *report = event->embedded;

  if (event->kind != PT_EVENT_REPORT || report == NULL)
    return;
  if (self->json) {
    g_autofree char *text = pt_embed_report_to_json (report);

    pteris_put_json (text);
  } else if (self->compare) {
    show_table (self, report);
  } else {
    show_vectors (report);
  }
  complain_about (report);
  for (guint i = 0; i < report->n_embeddings; i++)
    if (report->embeddings[i].error != NULL)
      self->status = PTERIS_EXIT_FAILED;
}

static int
run (const PterisOptions *options, PtJob *job, Embed *self)
{
  g_autoptr (PterisCli) cli = pteris_cli_new (options);
  int status = pteris_cli_run (cli, job, on_event, self);

  return status == PTERIS_EXIT_DONE ? self->status : status;
}

int
pteris_embed_command (int argc, char **argv)
{
  gboolean query = FALSE, normalize = FALSE, compare = FALSE;
  g_autofree char *method = NULL;
  const GOptionEntry entries[] = {
    { "query", 'q', 0, G_OPTION_ARG_NONE, &query,
      "The texts are questions; with --compare only the first one", NULL },
    { "compare", 'c', 0, G_OPTION_ARG_NONE, &compare,
      "Show how alike the texts are instead of their vectors", NULL },
    { "normalize", 0, 0, G_OPTION_ARG_NONE, &normalize, "Scale every vector to length 1", NULL },
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &method, "Method to run; default: forward", "NAME" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "embed MODEL TEXT…", "Make vectors of texts.",
                                     entries, 2, G_MAXUINT, argc, argv);
  g_auto (GStrv) texts = NULL;
  Embed self = { .status = PTERIS_EXIT_DONE };
  PtJob job;

  if (status >= 0)
    return status;
  texts = pteris_read_texts (common.arguments + 1, &status);
  if (texts == NULL)
    return status;
  if (compare && (common.json || g_strv_length (texts) < 2))
    return pteris_usage_error ("embed", common.json ? "--compare prints a table, not JSON."
                                                    : "--compare needs two texts or more.");
  if (compare && !query && g_strv_length (texts) > MAX_COLUMNS)
    return pteris_usage_error (
        "embed", "--compare shows %d texts at most; with --query any number.", MAX_COLUMNS);
  self.json = common.json;
  self.compare = compare;
  self.texts = texts;
  job = pteris_options_job (&common, PT_JOB_EMBED, common.arguments[0]);
  job.model.method = method;
  job.embed.texts = (const char *const *) texts;
  job.embed.n_queries = !query ? 0 : compare ? 1 : G_MAXUINT;
  job.embed.normalize = normalize;
  return run (&common, &job, &self);
}
