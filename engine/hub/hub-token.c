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

char *
pt_hub_token_load (const char *endpoint, gboolean may_ask, GCancellable *cancellable,
                   GError **error)
{
  g_autofree char *origin = pt_hub_token_origin (endpoint, error);
  g_autofree char *token =
      origin != NULL ? pt_secret_load (origin, may_ask, cancellable, error) : NULL;

  if (token == NULL || pt_secret_is_sound (token))
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
  if (!pt_secret_is_sound (token))
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
  g_auto (GStrv) all = pt_secret_list (cancellable, error);
  g_autoptr (GStrvBuilder) origins = g_strv_builder_new ();

  for (guint i = 0; all != NULL && all[i] != NULL; i++)
    if (strcmp (all[i], PT_SECRET_OF_SERVER) != 0)
      g_strv_builder_add (origins, all[i]);
  return all != NULL ? g_strv_builder_end (origins) : NULL;
}
