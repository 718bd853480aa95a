/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/hub-token.h>

#include "engine/base/set-error.h"
#include "engine/hub/hub-address.h"
#include "engine/hub/secret.h"

char *
pt_hub_token_origin (const char *endpoint, GError **error)
{
  g_autoptr (PtHubEndpoint) hub = pt_hub_endpoint_new (endpoint, error);

  return hub != NULL ? pt_hub_origin (hub) : NULL;
}

gboolean
pt_hub_token_can_keep (GCancellable *cancellable)
{
  return pt_secret_has_store (cancellable);
}

/* Other programs may have put any bytes into the store. */
static gboolean
is_token (const char *text)
{
  gsize length = strlen (text);

  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isgraph (text[i]))
      return FALSE;
  return length > 0 && length <= PT_MAX_TOKEN;
}

char *
pt_hub_token_load (const char *endpoint, gboolean may_ask, GCancellable *cancellable,
                   GError **error)
{
  g_autofree char *origin = pt_hub_token_origin (endpoint, error);
  g_autofree char *token =
      origin != NULL ? pt_secret_load (origin, may_ask, cancellable, error) : NULL;

  if (token == NULL || is_token (token))
    return g_steal_pointer (&token);
  pt_fail (error, PT_ERROR_FORMAT,
           "What the secret store keeps for %s is not a token. Forget it in the preferences, and "
           "enter the token again.",
           origin);
  return NULL;
}

gboolean
pt_hub_token_keep (const char *endpoint, const char *token, GCancellable *cancellable,
                   GError **error)
{
  g_autofree char *origin = pt_hub_token_origin (endpoint, error);

  if (origin == NULL)
    return FALSE;
  if (!is_token (token))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The token is empty, too long, or holds something else than letters, digits "
                    "and signs. Copy it again from the settings of the hub.");
  return pt_secret_keep (origin, token, cancellable, error);
}

gboolean
pt_hub_token_forget (const char *endpoint, GCancellable *cancellable, GError **error)
{
  g_autofree char *origin = pt_hub_token_origin (endpoint, error);

  return origin != NULL && pt_secret_forget (origin, cancellable, error);
}

char **
pt_hub_token_list (GCancellable *cancellable, GError **error)
{
  return pt_secret_list (cancellable, error);
}
