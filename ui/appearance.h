/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/** Let the whole program look as the settings for theme and text size say, now and from now on. */
void pteris_appearance_follow_settings (GApplication *application);

G_END_DECLS
