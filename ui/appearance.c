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

  /* The change is relative to the desktop's own size, so that is restored first. */
  gtk_settings_reset_property (settings, "gtk-xft-dpi");
  if (percent <= 0 || percent == 100)
    return;
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  if (dpi <= 0)
    dpi = 96 * 1024;
  g_object_set (settings, "gtk-xft-dpi", (int) ((gint64) dpi * percent / 100), NULL);
}

/* Icons, and buttons with only an icon, scale with the text. */
static void
on_dpi (GtkSettings *settings, GParamSpec *pspec, GtkCssProvider *provider)
{
  int dpi = 0;
  double scale;
  g_autofree char *css = NULL;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  scale = dpi > 0 ? MAX (dpi / (96.0 * 1024), 1) : 1;
  if (scale > 1)
    css = g_strdup_printf (
        "button image, row image, entry image, .composer image { -gtk-icon-size: %.0fpx; }"
        ".composer button.circular { min-width: %.0fpx; min-height: %.0fpx; }"
        ".small-button, .small-button > button"
        " { min-width: %.0fpx; min-height: %.0fpx; }",
        16 * scale, 34 * scale, 34 * scale, 28 * scale, 28 * scale);
  gtk_css_provider_load_from_data (provider, css != NULL ? css : "", -1);
}

static void
follow_dpi (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
  g_signal_connect_object (settings, "notify::gtk-xft-dpi", G_CALLBACK (on_dpi), provider, 0);
  on_dpi (settings, NULL, provider);
}

void
pteris_appearance_follow_settings (GApplication *application)
{
  apply_theme (application);
  follow_dpi ();
  if (pteris_settings_get_int (PTERIS_SETTING_TEXT_SIZE) != 100)
    apply_text_size (application);
  pteris_settings_watch (PTERIS_SETTING_THEME, apply_theme, application);
  pteris_settings_watch (PTERIS_SETTING_TEXT_SIZE, apply_text_size, application);
}
