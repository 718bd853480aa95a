/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The name of the day of @time (microseconds since 1970) for a list: "Today", "Yesterday", "Last
 * seven days", "March", "March 2025". Free with g_free(). */
char *pteris_name_day (gint64 time, GDateTime *now);

G_END_DECLS
