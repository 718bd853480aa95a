/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/aloud/aloud-reader.h"

G_BEGIN_DECLS

/**
 * PterisReaderBar: what is read aloud: the sentence that is heard and a button to stop; or why
 * reading failed. Hidden otherwise.
 */
#define PTERIS_TYPE_READER_BAR (pteris_reader_bar_get_type ())
G_DECLARE_FINAL_TYPE (PterisReaderBar, pteris_reader_bar, PTERIS, READER_BAR, GtkWidget)

void pteris_reader_bar_bind (PterisReaderBar *self, PterisReader *reader);

G_END_DECLS
