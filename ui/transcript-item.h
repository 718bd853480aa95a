/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/transcript.h"

G_BEGIN_DECLS

/** PterisTranscriptItem: a transcript in the list of all: its title, and what can be done with it.
 */
#define PTERIS_TYPE_TRANSCRIPT_ITEM (pteris_transcript_item_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptItem, pteris_transcript_item, PTERIS, TRANSCRIPT_ITEM,
                      GtkWidget)

PterisTranscriptItem *pteris_transcript_item_new (void);

/** @transcript may be NULL. */
void pteris_transcript_item_set_transcript (PterisTranscriptItem *self,
                                            PterisTranscript *transcript);

/** A heading above it; NULL: none. */
void pteris_transcript_item_set_day (PterisTranscriptItem *self, const char *day);

G_END_DECLS
