/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Speech synthesis with damaged models, voices and lexicons, and with programs in place of
 * espeak-ng that do what they should not.
 */

#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "engine/tasks/speak/espeak.h"
#include "tests/hostile/hostile.h"

static char *search_path; /* PATH of before */

/* ---- the model ---- */

static void
copy (const char *name, const char *to)
{
  g_autofree char *data = g_build_filename ("speak", name, NULL);
  gsize size;
  g_autofree guint8 *bytes = hostile_data (data, &size);
  g_autofree char *path = hostile_file (to, bytes, size);
}

/* A folder with a good model; with the phonemizer of the model if @with_phonemizer. Free with
 * g_free(). */
static char *
make_model (gboolean with_phonemizer)
{
  g_autofree char *phonemizer = hostile_path ("phonemizer/en-us");

  copy ("duration_predictor.pte", "duration_predictor.pte");
  copy ("synthesizer.pte", "synthesizer.pte");
  copy ("voices/af_test.bin", "af_test.bin");
  if (with_phonemizer) {
    g_assert_cmpint (g_mkdir_with_parents (phonemizer, 0700), ==, 0);
    copy ("phonemizer/en-us/phonemizer_en_us.pte", "phonemizer/en-us/phonemizer_en_us.pte");
    copy ("phonemizer/en-us/lexicon.json", "phonemizer/en-us/lexicon.json");
  }
  return hostile_path ("synthesizer.pte");
}

/* Speaks @text with the model at @path. @must: as in hostile_job(). */
static gboolean
speak (const char *path, const char *text, const char *must)
{
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);

  job.model.path = path;
  job.speak.text = text;
  job.speak.phonemes = must == NULL;
  return hostile_job (&job, must);
}

/* ---- espeak-ng ---- */

static void
run_instead (const char *what, const char *script)
{
  g_autofree char *model = make_model (FALSE);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\n%s\n", script);
  g_autofree char *path = hostile_file ("espeak-ng", text, strlen (text));
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *paths = g_strdup_printf ("%s:%s", folder, search_path);
  gint64 begin = g_get_monotonic_time ();

  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  g_setenv ("PATH", paths, TRUE);
  speak (model, "Hello world.", what);
  g_test_message ("%s: %.1f s", what, (double) (g_get_monotonic_time () - begin) / 1e6);
  g_setenv ("PATH", search_path, TRUE);
  hostile_clean_up ();
}

static void
test_espeak (void)
{
  run_instead ("espeak-ng hangs", "exec sleep 1000");
  run_instead ("espeak-ng leaves a program behind that hangs", "sleep 30 &\ncat >/dev/null");
  run_instead ("espeak-ng closes its output and hangs", "exec >/dev/null; exec sleep 1000");
  run_instead ("espeak-ng prints nothing", "cat >/dev/null");
  run_instead ("espeak-ng prints 1 GB", "exec head -c 1000000000 /dev/zero");
  run_instead ("espeak-ng is killed", "kill -9 $$");
  run_instead ("espeak-ng fails", "exit 3");
  run_instead ("espeak-ng prints no UTF-8", "cat >/dev/null; printf '\\377\\376a'");
}

