/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "ui/chat/chat-export.h"
#include "ui/chat/chat-store.h"
#include "ui/history/history-store.h"

/* Chats that are brought in from JSON, and what of them can be read back. The history is not kept.
 */

static void
on_imported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GPtrArray **chats = user_data;
  GError *error = NULL;

  *chats = pteris_chat_import_finish (result, &error);
  if (*chats == NULL) {
    fuzz_check_error (error);
    *chats = g_ptr_array_new ();
  }
}

static void
check_chat (PterisConversation *chat)
{
  g_autoptr (GPtrArray) path = pteris_chat_store_read (chat, 0, NULL);
  g_autoptr (GPtrArray) all = pteris_chat_store_read_all (chat, NULL);

  g_assert (path != NULL && all != NULL && path->len <= all->len);
  for (guint i = 0; i < all->len; i++)
    g_assert (g_utf8_validate (pteris_message_get_text (all->pdata[i]), -1, NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GFile) file = g_file_new_for_path (fuzz_file (data, size));
  g_autoptr (GPtrArray) chats = NULL;

  pteris_store_set_keep (FALSE);
  pteris_chat_import_async (file, on_imported, &chats);
  while (chats == NULL)
    g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; i < chats->len; i++)
    check_chat (chats->pdata[i]);
  pteris_store_close ();
  return 0;
}
