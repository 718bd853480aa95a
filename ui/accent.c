/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/accent.h"

#include <math.h>

#define WHITE 0xffffff
#define BLACK 0x000000
/* The lightest surface of libadwaita's dark theme with text of the accent on it. */
#define DARK_SURFACE 0x383838
#define ENOUGH 4.5
/* Steps from a colour to black or white. */
#define STEPS 64

static double
channel (guint32 colour, guint shift)
{
  double value = (double) (colour >> shift & 0xff) / 255;

  return value <= 0.04045 ? value / 12.92 : pow ((value + 0.055) / 1.055, 2.4);
}

static double
luminance (guint32 colour)
{
  return 0.2126 * channel (colour, 16) + 0.7152 * channel (colour, 8) +
         0.0722 * channel (colour, 0);
}

double
pteris_accent_contrast (guint32 one, guint32 other)
{
  double a = luminance (one), b = luminance (other);

  return (MAX (a, b) + 0.05) / (MIN (a, b) + 0.05);
}

static guint32
mix (guint32 from, guint32 to, guint step)
{
  guint32 colour = 0;

  for (guint shift = 0; shift <= 16; shift += 8) {
    guint a = from >> shift & 0xff, b = to >> shift & 0xff;

    colour |= ((a * (STEPS - step) + b * step) / STEPS) << shift;
  }
  return colour;
}

guint32
pteris_accent_text (guint32 accent, gboolean dark)
{
  guint32 surface = dark ? DARK_SURFACE : WHITE;

  for (guint step = 0; step < STEPS; step++) {
    guint32 colour = mix (accent, dark ? WHITE : BLACK, step);

    if (pteris_accent_contrast (colour, surface) >= ENOUGH)
      return colour;
  }
  return dark ? WHITE : BLACK;
}

guint32
pteris_accent_label (guint32 accent)
{
  /* White looks right on most accents, so it is kept while it can be read. */
  if (pteris_accent_contrast (accent, WHITE) >= ENOUGH)
    return WHITE;
  return pteris_accent_contrast (accent, WHITE) >= pteris_accent_contrast (accent, BLACK) ? WHITE
                                                                                          : BLACK;
}

char *
pteris_accent_css (guint32 accent, gboolean dark)
{
  return g_strdup_printf ("@define-color accent_bg_color #%06x;"
                          "@define-color accent_fg_color #%06x;"
                          "@define-color accent_color #%06x;",
                          accent & WHITE, pteris_accent_label (accent & WHITE),
                          pteris_accent_text (accent & WHITE, dark));
}
