/* SPDX-License-Identifier: BSD-3-Clause */

/* Tiny text models, ids in and ids out: upstream's greedy ids for every layout of inputs. */

#include <string.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/llm/llm-private.h"
#include "engine/text/sampler.h"
#include "tests/unit/tasks/fixtures.h"

typedef struct {
  PtModule *module;
  PtLlm *llm;
  PtSampler *sampler;
  GArray *prompt, *expected; /* gint32 */
} Fixture;

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "chat", name, NULL);
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *data = g_build_filename (folder, "model.ptd", NULL);
  g_autofree char *case_path = g_build_filename (folder, "case.json", NULL);
  const char *const data_paths[] = { data, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) json = pt_json_load (case_path, 1 << 20, &error);
  const json_t *generate = json_object_get (json, "generate");

  g_assert_no_error (error);
  f->prompt = ids_from_json (json_object_get (generate, "prompt_ids"));
  f->expected = ids_from_json (json_object_get (generate, "generated_ids"));
  f->module = pt_module_open (program, g_file_test (data, G_FILE_TEST_EXISTS) ? data_paths : NULL,
                              NULL, &error);
  g_assert_no_error (error);
  f->llm = pt_llm_new (f->module, &error);
  g_assert_no_error (error);
  f->sampler = pt_sampler_new (pt_llm_width (f->llm), NULL);
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  pt_sampler_free (f->sampler);
  pt_llm_free (f->llm);
  pt_module_free (f->module);
  g_array_unref (f->prompt);
  g_array_unref (f->expected);
}

static gint32
likeliest (Fixture *f)
{
  PtDType dtype;
  gconstpointer logits = pt_llm_logits (f->llm, &dtype, NULL);

  return pt_sampler_sample (f->sampler, logits, dtype, pt_llm_width (f->llm));
}

/** The generated ids equal those of upstream's runtime. */
static void
check_generation (Fixture *f)
{
  for (guint i = 0; i < f->expected->len; i++) {
    gint32 id = likeliest (f);

    g_assert_cmpint (id, ==, g_array_index (f->expected, gint32, i));
    if (i + 1 < f->expected->len)
      read_ok (f->llm, &id, 1);
  }
}

