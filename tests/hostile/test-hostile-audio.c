/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/mel.h"
#include "tests/hostile/hostile.h"

#include <math.h>
#include <string.h>
#include <pteris/audio.h>

#include <gmodule.h>

/* Recordings whose headers lie, and sound that is no sound. */

G_MODULE_EXPORT const char *__asan_default_options (void);
G_MODULE_EXPORT const char *__lsan_default_suppressions (void);

/* For the suppressions. */
const char *
__asan_default_options (void)
{
  return "fast_unwind_on_malloc=0";
}

/* libsndfile forgets the first when an Ogg file breaks off. GLib never frees a table of names that
 * has become too small: GStreamer has many. */
const char *
__lsan_default_suppressions (void)
{
  return "leak:vorbis_info_init\nleak:_dl_init\nleak:g_quark_from_static_string\n"
         "leak:g_quark_from_string\nleak:g_intern_static_string\nleak:g_intern_string";
}

typedef struct {
  const char *name;
  guint16 format, channels;
  guint32 rate;
  guint16 block, bits;
  guint32 data_size; /* that the header claims; 0: the truth */
  gboolean may_open;
} Lie;

enum { PCM = 1, FLOAT = 3, EXTENSIBLE = 0xfffe };

static const Lie lies[] = {
  { "no channels", PCM, 0, 16000, 2, 16, 0, FALSE },
  { "64 channels", PCM, 64, 16000, 128, 16, 0, TRUE },
  { "65535 channels", PCM, 65535, 16000, 2, 16, 0, FALSE },
  { "0 Hz", PCM, 1, 0, 2, 16, 0, FALSE },
  { "1 Hz", PCM, 1, 1, 2, 16, 0, FALSE },
  { "1 kHz", PCM, 1, 1000, 2, 16, 0, TRUE },
  { "11.025 kHz", PCM, 1, 11025, 2, 16, 0, TRUE },
  { "1 MHz", PCM, 1, 1000000, 2, 16, 0, TRUE },
  { "2^31 - 1 Hz", PCM, 1, 0x7fffffff, 2, 16, 0, FALSE },
  { "2^31 Hz", PCM, 1, 0x80000000, 2, 16, 0, FALSE },
  { "2^32 - 1 Hz", PCM, 1, 0xffffffff, 2, 16, 0, FALSE },
  { "4 GB", PCM, 1, 16000, 2, 16, 0xffffffff, TRUE },
  { "2 GB", PCM, 1, 16000, 2, 16, 0x7fffffff, TRUE },
  { "block of nothing", PCM, 1, 16000, 0, 16, 0, TRUE },
  { "odd block", PCM, 2, 16000, 3, 16, 0, TRUE },
  { "large block", PCM, 1, 16000, 65535, 16, 0, TRUE },
  { "no bits", PCM, 1, 16000, 2, 0, 0, TRUE },
  { "255 bits", PCM, 1, 16000, 2, 255, 0, TRUE },
  { "1 bit", PCM, 1, 16000, 2, 1, 0, TRUE },
  { "float of 16 bits", FLOAT, 1, 16000, 2, 16, 0, TRUE },
  { "cut extensible", EXTENSIBLE, 2, 16000, 4, 16, 0, TRUE },
  { "unknown format", 0x7777, 1, 16000, 2, 16, 0, FALSE },
  { "GSM", 0x31, 1, 8000, 65, 0, 0, TRUE },
  { "IMA ADPCM, block of 1", 0x11, 1, 8000, 1, 4, 0, TRUE },
  { "MS ADPCM, block of 3", 0x02, 2, 8000, 3, 4, 0, TRUE },
};

static void
put (GByteArray *out, guint64 number, guint width)
{
  g_byte_array_append (out, (guint8 *) &number, width);
}

static GByteArray *
make_wav (const Lie *lie, const guint8 *sound, guint size)
{
  GByteArray *out = g_byte_array_new ();

  g_byte_array_append (out, (const guint8 *) "RIFF", 4);
  put (out, 36 + size, 4);
  g_byte_array_append (out, (const guint8 *) "WAVEfmt ", 8);
  put (out, 16, 4);
  put (out, lie->format, 2);
  put (out, lie->channels, 2);
  put (out, lie->rate, 4);
  put (out, (guint32) (lie->rate * lie->block), 4);
  put (out, lie->block, 2);
  put (out, lie->bits, 2);
  g_byte_array_append (out, (const guint8 *) "data", 4);
  put (out, lie->data_size != 0 ? lie->data_size : size, 4);
  g_byte_array_append (out, sound, size);
  return out;
}

