/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/audio.h>

#include <glib/gstdio.h>
#include <sndfile.h>

#include "tests/unit/tasks/fixtures.h"

#define RATE 16000

static char *folder;

static char *
temp_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* A sine in all channels, louder in the first and softer in the last by the same amount. */
static void
write_sine (const char *path, int format, int rate, int n_channels, double hz, double seconds)
{
  SF_INFO info = { .samplerate = rate, .channels = n_channels, .format = format };
  SNDFILE *file = sf_open (path, SFM_WRITE, &info);
  int n = (int) (seconds * rate), i, c;
  float frame[8];

  g_assert_nonnull (file);
  for (i = 0; i < n; i++) {
    float value = 0.5f * (float) sin (2 * G_PI * hz * i / rate);

    for (c = 0; c < n_channels; c++)
      frame[c] = value;
    if (n_channels > 1) {
      frame[0] = 1.5f * value;
      frame[n_channels - 1] = 0.5f * value;
    }
    g_assert_cmpint (sf_writef_float (file, frame, 1), ==, 1);
  }
  sf_close (file);
}

static GArray *
read_all (const char *path, double *duration, GError **error)
{
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, RATE, NULL, error);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (float));
  float block[1000];
  gssize n;

  if (reader == NULL)
    return NULL;
  if (duration != NULL)
    *duration = pt_audio_reader_duration (reader);
  do {
    n = pt_audio_reader_read (reader, block, G_N_ELEMENTS (block), NULL, error);
    if (n < 0)
      return NULL;
    g_array_append_vals (all, block, (guint) n);
  } while (n == G_N_ELEMENTS (block));
  return g_steal_pointer (&all);
}

/* The amplitude of @hz in the middle of @samples, and of all that is not @hz. */
static void
measure (const GArray *samples, double hz, double *amplitude, double *rest)
{
  const float *x = (const float *) samples->data;
  guint n = RATE / 2, from = samples->len / 2 - n / 2, i;
  double re = 0, im = 0, power = 0;

  for (i = 0; i < n; i++) {
    double w = 1 - cos (2 * G_PI * (i + 0.5) / n); /* Hann of mean 1 */

    re += w * x[from + i] * cos (2 * G_PI * hz * i / RATE);
    im += w * x[from + i] * sin (2 * G_PI * hz * i / RATE);
  }
  *amplitude = 2 * sqrt (re * re + im * im) / n;
  re *= 2.0 / n;
  im *= 2.0 / n;
  for (i = 0; i < n; i++) {
    double y =
        x[from + i] - re * cos (2 * G_PI * hz * i / RATE) - im * sin (2 * G_PI * hz * i / RATE);

    power += y * y;
  }
  *rest = sqrt (power / n);
}

typedef struct {
  const char *name;
  int format;
  int rate;
  int n_channels;
  double tolerance; /* of the amplitude, and noise allowed */
} FormatCase;

