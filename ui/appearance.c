/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/appearance.h"

#include "ui/settings.h"

static void
apply_theme (gpointer application)
{
  static const AdwColorScheme SCHEMES[] = {
    ADW_COLOR_SCHEME_DEFAULT,
    ADW_COLOR_SCHEME_FORCE_LIGHT,
    ADW_COLOR_SCHEME_FORCE_DARK,
  };
  int theme = CLAMP (pteris_settings_get_enum (PTERIS_SETTING_THEME), 0, 2);

  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), SCHEMES[theme]);
}

static void
apply_text_size (gpointer application)
{
  GtkSettings *settings = gtk_settings_get_default ();
  int percent = pteris_settings_get_int (PTERIS_SETTING_TEXT_SIZE);
  int dpi = 0; /* in 1024ths */

  /* The desktop's own size comes first, for a change is relative to it. */
  gtk_settings_reset_property (settings, "gtk-xft-dpi");
  if (percent <= 0 || percent == 100)
    return;
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  if (dpi <= 0)
    dpi = 96 * 1024;
  g_object_set (settings, "gtk-xft-dpi", (int) ((gint64) dpi * percent / 100), NULL);
}

void
pteris_appearance_follow_settings (GApplication *application)
{
  apply_theme (application);
  if (pteris_settings_get_int (PTERIS_SETTING_TEXT_SIZE) != 100)
    apply_text_size (application);
  pteris_settings_watch (PTERIS_SETTING_THEME, apply_theme, application);
  pteris_settings_watch (PTERIS_SETTING_TEXT_SIZE, apply_text_size, application);
}