/* Reads it as the front end does. Returns FALSE when it was refused. */
static gboolean
listen_to (const char *path, const char *what)
{
  g_autofree float *samples = g_new (float, PT_MEL_RATE);
  g_autofree float *bands = g_new (float, 80 * PT_MEL_RATE / PT_MEL_HOP);
  g_autoptr (PtAudioReader) reader = NULL;
  g_autoptr (PtMel) mel = pt_mel_new (80);
  GError *error = NULL;
  gssize n = PT_MEL_RATE;

  hostile_begin ();
  reader = pt_audio_reader_open (path, PT_MEL_RATE, NULL, &error);
  while (reader != NULL && n == PT_MEL_RATE) {
    n = pt_audio_reader_read (reader, samples, PT_MEL_RATE, NULL, &error);
    for (gssize i = 0; i < n; i++)
      g_assert_true (isfinite (samples[i]));
    if (n >= 0) {
      pt_mel_compute (mel, pt_pool_default (), samples, (gsize) n, PT_MEL_RATE, bands);
      for (gsize i = 0; i < 80 * PT_MEL_RATE / PT_MEL_HOP; i++)
        g_assert_true (isfinite (bands[i]));
    }
  }
  hostile_end (what);
  if (error == NULL)
    return TRUE;
  hostile_check_error (error, what);
  return FALSE;
}

static void
test_headers (void)
{
  guint8 sound[6400];

  for (guint i = 0; i < sizeof sound; i++)
    sound[i] = (guint8) (i * 37);
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    g_autoptr (GByteArray) wav = make_wav (&lies[i], sound, sizeof sound);
    g_autofree char *path = hostile_file ("lie.wav", wav->data, wav->len);

    if (listen_to (path, lies[i].name) && !lies[i].may_open)
      g_error ("a recording of %s was accepted", lies[i].name);
  }
  hostile_clean_up ();
}

static void
test_numbers (void)
{
  static const float numbers[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-45f, 0, 1 };
  static const Lie truth = { "float", FLOAT, 1, 44100, 4, 32, 0, TRUE };
  float sound[4096];
  g_autoptr (GByteArray) wav = NULL;
  g_autofree char *path = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sound); i++)
    sound[i] = numbers[(i / 7) % G_N_ELEMENTS (numbers)];
  wav = make_wav (&truth, (const guint8 *) sound, sizeof sound);
  path = hostile_file ("numbers.wav", wav->data, wav->len);
  g_assert_true (listen_to (path, "no numbers"));
  hostile_clean_up ();
}

/* Every seed of the audio fuzzer, cut wherever it matters and with bytes changed. */
static void
test_damage (gconstpointer data)
{
  gsize size;
  g_autofree guint8 *good = hostile_data (data, &size);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (gsize cut = 0; cut < size; cut = cut < 64 ? cut + 1 : cut + size / 16 + 1) {
    g_autofree char *path = hostile_file ("cut", good, cut);

    listen_to (path, "a cut recording");
  }
  for (guint i = 0; i < 12; i++) {
    g_autofree guint8 *copy = g_memdup2 (good, size);
    g_autofree char *path = NULL;

    for (guint k = 0; k < 4; k++)
      copy[g_rand_int_range (rand, 0, (gint32) size)] = (guint8) g_rand_int (rand);
    path = hostile_file ("changed", copy, size);
    listen_to (path, "a changed recording");
  }
  hostile_clean_up ();
}

/* A recording with 50 MB of something else before it. */
static void
test_tag (void)
{
  static const guint8 tag[] = { 'I', 'D', '3', 4, 0, 0, 0x17, 0x6a, 0x38, 0x00 };
  gsize size;
  g_autofree guint8 *sound = hostile_data ("../fuzz/corpus/audio/a.mp3", &size);
  gsize tag_size = 0x17 << 21 | 0x6a << 14 | 0x38 << 7;
  g_autofree guint8 *file = g_malloc0 (sizeof tag + tag_size + size);
  g_autofree char *path = NULL;

  memcpy (file, tag, sizeof tag);
  memcpy (file + sizeof tag + tag_size, sound, size);
  path = hostile_file ("tag.mp3", file, sizeof tag + tag_size + size);
  listen_to (path, "a large tag");
  hostile_clean_up ();
}

/* Tags within tags, and no sound: GStreamer's elements end without a word. Nobody waits for them.
 */
static void
test_tags (void)
{
  static const guint8 TAG[] = { 'I', 'D', '3', 4, 0, 0, 0, 0, 0, 0 };
  g_autoptr (GByteArray) tags = g_byte_array_new ();
  g_autoptr (PtAudioReader) reader = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 20000; i++)
    g_byte_array_append (tags, TAG, sizeof TAG);
  path = hostile_file ("tags.mp3", tags->data, tags->len);
  reader = pt_audio_reader_open (path, PT_MEL_RATE, NULL, &error);
  g_assert_null (reader);
  g_test_message ("%s", error->message);
  /* The message of a timeout. */
  g_assert_null (strstr (error->message, "makes no progress"));
  hostile_clean_up ();
}

int
main (int argc, char **argv)
{
  static const char *const seeds[] = { "a.flac", "a.ogg", "a.mp3", "a.aiff", "a.au",
                                       "a.caf",  "a.w64", "a.voc", "ext.wav" };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/audio/headers", test_headers);
  g_test_add_func ("/hostile/audio/numbers", test_numbers);
  g_test_add_func ("/hostile/audio/tag", test_tag);
  g_test_add_func ("/hostile/audio/tags", test_tags);
  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++) {
    g_autofree char *name = g_strconcat ("/hostile/audio/", seeds[i], NULL);

    g_test_add_data_func_full (name, g_strconcat ("../fuzz/corpus/audio/", seeds[i], NULL),
                               test_damage, g_free);
  }
  return g_test_run ();
}
