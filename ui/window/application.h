/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/** PterisApplication: one instance, one window; files given to it are opened there. */
#define PTERIS_TYPE_APPLICATION (pteris_application_get_type ())
G_DECLARE_FINAL_TYPE (PterisApplication, pteris_application, PTERIS, APPLICATION, AdwApplication)

PterisApplication *pteris_application_new (void);

/**
 * Notify the user of the end of a long task, unless the window has the focus. A click on the
 * notification shows @page. A later one with the same @id replaces it. UI thread only.
 *
 * @id: the kind of task, e.g. "transcripts"
 * @body: a sentence, or NULL
 * @page: as for pteris_window_show_page()
 *
 * Returns: whether it was sent
 */
gboolean pteris_application_notify (const char *id, const char *title, const char *body,
                                    const char *page);

/**
 * Run the window: `pteris [FILE...]`. Returns the exit status; 1 with a sentence on stderr when
 * there is no display. Option --exit-after-startup ends the program once the window is drawn,
 * --safe-graphics draws without the GPU.
 */
int pteris_application_main (int argc, char **argv);

G_END_DECLS
