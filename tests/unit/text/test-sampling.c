/* SPDX-License-Identifier: BSD-3-Clause */

/* The generation_config.json of models, good and bad. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/sampling-json.h"
#include "engine/text/sampling-settings.h"

static char *folder;

static gboolean
load (const char *text, PtSampling *sampling, int *longest, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "generation_config.json", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return pt_sampling_load (folder, sampling, longest, error);
}

static void
assert_same (const PtSampling *a, const PtSampling *b)
{
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    g_assert_cmpfloat (pt_sampling_get (a, i), ==, pt_sampling_get (b, i));
}

static void
test_load (void)
{
  const PtSampling none = PT_SAMPLING_INIT;
  static const struct {
    const char *text;
    double temperature, top_k, top_p, penalty;
    int longest;
  } cases[] = {
    { "{}", PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, 0 },
    { "{\"do_sample\": true, \"temperature\": 0.6, \"top_k\": 20, \"top_p\": 0.95, "
      "\"repetition_penalty\": 1.05, \"max_new_tokens\": 512}",
      0.6, 20, 0.95, 1.05, 512 },
    /* The likeliest token, whatever the temperature would be. */
    { "{\"do_sample\": false, \"temperature\": 0.6, \"top_k\": 0, \"top_p\": 1}", 0, 0, 1,
      PT_SAMPLING_UNSET, 0 },
    { "{\"temperature\": 1, \"top_k\": 50.0, \"top_p\": null}", 1, 50, PT_SAMPLING_UNSET,
      PT_SAMPLING_UNSET, 0 },
  };
  PtSampling sampling;
  int longest = 7;

  g_assert_true (pt_sampling_load (folder, &sampling, &longest, NULL));
  assert_same (&sampling, &none);
  g_assert_cmpint (longest, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_true (load (cases[i].text, &sampling, &longest, NULL));
    g_assert_cmpfloat (sampling.temperature, ==, cases[i].temperature);
    g_assert_cmpfloat (sampling.top_k, ==, cases[i].top_k);
    g_assert_cmpfloat (sampling.top_p, ==, cases[i].top_p);
    g_assert_cmpfloat (sampling.repetition_penalty, ==, cases[i].penalty);
    g_assert_cmpint (longest, ==, cases[i].longest);
  }
}

/* Out of bounds, of another type, or no number: as if it were not there. */
static void
test_nonsense (void)
{
  static const char *const texts[] = {
    "{\"temperature\": -1, \"top_k\": -5, \"top_p\": 0, \"min_p\": 1.01}",
    "{\"temperature\": 1e308, \"top_k\": 1e308, \"top_p\": 2, \"min_p\": -0.1}",
    "{\"temperature\": 100.5, \"top_k\": 3.5, \"top_p\": -1e308, \"min_p\": \"0.5\"}",
    "{\"temperature\": [0.5], \"top_k\": {\"a\": 1}, \"top_p\": true, \"min_p\": null}",
    "{\"repetition_penalty\": 0, \"repetition_window\": -2, \"presence_penalty\": 3}",
    "{\"repetition_penalty\": -1.5, \"frequency_penalty\": -100, \"presence_penalty\": 1e9}",
    "{\"max_new_tokens\": -1}",
    "{\"max_new_tokens\": 4294967297}",
    "{\"max_new_tokens\": 1e30, \"do_sample\": 0}",
    "[]",
    "[{\"temperature\": 1}]",
  };
  const PtSampling none = PT_SAMPLING_INIT;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    PtSampling sampling;
    int longest;

    g_assert_true (load (texts[i], &sampling, &longest, &error));
    g_assert_no_error (error);
    assert_same (&sampling, &none);
    g_assert_cmpint (longest, ==, 0);
  }
}

/* Files that are not JSON, or too large, give an error with their name. */
static void
test_broken (void)
{
  g_autofree char *huge = g_strnfill (2 * 1024 * 1024, ' ');
  const char *const texts[] = { "", "{\"temperature\": NaN}", "{\"temperature\": 1e999}", "{",
                                huge };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    PtSampling sampling;
    int longest;

    g_assert_false (load (texts[i], &sampling, &longest, &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, "generation_config.json"));
    g_assert_false (pt_sampling_is_set (sampling.temperature));
  }
}

static void
test_fields (void)
{
  const PtSampling usual = pt_sampling_usual ();

  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++) {
    const PtSamplingField *field = &PT_SAMPLING_FIELDS[i];

    g_assert_true (pt_sampling_may_be (i, pt_sampling_get (&usual, i)));
    g_assert_true (pt_sampling_may_be (i, field->least));
    g_assert_true (pt_sampling_may_be (i, field->most));
    g_assert_false (pt_sampling_may_be (i, PT_SAMPLING_UNSET));
    g_assert_false (pt_sampling_may_be (i, NAN));
    g_assert_false (pt_sampling_may_be (i, INFINITY));
    g_assert_false (pt_sampling_may_be (i, -INFINITY));
    g_assert_cmpint (pt_sampling_may_be (i, 0.5), ==, !field->is_whole);
  }
}

/* Set members are saved and restored; the others stay unset. */
static void
test_json (void)
{
  PtSampling sampling = PT_SAMPLING_INIT, back;
  g_autoptr (json_t) json = json_object ();

  sampling.top_k = 12;
  sampling.presence_penalty = -0.25;
  pt_sampling_to_json (&sampling, json);
  g_assert_cmpuint (json_object_size (json), ==, 2);
  back = pt_sampling_from_json (json);
  assert_same (&sampling, &back);
}

int
main (int argc, char **argv)
{
  g_autofree char *file = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_test_add_func ("/text/sampling/load", test_load);
  g_test_add_func ("/text/sampling/nonsense", test_nonsense);
  g_test_add_func ("/text/sampling/broken", test_broken);
  g_test_add_func ("/text/sampling/fields", test_fields);
  g_test_add_func ("/text/sampling/json", test_json);
  status = g_test_run ();
  file = g_build_filename (folder, "generation_config.json", NULL);
  g_unlink (file);
  g_rmdir (folder);
  g_free (folder);
  return status;
}
