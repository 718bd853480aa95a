/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/tasks/speech/whisper-rules.h"
#include "engine/tasks/speech/whisper-slices.h"

/* A small world: text 0 .. 19, end 20, special 21 .. 29, times 30 .. 45 (0.00 .. 0.30 s). */
enum { EOT = 20, T0 = 30, N_IDS = 48, N_TIMES = 16 };

static PtWhisperTokens *
small_tokens (void)
{
  static const gint32 suppress[] = { 3, 4 };
  static const gint32 begin_suppress[] = { 5, EOT };
  PtWhisperTokens *tokens = g_new0 (PtWhisperTokens, 1);

  tokens->eot = EOT;
  tokens->sot = 21;
  tokens->first_timestamp = T0;
  tokens->n_timestamps = N_TIMES;
  tokens->max_initial = 4;
  tokens->n_ids = N_IDS;
  tokens->suppress = g_array_new (FALSE, FALSE, sizeof (gint32));
  tokens->begin_suppress = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_vals (tokens->suppress, suppress, 2);
  g_array_append_vals (tokens->begin_suppress, begin_suppress, 2);
  return tokens;
}

/* Which ids may follow, as a string: 'x' allowed, '.' not. All logits are @text, times @time. */
static const char *
allowed (const PtWhisperTokens *tokens, const gint32 *sampled, guint n, float text, float time)
{
  static char out[N_IDS + 1];
  float logits[N_IDS];
  int i;

  for (i = 0; i < N_IDS; i++)
    logits[i] = i >= T0 ? time : text;
  pt_whisper_filter (tokens, sampled, n, logits);
  for (i = 0; i < N_IDS; i++)
    out[i] = logits[i] > -INFINITY ? 'x' : '.';
  out[N_IDS] = '\0';
  return out;
}

#define NO_TEXT "...................."
#define TEXT "xxx..xxxxxxxxxxxxxxx"
#define SPECIAL "........."

static void
test_filter (void)
{
  g_autoptr (PtWhisperTokens) tokens = small_tokens ();
  const gint32 begun[] = { T0 + 2 };
  const gint32 text[] = { T0 + 2, 7 };
  const gint32 ended[] = { T0 + 2, 7, T0 + 6 };
  const gint32 again[] = { T0 + 2, 7, T0 + 6, T0 + 6 };
  const gint32 more[] = { T0 + 2, 7, T0 + 6, T0 + 6, 8 };

  /* First a time of at most max_initial. */
  g_assert_cmpstr (allowed (tokens, NULL, 0, 0, 0), ==, NO_TEXT "." SPECIAL "xxxxx.............");
  /* After one time: text or the end. */
  g_assert_cmpstr (allowed (tokens, begun, 1, 0, -9), ==, TEXT "x" SPECIAL "..................");
  /* In the text: more of it, the end, or a later time. */
  g_assert_cmpstr (allowed (tokens, text, 2, 0, -9), ==, TEXT "x" SPECIAL "...xxxxxxxxxxxxx..");
  /* When times together are likelier than any text, it is a time. */
  g_assert_cmpstr (allowed (tokens, text, 2, 0, -1), ==, NO_TEXT "." SPECIAL "...xxxxxxxxxxxxx..");
  /* After the end of a segment: its time again, a later one, or the end of all. */
  g_assert_cmpstr (allowed (tokens, ended, 3, 0, -9), ==, NO_TEXT "x" SPECIAL "......xxxxxxxxxx..");
  g_assert_cmpstr (allowed (tokens, again, 4, 0, -9), ==, TEXT "x" SPECIAL "..................");
  g_assert_cmpstr (allowed (tokens, more, 5, 0, -9), ==, TEXT "x" SPECIAL ".......xxxxxxxxx..");
}

/* Without timestamps only the lists count. */
static void
test_filter_plain (void)
{
  g_autoptr (PtWhisperTokens) tokens = small_tokens ();
  const gint32 text[] = { 7 };

  tokens->n_timestamps = 0;
  tokens->first_timestamp = N_IDS;
  g_assert_cmpstr (allowed (tokens, NULL, 0, 0, 0), ==,
                   "xxx...xxxxxxxxxxxxxx"
                   "." SPECIAL "..................");
  g_assert_cmpstr (allowed (tokens, text, 1, 0, 0), ==, TEXT "x" SPECIAL "..................");
}

