/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef _WIN32
#define _CRT_RAND_S
#endif
#include <pteris/server-key.h>

#include <stdlib.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/hub/secret.h"

#ifndef G_OS_WIN32
#include <unistd.h>
#endif

#define KEY_BYTES 24
#define PREFIX "pteris-"

char *
pt_server_key_load (GCancellable *cancellable, GError **error)
{
  g_autofree char *key = pt_secret_load (PT_SECRET_OF_SERVER, TRUE, cancellable, error);

  if (key == NULL || pt_secret_is_sound (key))
    return g_steal_pointer (&key);
  pt_fail (error, PT_ERROR_FORMAT,
           "What the secret store keeps as the key of the server is not a key. Delete the entry "
           "“%s” in the store's own program.",
           PT_SECRET_OF_SERVER);
  return NULL;
}

gboolean
pt_server_key_keep (const char *key, GCancellable *cancellable, GError **error)
{
  if (!pt_secret_is_sound (key))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The key is empty, too long, or holds something else than letters, digits and "
                    "signs. Choose another one.");
  return pt_secret_keep (PT_SECRET_OF_SERVER, key, cancellable, error);
}

static gboolean
fill (guint8 bytes[KEY_BYTES])
{
#ifdef G_OS_WIN32
  for (gsize i = 0; i < KEY_BYTES; i++) {
    unsigned int number;

    if (rand_s (&number) != 0)
      return FALSE;
    bytes[i] = (guint8) number;
  }
  return TRUE;
#else
  return getentropy (bytes, KEY_BYTES) == 0;
#endif
}

char *
pt_server_key_new (void)
{
  g_autoptr (GString) key = g_string_new (PREFIX);
  guint8 bytes[KEY_BYTES];

  if (!fill (bytes))
    return NULL;
  for (guint i = 0; i < KEY_BYTES; i++)
    g_string_append_printf (key, "%02x", bytes[i]);
  return g_string_free (g_steal_pointer (&key), FALSE);
}
