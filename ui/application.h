/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/** PterisApplication: one instance, one window; files given to it are opened there. */
#define PTERIS_TYPE_APPLICATION (pteris_application_get_type ())
G_DECLARE_FINAL_TYPE (PterisApplication, pteris_application, PTERIS, APPLICATION, AdwApplication)

PterisApplication *pteris_application_new (void);

/**
 * Run the window: `pteris [FILE...]`. Returns the exit status; 1 with a sentence on stderr when
 * there is no display. Option --exit-after-startup ends the program once the window is drawn.
 */
int pteris_application_main (int argc, char **argv);

G_END_DECLS
