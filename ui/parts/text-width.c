/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/text-width.h"

#define CHARS 104

int
pteris_text_width (GtkWidget *widget)
{
  PangoFontMetrics *metrics =
      pango_context_get_metrics (gtk_widget_get_pango_context (widget), NULL, NULL);
  int width = CHARS * pango_font_metrics_get_approximate_char_width (metrics) / PANGO_SCALE;

  pango_font_metrics_unref (metrics);
  return width;
}
