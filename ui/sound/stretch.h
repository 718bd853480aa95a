/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PterisStretch: changes the speed of speech without its pitch. Pieces of 20 ms are taken at
 * shorter or longer distances and cross-faded where they are most similar (WSOLA). One thread at a
 * time.
 */
typedef struct _PterisStretch PterisStretch;

/** Read the next @n samples of the recording; returns fewer only at its end. */
typedef gsize PterisStretchRead (gpointer user_data, float *samples, gsize n);

/** @speed: 2 is twice as fast. */
PterisStretch *pteris_stretch_new (guint rate, double speed, PterisStretchRead *read,
                                   gpointer user_data);
void pteris_stretch_free (PterisStretch *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisStretch, pteris_stretch_free)

/** Number of samples of a piece. */
gsize pteris_stretch_piece (const PterisStretch *self);

/** Compute the next piece. FALSE: the end of the recording. */
gboolean pteris_stretch_next (PterisStretch *self, float *out);

G_END_DECLS
