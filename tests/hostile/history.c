/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hostile/history.h"

#include <glib/gstdio.h>

#include "ui/chat/chat-store.h"
#include "ui/parts/format.h"

static char *home;

/* Disables fsync(): nothing here must survive a power cut. */
__attribute__ ((visibility ("default"))) int
fsync (int fd)
{
  return 0;
}

__attribute__ ((visibility ("default"))) int
fdatasync (int fd)
{
  return 0;
}

char *
hostile_history_path (const char *suffix)
{
  g_autofree char *name = g_strconcat ("history.db", suffix, NULL);

  return g_build_filename (home, "pteris", name, NULL);
}

void
hostile_history_remove (void)
{
  g_autofree char *folder = g_build_filename (home, "pteris", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_assert_cmpint (g_remove (path), ==, 0);
  }
}

void
hostile_check_result (gpointer result, GError **error, const char *what)
{
  if (result == NULL)
    hostile_check_error (g_steal_pointer (error), what);
  g_assert_no_error (*error);
}

void
hostile_use_conversation (PterisConversation *chat, const char *what)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) path = pteris_chat_store_read (chat, 0, &error);
  g_autoptr (GPtrArray) all = NULL;

  hostile_check_result (path, &error, what);
  all = pteris_chat_store_read_all (chat, &error);
  hostile_check_result (all, &error, what);
  for (guint i = 0; path != NULL && i < path->len; i++) {
    PterisMessage *message = path->pdata[i];
    g_autofree char *stats = pteris_format_chat_stats (pteris_message_get_stats (message));

    g_assert_true (g_utf8_validate (pteris_message_get_text (message), -1, NULL));
    g_assert_nonnull (stats);
    if (i > 3)
      continue;
    pteris_chat_store_find_leaf (pteris_conversation_get_id (chat),
                                 pteris_message_get_id (message));
    pteris_chat_store_sibling (chat, message, 1);
  }
}

void
hostile_history_start (int *argc, char ***argv)
{
  g_autofree char *config = NULL, *folder = NULL;

  home = g_dir_make_tmp ("pteris-hostile-XXXXXX", NULL);
  config = g_build_filename (home, "config", NULL);
  folder = g_build_filename (home, "pteris", NULL);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  g_mkdir_with_parents (folder, 0700);
  g_test_init (argc, argv, NULL);
}

int
hostile_history_end (void)
{
  int result = g_test_run ();
  g_autofree char *folder = g_build_filename (home, "pteris", NULL);

  hostile_history_remove ();
  g_rmdir (folder);
  g_rmdir (home);
  g_free (home);
  return result;
}
