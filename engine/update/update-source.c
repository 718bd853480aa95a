/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/update/update-source.h"

#include "engine/base/json.h"
#include "engine/base/set-error.h"

#define MAX_KEY_FILE 4096

/* Meson's options; empty: none. */
#ifndef PTERIS_UPDATE_URL
#define PTERIS_UPDATE_URL ""
#define PTERIS_UPDATE_KEY ""
#endif

/* The address that the environment names, where "" is none, else the one that was built in. */
static const char *
address_of (void)
{
  const char *own = g_getenv ("PTERIS_UPDATE_URL");

  if (own != NULL)
    return *own != '\0' ? own : NULL;
  return PTERIS_UPDATE_URL[0] != '\0' ? PTERIS_UPDATE_URL : NULL;
}

/* The text of the key; free with g_free(). */
static char *
key_of (GError **error)
{
  const char *path = g_getenv ("PTERIS_UPDATE_KEY");
  gsize length;

  if (path != NULL && *path != '\0')
    return pt_text_load (path, MAX_KEY_FILE, &length, error);
  return g_strdup (PTERIS_UPDATE_KEY);
}

gboolean
pt_update_is_possible (void)
{
  const char *path = g_getenv ("PTERIS_UPDATE_KEY");

  return address_of () != NULL && (PTERIS_UPDATE_KEY[0] != '\0' || (path != NULL && *path != '\0'));
}

PtUpdateSource *
pt_update_source_new (GError **error)
{
  g_autoptr (PtUpdateSource) self = NULL;
  g_autofree char *key = NULL;

  if (!pt_update_is_possible ()) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "This Pteris does not check for updates: whoever built it left that out. The "
             "package manager, or the page where you got it, has them.");
    return NULL;
  }
  key = key_of (error);
  if (key == NULL)
    return NULL;
  self = g_new0 (PtUpdateSource, 1);
  self->address = g_strdup (address_of ());
  return pt_public_key_read (key, &self->key, error) ? g_steal_pointer (&self) : NULL;
}

void
pt_update_source_free (PtUpdateSource *self)
{
  if (self == NULL)
    return;
  g_free (self->address);
  g_free (self);
}

char *
pt_update_host (void)
{
  const char *address = address_of ();
  g_autoptr (GUri) uri = NULL;

  if (!pt_update_is_possible ())
    return NULL;
  uri = g_uri_parse (address, G_URI_FLAGS_NONE, NULL);
  return g_strdup (uri != NULL && g_uri_get_host (uri) != NULL ? g_uri_get_host (uri) : address);
}
