/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/stretch.h"

#include <math.h>
#include <string.h>

#define PIECE_MS 20
/* Search range for the begin of a piece: one period of the deepest voice. */
#define REACH_MS 8
/* The similarity is computed from every STRIDE-th sample. */
#define STRIDE 4

struct _PterisStretch {
  PterisStretchRead *read;
  gpointer user_data;
  gsize piece, reach;
  double speed;

  float *window; /* [room], samples of the recording from @begin on */
  gsize room, n; /* @n of them are there */
  guint64 begin;
  double place;  /* wanted position of the next piece */
  guint64 going; /* position at which the previous piece would continue */
  gboolean is_over;
};

PterisStretch *
pteris_stretch_new (guint rate, double speed, PterisStretchRead *read, gpointer user_data)
{
  PterisStretch *self = g_new0 (PterisStretch, 1);

  self->read = read;
  self->user_data = user_data;
  self->piece = MAX ((gsize) rate * PIECE_MS / 1000, STRIDE);
  self->reach = speed == 1 ? 0 : (gsize) rate * REACH_MS / 1000;
  self->speed = speed;
  self->room = 6 * self->piece + 4 * self->reach;
  self->window = g_new0 (float, self->room);
  return self;
}

void
pteris_stretch_free (PterisStretch *self)
{
  g_free (self->window);
  g_free (self);
}

gsize
pteris_stretch_piece (const PterisStretch *self)
{
  return self->piece;
}

/* Loads samples @from .. @end - 1 into the window; behind the end of the recording they are 0. */
static void
hold (PterisStretch *self, guint64 from, guint64 end)
{
  gsize gone = (gsize) MIN (from - self->begin, self->n), wanted;

  memmove (self->window, self->window + gone, (self->n - gone) * sizeof *self->window);
  self->begin += gone;
  self->n -= gone;
  wanted = (gsize) (end - self->begin);
  g_assert (wanted <= self->room);
  if (wanted > self->n && !self->is_over) {
    gsize got = self->read (self->user_data, self->window + self->n, wanted - self->n);

    self->is_over = got < wanted - self->n;
    self->n += got;
  }
  if (wanted > self->n)
    memset (self->window + self->n, 0, (wanted - self->n) * sizeof *self->window);
}

static double
likeness (const float *a, const float *b, gsize n)
{
  double product = 0, energy = 1e-9;

  for (gsize i = 0; i < n; i += STRIDE) {
    product += (double) a[i] * b[i];
    energy += (double) b[i] * b[i];
  }
  return product / sqrt (energy);
}

/* Finds the position near @wanted whose samples are most similar to those at @going. */
static guint64
find_place (const PterisStretch *self, guint64 wanted)
{
  const float *before = self->window + (self->going - self->begin);
  guint64 first = wanted - MIN (wanted, self->reach), best = wanted;
  double most = -G_MAXDOUBLE;

  for (guint64 at = MAX (first, self->begin); at <= wanted + self->reach; at++) {
    double value = likeness (before, self->window + (at - self->begin), self->piece);

    if (value > most) {
      most = value;
      best = at;
    }
  }
  return best;
}

gboolean
pteris_stretch_next (PterisStretch *self, float *out)
{
  guint64 wanted = (guint64) self->place, last, at;
  guint64 first = MIN (self->going, wanted - MIN (wanted, self->reach));
  const float *from, *to;

  last = MAX (self->going, wanted + self->reach) + self->piece;
  hold (self, MAX (first, self->begin), last);
  if (self->is_over && wanted >= self->begin + self->n)
    return FALSE;
  at = self->reach > 0 ? find_place (self, wanted) : wanted;
  from = self->window + (self->going - self->begin);
  to = self->window + (at - self->begin);
  for (gsize i = 0; i < self->piece; i++) {
    float share = (float) i / (float) self->piece;

    out[i] = from[i] + (to[i] - from[i]) * share;
  }
  self->going = at + self->piece;
  self->place += (double) self->piece * self->speed;
  return TRUE;
}