static void
test_pick (void)
{
  float logits[N_IDS];
  float scratch[N_IDS];
  double log_probability;
  guint counts[3] = { 0 }, i;

  for (i = 0; i < N_IDS; i++)
    logits[i] = -INFINITY;
  g_assert_cmpint (pt_whisper_pick (logits, N_IDS, EOT, &log_probability), ==, EOT);
  g_assert_true (isinf (log_probability));
  logits[4] = 1;
  logits[9] = 1 + logf (2);
  logits[11] = 1 + logf (2);
  g_assert_cmpint (pt_whisper_pick (logits, N_IDS, EOT, &log_probability), ==, 9);
  g_assert_cmpfloat (fabs (log_probability - log (0.4)), <, 1e-5);
  for (i = 0; i < 1000; i++) {
    gint32 id = pt_whisper_sample (logits, N_IDS, EOT, 0.5, i / 1000.0, scratch, &log_probability);

    g_assert_true (id == 4 || id == 9 || id == 11);
    counts[id == 4 ? 0 : id == 9 ? 1 : 2]++;
    g_assert_cmpfloat (fabs (log_probability - log (id == 4 ? 0.2 : 0.4)), <, 1e-5);
  }
  /* At temperature 0.5 probabilities are 1/9, 4/9, 4/9. */
  g_assert_cmpuint (counts[0], >=, 110);
  g_assert_cmpuint (counts[0], <=, 113);
  g_assert_cmpuint (counts[1], >=, 443);
  g_assert_cmpuint (counts[1], <=, 446);
  for (i = 0; i < N_IDS; i++)
    logits[i] = NAN;
  g_assert_cmpint (pt_whisper_pick (logits, N_IDS, EOT, &log_probability), ==, EOT);
  g_assert_cmpint (pt_whisper_sample (logits, N_IDS, EOT, 1, 0.5, scratch, &log_probability), ==,
                   EOT);
}

static void
test_log_sum_exp (void)
{
  g_autofree float *x = g_new (float, 3000);
  guint i;

  for (i = 0; i < 3000; i++)
    x[i] = 900 + (float) (i % 7) * 0.1f;
  x[17] = -INFINITY;
  g_assert_cmpfloat (fabs (pt_whisper_log_sum_exp (x, 3000) - 908.3258), <, 1e-2);
  g_assert_true (isinf (pt_whisper_log_sum_exp (x + 17, 1)));
  g_assert_true (isinf (pt_whisper_log_sum_exp (x, 0)));
}

static void
test_loop (void)
{
  gint32 ids[120];
  guint i;

  for (i = 0; i < 120; i++)
    ids[i] = (gint32) i;
  g_assert_cmpuint (pt_whisper_find_loop (ids, 120), ==, 120);
  /* "no no no": four times are speech, twenty are not. */
  for (i = 100; i < 120; i++)
    ids[i] = 7;
  g_assert_cmpuint (pt_whisper_find_loop (ids, 104), ==, 104);
  g_assert_cmpuint (pt_whisper_find_loop (ids, 119), ==, 119);
  g_assert_cmpuint (pt_whisper_find_loop (ids, 120), ==, 101);
  /* A sentence of 8 ids: the first time stays. */
  for (i = 60; i < 92; i++)
    ids[i] = (gint32) (200 + i % 8);
  g_assert_cmpuint (pt_whisper_find_loop (ids, 91), ==, 91);
  g_assert_cmpuint (pt_whisper_find_loop (ids, 92), ==, 68);
  /* Long ones: three times. */
  for (i = 0; i < 120; i++)
    ids[i] = (gint32) (i % 40);
  g_assert_cmpuint (pt_whisper_find_loop (ids, 119), ==, 119);
  g_assert_cmpuint (pt_whisper_find_loop (ids, 120), ==, 40);
}

/* Slices as "first+n start-end, ..." and the advance. */
static char *
slices (const gint32 *ids, guint n, guint n_units, gboolean is_cut)
{
  g_autoptr (PtWhisperTokens) tokens = small_tokens ();
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (PtWhisperSlice));
  GString *out = g_string_new (NULL);
  guint advance, i;

  tokens->n_timestamps = 1501;
  tokens->n_ids = T0 + 1501;
  advance = pt_whisper_slice (tokens, ids, n, n_units, is_cut, found);
  for (i = 0; i < found->len; i++) {
    const PtWhisperSlice *slice = &g_array_index (found, PtWhisperSlice, i);

    g_string_append_printf (out, "%u+%u %u-%u, ", slice->first, slice->n, slice->start, slice->end);
  }
  g_string_append_printf (out, "%u", advance);
  return g_string_free (out, FALSE);
}

static void
check_slices (const gint32 *ids, guint n, guint n_units, const char *want)
{
  g_autofree char *got = slices (ids, n, n_units, FALSE);

  g_assert_cmpstr (got, ==, want);
}

