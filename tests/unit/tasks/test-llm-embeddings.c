/* SPDX-License-Identifier: BSD-3-Clause */

/* Tiny models that see or hear, embeddings in and ids out: upstream's greedy ids. */

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/llm/llm.h"
#include "engine/text/sampler.h"
#include "tests/unit/tasks/fixtures.h"

#define MAX_MEDIA 64
#define CONTEXT 128

typedef struct {
  PtModule *module;
  PtLlm *llm;
  PtSampler *sampler;
  GArray *before, *after, *expected; /* gint32 */
  GArray *all;                       /* before, names, after */
  char *rows;
  gint32 names[MAX_MEDIA];
  PtLlmEmbeddings media;
} Fixture;

static void
name_media (Fixture *f, const char *folder, guint n)
{
  g_autofree char *path = g_build_filename (folder, "s0_out0.bin", NULL);
  gsize length;

  g_assert_true (g_file_get_contents (path, &f->rows, &length, NULL));
  for (guint i = 0; i < n; i++)
    f->names[i] = -1000 - (gint32) i;
  f->media = (PtLlmEmbeddings){ .rows = f->rows,
                                .dtype = PT_DTYPE_F32,
                                .n = n,
                                .width = length / sizeof (float) / n,
                                .names = f->names };
}

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "chat", name, NULL);
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *case_path = g_build_filename (folder, "case.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) json = pt_json_load (case_path, 1 << 20, &error);
  const json_t *generate = json_object_get (json, "generate");

  g_assert_no_error (error);
  f->before = ids_from_json (json_object_get (generate, "ids_before"));
  f->after = ids_from_json (json_object_get (generate, "ids_after"));
  f->expected = ids_from_json (json_object_get (generate, "generated_ids"));
  name_media (f, folder, (guint) json_integer_value (json_object_get (generate, "encoder_tokens")));
  f->all = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_vals (f->all, f->before->data, f->before->len);
  g_array_append_vals (f->all, f->names, f->media.n);
  g_array_append_vals (f->all, f->after->data, f->after->len);
  f->module = pt_module_open (program, NULL, NULL, &error);
  g_assert_no_error (error);
  f->llm = pt_llm_new (f->module, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_llm_embedding_width (f->llm), ==, f->media.width);
  f->sampler = pt_sampler_new (pt_llm_width (f->llm), NULL);
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  pt_sampler_free (f->sampler);
  pt_llm_free (f->llm);
  pt_module_free (f->module);
  g_array_unref (f->before);
  g_array_unref (f->after);
  g_array_unref (f->expected);
  g_array_unref (f->all);
  g_free (f->rows);
}

/** From @first on, in pieces of at most @most. */
static void
read_media (Fixture *f, guint first, guint most)
{
  gsize size = f->media.width * sizeof (float);

  for (guint i = first; i < f->media.n; i += most) {
    PtLlmEmbeddings piece = f->media;
    g_autoptr (GError) error = NULL;

    piece.rows = f->rows + i * size;
    piece.names = f->names + i;
    piece.n = MIN (most, f->media.n - i);
    pt_llm_read_embeddings (f->llm, &piece, NULL, &error);
    g_assert_no_error (error);
  }
}

/** The generated ids equal those of upstream's runtime. */
static void
check_generation (Fixture *f)
{
  for (guint i = 0; i < f->expected->len; i++) {
    PtDType dtype;
    gconstpointer logits = pt_llm_logits (f->llm, &dtype, NULL);
    gint32 id = pt_sampler_sample (f->sampler, logits, dtype, pt_llm_width (f->llm));

    g_assert_cmpint (id, ==, g_array_index (f->expected, gint32, i));
    if (i + 1 < f->expected->len)
      read_ok (f->llm, &id, 1);
  }
}

static guint
rewind_to (Fixture *f, const GArray *ids)
{
  g_autoptr (GError) error = NULL;
  guint kept;

  pt_llm_rewind (f->llm, ids_of (ids), ids->len, &kept, &error);
  g_assert_no_error (error);
  return kept;
}

static void
test_greedy (Fixture *f, gconstpointer name)
{
  g_assert_cmpuint (pt_llm_context (f->llm), ==, CONTEXT);
  read_ok (f->llm, ids_of (f->before), f->before->len);
  read_media (f, 0, MAX_MEDIA);
  read_ok (f->llm, ids_of (f->after), f->after->len);
  g_assert_cmpuint (pt_llm_position (f->llm), ==, f->all->len);
  check_generation (f);
}

/** The result does not depend on how the prompt is split. */
static void
test_pieces (Fixture *f, gconstpointer name)
{
  for (guint i = 0; i < f->before->len; i++)
    read_ok (f->llm, ids_of (f->before) + i, 1);
  read_media (f, 0, 3);
  for (guint i = 0; i < f->after->len; i += 2)
    read_ok (f->llm, ids_of (f->after) + i, MIN (2, f->after->len - i));
  check_generation (f);
}

/** The same again is not read again, where the cache can go back; and is the same in any case. */
static void
test_again (Fixture *f, gconstpointer name)
{
  guint kept;

  test_greedy (f, name);
  kept = rewind_to (f, f->all);
  if (kept == 0) {
    test_greedy (f, name);
    return;
  }
  g_assert_cmpuint (kept, ==, f->all->len - 1);
  read_ok (f->llm, ids_of (f->all) + kept, 1);
  check_generation (f);
}

/** Another picture or sound is not the same, though there are as many places. */
static void
test_other (Fixture *f, gconstpointer name)
{
  test_greedy (f, name);
  for (guint i = f->before->len + 1; i < f->before->len + f->media.n; i++)
    g_array_index (f->all, gint32, i) -= 77;
  g_assert_cmpuint (rewind_to (f, f->all), <=, f->before->len + 1);
}

static void
test_width (Fixture *f, gconstpointer name)
{
  PtLlmEmbeddings other = f->media;
  g_autoptr (GError) error = NULL;

  other.width /= 2;
  g_assert_false (pt_llm_read_embeddings (f->llm, &other, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_assert_cmpuint (pt_llm_position (f->llm), ==, 0);
}

static void
test_full (Fixture *f, gconstpointer name)
{
  g_autoptr (GError) error = NULL;

  while (pt_llm_position (f->llm) + f->media.n <= CONTEXT)
    read_media (f, 0, MAX_MEDIA);
  g_assert_false (pt_llm_read_embeddings (f->llm, &f->media, NULL, &error) &&
                  pt_llm_position (f->llm) > CONTEXT);
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
}

static void
test_cancelled (Fixture *f, gconstpointer name)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (pt_llm_read_embeddings (f->llm, &f->media, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  test_greedy (f, name);
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test) (Fixture *f, gconstpointer name);
  } tests[] = {
    { "greedy", test_greedy },       { "pieces", test_pieces }, { "again", test_again },
    { "other", test_other },         { "width", test_width },   { "full", test_full },
    { "cancelled", test_cancelled },
  };
  static const char *const models[] = { "gemma3_vision", "voxtral" };

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (gsize m = 0; m < G_N_ELEMENTS (models); m++)
    for (gsize i = 0; i < G_N_ELEMENTS (tests); i++) {
      g_autofree char *path = g_strdup_printf ("/llm/%s/%s", models[m], tests[i].name);

      g_test_add (path, Fixture, models[m], set_up, tests[i].test, tear_down);
    }
  return g_test_run ();
}
