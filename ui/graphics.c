/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/graphics.h"

#include <glib/gstdio.h>

#include "ui/settings.h"

static gboolean rescue;

/* A marker file that exists from the begin of a start until it has succeeded. */
static char *
mark_path (void)
{
  return g_build_filename (g_get_user_state_dir (), "pteris", "starting", NULL);
}

void
pteris_graphics_choose (gboolean safe)
{
  g_autofree char *mark = mark_path ();

  if (g_getenv ("GSK_RENDERER") != NULL)
    return;
  rescue = !safe && g_file_test (mark, G_FILE_TEST_EXISTS);
  if (safe || rescue || pteris_settings_get_boolean (PTERIS_SETTING_SAFE_GRAPHICS)) {
    g_debug ("Drawing without the GPU%s.", rescue ? ", for the last start failed" : "");
    g_setenv ("GSK_RENDERER", "cairo", TRUE);
  }
}

gboolean
pteris_graphics_is_rescue (void)
{
  return rescue;
}

void
pteris_graphics_begin (void)
{
  g_autofree char *mark = mark_path ();
  g_autofree char *folder = g_path_get_dirname (mark);

  g_mkdir_with_parents (folder, 0700);
  /* Without it the next start cannot detect a failure. */
  g_file_set_contents_full (mark, "", 0, G_FILE_SET_CONTENTS_NONE, 0600, NULL);
}

void
pteris_graphics_succeed (void)
{
  g_autofree char *mark = mark_path ();

  g_unlink (mark);
}
