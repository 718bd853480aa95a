/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/days.h"

#include "ui/i18n.h"

static gboolean
same_day (GDateTime *a, GDateTime *b)
{
  return g_date_time_get_year (a) == g_date_time_get_year (b) &&
         g_date_time_get_day_of_year (a) == g_date_time_get_day_of_year (b);
}

char *
pteris_name_day (gint64 time, GDateTime *now)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (time / G_USEC_PER_SEC);
  g_autoptr (GDateTime) day = utc != NULL ? g_date_time_to_local (utc) : g_date_time_ref (now);
  g_autoptr (GDateTime) yesterday = g_date_time_add_days (now, -1);

  if (same_day (day, now))
    return g_strdup (_ ("Today"));
  if (same_day (day, yesterday))
    return g_strdup (_ ("Yesterday"));
  if (g_date_time_difference (now, day) < 7 * G_TIME_SPAN_DAY)
    return g_strdup (_ ("Last seven days"));
  return g_date_time_format (
      day, g_date_time_get_year (day) == g_date_time_get_year (now) ? "%OB" : "%OB %Y");
}
