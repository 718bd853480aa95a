/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/recent.h"

/* Sums are kept for each second of the last minute. */
#define SECONDS 60

typedef struct {
  gint64 second; /* which one */
  guint requests;
  guint64 tokens;
  double busy;
} Sum;

struct _PterisRecent {
  Sum sums[SECONDS];
};

PterisRecent *
pteris_recent_new (void)
{
  PterisRecent *self = g_new0 (PterisRecent, 1);

  for (guint i = 0; i < SECONDS; i++)
    self->sums[i].second = -SECONDS;
  return self;
}

void
pteris_recent_free (PterisRecent *self)
{
  g_free (self);
}

void
pteris_recent_add (PterisRecent *self, gint64 now, guint tokens, double seconds)
{
  gint64 second = now / G_USEC_PER_SEC;
  Sum *sum = &self->sums[second % SECONDS];

  if (sum->second != second)
    *sum = (Sum){ .second = second };
  sum->requests++;
  sum->tokens += tokens;
  sum->busy += seconds;
}

void
pteris_recent_get (PterisRecent *self, gint64 now, guint *requests, double *tokens_per_second)
{
  gint64 second = now / G_USEC_PER_SEC;
  guint64 tokens = 0;
  double busy = 0;

  *requests = 0;
  for (guint i = 0; i < SECONDS; i++) {
    const Sum *sum = &self->sums[i];

    if (sum->second <= second - SECONDS || sum->second > second)
      continue;
    *requests += sum->requests;
    tokens += sum->tokens;
    busy += sum->busy;
  }
  *tokens_per_second = busy > 0 ? (double) tokens / busy : 0;
}
