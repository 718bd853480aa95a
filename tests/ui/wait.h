/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/* Waiting in the main loop, for tests. */

/* A timeout in seconds that no step reaches, even on a busy machine. */
#define PATIENCE_S 300

static inline gboolean
on_timeout (gpointer user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

#define wait_until(condition)                                            \
  G_STMT_START                                                           \
  {                                                                      \
    gboolean late = FALSE;                                               \
    guint timer = g_timeout_add_seconds (PATIENCE_S, on_timeout, &late); \
    while (!(condition) && !late)                                        \
      g_main_context_iteration (NULL, TRUE);                             \
    g_assert_true (condition);                                           \
    if (!late)                                                           \
      g_source_remove (timer);                                           \
  }                                                                      \
  G_STMT_END

static inline void
settle (guint ms)
{
  gboolean over = FALSE;

  g_timeout_add (ms, on_timeout, &over);
  while (!over)
    g_main_context_iteration (NULL, TRUE);
}
