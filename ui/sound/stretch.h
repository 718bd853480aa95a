/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PterisStretch: speech at another speed and the same pitch. Pieces of 20 ms follow each other
 * faster or slower than they were recorded, each blended into the next where the two are most
 * alike. One thread at a time.
 */
typedef struct _PterisStretch PterisStretch;

/** The next @n samples of the recording; fewer at its end only. */
typedef gsize PterisStretchRead (gpointer user_data, float *samples, gsize n);

/** @speed: 2 is twice as fast. */
PterisStretch *pteris_stretch_new (guint rate, double speed, PterisStretchRead *read,
                                   gpointer user_data);
void pteris_stretch_free (PterisStretch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisStretch, pteris_stretch_free)

/** Samples that one call gives. */
gsize pteris_stretch_piece (const PterisStretch *self);

/** The next piece. FALSE: the recording is over. */
gboolean pteris_stretch_next (PterisStretch *self, float *out);

G_END_DECLS
