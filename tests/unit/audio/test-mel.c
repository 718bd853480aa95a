/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/audio/mel.h"
#include "engine/kernels/cpu.h"

#define TOLERANCE 2e-4

/* The check values of docs/formats/protocols.md, section 11.4, and more of them. */

static float *
make_signal (gsize n)
{
  float *x = g_new (float, n);
  gsize i;

  for (i = 0; i < n; i++)
    x[i] = (float) (0.5 * sin (2 * G_PI * 440 * (double) i / 16000) +
                    0.25 * sin (2 * G_PI * 1234 * (double) i / 16000));
  return x;
}

typedef struct {
  guint frame;
  float values[6];
} Row;

static void
check (guint n_bands, gsize n, gsize n_padded, const guint *bands, const Row *rows, guint n_rows,
       double min, double max, double mean)
{
  g_autoptr (PtMel) mel = pt_mel_new (n_bands);
  g_autofree float *signal = make_signal (n);
  gsize n_frames = n_padded / PT_MEL_HOP, i;
  g_autofree float *out = g_new (float, n_bands *n_frames);
  double lowest = G_MAXDOUBLE, highest = -G_MAXDOUBLE, sum = 0;
  guint r, b;

  pt_mel_compute (mel, pt_pool_default (), signal, n, n_padded, out);
  for (i = 0; i < n_bands * n_frames; i++) {
    lowest = MIN (lowest, out[i]);
    highest = MAX (highest, out[i]);
    sum += out[i];
  }
  g_assert_cmpfloat (fabs (lowest - min), <, TOLERANCE);
  g_assert_cmpfloat (fabs (highest - max), <, TOLERANCE);
  g_assert_cmpfloat (fabs (sum / (double) (n_bands * n_frames) - mean), <, TOLERANCE);
  for (r = 0; r < n_rows; r++) {
    for (b = 0; b < 6; b++) {
      double got = out[bands[b] * n_frames + rows[r].frame];

      g_assert_cmpfloat (fabs (got - (double) rows[r].values[b]), <, TOLERANCE);
    }
  }
}

static void
test_80 (void)
{
  static const guint bands[6] = { 0, 5, 10, 20, 40, 79 };
  static const Row rows[] = {
    { 0, { 1.01786f, 1.07519f, 1.34360f, 0.61142f, 0.70050f, 0.11086f } },
    { 1, { 0.50599f, 0.53018f, 1.35048f, 0.24602f, 0.19384f, -0.39923f } },
    { 50, { -0.56179f, -0.56179f, 1.34874f, -0.56179f, -0.56179f, -0.56179f } },
    { 100, { 0.86734f, 0.92467f, 1.27094f, 0.46091f, 0.54999f, -0.03966f } },
    { 101, { 0.35554f, 0.37959f, 0.37306f, 0.09499f, 0.04094f, -0.54974f } },
  };

  check (80, 16000, 480000, bands, rows, G_N_ELEMENTS (rows), -0.56179, 1.43821, -0.55285);
}

static void
test_128 (void)
{
  static const guint bands[6] = { 0, 5, 10, 20, 40, 127 };
  static const Row rows[] = {
    { 0, { 0.94210f, 0.96144f, 1.01137f, 1.32160f, 0.66054f, 0.11037f } },
    { 1, { 0.43024f, 0.44323f, 0.45637f, 1.29108f, 0.28610f, -0.39973f } },
    { 100, { 0.79158f, 0.81093f, 0.86085f, 1.23058f, 0.51004f, -0.04015f } },
  };

  check (128, 16000, 480000, bands, rows, G_N_ELEMENTS (rows), -0.51464, 1.48536, -0.50715);
}

/* Without padding, mirrored at both ends: 320 zeros, then the signal. */
static void
test_short (void)
{
  enum { N = 1640, N_FRAMES = N / PT_MEL_HOP };
  static const guint bands[4] = { 0, 10, 40, 127 };
  static const float values[4] = { 0.79158f, 0.86085f, 0.51004f, -0.04015f };
  g_autoptr (PtMel) mel = pt_mel_new (128);
  g_autofree float *signal = make_signal (N - 320);
  g_autofree float *padded = g_new0 (float, N);
  g_autofree float *out = g_new (float, 128 * N_FRAMES);
  float lowest = G_MAXFLOAT, highest = -G_MAXFLOAT;
  guint i;

  memcpy (padded + 320, signal, (N - 320) * sizeof (float));
  pt_mel_compute (mel, pt_pool_default (), padded, N, N, out);
  for (i = 0; i < 128 * N_FRAMES; i++) {
    lowest = MIN (lowest, out[i]);
    highest = MAX (highest, out[i]);
  }
  g_assert_cmpfloat (fabs (highest - 1.48536), <, TOLERANCE);
  g_assert_cmpfloat (fabs (lowest + 0.51464), <, TOLERANCE);
  for (i = 0; i < 4; i++)
    g_assert_cmpfloat (fabs ((double) (out[bands[i] * N_FRAMES + 2] - values[i])), <, TOLERANCE);
}

