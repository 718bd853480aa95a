/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/**
 * PterisQueueStrip: the recordings in the queue, with actions and the remaining time. Hidden while
 * the queue is empty.
 *
 * Signals:
 *   open (PterisTranscript *transcript): the user selects this one
 */
#define PTERIS_TYPE_QUEUE_STRIP (pteris_queue_strip_get_type ())
G_DECLARE_FINAL_TYPE (PterisQueueStrip, pteris_queue_strip, PTERIS, QUEUE_STRIP, GtkWidget)

void pteris_queue_strip_set_queue (PterisQueueStrip *self, PterisTranscriptQueue *queue);

/** Set the transcript that is shown; NULL: none of these. */
void pteris_queue_strip_set_current (PterisQueueStrip *self, PterisTranscript *transcript);

G_END_DECLS
