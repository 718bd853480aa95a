/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/speak/durations.h"
#include "engine/tasks/speak/espeak.h"
#include "engine/tasks/speak/numbers.h"
#include "engine/tasks/speak/partition.h"
#include "engine/tasks/speak/phonemizer.h"
#include "engine/tasks/speak/speaker.h"
#include "engine/tasks/speak/spoken-text.h"
#include "engine/tasks/speak/phonemes.h"
#include "engine/tasks/speak/voice.h"

/* Speech synthesis: a small look-alike of Kokoro, with samples that Python computed
 * (tools/make-speak-fixtures.py), and the steps around it. */

typedef struct {
  PtModelSet *set; /* the speaker owns it once there is one */
  char *folder;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  f->folder = g_test_build_filename (G_TEST_DIST, "data", "speak", NULL);
  f->set = pt_model_set_find (f->folder, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (pt_model_set_check (f->set, &error));
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  g_free (f->folder);
}

static void
collect (const PtEvent *event, gpointer user_data)
{
  GArray *samples = user_data;

  if (event->kind != PT_EVENT_SAMPLES)
    return;
  g_assert_cmpfloat_with_epsilon (event->start, samples->len / 24000.0, 1e-6);
  g_array_append_vals (samples, event->samples, (guint) event->n_samples);
  g_assert_cmpfloat_with_epsilon (event->end, samples->len / 24000.0, 1e-6);
}

static GArray *
speak (PtSpeaker *speaker, const PtJob *job, GError **error)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (float));

  if (pt_speaker_run (speaker, job, collect, samples, NULL, error))
    return samples;
  g_array_unref (samples);
  return NULL;
}

static void
check_case (PtSpeaker *speaker, PtJob *job, const json_t *one, guint every)
{
  const json_t *want = json_object_get (one, "samples");
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) got = NULL;

  job->speak.text = pt_json_string (one, "phonemes");
  job->speak.speed = pt_json_double (one, "speed", 0);
  got = speak (speaker, job, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (got->len, ==, (guint) pt_json_int (one, "n", 0));
  for (gsize i = 0; i < json_array_size (want); i++)
    g_assert_cmpfloat_with_epsilon (g_array_index (got, float, i *every),
                                    json_number_value (json_array_get (want, i)), 2e-5);
}

static void
test_samples (Fixture *f, gconstpointer data)
{
  g_autofree char *path = g_build_filename (f->folder, "case.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  g_autoptr (PtSpeaker) speaker = NULL;
  const json_t *one;
  gsize i;

  g_assert_no_error (error);
  job.model.path = f->folder;
  job.speak.phonemes = TRUE;
  speaker = pt_speaker_new (f->set, &job, &error);
  g_assert_no_error (error);
  json_array_foreach (json_object_get (root, "cases"), i, one)
    check_case (speaker, &job, one, (guint) pt_json_int (root, "every", 1));
  g_assert_cmpuint (i, >, 3);
}

/* The phonemes that Python found with PyTorch's program and the lexicon. */
static void
test_phonemes (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "speak", NULL);
  g_autofree char *path = g_build_filename (folder, "phonemes.json", NULL);
  const PtMethodOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) root = pt_json_load (path, 1 << 20, &error);
  g_autoptr (PtPhonemizer) phonemizer =
      pt_phonemizer_new (folder, pt_language_find ("en-us", NULL), &options, &error);
  const json_t *one;
  gsize i;

  g_assert_no_error (error);
  json_array_foreach (json_object_get (root, "cases"), i, one) {
    g_autofree char *got =
        pt_phonemizer_run (phonemizer, pt_json_string (one, "text"), NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpstr (got, ==, pt_json_string (one, "phonemes"));
  }
  g_assert_cmpuint (i, >, 5);
}