static void
check_cut_slices (const gint32 *ids, guint n, guint n_units, const char *want)
{
  g_autofree char *got = slices (ids, n, n_units, TRUE);

  g_assert_cmpstr (got, ==, want);
}

static void
test_slices (void)
{
  /* Two complete segments, the third is not: go on after the second. */
  const gint32 open[] = { T0, 1, 2, T0 + 100, T0 + 100, 3, T0 + 400, T0 + 400, 4, 5 };
  /* The last segment ends, and nothing follows: the window is done. */
  const gint32 closed[] = { T0, 1, 2, T0 + 100, T0 + 150, 3, T0 + 400 };
  /* ..., and the next one begins. */
  const gint32 next[] = { T0 + 10, 1, T0 + 100, T0 + 100 };
  const gint32 one[] = { T0 + 10, 1, 2, T0 + 700 };
  const gint32 no_end[] = { T0 + 10, 1, 2 };
  const gint32 bare[] = { 1, 2 };
  const gint32 early[] = { T0, 1, T0 + 3, T0 + 3, 2 };
  const gint32 beyond[] = { T0, 1, T0 + 900, T0 + 900, 2, T0 + 1400 };

  check_slices (open, 10, 1500, "0+4 0-100, 4+3 100-400, 400");
  check_slices (closed, 7, 1500, "0+4 0-100, 4+3 150-400, 1500");
  check_slices (next, 4, 1500, "0+3 10-100, 100");
  check_slices (one, 4, 1500, "0+4 10-700, 1500");
  check_slices (no_end, 3, 1500, "0+3 10-1500, 1500");
  check_slices (bare, 2, 600, "0+2 0-600, 600");
  check_slices (NULL, 0, 600, "600");
  /* Never less than a second, never behind the sound. */
  check_slices (early, 5, 1500, "0+3 0-3, 50");
  check_slices (early, 5, 20, "0+3 0-3, 20");
  check_slices (beyond, 6, 500, "0+3 0-500, 3+3 500-500, 500");
}

/* There was no room for the end of the text: only what is complete counts. */
static void
test_cut_slices (void)
{
  const gint32 open[] = { T0, 1, 2, T0 + 100, T0 + 100, 3 };
  const gint32 closed[] = { T0, 1, 2, T0 + 100, T0 + 150, 3, T0 + 400 };
  const gint32 one[] = { T0 + 10, 1, 2, T0 + 700 };
  const gint32 no_end[] = { T0 + 10, 1, 2 };

  check_cut_slices (open, 6, 1500, "0+4 0-100, 100");
  check_cut_slices (closed, 7, 1500, "0+4 0-100, 4+3 150-400, 400");
  check_cut_slices (one, 4, 1500, "0+4 10-700, 700");
  check_cut_slices (no_end, 3, 1500, "0");
}

static PtTokenizer *
starter_tokenizer (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "resources", "starter",
                                                 "whisper-base", "tokenizer.json", NULL);
  g_autoptr (GError) error = NULL;
  PtTokenizer *tokenizer = pt_tokenizer_open (path, &error);

  g_assert_no_error (error);
  return tokenizer;
}

static gboolean
is_listed (const GArray *ids, gint32 id)
{
  guint i;

  for (i = 0; i < ids->len; i++) {
    if (g_array_index (ids, gint32, i) == id)
      return TRUE;
  }
  return FALSE;
}

/* The starter model's ids are those that are counted for 51865 tokens (docs/formats/protocols.md,
 * section 5.2), and its lists those of the checkpoint's generation_config.json. */
