/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <pteris/engine.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/embed/embedder.h"
#include "engine/tasks/embed/privacy-filter.h"
#include "engine/tasks/embed/privacy-labels.h"
#include "engine/tasks/embed/viterbi.h"

/* Vectors of texts and names in texts, with small models; programs that return something else. */

static char *
data_path (const char *folder, const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", folder, name, NULL);
}

static PtEmbedder *
open_embedder (const char *program, const char *tokenizer, GError **error)
{
  const PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  g_autoptr (PtModelSet) set =
      pt_model_set_find (program, NULL, tokenizer, NULL, "text-embedding", error);

  return set != NULL ? pt_embedder_new (set, &job, error) : NULL;
}

static PtEmbedReport *
embed (PtEmbedder *embedder, const char *const *texts, guint n_queries, gboolean normalize)
{
  const PtEmbedOptions options = { texts, n_queries, normalize };
  g_autoptr (GError) error = NULL;
  PtEmbedReport *report = pt_embedder_run (embedder, &options, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  return report;
}

/* The error for the first text of a program that returns something else. */
static void
check_misfit (const char *name, const char *says)
{
  const char *texts[] = { "hello world", NULL };
  g_autofree char *program = data_path ("embed-misfits", name);
  g_autofree char *folder = data_path ("embed", "bert-embedding");
  g_autofree char *tokenizer = g_build_filename (folder, "tokenizer.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtEmbedder) embedder = open_embedder (program, tokenizer, &error);
  g_autoptr (PtEmbedReport) report = NULL;

  g_assert_no_error (error);
  report = embed (embedder, texts, 0, FALSE);
  g_assert_nonnull (report->embeddings[0].error);
  g_assert_nonnull (strstr (report->embeddings[0].error, says));
  g_assert_cmpuint (report->dimension, ==, 0);
  g_assert_false (report->normalized);
}

static void
test_misfits (void)
{
  check_misfit ("nan.pte", "NaN");
  check_misfit ("rows.pte", "3 rows of numbers for");
  check_misfit ("one.pte", "takes 1 tokens");
}

static void
test_other_family (void)
{
  const PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  g_autofree char *filter = data_path ("embed", "privacy-filter");
  g_autofree char *vectors = data_path ("embed", "clip-text");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) first = pt_model_set_find (filter, NULL, NULL, NULL, NULL, &error);
  g_autoptr (PtModelSet) second = pt_model_set_find (vectors, NULL, NULL, NULL, NULL, &error);

  g_assert_null (pt_embedder_new (first, &job, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_assert_null (pt_privacy_filter_new (second, &job, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  /* Vectors are no labels, and labels for each token are not one vector. */
  pt_model_set_free (g_steal_pointer (&second));
  second = pt_model_set_find (vectors, NULL, NULL, NULL, "token-classifier", &error);
  g_assert_null (pt_privacy_filter_new (second, &job, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

/* Labels are told from vectors by their number, without a name and for any number of tokens. */
static void
test_unnamed_labels (void)
{
  g_autofree char *path = data_path ("embed-misfits", "labels.pte");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = pt_model_set_find (path, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (set->family, ==, PT_FAMILY_TOKEN_CLASSIFIER);
}

/* A copy of the tokenizer of @folder without the members @a and @b; its path. */
static char *
without (const char *folder, const char *a, const char *b, const char *out)
{
  g_autofree char *from = g_build_filename (folder, "tokenizer.json", NULL);
  g_autoptr (json_t) json = pt_json_load (from, 1 << 20, NULL);
  g_autofree char *text = NULL;
  char *path = g_build_filename (out, "tokenizer.json", NULL);

  json_object_del (json, a);
  json_object_del (json, b);
  text = pt_json_steal_text (g_steal_pointer (&json));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* A method of fixed length gets padding, whatever the tokenizer says of it. */
static void
test_no_padding (void)
{
  const char *texts[] = { "hello world", "", NULL };
  g_autofree char *folder = data_path ("embed", "clip-text");
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *own = g_build_filename (folder, "tokenizer.json", NULL);
  g_autofree char *temporary = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *bare = without (folder, "padding", "truncation", temporary);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtEmbedder) first = open_embedder (program, own, &error);
  g_autoptr (PtEmbedder) second = open_embedder (program, bare, &error);
  g_autoptr (PtEmbedReport) a = NULL, b = NULL;

  g_assert_no_error (error);
  a = embed (first, texts, 0, FALSE);
  b = embed (second, texts, 0, FALSE);
  for (guint i = 0; i < 2; i++) {
    g_assert_null (b->embeddings[i].error);
    g_assert_cmpmem (a->embeddings[i].values, a->dimension * sizeof (float),
                     b->embeddings[i].values, b->dimension * sizeof (float));
  }
  g_assert_cmpuint (b->embeddings[1].n_tokens, ==, 2);
  g_remove (bare);
  g_rmdir (temporary);
}

static void
test_many_vectors (void)
{
  const char *texts[] = { "hello world?", "hello, world!", NULL };
  const PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  g_autofree char *folder = data_path ("embed", "colbert");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = pt_model_set_find (folder, NULL, NULL, NULL, NULL, &error);
  g_autoptr (PtEmbedder) embedder = pt_embedder_new (set, &job, &error);
  g_autoptr (PtEmbedReport) report = NULL;
  guint n_counted = 0;
  double want = 0;

  g_assert_no_error (error);
  report = embed (embedder, texts, 1, FALSE);
  g_assert_true (report->many && report->normalized);
  g_assert_cmpuint (report->n_queries, ==, 1);
  for (guint i = 0; i < report->embeddings[1].n_vectors; i++)
    n_counted += report->embeddings[1].counts[i];
  g_assert_cmpuint (n_counted + 2, ==, report->embeddings[1].n_vectors);
  for (guint i = 0; i < report->embeddings[0].n_vectors; i++) {
    double best = -1;

    for (guint k = 0; k < report->embeddings[1].n_vectors; k++)
      if (report->embeddings[1].counts[k])
        best = MAX (best, pt_embed_dot (report->embeddings[0].values + i * report->dimension,
                                        report->embeddings[1].values + k * report->dimension,
                                        report->dimension));
    want += best;
  }
  g_assert_cmpfloat_with_epsilon (pt_embed_report_similarity (report, 0, 1), want, 1e-9);
}

static void
test_json (void)
{
  const char *texts[] = { "hello", NULL };
  g_autofree char *program = data_path ("embed", "bert-embedding");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtEmbedder) embedder = open_embedder (program, NULL, &error);
  g_autoptr (PtEmbedReport) report = embed (embedder, texts, 0, TRUE);
  g_autofree char *text = pt_embed_report_to_json (report);
  g_autoptr (json_t) json = pt_json_parse ("report", text, strlen (text), &error);
  const json_t *data = json_array_get (json_object_get (json, "data"), 0);

  g_assert_no_error (error);
  g_assert_true (json_is_true (json_object_get (json, "ok")));
  for (guint i = 0; i < report->dimension; i++)
    g_assert_true ((float) json_real_value (json_array_get (json_object_get (data, "embedding"),
                                                            i)) == report->embeddings[0].values[i]);
}

/* ---- through the engine ---- */

typedef struct {
  GMainLoop *loop;
  PtEventKind last;
  PtEmbedReport *embedded;
  PtPrivacyReport *privacy;
  PtLookResult *look;
} Heard;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Heard *heard = user_data;

  if (event->embedded != NULL)
    heard->embedded = pt_embed_report_ref (event->embedded);
  if (event->privacy != NULL)
    heard->privacy = pt_privacy_report_ref (event->privacy);
  if (event->look != NULL)
    heard->look = pt_look_result_ref (event->look);
  heard->last = event->kind;
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED)
    g_main_loop_quit (heard->loop);
}

static double
embed_by_job (PtEngine *engine, Heard *heard, const PtJob *job)
{
  double load_s;

  pt_engine_submit (engine, job);
  g_main_loop_run (heard->loop);
  g_assert_cmpint (heard->last, ==, PT_EVENT_DONE);
  load_s = heard->embedded->load_s;
  g_clear_pointer (&heard->embedded, pt_embed_report_unref);
  return load_s;
}

static void
test_jobs (void)
{
  const char *texts[] = { "hello", NULL };
  g_autofree char *vectors = data_path ("embed", "bert-embedding");
  g_autofree char *filter = data_path ("embed", "privacy-filter");
  Heard heard = { .loop = g_main_loop_new (NULL, FALSE) };
  g_autoptr (PtEngine) engine = pt_engine_new (NULL, on_event, &heard);
  PtJob job = PT_JOB_INIT (PT_JOB_EMBED), unload = PT_JOB_INIT (PT_JOB_UNLOAD);

  job.model.path = vectors;
  job.embed.texts = job.privacy.texts = texts;
  g_assert_cmpfloat (embed_by_job (engine, &heard, &job), >, 0);
  g_assert_cmpfloat (embed_by_job (engine, &heard, &job), ==, 0);
  pt_engine_submit (engine, &unload);
  g_main_loop_run (heard.loop);
  g_assert_cmpfloat (embed_by_job (engine, &heard, &job), >, 0);
  job.kind = PT_JOB_PRIVACY;
  job.model.path = filter;
  pt_engine_submit (engine, &job);
  g_main_loop_run (heard.loop);
  g_assert_cmpint (heard.last, ==, PT_EVENT_DONE);
  g_assert_cmpstr (heard.privacy->texts[0].text, ==, "hello");
  g_clear_pointer (&heard.privacy, pt_privacy_report_unref);
  texts[0] = NULL;
  pt_engine_submit (engine, &job);
  g_main_loop_run (heard.loop);
  g_assert_cmpint (heard.last, ==, PT_EVENT_FAILED);
  g_main_loop_unref (heard.loop);
}

/* ---- the two halves of CLIP ---- */

static void
copy_to (const char *from, const char *folder, const char *name)
{
  g_autofree char *to = g_build_filename (folder, name, NULL), *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (from, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (to, contents, (gssize) length, NULL));
}

/* The dot product of @values with the numbers of @vector. */
static double
product (const float *values, gsize n, const json_t *vector)
{
  double sum = 0;

  g_assert_cmpuint (json_array_size (vector), ==, n);
  for (gsize i = 0; i < n; i++)
    sum += values[i] * json_number_value (json_array_get (vector, i));
  return sum;
}

/* The same with the model loaded once, for texts that change. */
static void
check_loaded_clip (PtEngine *engine, Heard *heard, PtJob *job, double similarity)
{
  const char *const texts[] = { "another", job->vision.texts[0], NULL };
  const char *const *lists[] = { job->vision.texts, NULL, texts, texts };
  const int places[] = { 0, -1, 1, 1 };

  job->kind = PT_JOB_LOAD;
  pt_engine_submit (engine, job);
  g_main_loop_run (heard->loop);
  g_assert_cmpint (heard->last, ==, PT_EVENT_DONE);
  job->kind = PT_JOB_LOOK;
  job->model.path = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    job->vision.texts = lists[i];
    pt_engine_submit (engine, job);
    g_main_loop_run (heard->loop);
    g_assert_cmpint (heard->last, ==, PT_EVENT_DONE);
    g_assert_cmpuint (heard->look->pictures[0].n_similarities, ==, places[i] < 0 ? 0 : 2);
    if (places[i] >= 0)
      g_assert_cmpfloat_with_epsilon (heard->look->pictures[0].similarities[places[i]].similarity,
                                      similarity, 2e-3);
    g_clear_pointer (&heard->look, pt_look_result_unref);
  }
}

/* Lets @path, which is a part of CLIP, make the vector of the text of @text, and compare it with
 * the picture whose vector is @image. */
static void
check_clip (PtEngine *engine, Heard *heard, const char *path, const json_t *text,
            const json_t *image)
{
  const char *texts[] = { pt_json_string (text, "text"), "another", NULL };
  g_autofree char *look = data_path ("vision", "look");
  g_autofree char *picture = g_build_filename (look, "picture.png", NULL);
  const char *images[] = { picture, NULL };
  const json_t *vector = json_array_get (json_object_get (text, "vectors"), 0);
  PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  double similarity;

  job.model.path = path;
  job.embed.texts = texts;
  pt_engine_submit (engine, &job);
  g_main_loop_run (heard->loop);
  if (heard->last != PT_EVENT_DONE)
    g_error ("%s makes no vectors of texts", path);
  g_assert_cmpfloat_with_epsilon (product (heard->embedded->embeddings[0].values, 64, vector), 1,
                                  1e-3);
  similarity = product (heard->embedded->embeddings[0].values, 64, image);
  g_clear_pointer (&heard->embedded, pt_embed_report_unref);

  job.kind = PT_JOB_LOOK;
  job.vision.images = images;
  job.vision.texts = texts;
  pt_engine_submit (engine, &job);
  g_main_loop_run (heard->loop);
  if (heard->last != PT_EVENT_DONE)
    g_error ("%s does not look at pictures", path);
  g_assert_cmpuint (heard->look->pictures[0].n_similarities, ==, 2);
  g_assert_cmpfloat_with_epsilon (product (heard->look->pictures[0].vector, 64, image), 1, 1e-3);
  g_assert_cmpfloat_with_epsilon (heard->look->pictures[0].similarities[0].similarity, similarity,
                                  2e-3);
  g_clear_pointer (&heard->look, pt_look_result_unref);
  check_loaded_clip (engine, heard, &job, similarity);
}

/* Every file and folder of CLIP serves both for texts and for pictures. */
static void
test_clip (void)
{
  static const char *const PATHS[] = { ".", "xnnpack", "xnnpack/clip_image_xnnpack_fp32.pte",
                                       "xnnpack/clip_image_xnnpack_int8.pte",
                                       "xnnpack/clip_text_xnnpack_fp32.pte" };
  static const char *const FILES[] = { "README.md", "tokenizer.json" };
  g_autofree char *half = data_path ("embed", "clip-text"), *look = data_path ("vision", "look");
  g_autofree char *text = g_build_filename (half, "model.pte", NULL);
  g_autofree char *tokenizer = g_build_filename (half, "tokenizer.json", NULL);
  g_autofree char *case_path = g_build_filename (half, "case.json", NULL);
  g_autofree char *image = g_build_filename (look, "clip", "image.pte", NULL);
  g_autofree char *expected = g_build_filename (look, "clip", "expected.json", NULL);
  g_autofree char *root = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *inside = g_build_filename (root, "xnnpack", NULL);
  g_autoptr (json_t) texts = pt_json_load (case_path, 1 << 20, NULL);
  g_autoptr (json_t) vector = pt_json_load (expected, 1 << 20, NULL);
  Heard heard = { .loop = g_main_loop_new (NULL, FALSE) };
  g_autoptr (PtEngine) engine = pt_engine_new (NULL, on_event, &heard);

  g_assert_cmpint (g_mkdir (inside, 0700), ==, 0);
  copy_to (case_path, root, FILES[0]);
  copy_to (tokenizer, root, FILES[1]);
  copy_to (image, root, PATHS[2]);
  copy_to (image, root, PATHS[3]);
  copy_to (text, root, PATHS[4]);
  for (gsize i = 0; i < G_N_ELEMENTS (PATHS); i++) {
    g_autofree char *path = g_build_filename (root, PATHS[i], NULL);

    check_clip (engine, &heard, path, json_array_get (json_object_get (texts, "embeddings"), 0),
                vector);
  }
  /* Windows removes no file of a loaded model. */
  g_clear_pointer (&engine, pt_engine_free);
  for (gsize i = G_N_ELEMENTS (PATHS) - 1; i >= 1; i--) {
    g_autofree char *path = g_build_filename (root, PATHS[i], NULL);

    g_assert_cmpint (g_remove (path), ==, 0);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (FILES); i++) {
    g_autofree char *path = g_build_filename (root, FILES[i], NULL);

    g_remove (path);
  }
  g_rmdir (root);
  g_main_loop_unref (heard.loop);
}

/* One of three engines that work at the same time. */
typedef struct {
  guint n_left; /* jobs that have not ended */
  float *first; /* [dimension]: the vector of the first job */
} Beside;

static void
on_event_beside (const PtEvent *event, gpointer user_data)
{
  Beside *beside = user_data;

  g_assert_cmpint (event->kind, !=, PT_EVENT_FAILED);
  beside->n_left -= event->kind == PT_EVENT_DONE;
  if (event->embedded != NULL) {
    gsize size = sizeof (float) * event->embedded->dimension;

    if (beside->first == NULL)
      beside->first = g_memdup2 (event->embedded->embeddings[0].values, size);
    g_assert_cmpmem (event->embedded->embeddings[0].values, size, beside->first, size);
  }
}

/* Engines of all cores, of one core, and one that gives way: all give the same numbers. */
static void
test_beside (void)
{
  const char *texts[] = { "what is the fox and the dog, and again and again?", NULL };
  g_autofree char *folder = data_path ("embed", "bert-embedding");
  const PtEngineOptions options[] = {
    PT_ENGINE_OPTIONS_INIT,
    { .size = sizeof (PtEngineOptions), .n_threads = 1 },
    { .size = sizeof (PtEngineOptions), .gives_way = TRUE },
  };
  Beside beside[G_N_ELEMENTS (options)] = { 0 };
  PtEngine *engines[G_N_ELEMENTS (options)];
  PtJob job = PT_JOB_INIT (PT_JOB_EMBED);

  job.model.path = folder;
  job.embed.texts = texts;
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    beside[i].n_left = 40;
    engines[i] = pt_engine_new_with_options (&options[i], NULL, on_event_beside, &beside[i]);
  }
  for (guint i = 0; i < 40 * G_N_ELEMENTS (options); i++)
    pt_engine_submit (engines[i % G_N_ELEMENTS (options)], &job);
  while (beside[0].n_left + beside[1].n_left + beside[2].n_left > 0)
    g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    g_assert_cmpmem (beside[0].first, 48 * sizeof (float), beside[i].first, 48 * sizeof (float));
    pt_engine_free (engines[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    g_free (beside[i].first);
}

/* ---- pauses ---- */

static void
on_event_paused (const PtEvent *event, gpointer user_data)
{
  GString *ends = user_data;

  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_STOPPED)
    g_string_append_printf (ends, "%" G_GUINT64_FORMAT "%c", event->job,
                            event->kind == PT_EVENT_DONE ? 'd' : 's');
}

static gboolean
on_wait (gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

/* A paused engine begins no job, but its jobs can be cancelled; afterwards it does them in order.
 */
static void
test_paused (void)
{
  const char *texts[] = { "what is the fox?", NULL };
  g_autofree char *folder = data_path ("embed", "bert-embedding");
  g_autoptr (GString) ends = g_string_new (NULL);
  PtEngine *engine = pt_engine_new (NULL, on_event_paused, ends);
  PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  gboolean waited = FALSE;

  job.model.path = folder;
  job.embed.texts = texts;
  pt_engine_set_paused (engine, TRUE);
  for (guint i = 0; i < 3; i++)
    pt_engine_submit (engine, &job);
  g_timeout_add (50, on_wait, &waited);
  while (!waited)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (ends->str, ==, "");
  pt_engine_cancel (engine, 2);
  while (ends->len < 2)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (ends->str, ==, "2s");
  pt_engine_set_paused (engine, FALSE);
  while (ends->len < 6)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (ends->str, ==, "2s1d3d");

  /* It ends although it is paused. */
  pt_engine_set_paused (engine, TRUE);
  pt_engine_submit (engine, &job);
  pt_engine_free (engine);
}

/* ---- labels ---- */

static void
test_labels (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *config = g_build_filename (folder, "config.json", NULL);
  g_auto (GStrv) basic = pt_privacy_labels (folder, 33);
  g_auto (GStrv) detailed = pt_privacy_labels (folder, 221);
  g_auto (GStrv) numbered = pt_privacy_labels (folder, 9);
  g_auto (GStrv) named = NULL;

  g_assert_cmpstr (basic[0], ==, "O");
  g_assert_cmpstr (basic[17], ==, "B-private_person");
  g_assert_cmpstr (basic[32], ==, "S-secret");
  g_assert_cmpstr (detailed[220], ==, "S-vehicle_identifier");
  g_assert_cmpstr (numbered[5], ==, "B-entity 2");
  g_assert_cmpuint (g_strv_length (numbered), ==, 9);
  g_assert_true (g_file_set_contents (
      config, "{\"id2label\": {\"0\": \"O\", \"1\": \"B-PER\", \"2\": \"I-PER\"}}", -1, NULL));
  named = pt_privacy_labels (folder, 3);
  g_assert_cmpstr (named[2], ==, "I-PER");
  g_remove (config);
  g_rmdir (folder);
}

static void
test_viterbi (void)
{
  static const char *const BIOES[] = {
    "O", "B-a", "I-a", "E-a", "S-a", "B-b", "I-b", "E-b", "S-b"
  };
  static const char *const BIO[] = { "O", "B-a", "I-a" };
  /* The best labels one by one are I-a, E-b, O: none may follow the other. */
  static const float SCORES[] = { 0, 2, 5, 0, 0, 1, 0, 0, 0, /* */
                                  0, 0, 0, 3, 0, 0, 0, 4, 0, /* */
                                  3, 0, 0, 0, 0, 0, 0, 0, 0 };
  static const float FEW[] = { 0, 2, 1, 0, 0, 3, 4, 0, 0 };
  g_autofree PtLabelRole *roles = pt_label_roles (BIOES, 9), *bio = pt_label_roles (BIO, 3);
  guint path[3];

  g_assert_cmpuint (roles[1].entity, ==, roles[4].entity);
  g_assert_cmpuint (roles[1].entity, !=, roles[5].entity);
  pt_viterbi (SCORES, 3, roles, 9, path);
  /* B-a E-a O and B-b E-b O have the sum 8: the first one is taken. */
  g_assert_cmpuint (path[0], ==, 1);
  g_assert_cmpuint (path[1], ==, 3);
  g_assert_cmpuint (path[2], ==, 0);
  pt_viterbi (FEW, 3, bio, 3, path);
  g_assert_cmpuint (path[0], ==, 1);
  g_assert_cmpuint (path[1], ==, 2);
  g_assert_cmpuint (path[2], ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/embed/misfits", test_misfits);
  g_test_add_func ("/embed/other-family", test_other_family);
  g_test_add_func ("/embed/no-padding", test_no_padding);
  g_test_add_func ("/embed/many-vectors", test_many_vectors);
  g_test_add_func ("/embed/json", test_json);
  g_test_add_func ("/embed/jobs", test_jobs);
  g_test_add_func ("/embed/clip", test_clip);
  g_test_add_func ("/embed/beside", test_beside);
  g_test_add_func ("/embed/paused", test_paused);
  g_test_add_func ("/privacy/labels", test_labels);
  g_test_add_func ("/privacy/unnamed-labels", test_unnamed_labels);
  g_test_add_func ("/privacy/viterbi", test_viterbi);
  return g_test_run ();
}