/* A text is spoken without espeak-ng, as its phonemes are. */
static void
test_words (Fixture *f, gconstpointer data)
{
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  g_autoptr (PtSpeaker) speaker = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) said = NULL, same = NULL;

  job.model.path = f->folder;
  job.speak.text = "Hello, two.";
  speaker = pt_speaker_new (f->set, &job, &error);
  g_assert_no_error (error);
  said = speak (speaker, &job, &error);
  g_assert_no_error (error);
  job.speak.phonemes = TRUE;
  job.speak.text = "həlˈO, tˈu.";
  same = speak (speaker, &job, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (said->data, said->len * sizeof (float), same->data, same->len * sizeof (float));
}

static void
check_number (const char *text, const char *language, const char *want)
{
  g_autofree char *got = pt_number_words (text, pt_language_find (language, NULL));

  g_assert_cmpstr (got, ==, want);
}

static void
test_numbers (void)
{
  check_number ("0", "en", "zero");
  check_number ("13", "en", "thirteen");
  check_number ("90", "en-gb", "ninety");
  check_number ("1,234,567", "en",
                "one million two hundred thirty four thousand five hundred sixty "
                "seven");
  check_number ("1000000", "en", "one million");
  check_number ("1,00", "en", "one point zero zero");
  check_number ("007", "en", "zero zero seven");
  check_number ("3.14", "en", "three point one four");
  check_number ("1234567890123", "en",
                "one two three four five six seven eight nine zero one two three");
  check_number ("4,2", "de", "vier komma zwei");
  check_number ("1.2.3", "en", "one point two point three");
  check_number ("12a", "en", NULL);
  check_number ("a", "en", NULL);
  check_number ("5", "hi", NULL);
}

/* Stop ends between two pieces, after the one that is being computed. */
static void
stop_after_first (const PtEvent *event, gpointer user_data)
{
  GCancellable *cancellable = user_data;

  if (event->kind != PT_EVENT_SAMPLES)
    return;
  g_assert_false (g_cancellable_is_cancelled (cancellable));
  g_cancellable_cancel (cancellable);
}

