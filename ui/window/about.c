/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/about.h"

#include <adwaita.h>
#include <sqlite3.h>
#include <pteris/engine.h>

#include "ui/i18n.h"

static const struct {
  const char *title;
  const char *copyright;
  GtkLicense license;
  const char *text; /* for GTK_LICENSE_CUSTOM */
} PARTS[] = {
  { "SmolLM2 135M Instruct", "© Hugging Face", GTK_LICENSE_APACHE_2_0, NULL },
  { "Whisper base", "© OpenAI", GTK_LICENSE_MIT_X11, NULL },
  { "GTK", "© The GTK Team", GTK_LICENSE_LGPL_2_1, NULL },
  { "libadwaita", "© Purism SPC and the libadwaita authors", GTK_LICENSE_LGPL_2_1, NULL },
  { "GLib", "© The GLib authors", GTK_LICENSE_LGPL_2_1, NULL },
  { "libsndfile", "© Erik de Castro Lopo", GTK_LICENSE_LGPL_2_1, NULL },
  { "libsamplerate", "© Erik de Castro Lopo", GTK_LICENSE_BSD, NULL },
  { "jansson", "© Petri Lehtinen", GTK_LICENSE_MIT_X11, NULL },
  { "PCRE2", "© University of Cambridge", GTK_LICENSE_BSD_3, NULL },
  { "SQLite", NULL, GTK_LICENSE_CUSTOM, N_ ("SQLite is in the public domain.") },
  { "zlib", "© Jean-loup Gailly and Mark Adler", GTK_LICENSE_CUSTOM,
    "<a href=\"https://zlib.net/zlib_license.html\">zlib</a>" },
};

char *
pteris_about_versions (void)
{
  g_autofree char *engine = pt_engine_versions ();

  return g_strdup_printf ("Pteris %s\nGTK %u.%u.%u, libadwaita %u.%u.%u, SQLite %s\n%s\n",
                          PTERIS_VERSION, gtk_get_major_version (), gtk_get_minor_version (),
                          gtk_get_micro_version (), adw_get_major_version (),
                          adw_get_minor_version (), adw_get_micro_version (), sqlite3_libversion (),
                          engine);
}

void
pteris_about_show (GtkWindow *parent)
{
  g_autofree char *versions = pteris_about_versions ();
  GtkWidget *window =
      g_object_new (ADW_TYPE_ABOUT_WINDOW, "transient-for", parent, "application-name", "Pteris",
                    "application-icon", "org.pteris.Pteris", "version", PTERIS_VERSION,
                    "developer-name", _ ("The Pteris authors"), "comments",
                    _ ("Chat with language models and transcribe speech, on your own computer."),
                    "license-type", GTK_LICENSE_BSD_3, "copyright", "© 2026 The Pteris authors",
                    "debug-info", versions, "debug-info-filename", "pteris-versions.txt", NULL);

  /* Translators: your names, one a line. */
  if (g_strcmp0 (_ ("translator-credits"), "translator-credits") != 0)
    adw_about_window_set_translator_credits (ADW_ABOUT_WINDOW (window), _ ("translator-credits"));
  for (guint i = 0; i < G_N_ELEMENTS (PARTS); i++)
    adw_about_window_add_legal_section (ADW_ABOUT_WINDOW (window), PARTS[i].title,
                                        PARTS[i].copyright, PARTS[i].license,
                                        PARTS[i].text != NULL ? _ (PARTS[i].text) : NULL);
  gtk_window_present (GTK_WINDOW (window));
}
