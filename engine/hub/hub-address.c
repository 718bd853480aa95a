/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/hub-address.h"

#include <string.h>

#include <gio/gio.h>

#include "engine/base/set-error.h"
#include "engine/hub/curl-library.h"

#define PUBLIC_HUB "https://huggingface.co"
#define MAX_ADDRESS 8192

typedef CURLU Address;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Address, pt_curl.url_cleanup)

/* ---- parts ---- */

static Address *
parse (const char *text)
{
  g_autoptr (Address) address = pt_curl_load (NULL) ? pt_curl.url () : NULL;

  if (address == NULL || strlen (text) > MAX_ADDRESS ||
      pt_curl.url_set (address, CURLUPART_URL, text, CURLU_DISALLOW_USER) != CURLUE_OK)
    return NULL;
  return g_steal_pointer (&address);
}

/* A part of @address, or NULL. Free with g_free(). */
static char *
part_of (Address *address, CURLUPart part, guint flags)
{
  char *text = NULL, *copy;

  if (pt_curl.url_get (address, part, &text, flags) != CURLUE_OK)
    return NULL;
  copy = g_strdup (text);
  pt_curl.free (text);
  return copy;
}

static gboolean
has_scheme (Address *address, const char *scheme)
{
  g_autofree char *own = part_of (address, CURLUPART_SCHEME, 0);

  return g_strcmp0 (own, scheme) == 0;
}

static gboolean
is_loopback (Address *address)
{
  g_autofree char *host = part_of (address, CURLUPART_HOST, 0);
  g_autoptr (GInetAddress) number = NULL;

  if (host == NULL)
    return FALSE;
  if (g_ascii_strcasecmp (host, "localhost") == 0)
    return TRUE;
  if (host[0] == '[' && host[strlen (host) - 1] == ']') {
    g_autofree char *bare = g_strndup (host + 1, strlen (host) - 2);

    number = g_inet_address_new_from_string (bare);
  } else {
    number = g_inet_address_new_from_string (host);
  }
  return number != NULL && g_inet_address_get_is_loopback (number);
}

/* https, or this computer. */
static gboolean
is_allowed (Address *address, gboolean plain)
{
  return has_scheme (address, "https") ||
         (plain && has_scheme (address, "http") && is_loopback (address));
}

char *
pt_hub_host_of (const char *text)
{
  g_autoptr (Address) address = parse (text);
  char *host = address != NULL ? part_of (address, CURLUPART_HOST, 0) : NULL;

  return host != NULL ? host : g_strdup ("the server");
}

/* ---- the hub ---- */

static const char *
chosen_address (const char *given)
{
  static const char *const VARIABLES[] = { "PTERIS_HUB", "HF_ENDPOINT" };

  if (given != NULL && *given != '\0')
    return given;
  for (gsize i = 0; i < G_N_ELEMENTS (VARIABLES); i++) {
    const char *value = g_getenv (VARIABLES[i]);

    if (value != NULL && *value != '\0')
      return value;
  }
  return PUBLIC_HUB;
}

PtHubEndpoint *
pt_hub_endpoint_new (const char *given, GError **error)
{
  const char *text = chosen_address (given);
  g_autoptr (Address) address = parse (text);
  g_autofree char *query = address != NULL ? part_of (address, CURLUPART_QUERY, 0) : NULL;
  PtHubEndpoint *self;
  gsize length = strlen (text);

  if (!pt_curl_load (error))
    return NULL;
  if (address == NULL || query != NULL || strchr (text, '#') != NULL ||
      !is_allowed (address, TRUE)) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "“%s” is not the address of a hub: it must begin with https:// and hold no password. "
             "Only a hub on this computer may use http. PTERIS_HUB or HF_ENDPOINT names it.",
             text);
    return NULL;
  }
  while (length > 0 && text[length - 1] == '/')
    length--;
  self = g_new0 (PtHubEndpoint, 1);
  self->base = g_strndup (text, length);
  self->host = part_of (address, CURLUPART_HOST, 0);
  self->plain = has_scheme (address, "http");
  return self;
}

void
pt_hub_endpoint_free (PtHubEndpoint *self)
{
  if (self == NULL)
    return;
  g_free (self->base);
  g_free (self->host);
  g_free (self);
}

char *
pt_hub_origin (const PtHubEndpoint *self)
{
  g_autoptr (Address) own = parse (self->base);
  g_autofree char *port = part_of (own, CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  g_autofree char *host = g_ascii_strdown (self->host, -1);

  return g_strconcat (self->plain ? "http://" : "https://", host, port != NULL ? ":" : NULL, port,
                      NULL);
}

static gboolean
same_part (Address *a, Address *b, CURLUPart part, guint flags)
{
  g_autofree char *x = part_of (a, part, flags);
  g_autofree char *y = part_of (b, part, flags);

  return x != NULL && y != NULL && g_ascii_strcasecmp (x, y) == 0;
}

gboolean
pt_hub_is_own (const PtHubEndpoint *self, const char *text)
{
  g_autoptr (Address) own = parse (self->base);
  g_autoptr (Address) address = parse (text);

  return own != NULL && address != NULL && same_part (own, address, CURLUPART_SCHEME, 0) &&
         same_part (own, address, CURLUPART_HOST, 0) &&
         same_part (own, address, CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

char *
pt_hub_follow (const PtHubEndpoint *self, const char *from, const char *location, GError **error)
{
  g_autoptr (Address) address = parse (from);
  g_autofree char *host = pt_hub_host_of (from);
  char *whole = NULL;

  if (address != NULL && strlen (location) <= MAX_ADDRESS &&
      pt_curl.url_set (address, CURLUPART_URL, location, CURLU_DISALLOW_USER | CURLU_URLENCODE) ==
          CURLUE_OK &&
      is_allowed (address, self->plain))
    whole = part_of (address, CURLUPART_URL, 0);
  if (whole == NULL)
    pt_fail (error, PT_ERROR_NETWORK,
             "%s leads to an address that is not secure (“%.200s”), which is not asked. Try again "
             "in another network.",
             host, location);
  return whole;
}