/* Stops as soon as the program runs, which says so with a file. */
static gpointer
stop_when_running (gpointer cancellable)
{
  g_autofree char *sign = hostile_path ("runs");

  while (!g_file_test (sign, G_FILE_TEST_EXISTS))
    g_usleep (1000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* A program that hangs does not delay a stop: its limit of time would be another error. */
static void
test_stop (void)
{
  g_autofree char *sign = hostile_path ("runs");
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\n: >'%s'\nexec sleep 1000\n", sign);
  g_autofree char *path = hostile_file ("espeak-ng", script, strlen (script));
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  GThread *thread;

  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  thread = g_thread_new ("stop", stop_when_running, cancellable);
  g_assert_false (
      pt_espeak_run (path, pt_language_find ("en", NULL), "hello", out, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_thread_join (thread);
  hostile_clean_up ();
}

/* A text that is longer than a pipe holds, for a program that ends without reading it: the signal
 * of the broken pipe does not end this process. */
static void
test_pipe (void)
{
  g_autofree char *model = make_model (FALSE);
  g_autofree char *path = hostile_file ("espeak-ng", "#!/bin/sh\nexit 1\n", 17);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *text = g_strnfill (1000000, 'a');

  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  g_setenv ("PATH", folder, TRUE);
  speak (model, text, "espeak-ng does not read");
  g_setenv ("PATH", search_path, TRUE);
  hostile_clean_up ();
}

/* ---- files ---- */

static void
test_voices (void)
{
  g_autofree char *model = make_model (FALSE);
  g_autofree guint8 *zeros = g_malloc0 (1 << 20);
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);

  job.model.path = model;
  job.speak.text = "a";
  job.speak.phonemes = TRUE;
  for (gsize size = 1; size <= (1 << 20); size = size * 4 + 3) {
    g_autofree char *path = hostile_file ("odd.bin", zeros, size);

    job.speak.voice = path;
    hostile_job (&job, "a voice of odd size");
  }
  hostile_clean_up ();
}

static void
check_lexicon (const char *what, const char *data, gsize size)
{
  g_autofree char *model = make_model (TRUE);
  g_autofree char *path = hostile_file ("phonemizer/en-us/lexicon.json", data, size);

  speak (model, "Hello.", what);
  hostile_clean_up ();
}

static void
test_lexicons (void)
{
  g_autofree char *model = NULL, *path = NULL;

  check_lexicon ("a lexicon with broken UTF-8", "{\"hello\": \"h\xff\"}", 15);
  check_lexicon ("an empty lexicon", "", 0);
  check_lexicon ("a list as a lexicon", "[\"hello\"]", 9);
  check_lexicon ("half of a lexicon", "{\"hello\": \"a\", \"wor", 19);
  /* A file of 1 GB that takes no room. */
  model = make_model (TRUE);
  path = hostile_file ("phonemizer/en-us/lexicon.json", "{}", 2);
  g_assert_cmpint (truncate (path, 1000000000), ==, 0);
  speak (model, "Hello.", "a lexicon of 1 GB");
  hostile_clean_up ();
}

/* ---- programs ---- */

/* Every number of the program that may be a bound of its tensors is replaced. */
static void
test_bounds (void)
{
  static const char *const PROGRAMS[] = { "duration_predictor.pte", "synthesizer.pte",
                                          "phonemizer/en-us/phonemizer_en_us.pte" };
  static const gint32 BOUNDS[] = { 12, 20, 40 }, ODD[] = { 0, -1, G_MAXINT32 };
  g_autofree char *model = make_model (TRUE);
  guint n = 0;

  for (guint p = 0; p < G_N_ELEMENTS (PROGRAMS); p++) {
    g_autofree char *name = g_build_filename ("speak", PROGRAMS[p], NULL);
    gsize size;
    g_autofree guint8 *bytes = hostile_data (name, &size);

    for (gsize i = 0; i + 4 <= MIN (size, 8000); i += 4)
      for (guint k = 0; k < G_N_ELEMENTS (BOUNDS); k++) {
        g_autofree char *path = NULL;
        gint32 value;

        memcpy (&value, bytes + i, 4);
        if (value != BOUNDS[k])
          continue;
        memcpy (bytes + i, &ODD[n % G_N_ELEMENTS (ODD)], 4);
        path = hostile_file (PROGRAMS[p], bytes, size);
        speak (model, "həlˈO.", NULL);
        memcpy (bytes + i, &value, 4);
        n++;
      }
    copy (PROGRAMS[p], PROGRAMS[p]);
  }
  g_assert_cmpuint (n, >, 20);
  hostile_clean_up ();
}

/* Every weight becomes NaN, or infinite: durations and samples are, too. */
static void
test_weights (void)
{
  static const char *const PROGRAMS[] = { "duration_predictor.pte", "synthesizer.pte" };
  static const guint32 ODD[] = { 0x7fc00000, 0x7f800000 };

  for (guint p = 0; p < G_N_ELEMENTS (PROGRAMS) * G_N_ELEMENTS (ODD); p++) {
    g_autofree char *model = make_model (FALSE), *path = NULL;
    g_autofree char *name = g_build_filename ("speak", PROGRAMS[p / 2], NULL);
    gsize size;
    g_autofree guint8 *bytes = hostile_data (name, &size);

    /* The second half of the file is nothing but weights. */
    for (gsize i = size / 2 / 4 * 4; i + 4 <= size; i += 4)
      memcpy (bytes + i, &ODD[p % 2], 4);
    path = hostile_file (PROGRAMS[p / 2], bytes, size);
    speak (model, "həlˈO.", NULL);
    hostile_clean_up ();
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  search_path = g_strdup (g_getenv ("PATH"));
  g_test_add_func ("/hostile/speak/espeak", test_espeak);
  g_test_add_func ("/hostile/speak/stop", test_stop);
  g_test_add_func ("/hostile/speak/pipe", test_pipe);
  g_test_add_func ("/hostile/speak/voices", test_voices);
  g_test_add_func ("/hostile/speak/lexicons", test_lexicons);
  g_test_add_func ("/hostile/speak/bounds", test_bounds);
  g_test_add_func ("/hostile/speak/weights", test_weights);
  return g_test_run ();
}