static void
test_tokens (void)
{
  static const gint32 suppress[] = {
    1,     2,     7,     8,     9,     10,    14,    25,    26,    27,    28,    29,
    31,    58,    59,    60,    61,    62,    63,    90,    91,    92,    93,    359,
    503,   522,   542,   873,   893,   902,   918,   922,   931,   1350,  1853,  1982,
    2460,  2627,  3246,  3253,  3268,  3536,  3846,  3961,  4183,  4667,  6585,  6647,
    7273,  9061,  9383,  10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157, 14635,
    15265, 15618, 16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435,
    28279, 29464, 31650, 32302, 32470, 36865, 42863, 47425, 49870, 50254,
  };
  g_autoptr (PtTokenizer) tokenizer = starter_tokenizer ();
  g_autoptr (PtWhisperTokens) tokens = NULL;
  g_autoptr (GError) error = NULL;
  guint i;

  tokens = pt_whisper_tokens_new (tokenizer, 51865, 1500, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (tokens->multilingual);
  g_assert_cmpint (tokens->eot, ==, 50257);
  g_assert_cmpint (tokens->sot, ==, 50258);
  g_assert_cmpint (tokens->languages[0], ==, 50259);
  g_assert_cmpint (tokens->languages[2], ==, 50261);
  g_assert_cmpint (tokens->languages[98], ==, 50357);
  g_assert_cmpint (tokens->languages[99], ==, -1);
  g_assert_cmpint (tokens->translate, ==, 50358);
  g_assert_cmpint (tokens->transcribe, ==, 50359);
  g_assert_cmpint (tokens->prev, ==, 50361);
  g_assert_cmpint (tokens->no_speech, ==, 50362);
  g_assert_cmpint (tokens->no_timestamps, ==, 50363);
  g_assert_cmpint (tokens->first_timestamp, ==, 50364);
  g_assert_cmpuint (tokens->n_timestamps, ==, 1501);
  g_assert_cmpuint (tokens->begin_suppress->len, ==, 2);
  g_assert_true (is_listed (tokens->begin_suppress, 220));
  for (i = 0; i < G_N_ELEMENTS (suppress); i++)
    g_assert_true (is_listed (tokens->suppress, suppress[i]));
  g_assert_cmpuint (tokens->suppress->len, ==, G_N_ELEMENTS (suppress));

  g_assert_cmpint (pt_whisper_tokens_find_language (tokens, "DE", &error), ==, 2);
  g_assert_cmpint (pt_whisper_tokens_find_language (tokens, "xx", &error), ==, -1);
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

/* Logits narrower than the tokenizer must never be read beyond their end. */
static void
test_narrow (void)
{
  g_autoptr (PtTokenizer) tokenizer = starter_tokenizer ();
  static const guint widths[] = { 2,     100,   50257, 50258, 50259, 50300,
                                  50364, 50365, 50366, 51864, 60000 };
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (widths); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtWhisperTokens) tokens =
        pt_whisper_tokens_new (tokenizer, widths[i], 1500, NULL, &error);
    g_autofree float *logits = g_new0 (float, widths[i]);
    gint32 sampled[3];

    if (tokens == NULL) {
      g_assert_error (error, PT_ERROR, PT_ERROR_TOKENIZER);
      g_assert_cmpuint (widths[i], <=, 50258);
      continue;
    }
    sampled[0] = tokens->n_timestamps > 0 ? tokens->first_timestamp : 7;
    sampled[1] = 8;
    sampled[2] = tokens->n_timestamps > 0 ? tokens->first_timestamp + 1 : 9;
    for (k = 0; k <= 3; k++)
      pt_whisper_filter (tokens, sampled, k, logits);
  }
}

static void
test_config (void)
{
  g_autoptr (PtTokenizer) tokenizer = starter_tokenizer ();
  g_autofree char *folder = g_dir_make_tmp ("pteris-whisper-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "generation_config.json", NULL);
  g_autoptr (PtWhisperTokens) none = NULL, tokens = NULL;
  g_autoptr (GError) error = NULL;

  none = pt_whisper_tokens_new (tokenizer, 51865, 1500, path, &error);
  g_assert_no_error (error);
  g_file_set_contents (path,
                       "{\"suppress_tokens\": [1, 2, -1, 99999999999, \"x\", 50359],"
                       " \"begin_suppress_tokens\": null, \"max_initial_timestamp_index\": 25}",
                       -1, NULL);
  tokens = pt_whisper_tokens_new (tokenizer, 51865, 1500, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tokens->max_initial, ==, 25);
  g_assert_cmpuint (tokens->begin_suppress->len, ==, 2);
  g_assert_true (is_listed (tokens->suppress, 50359));
  g_assert_cmpuint (tokens->suppress->len, <=, 4);
  g_clear_pointer (&tokens, pt_whisper_tokens_free);
  g_file_set_contents (path, "{\"suppress_tokens\": [", -1, NULL);
  tokens = pt_whisper_tokens_new (tokenizer, 51865, 1500, path, &error);
  g_assert_null (tokens);
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/whisper/filter", test_filter);
  g_test_add_func ("/tasks/whisper/filter-plain", test_filter_plain);
  g_test_add_func ("/tasks/whisper/pick", test_pick);
  g_test_add_func ("/tasks/whisper/log-sum-exp", test_log_sum_exp);
  g_test_add_func ("/tasks/whisper/loop", test_loop);
  g_test_add_func ("/tasks/whisper/slices", test_slices);
  g_test_add_func ("/tasks/whisper/cut-slices", test_cut_slices);
  g_test_add_func ("/tasks/whisper/tokens", test_tokens);
  g_test_add_func ("/tasks/whisper/narrow", test_narrow);
  g_test_add_func ("/tasks/whisper/config", test_config);
  return g_test_run ();
}
