/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/guard.h"

#include <string.h>

#include <gio/gio.h>

struct _PterisGuard {
  char *key;
  char **origins;
  char **hosts;
};

PterisGuard *
pteris_guard_new (const char *key, const char *const *origins, const char *const *hosts)
{
  PterisGuard *self = g_new0 (PterisGuard, 1);

  self->key = g_strdup (key);
  self->origins = g_strdupv ((char **) origins);
  self->hosts = g_strdupv ((char **) hosts);
  return self;
}

void
pteris_guard_free (PterisGuard *self)
{
  if (self == NULL)
    return;
  g_free (self->key);
  g_strfreev (self->origins);
  g_strfreev (self->hosts);
  g_free (self);
}

gboolean
pteris_guard_is_same (const char *a, const char *b)
{
  gsize n_a = strlen (a), n_b = strlen (b);
  volatile guint8 difference = n_a != n_b;

  /* As many steps as the sent text is long. */
  for (gsize i = 0; i < n_a; i++)
    difference |= (guint8) (a[i] ^ (n_b > 0 ? b[i % n_b] : 1));
  return difference == 0;
}

static gboolean
is_listed (char **list, const char *text)
{
  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    if (g_ascii_strcasecmp (list[i], text) == 0)
      return TRUE;
  return FALSE;
}

gboolean
pteris_guard_knows_origin (const PterisGuard *self, const char *origin)
{
  return is_listed (self->origins, origin);
}

/* The host of a header Host, without port and brackets. */
static char *
name_of_host (const char *host)
{
  const char *end;

  if (*host == '[') {
    end = strchr (host, ']');
    return end != NULL ? g_strndup (host + 1, (gsize) (end - host - 1)) : g_strdup ("");
  }
  end = strrchr (host, ':');
  return end != NULL ? g_strndup (host, (gsize) (end - host)) : g_strdup (host);
}

/* Two headers Host are joined by a comma, which no name has. */
static gboolean
knows_host (const PterisGuard *self, const char *host)
{
  g_autofree char *name = name_of_host (host);

  return g_hostname_is_ip_address (name) || g_ascii_strcasecmp (name, "localhost") == 0 ||
         is_listed (self->hosts, name);
}

static gboolean
has_key (const PterisGuard *self, const char *authorization)
{
  gsize length = strlen ("Bearer ");

  if (authorization == NULL || g_ascii_strncasecmp (authorization, "Bearer ", length) != 0)
    return FALSE;
  return pteris_guard_is_same (authorization + length, self->key);
}

gboolean
pteris_guard_check (const PterisGuard *self, const PterisSender *sender, gboolean is_preflight,
                    GError **error)
{
  if (sender->host != NULL && !knows_host (self, sender->host))
    return pteris_fault_set (error, 403, "unknown_host", NULL,
                             "The header Host names “%s”. Use an address, “localhost”, or a name "
                             "given with --allow-host.",
                             sender->host);
  if (sender->origin != NULL && !pteris_guard_knows_origin (self, sender->origin))
    return pteris_fault_set (error, 403, "unknown_origin", NULL,
                             "Pages of “%s” may not use this server. Allow them with "
                             "--allow-origin.",
                             sender->origin);
  if (self->key == NULL || is_preflight || has_key (self, sender->authorization))
    return TRUE;
  return pteris_fault_set (error, 401, "invalid_api_key", NULL,
                           sender->authorization == NULL
                               ? "This server wants a key: send the header “Authorization: Bearer "
                                 "KEY”."
                               : "The key is wrong. The server's key is the one of --key-file, or "
                                 "that on the page Server.");
}