static guint
rewind_to (Fixture *f, const gint32 *ids, guint n)
{
  g_autoptr (GError) error = NULL;
  guint kept;

  pt_llm_rewind (f->llm, ids, n, &kept, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (kept, ==, pt_llm_position (f->llm));
  return kept;
}

static void
test_greedy (Fixture *f, gconstpointer name)
{
  g_assert_cmpuint (pt_llm_context (f->llm), ==, 128);
  read_ok (f->llm, ids_of (f->prompt), f->prompt->len);
  g_assert_cmpuint (pt_llm_position (f->llm), ==, f->prompt->len);
  check_generation (f);
}

/** The prompt in pieces gives the same. */
static void
test_pieces (Fixture *f, gconstpointer name)
{
  for (guint i = 0; i < f->prompt->len; i += 3)
    read_ok (f->llm, ids_of (f->prompt) + i, MIN (3, f->prompt->len - i));
  check_generation (f);
}

/** Back to the prompt, whatever was read behind it: with rings that means to read it again. */
static void
test_rewind (Fixture *f, gconstpointer name)
{
  gboolean ring = g_str_has_prefix (name, "gemma3");
  guint kept;

  read_ok (f->llm, ids_of (f->prompt), f->prompt->len);
  for (int i = 0; i < 20; i++)
    read_ok (f->llm, ids_of (f->prompt), 1);
  kept = rewind_to (f, ids_of (f->prompt), f->prompt->len);
  g_assert_cmpuint (kept, ==, ring ? 0 : f->prompt->len - 1);
  read_ok (f->llm, ids_of (f->prompt) + kept, f->prompt->len - kept);
  check_generation (f);

  /* A continuation is never read again. */
  kept = rewind_to (f, ids_of (f->prompt), f->prompt->len);
  read_ok (f->llm, ids_of (f->prompt) + kept, f->prompt->len - kept);
  g_array_append_vals (f->prompt, f->expected->data, 4);
  g_assert_cmpuint (rewind_to (f, ids_of (f->prompt), f->prompt->len), ==, f->prompt->len - 4);
}

static void
test_full (Fixture *f, gconstpointer name)
{
  g_autoptr (GError) error = NULL;
  guint context = pt_llm_context (f->llm);

  for (guint i = 0; i < context; i++)
    read_ok (f->llm, ids_of (f->prompt), 1);
  g_assert_false (pt_llm_read (f->llm, ids_of (f->prompt), 1, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
  rewind_to (f, ids_of (f->prompt), f->prompt->len);
}

static void
test_cancelled (Fixture *f, gconstpointer name)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  guint kept;

  read_ok (f->llm, ids_of (f->prompt), 2);
  g_cancellable_cancel (cancellable);
  g_assert_false (
      pt_llm_read (f->llm, ids_of (f->prompt) + 2, f->prompt->len - 2, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  kept = rewind_to (f, ids_of (f->prompt), f->prompt->len);
  read_ok (f->llm, ids_of (f->prompt) + kept, f->prompt->len - kept);
  check_generation (f);
}

/* The logits of @n ids that are chosen, one after the other, behind the prompt; it is said twice,
 * so that there is something to guess. */
static float *
write_greedily (Fixture *f, guint n)
{
  gsize width = pt_llm_width (f->llm);
  float *logits = g_new (float, n *width);
  gint32 id = g_array_index (f->prompt, gint32, 0);

  read_ok (f->llm, ids_of (f->prompt), f->prompt->len);
  read_ok (f->llm, ids_of (f->prompt), f->prompt->len);
  for (guint i = 0; i < n; i++) {
    PtDType dtype;
    const float *row;

    read_ok (f->llm, &id, 1);
    row = pt_llm_logits (f->llm, &dtype, NULL);
    g_assert_cmpint (dtype, ==, PT_DTYPE_F32);
    memcpy (logits + i * width, row, width * sizeof *row);
    id = likeliest (f);
    /* Also where the model does not say the same again, some guesses are right. */
    if (i % 4 != 3)
      id = g_array_index (f->prompt, gint32, (i + 1) % f->prompt->len);
  }
  return logits;
}

/** Guesses change no bit of what comes out. */
static void
test_guesses (Fixture *f, gconstpointer name)
{
  enum { N = 30 };
  /* The others have a ring, read one id a call, or give the last logits only. */
  gboolean can = g_str_has_prefix (name, "qwen3");
  g_autofree float *plain = write_greedily (f, N), *guessed = NULL;
  g_autoptr (GError) error = NULL;
  guint kept;

  g_assert_true (pt_llm_set_guessing (f->llm, TRUE) == can);
  pt_llm_rewind (f->llm, ids_of (f->prompt), 1, &kept, &error);
  guessed = write_greedily (f, N);
  g_assert_cmpuint (pt_llm_position (f->llm), ==, 2 * f->prompt->len + N);
  g_assert_cmpmem (plain, N * pt_llm_width (f->llm) * sizeof *plain, guessed,
                   N * pt_llm_width (f->llm) * sizeof *guessed);
  /* As far as the model goes. */
  while (pt_llm_position (f->llm) < pt_llm_context (f->llm))
    read_ok (f->llm, ids_of (f->prompt), 1);
  pt_llm_set_guessing (f->llm, FALSE);
}

static void
test_find_guesses (void)
{
  static const gint32 ids[] = { 5, 1, 2, 3, 9, 8, 1, 2, 3, 4, -7, 6, 2, 3 };
  static const gint32 once[] = { 1, 2, 3 }, loop[] = { 4, 7, 7, 7 };
  gint32 guesses[6];

  g_assert_cmpuint (pt_llm_find_guesses (ids, 9, 3, guesses), ==, 3); /* 1 2 3: 9 8 1 */
  g_assert_cmpmem (guesses, 12, ids + 4, 12);
  /* 2 3: the latest; not beyond a picture. */
  g_assert_cmpuint (pt_llm_find_guesses (ids, 14, 6, guesses), ==, 1);
  g_assert_cmpint (guesses[0], ==, 4);
  g_assert_cmpuint (pt_llm_find_guesses (ids, 11, 6, guesses), ==, 0);
  g_assert_cmpuint (pt_llm_find_guesses (once, 3, 6, guesses), ==, 0);
  g_assert_cmpuint (pt_llm_find_guesses (once, 0, 6, guesses), ==, 0);
  /* On and on. */
  g_assert_cmpuint (pt_llm_find_guesses (loop, 4, 6, guesses), ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (guesses[i], ==, 7);
}

/* ---- conversations ---- */

#define LONG 60

/* LONG ids: the first @n_shared of the prompt, over and over, and then those of a series. */
static void
fill_ids (Fixture *f, guint n_shared, guint series, gint32 ids[LONG])
{
  for (guint i = 0; i < LONG; i++)
    ids[i] = i < n_shared ? g_array_index (f->prompt, gint32, i % f->prompt->len)
                          : (gint32) (3 + (i * 7 + series * 31) % 200);
}

/* Goes to @ids and reads the rest. Returns the next id; @kept: how many were there. */
static gint32
visit (Fixture *f, const gint32 *ids, guint *kept)
{
  *kept = rewind_to (f, ids, LONG);
  read_ok (f->llm, ids + *kept, LONG - *kept);
  return likeliest (f);
}

/** Two conversations take turns: none is read again, and each goes on as it would alone. */
static void
test_turns (Fixture *f, gconstpointer name)
{
  gboolean ring = g_str_has_prefix (name, "gemma3");
  gint32 ids[3][LONG], next[3];
  guint kept;

  pt_llm_keep_conversations (f->llm, 8);
  for (guint i = 0; i < 3; i++) {
    fill_ids (f, i < 2 ? 0 : 20, i, ids[i]);
    next[i] = visit (f, ids[i], &kept);
    g_assert_cmpuint (kept, ==, 0);
  }
  for (guint i = 0; i < 9; i++) {
    g_assert_cmpint (visit (f, ids[i % 3], &kept), ==, next[i % 3]);
    g_assert_cmpuint (kept, ==, ring ? 0 : LONG - 1);
  }
  /* What two begin with is not read again, either. */
  fill_ids (f, 20, 7, ids[0]);
  visit (f, ids[0], &kept);
  g_assert_cmpuint (kept, ==, ring ? 0 : 20);
  g_assert_cmpint (visit (f, ids[2], &kept), ==, next[2]);
  g_assert_cmpuint (kept, ==, ring ? 0 : LONG - 1);
  kept = rewind_to (f, ids_of (f->prompt), f->prompt->len);
  read_ok (f->llm, ids_of (f->prompt) + kept, f->prompt->len - kept);
  check_generation (f);
}

/** The one that was used the longest time ago goes if memory is short, or there are too many. */
static void
test_crowd (Fixture *f, gconstpointer name)
{
  gboolean ring = g_str_has_prefix (name, "gemma3");
  gint32 ids[4][LONG], next[4];
  guint kept;

  pt_llm_keep_conversations (f->llm, 3);
  for (guint i = 0; i < 4; i++) {
    fill_ids (f, 0, i, ids[i]);
    next[i] = visit (f, ids[i], &kept);
  }
  g_assert_cmpint (visit (f, ids[1], &kept), ==, next[1]);
  g_assert_cmpuint (kept, ==, ring ? 0 : LONG - 1);
  g_assert_cmpint (visit (f, ids[0], &kept), ==, next[0]);
  g_assert_cmpuint (kept, ==, 0);
  if (ring)
    return;
  g_assert_cmpuint (f->llm->saved_bytes, >, 0);
  /* One copy. */
  f->llm->most_saved = f->llm->saved_bytes / 2;
  g_assert_cmpint (visit (f, ids[2], &kept), ==, next[2]);
  g_assert_cmpint (visit (f, ids[0], &kept), ==, next[0]);
  g_assert_cmpuint (kept, ==, LONG - 1);
  g_assert_cmpuint (f->llm->saved_bytes, ==, f->llm->most_saved);
  /* No copy. */
  f->llm->most_saved = 1;
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (visit (f, ids[i], &kept), ==, next[i]);
  g_assert_cmpint (visit (f, ids[1], &kept), ==, next[1]);
  g_assert_cmpuint (kept, ==, 0);
  g_assert_cmpuint (f->llm->saved_bytes, ==, 0);
}

static void
test_not_a_text_model (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  g_autoptr (PtModule) module = pt_module_open (path, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_llm_new (module, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

/* Exported for 48 positions with a window of 12, its cache has 12 cells and no ring. */
static void
test_window_only (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "chat", "mistral_window", "model.pte", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) module = pt_module_open (path, NULL, NULL, &error);
  g_autoptr (PtLlm) llm = NULL;
  gint32 ids[13] = { 0 };

  g_assert_no_error (error);
  llm = pt_llm_new (module, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_llm_context (llm), ==, 12);
  read_ok (llm, ids, 12);
  g_assert_false (pt_llm_read (llm, ids, 1, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = {
    "qwen3_xnnpack_8da4w",
    "qwen3_external_xnnpack_8da4w",
    "llama_sequential_xnnpack_8da4w",
    "etllama_tiktoken_xnnpack_8da4w",
    "gemma3_xnnpack_8da4w",
  };
  static const struct {
    const char *name;
    void (*func) (Fixture *f, gconstpointer name);
  } tests[] = {
    { "greedy", test_greedy }, { "pieces", test_pieces },       { "rewind", test_rewind },
    { "full", test_full },     { "cancelled", test_cancelled }, { "guesses", test_guesses },
    { "turns", test_turns },   { "crowd", test_crowd },
  };

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    for (gsize j = 0; j < G_N_ELEMENTS (tests); j++) {
      g_autofree char *path = g_strdup_printf ("/tasks/llm/%s/%s", tests[j].name, names[i]);

      g_test_add (path, Fixture, names[i], set_up, tests[j].func, tear_down);
    }
  }
  g_test_add_func ("/tasks/llm/find-guesses", test_find_guesses);
  g_test_add_func ("/tasks/llm/not-a-text-model", test_not_a_text_model);
  g_test_add_func ("/tasks/llm/window-only", test_window_only);
  return g_test_run ();
}
