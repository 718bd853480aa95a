/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/appearance.h"

#include "ui/accent.h"
#include "ui/desktop-look.h"
#include "ui/settings.h"

/* libadwaita follows the accent itself. */
#define KNOWS_ACCENTS ADW_CHECK_VERSION (1, 6, 0)

static void
apply_theme (gpointer application)
{
  static const AdwColorScheme SCHEMES[] = {
    ADW_COLOR_SCHEME_DEFAULT,
    ADW_COLOR_SCHEME_FORCE_LIGHT,
    ADW_COLOR_SCHEME_FORCE_DARK,
  };
  int theme = CLAMP (pteris_settings_get_enum (PTERIS_SETTING_THEME), 0, 2);
  AdwStyleManager *manager = adw_style_manager_get_default ();
  PterisDesktopLook look;

  pteris_desktop_look_read (&look);
  if (theme == 0 && look.dark && !adw_style_manager_get_system_supports_color_schemes (manager))
    theme = 2;
  adw_style_manager_set_color_scheme (manager, SCHEMES[theme]);
}

/* ---- the desktop's accent ---- */

static void
apply_accent (AdwStyleManager *manager, GParamSpec *pspec, GtkCssProvider *provider)
{
  PterisDesktopLook look;
  g_autofree char *css = NULL;

  pteris_desktop_look_read (&look);
  if (look.has_accent && !KNOWS_ACCENTS)
    css = pteris_accent_css (look.accent, adw_style_manager_get_dark (manager));
  gtk_css_provider_load_from_data (provider, css != NULL ? css : "", -1);
}

static void
follow_accent (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GtkCssProvider *provider = gtk_css_provider_new ();

  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
  g_object_set_data_full (G_OBJECT (manager), "pteris-accent", provider, g_object_unref);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (apply_accent), provider, 0);
  apply_accent (manager, NULL, provider);
}

/* ---- text ---- */

static void
apply_text_size (gpointer application)
{
  GtkSettings *settings = gtk_settings_get_default ();
  int percent = pteris_settings_get_int (PTERIS_SETTING_TEXT_SIZE);
  int dpi = 0; /* in 1024ths */
  PterisDesktopLook look;
  double scale;

  /* The change is relative to the desktop's own size, so that is restored first. */
  gtk_settings_reset_property (settings, "gtk-xft-dpi");
  pteris_desktop_look_read (&look);
  scale = look.text_scale * (percent > 0 ? percent : 100) / 100;
  if (scale == 1)
    return;
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  if (dpi <= 0)
    dpi = 96 * 1024;
  g_object_set (settings, "gtk-xft-dpi", (int) (dpi * scale), NULL);
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

#ifdef G_OS_WIN32

static void
follow_windows (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  gtk_css_provider_load_from_resource (provider, "/org/pteris/Pteris/style-windows.css");
  gtk_style_context_add_provider_for_display (gdk_display_get_default (),
                                              GTK_STYLE_PROVIDER (provider),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
}

#else

static void
follow_windows (void)
{
}

#endif

static void
on_desktop (gpointer application)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  apply_theme (application);
  apply_accent (manager, NULL, g_object_get_data (G_OBJECT (manager), "pteris-accent"));
  apply_text_size (application);
}

void
pteris_appearance_follow_window (GtkWindow *window)
{
#ifdef G_OS_WIN32
  /* Its monitor may have another scale. */
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (window)), "enter-monitor",
                           G_CALLBACK (on_desktop), gtk_window_get_application (window),
                           G_CONNECT_SWAPPED);
#endif
}

void
pteris_appearance_follow_settings (GApplication *application)
{
  apply_theme (application);
  follow_windows ();
  follow_accent ();
  follow_dpi ();
  apply_text_size (application);
  pteris_desktop_look_watch (on_desktop, application);
  pteris_settings_watch (PTERIS_SETTING_THEME, apply_theme, application);
  pteris_settings_watch (PTERIS_SETTING_TEXT_SIZE, apply_text_size, application);
}