static void
test_formats (void)
{
  static const FormatCase cases[] = {
    { "u8.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 16000, 1, 0.01 },
    { "s16.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 1, 1e-3 },
    { "s24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24, 44100, 2, 1e-4 },
    { "s32.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_32, 48000, 6, 1e-4 },
    { "f32.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 192000, 3, 1e-4 },
    { "f64.wav", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 11025, 2, 1e-4 },
    { "ex.wav", SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, 96000, 4, 1e-4 },
    { "ulaw.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW, 8000, 1, 0.02 },
    { "s16.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 22050, 5, 1e-3 },
    { "s24.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 96000, 2, 1e-4 },
    { "vorbis.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 44100, 2, 0.03 },
    { "opus.opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, 48000, 1, 0.03 },
    { "s16.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 32000, 1, 1e-3 },
    { "s16.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_16, 24000, 2, 1e-3 },
    { "layer3.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 44100, 2, 0.03 },
    { "low.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 16000, 1, 0.03 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    const FormatCase *c = &cases[i];
    g_autofree char *path = temp_path (c->name);
    g_autoptr (GArray) samples = NULL;
    g_autoptr (GError) error = NULL;
    double amplitude, rest, duration, hz = 997;
    SF_INFO info = { .samplerate = c->rate, .channels = c->n_channels, .format = c->format };

    if (!sf_format_check (&info)) {
      g_test_message ("%s: not written by this libsndfile", c->name);
      continue;
    }
    write_sine (path, c->format, c->rate, c->n_channels, hz, 2.0);
    samples = read_all (path, &duration, &error);
    g_assert_no_error (error);
    measure (samples, hz, &amplitude, &rest);
    g_test_message ("%s: %u samples, amplitude %.5f, rest %.6f", c->name, samples->len, amplitude,
                    rest);
    g_assert_cmpfloat (fabs (duration - 2.0), <, 0.1);
    g_assert_cmpfloat (fabs (samples->len / (double) RATE - 2.0), <, 0.1);
    g_assert_cmpfloat (fabs (amplitude - 0.5), <, c->tolerance);
    g_assert_cmpfloat (rest, <, c->tolerance);
  }
}

/* Frequencies above the new band must not alias. */
static void
test_aliasing (void)
{
  g_autofree char *path = temp_path ("high.wav");
  g_autoptr (GArray) samples = NULL;
  g_autoptr (GError) error = NULL;
  double amplitude, rest;

  write_sine (path, SF_FORMAT_WAV | SF_FORMAT_FLOAT, 48000, 1, 9500, 1.0);
  samples = read_all (path, NULL, &error);
  g_assert_no_error (error);
  measure (samples, 6500, &amplitude, &rest);
  g_assert_cmpfloat (amplitude, <, 1e-4);
  g_assert_cmpfloat (rest, <, 1e-4);
}

static void
test_not_numbers (void)
{
  g_autofree char *path = temp_path ("nan.wav");
  SF_INFO info = { .samplerate = RATE, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT };
  SNDFILE *file = sf_open (path, SFM_WRITE, &info);
  float values[6] = { 0.25f, NAN, INFINITY, -INFINITY, 1e30f, -0.25f };
  g_autoptr (GArray) samples = NULL;
  g_autoptr (GError) error = NULL;
  const float *x;

  sf_write_float (file, values, 6);
  sf_close (file);
  samples = read_all (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (samples->len, ==, 6);
  x = (const float *) samples->data;
  g_assert_cmpfloat (x[0], ==, 0.25f);
  g_assert_cmpfloat (x[1], ==, 0);
  g_assert_cmpfloat (x[2], ==, 0);
  g_assert_cmpfloat (x[3], ==, 0);
  g_assert_cmpfloat (x[4], ==, 0);
  g_assert_cmpfloat (x[5], ==, -0.25f);
}

static void
expect_error (const char *name, PtError code, const char *words)
{
  g_autofree char *path = temp_path (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) samples = read_all (path, NULL, &error);

  g_assert_null (samples);
  g_assert_error (error, PT_ERROR, (int) code);
  g_test_message ("%s: %s", name, error->message);
  g_assert_nonnull (strstr (error->message, words));
}

static void
write_file (const char *name, gconstpointer data, gsize size)
{
  g_autofree char *path = temp_path (name);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, (gssize) size, &error);
  g_assert_no_error (error);
}

static char *
read_file (const char *name, gsize *size)
{
  g_autofree char *path = temp_path (name);
  g_autoptr (GError) error = NULL;
  char *data = NULL;

  g_file_get_contents (path, &data, size, &error);
  g_assert_no_error (error);
  return data;
}

static void
test_no_recording (void)
{
  g_autofree char *path = temp_path ("none.wav");
  guint8 m4a[64] = { 0, 0, 0, 32, 'f', 't', 'y', 'p', 'M', '4', 'A', ' ' };
  guint8 zeros[5000] = { 0 };
  guint8 tag[600] = { 'I', 'D', '3', 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f };
  SF_INFO info = { .samplerate = RATE, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_PCM_16 };

  expect_error ("missing.wav", PT_ERROR_FILE, "missing.wav");
  expect_error ("", PT_ERROR_FILE, "not a file");
  write_file ("empty.wav", "", 0);
  expect_error ("empty.wav", PT_ERROR_AUDIO, "empty");
  write_file ("text.wav", "This is a letter, and no recording at all.\n", 43);
  expect_error ("text.wav", PT_ERROR_FORMAT, "convert it");
  write_file ("text.mp3", "This is a letter, and no recording at all.\n", 43);
  expect_error ("text.mp3", PT_ERROR_FORMAT, "convert it");
  write_file ("a.m4a", m4a, sizeof m4a);
  expect_error ("a.m4a", PT_ERROR_FORMAT, "MPEG-4");
  write_file ("zeros.mp3", zeros, sizeof zeros);
  expect_error ("zeros.mp3", PT_ERROR_FORMAT, "zeros.mp3");
  write_file ("tag.mp3", tag, sizeof tag);
  expect_error ("tag.mp3", PT_ERROR_FORMAT, "MP3");
  sf_close (sf_open (path, SFM_WRITE, &info));
  expect_error ("none.wav", PT_ERROR_AUDIO, "length is zero");
}

/* Every header field of a WAV at its extremes: an error or sound, in bounded time and memory. */
static void
test_wav_headers (void)
{
  static const guint32 extremes[] = { 0,          1,          2,         3,       7,
                                      0xff,       0x7fff,     0xffff,    0x10000, 0x7fffffff,
                                      0x80000000, 0xfffffff0, 0xffffffff };
  g_autofree char *path = temp_path ("base.wav");
  g_autofree char *data = NULL;
  gsize size, offset, i;

  write_sine (path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, RATE, 1, 440, 0.2);
  data = read_file ("base.wav", &size);
  for (offset = 4; offset < 44; offset += 2) {
    for (i = 0; i < G_N_ELEMENTS (extremes); i++) {
      g_autofree char *copy = g_memdup2 (data, size);
      g_autofree char *other = temp_path ("hostile.wav");
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) samples = NULL;
      guint32 value = GUINT32_TO_LE (extremes[i]);

      memcpy (copy + offset, &value, MIN (4, 44 - offset));
      write_file ("hostile.wav", copy, size);
      samples = read_all (other, NULL, &error);
      g_assert_true ((samples == NULL) == (error != NULL));
      if (error != NULL)
        g_assert_nonnull (strstr (error->message, "hostile.wav"));
    }
  }
  /* Half the sound is gone, the header does not know: what is there counts. */
  write_file ("half.wav", data, size / 2);
  {
    g_autofree char *half = temp_path ("half.wav");
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) samples = read_all (half, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpuint (samples->len, >, 1000);
  }
}

static void
test_cut (void)
{
  g_autofree char *flac = temp_path ("cut.flac");
  g_autofree char *data = NULL;
  gsize size;

  write_sine (flac, SF_FORMAT_FLAC | SF_FORMAT_PCM_16, RATE, 1, 440, 20);
  data = read_file ("cut.flac", &size);
  write_file ("cut.flac", data, size / 2);
  expect_error ("cut.flac", PT_ERROR_AUDIO, "cut.flac");
}

static gboolean
write_mp3 (const char *name, double seconds, gboolean variable)
{
  g_autofree char *path = temp_path (name);
  SF_INFO info = { .samplerate = RATE,
                   .channels = 1,
                   .format = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III };
  int mode = variable ? SF_BITRATE_MODE_VARIABLE : SF_BITRATE_MODE_CONSTANT;
  guint32 random = 1;
  SNDFILE *file;
  int i, n = (int) (seconds * RATE);

  if (!sf_format_check (&info))
    return FALSE;
  file = sf_open (path, SFM_WRITE, &info);
  g_assert_nonnull (file);
  sf_command (file, SFC_SET_BITRATE_MODE, &mode, sizeof mode);
  /* Silence, then noise: far more bits in the second half. */
  for (i = 0; i < n; i++) {
    float value = 0;

    random = random * 1664525 + 1013904223;
    if (i > n / 2)
      value = 0.3f * ((float) (random >> 8) / 8388608.0f - 1);
    sf_write_float (file, &value, 1);
  }
  sf_close (file);
  return TRUE;
}

static void
test_mp3_damage (void)
{
  g_autofree char *data = NULL;
  gsize size, i;

  if (!write_mp3 ("good.mp3", 12, TRUE)) {
    g_test_skip ("this libsndfile writes no MP3");
    return;
  }
  data = read_file ("good.mp3", &size);
  write_file ("cut.mp3", data, size / 2);
  expect_error ("cut.mp3", PT_ERROR_AUDIO, "cut off");
  {
    g_autofree char *copy = g_memdup2 (data, size);

    for (i = size / 3; i < 2 * size / 3; i++)
      copy[i] = (char) (i * 37 + i / 251);
    write_file ("middle.mp3", copy, size);
    expect_error ("middle.mp3", PT_ERROR_AUDIO, "damaged");
    memset (copy + size / 3, 0, size - size / 3);
    write_file ("zero-tail.mp3", copy, size);
    expect_error ("zero-tail.mp3", PT_ERROR_AUDIO, "damaged");
  }
}

/* Without its index a file of variable bit rate must still be read whole; tags do not matter. */
static void
test_mp3_lengths (void)
{
  g_autofree char *data = NULL, *path = temp_path ("plain.mp3");
  g_autoptr (GByteArray) made = g_byte_array_new ();
  guint8 tag[10] = { 'I', 'D', '3', 3, 0, 0, 0, 0x7f, 0x7f, 0x7f };
  g_autofree guint8 *cover = g_malloc0 (0x1fffff);
  g_autoptr (GArray) samples = NULL;
  g_autoptr (GError) error = NULL;
  double duration;
  gsize size, first = 0;

  if (!write_mp3 ("variable.mp3", 12, TRUE)) {
    g_test_skip ("this libsndfile writes no MP3");
    return;
  }
  data = read_file ("variable.mp3", &size);
  /* The first frame with a sync after the one that holds the index. */
  while (!((guint8) data[first] == 0xff && ((guint8) data[first + 1] & 0xe0) == 0xe0))
    first++;
  for (first += 60; first < size; first++) {
    if (memcmp (data + first, data, 2) == 0 &&
        ((guint8) data[first + 2] & 0x0c) == ((guint8) data[2] & 0x0c))
      break;
  }
  g_byte_array_append (made, tag, sizeof tag);
  g_byte_array_append (made, cover, 0x1fffff);
  g_byte_array_append (made, (const guint8 *) data + first, (guint) (size - first));
  write_file ("plain.mp3", made->data, made->len);
  samples = read_all (path, &duration, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (fabs (duration - 12), <, 0.3);
  g_assert_cmpfloat (fabs (samples->len / (double) RATE - 12), <, 0.3);
}

static void
test_cancel (void)
{
  g_autofree char *path = temp_path ("cancel.wav");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PtAudioReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  float block[64];

  write_sine (path, SF_FORMAT_WAV | SF_FORMAT_PCM_16, 44100, 1, 440, 0.5);
  reader = pt_audio_reader_open (path, RATE, cancellable, &error);
  g_assert_no_error (error);
  g_assert_cmpint (pt_audio_reader_read (reader, block, 64, cancellable, &error), ==, 64);
  g_cancellable_cancel (cancellable);
  g_assert_cmpint (pt_audio_reader_read (reader, block, 64, cancellable, &error), ==, -1);
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-reader-XXXXXX", NULL);
  g_test_add_func ("/audio/reader/formats", test_formats);
  g_test_add_func ("/audio/reader/aliasing", test_aliasing);
  g_test_add_func ("/audio/reader/not-numbers", test_not_numbers);
  g_test_add_func ("/audio/reader/no-recording", test_no_recording);
  g_test_add_func ("/audio/reader/wav-headers", test_wav_headers);
  g_test_add_func ("/audio/reader/cut", test_cut);
  g_test_add_func ("/audio/reader/mp3-damage", test_mp3_damage);
  g_test_add_func ("/audio/reader/mp3-lengths", test_mp3_lengths);
  g_test_add_func ("/audio/reader/cancel", test_cancel);
  status = g_test_run ();
  remove_folder (folder);
  g_free (folder);
  return status;
}