static void
test_stop (Fixture *f, gconstpointer data)
{
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PtSpeaker) speaker = NULL;
  g_autoptr (GError) error = NULL;

  job.model.path = f->folder;
  job.speak.phonemes = TRUE;
  job.speak.text = "həlˈO wˈɜɹld. həlˈO wˈɜɹld. həlˈO wˈɜɹld.";
  speaker = pt_speaker_new (f->set, &job, &error);
  g_assert_no_error (error);
  g_assert_false (
      pt_speaker_run (speaker, &job, stop_after_first, cancellable, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
}

static void
test_output (Fixture *f, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "out.wav", NULL), *bytes = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  g_autoptr (PtSpeaker) speaker = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) got = NULL;
  gsize size;

  job.model.path = f->folder;
  job.speak.phonemes = TRUE;
  job.speak.text = "ab cd.";
  job.speak.output = path;
  speaker = pt_speaker_new (f->set, &job, &error);
  g_assert_no_error (error);
  got = speak (speaker, &job, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  g_assert_cmpuint (size, ==, 44 + 2 * got->len);
  g_assert_cmpmem (bytes, 4, "RIFF", 4);

  /* A file of another kind stays. */
  g_assert_true (g_file_set_contents (path, "text", -1, NULL));
  g_assert_null (speak (speaker, &job, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_remove (path);
  g_rmdir (folder);
}

static void
expect_error (PtSpeaker *speaker, const PtJob *job, PtError code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (speak (speaker, job, &error));
  g_assert_error (error, PT_ERROR, (int) code);
}

static void
test_refused (Fixture *f, gconstpointer data)
{
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtSpeaker) speaker = NULL;

  job.model.path = f->folder;
  job.speak.phonemes = TRUE;
  speaker = pt_speaker_new (f->set, &job, &error);
  g_assert_no_error (error);
  expect_error (speaker, &job, PT_ERROR_ARGUMENT);
  job.speak.text = "  \n";
  expect_error (speaker, &job, PT_ERROR_ARGUMENT);
  job.speak.text = "a";
  job.speak.speed = 3.5;
  expect_error (speaker, &job, PT_ERROR_ARGUMENT);
  job.speak.speed = NAN;
  expect_error (speaker, &job, PT_ERROR_ARGUMENT);
  job.speak.speed = 1;
  job.speak.voice = "nobody";
  expect_error (speaker, &job, PT_ERROR_NOT_FOUND);
  job.speak.voice = "/nonexistent/voice.bin";
  expect_error (speaker, &job, PT_ERROR_FILE);
  job.speak.voice = NULL;
  job.speak.language = "klingon";
  expect_error (speaker, &job, PT_ERROR_ARGUMENT);
}

static void
test_voices (Fixture *f, gconstpointer data)
{
  g_autoptr (GPtrArray) paths = pt_voice_paths (f->folder);
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.bin", NULL);
  static const guint8 bytes[1025] = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (paths->len, ==, 1);
  for (gsize size = 0; size <= sizeof bytes; size += 1025) {
    g_assert_true (g_file_set_contents (path, (const char *) bytes, (gssize) size, NULL));
    g_assert_null (pt_voice_read (path, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
    g_clear_error (&error);
  }
  {
    float row[PT_VOICE_WIDTH] = { 0 };

    row[7] = NAN;
    g_assert_true (g_file_set_contents (path, (const char *) row, sizeof row, NULL));
    g_assert_null (pt_voice_read (path, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  }
  g_remove (path);
  g_rmdir (folder);
  pt_model_set_free (f->set);
}

/* ---- steps ---- */

static void
test_durations (void)
{
  gint64 long_ones[] = { 10, 20, 30 }, short_ones[] = { 1, 2, 3 }, zeros[] = { 0, 0 };
  gint64 negative[] = { 5, -1 }, huge[] = { G_MAXINT64, G_MAXINT64 };

  g_assert_true (pt_durations_fit (long_ones, 3, 16, 40, NULL));
  g_assert_cmpint (long_ones[0] + long_ones[1] + long_ones[2], ==, 40);
  g_assert_cmpint (long_ones[1], ==, 13);
  g_assert_true (pt_durations_fit (short_ones, 3, 16, 40, NULL));
  g_assert_cmpint (short_ones[0] + short_ones[1] + short_ones[2], ==, 16);
  g_assert_false (pt_durations_fit (zeros, 2, 16, 40, NULL));
  g_assert_false (pt_durations_fit (negative, 2, 16, 40, NULL));
  g_assert_false (pt_durations_fit (huge, 2, 16, 40, NULL));
}

static void
test_trim (void)
{
  g_autofree float *samples = g_new0 (float, 10000);
  gsize begin, end;

  pt_trim_silence (samples, 0, &begin, &end);
  g_assert_cmpuint (end - begin, ==, 0);
  for (gsize i = 4000; i < 5000; i++)
    samples[i] = 0.5f;
  pt_trim_silence (samples, 10000, &begin, &end);
  g_assert_cmpuint (begin, ==, 4000 - 1200);
  g_assert_cmpuint (end, ==, 5000 + 1200);
}

static void
check_partition (const char *text, guint limit, const char *want)
{
  glong n;
  g_autofree gunichar *phonemes = g_utf8_to_ucs4_fast (text, -1, &n);
  g_autoptr (GArray) ends = pt_partition (phonemes, (gsize) n, limit);
  g_autoptr (GString) got = g_string_new (NULL);
  gsize begin = 0;

  for (guint i = 0; i < ends->len; i++) {
    gsize end = g_array_index (ends, gsize, i);
    g_autofree char *piece =
        g_ucs4_to_utf8 (phonemes + begin, (glong) (end - begin), NULL, NULL, NULL);

    g_assert_cmpuint (end - begin, <=, limit);
    g_string_append_printf (got, "%s|", piece);
    begin = end;
  }
  g_assert_cmpstr (got->str, ==, want);
}

static void
test_partition (void)
{
  check_partition ("", 5, "");
  check_partition ("ab. cd.", 20, "ab. cd.|");
  check_partition ("ab. cd, ef.", 8, "ab.| cd, ef.|");
  check_partition ("ab cd, ef gh", 8, "ab cd,| ef gh|");
  check_partition ("abcdefghij", 4, "ab|cdef|ghij|");
}

static void
test_text (void)
{
  g_autoptr (GPtrArray) passages = pt_spoken_passages (" A title\n\nOne\nline. ");
  g_autoptr (GPtrArray) tokens = pt_spoken_tokens ("It’s 3.14 (pi)... ok?");
  g_autoptr (GString) got = g_string_new (NULL);

  g_assert_cmpuint (passages->len, ==, 2);
  g_assert_cmpstr (passages->pdata[0], ==, "A title.");
  g_assert_cmpstr (passages->pdata[1], ==, "One line.");
  for (guint i = 0; i < tokens->len; i++) {
    const PtSpokenToken *token = tokens->pdata[i];

    g_string_append_printf (got, "%s%s%s|", token->is_spaced ? "_" : "", token->text,
                            token->is_mark ? "*" : "");
  }
  g_assert_cmpstr (got->str, ==, "It's|_3.14|_(*|pi|)*|…*|_ok|?*|");
}

static void
test_vocabulary (void)
{
  guint n = 0;

  for (gunichar c = 1; c < 0x10000; c++)
    n += pt_phoneme_token (c) != 0;
  g_assert_cmpuint (n, ==, 114);
  g_assert_cmpuint (pt_phoneme_token (U'ᵻ'), ==, 177);
  g_assert_cmpuint (pt_phoneme_of_class (114), ==, U'ᵻ');
  g_assert_cmpuint (pt_phoneme_of_class (115), ==, U'ʑ');
  g_assert_cmpuint (pt_phoneme_of_class (116), ==, 0);
  g_assert_cmpuint (pt_letter_token (U'z'), ==, 27);
  g_assert_cmpuint (pt_letter_token (U'ḏ'), ==, 143);
}

static void
check_espeak (const char *written, const char *language, const char *want)
{
  g_autofree char *got = pt_espeak_to_phonemes (written, pt_language_find (language, NULL));

  g_assert_cmpstr (got, ==, want);
}

static void
test_espeak (void)
{
  check_espeak ("həlˈo^ʊ wˈɜːld\n", "en", "həlˈO wˈɜɹld");
  check_espeak ("həlˈə^ʊ wˈɜːld\n", "en-gb", "həlˈQ wˈɜːld");
  check_espeak ("bˈʌʔn̩", "en-us", "bˈʌtᵊn");
  check_espeak ("(^e^n)ðə d^ʒˈʌd^ʒ(^d^e) ˈiːs", "de", "ðə ʤˈʌʤ ˈiːs");
  g_assert_null (pt_language_find ("xx", NULL));
  g_assert_cmpstr (pt_language_find ("pt_BR", NULL)->id, ==, "pt");
  g_assert_cmpstr (pt_language_of_voice ("am_adam")->id, ==, "en-us");
  g_assert_cmpstr (pt_language_of_voice ("pm_mateusz")->id, ==, "pl");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add ("/speak/samples", Fixture, NULL, set_up, test_samples, tear_down);
  g_test_add ("/speak/words", Fixture, NULL, set_up, test_words, tear_down);
  g_test_add ("/speak/stop", Fixture, NULL, set_up, test_stop, tear_down);
  g_test_add_func ("/speak/phonemes", test_phonemes);
  g_test_add_func ("/speak/numbers", test_numbers);
  g_test_add ("/speak/output", Fixture, NULL, set_up, test_output, tear_down);
  g_test_add ("/speak/refused", Fixture, NULL, set_up, test_refused, tear_down);
  g_test_add ("/speak/voices", Fixture, NULL, set_up, test_voices, tear_down);
  g_test_add_func ("/speak/durations", test_durations);
  g_test_add_func ("/speak/trim", test_trim);
  g_test_add_func ("/speak/partition", test_partition);
  g_test_add_func ("/speak/text", test_text);
  g_test_add_func ("/speak/vocabulary", test_vocabulary);
  g_test_add_func ("/speak/espeak", test_espeak);
  return g_test_run ();
}
