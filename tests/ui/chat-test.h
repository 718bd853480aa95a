/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gstdio.h>

#include "tests/ui/window-test.h"
#include "ui/chat/composer.h"

/*
 * Helpers for tests of the chat page, included by one file each.
 */

static inline PterisComposer *
composer_of (PterisWindow *window)
{
  return PTERIS_COMPOSER (nth (window, PTERIS_TYPE_COMPOSER, 0));
}

static inline guint
n_messages (PterisWindow *window)
{
  return g_list_model_get_n_items (G_LIST_MODEL (window->session));
}

/* Not a reference: the session keeps it. */
static inline PterisMessage *
message_at (PterisWindow *window, guint i)
{
  g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (window->session), i);

  return message;
}

static inline void
wait_for_answer (PterisWindow *window)
{
  wait_until (!pteris_chat_session_is_busy (window->session));
}

static inline void
say (PterisWindow *window, const char *text)
{
  pteris_composer_set_text (composer_of (window), text);
  g_signal_emit_by_name (composer_of (window), "send", text);
}

static inline void
say_and_wait (PterisWindow *window, const char *text)
{
  say (window, text);
  wait_for_answer (window);
}

/* Removes all chats. There must be no window. */
static inline void
forget_history (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);

  pteris_store_close ();
  g_unlink (path);
}
