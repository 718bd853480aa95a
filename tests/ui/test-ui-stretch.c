/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/stretch.h"

#include <math.h>

#define RATE 16000
#define PITCH 200
#define SECONDS 2

/* A tone with an overtone, as long as SECONDS. */
typedef struct {
  gsize at, length;
} Tone;

static float
tone_at (gsize i)
{
  double phase = 2 * G_PI * PITCH * (double) i / RATE;

  return (float) (0.5 * sin (phase) + 0.2 * sin (2 * phase + 1));
}

static gsize
read_tone (gpointer user_data, float *samples, gsize n)
{
  Tone *tone = user_data;
  gsize got = MIN (n, tone->length - tone->at);

  for (gsize i = 0; i < got; i++)
    samples[i] = tone_at (tone->at++);
  return got;
}

static GArray *
stretch (gsize length, double speed)
{
  Tone tone = { 0, length };
  g_autoptr (PterisStretch) stretch = pteris_stretch_new (RATE, speed, read_tone, &tone);
  gsize piece = pteris_stretch_piece (stretch);
  g_autofree float *out = g_new (float, piece);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (float));

  while (pteris_stretch_next (stretch, out))
    g_array_append_vals (all, out, (guint) piece);
  g_assert_cmpuint (tone.at, ==, length);
  return all;
}

static void
test_same (void)
{
  g_autoptr (GArray) all = stretch (RATE + 7, 1);

  g_assert_cmpuint (all->len, >=, RATE + 7);
  for (guint i = 0; i < RATE + 7; i++)
    g_assert_cmpfloat (g_array_index (all, float, i), ==, tone_at (i));
}

/* Right duration and pitch, and no clicks. */
static void
test_speed (gconstpointer data)
{
  double speed = *(const double *) data, length = SECONDS * RATE / speed, seconds;
  g_autoptr (GArray) all = stretch (SECONDS * RATE, speed);
  guint n_periods = 0, first = RATE / 10, last = (guint) length - RATE / 10;
  const float *samples = (const float *) (gpointer) all->data;

  g_assert_cmpfloat_with_epsilon (all->len, length, RATE / 20.0);
  for (guint i = first; i < last; i++) {
    n_periods += samples[i - 1] < 0 && samples[i] >= 0;
    g_assert_cmpfloat (fabsf (samples[i] - samples[i - 1]), <, 0.12f);
    g_assert_cmpfloat (fabsf (samples[i]), <, 0.8f);
  }
  seconds = (double) (last - first) / RATE;
  g_assert_cmpfloat_with_epsilon (n_periods / seconds, PITCH, PITCH * 0.04);
}

static void
test_short (void)
{
  for (gsize length = 0; length < 3; length++) {
    g_autoptr (GArray) fast = stretch (length, 2);
    g_autoptr (GArray) slow = stretch (length, 0.5);

    g_assert_cmpuint (fast->len, <, RATE / 10);
    g_assert_cmpuint (slow->len, <, RATE / 10);
  }
}

int
main (int argc, char **argv)
{
  static const double speeds[] = { 0.5, 0.75, 1.25, 1.5, 2 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stretch/same", test_same);
  for (guint i = 0; i < G_N_ELEMENTS (speeds); i++) {
    g_autofree char *name = g_strdup_printf ("/stretch/speed/%u", (guint) (speeds[i] * 100));

    g_test_add_data_func (name, &speeds[i], test_speed);
  }
  g_test_add_func ("/stretch/short", test_short);
  return g_test_run ();
}
