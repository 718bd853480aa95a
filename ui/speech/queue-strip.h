/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/**
 * PterisQueueStrip: the recordings that are worked off, with what can be done with them, and how
 * long all of it will take. Not visible while there are none.
 *
 * Signals:
 *   open (PterisTranscript *transcript): the user wants to see this one
 */
#define PTERIS_TYPE_QUEUE_STRIP (pteris_queue_strip_get_type ())
G_DECLARE_FINAL_TYPE (PterisQueueStrip, pteris_queue_strip, PTERIS, QUEUE_STRIP, GtkWidget)

void pteris_queue_strip_set_queue (PterisQueueStrip *self, PterisTranscriptQueue *queue);

/** Show which one is open; NULL: none of these. */
void pteris_queue_strip_set_current (PterisQueueStrip *self, PterisTranscript *transcript);

G_END_DECLS
