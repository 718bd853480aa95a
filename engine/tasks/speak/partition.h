/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * The ends of the pieces that @n phonemes are spoken in (gsize, rising; the last is @n): none is
 * longer than @limit, and they end behind a sentence, else behind a pause, else behind a space, and
 * inside of a word only where nothing else is possible. There are as few ends as can be; of equally
 * good ones the first is taken. @limit: at least 1. Free with g_array_unref().
 */
GArray *pt_partition (const gunichar *phonemes, gsize n, guint limit);

G_END_DECLS