/* The mirror image at the end of a full window is the same as one that is spelled out. */
static void
test_mirror (void)
{
  enum { N = 3200, N_FRAMES = N / PT_MEL_HOP };
  g_autoptr (PtMel) mel = pt_mel_new (80);
  g_autofree float *signal = make_signal (N + 320);
  g_autofree float *out = g_new (float, 80 * N_FRAMES);
  g_autofree float *longer = g_new (float, 80 * (N_FRAMES + 2));
  guint i, b;

  for (i = 0; i < 320; i++)
    signal[N + i] = signal[N - 2 - i];
  pt_mel_compute (mel, pt_pool_default (), signal, N, N, out);
  pt_mel_compute (mel, pt_pool_default (), signal, N + 320, N + 320, longer);
  for (b = 0; b < 80; b++) {
    for (i = 0; i < N_FRAMES; i++)
      g_assert_cmpfloat (fabsf (out[b * N_FRAMES + i] - longer[b * (N_FRAMES + 2) + i]), <, 2e-4f);
  }
}

static void
test_silence (void)
{
  g_autoptr (PtMel) mel = pt_mel_new (80);
  g_autofree float *out = g_new (float, 80 * 3000);
  guint i;

  pt_mel_compute (mel, pt_pool_default (), NULL, 0, 480000, out);
  for (i = 0; i < 80 * 3000; i++)
    g_assert_cmpfloat (out[i], ==, -1.5f);
}

/* Spectrograms that upstream's preprocessor programs made on its runtime, to the last bit where the
 * CPU has what their arithmetic needs: a quantised encoder makes much of it. */
typedef struct {
  const char *name, *file;
  guint n_bands, n, n_padded, n_kept; /* columns in the file */
} Upstream;

static void
test_upstream (gconstpointer data)
{
  const Upstream *u = data;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "audio", u->file, NULL);
  g_autoptr (PtMel) mel = pt_mel_new (u->n_bands);
  gsize n_frames = u->n_padded / PT_MEL_HOP, length;
  g_autofree float *out = g_new (float, u->n_bands *n_frames);
  double far = pt_cpu_level () >= PT_CPU_AVX2 ? 1e-6 : 2e-4;
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  const float *samples, *want;

  g_file_get_contents (path, &bytes, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (length, ==, (u->n + u->n_bands * u->n_kept) * sizeof (float));
  samples = (const float *) (gpointer) bytes;
  want = samples + u->n;
  pt_mel_compute (mel, pt_pool_default (), samples, u->n, u->n_padded, out);
  for (guint b = 0; b < u->n_bands; b++)
    for (guint i = 0; i < u->n_kept; i++)
      g_assert_cmpfloat_with_epsilon (out[b * n_frames + i], want[b * u->n_kept + i], far);
}

static void
test_speed (void)
{
  g_autoptr (PtMel) mel = pt_mel_new (80);
  g_autofree float *signal = make_signal (480000);
  g_autofree float *out = g_new (float, 80 * 3000);
  gint64 begin;

  pt_mel_compute (mel, pt_pool_default (), signal, 480000, 480000, out);
  begin = g_get_monotonic_time ();
  pt_mel_compute (mel, pt_pool_default (), signal, 480000, 480000, out);
  g_test_message ("30 s: %.2f ms", (double) (g_get_monotonic_time () - begin) / 1000);
}

int
main (int argc, char **argv)
{
  static const Upstream UPSTREAM[] = {
    { "/audio/mel/upstream/80", "mel-80.f32", 80, 20800, 480000, 140 },
    { "/audio/mel/upstream/128", "mel-128.f32", 128, 8000, 8000, 50 },
    { "/audio/mel/upstream/128-few", "mel-128-short.f32", 128, 1760, 1760, 11 },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/audio/mel/80-bands", test_80);
  g_test_add_func ("/audio/mel/128-bands", test_128);
  g_test_add_func ("/audio/mel/short", test_short);
  g_test_add_func ("/audio/mel/mirror", test_mirror);
  g_test_add_func ("/audio/mel/silence", test_silence);
  for (guint i = 0; i < G_N_ELEMENTS (UPSTREAM); i++)
    g_test_add_data_func (UPSTREAM[i].name, &UPSTREAM[i], test_upstream);
  g_test_add_func ("/audio/mel/speed", test_speed);
  return g_test_run ();
}
