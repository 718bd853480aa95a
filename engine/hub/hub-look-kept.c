/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/hub-token.h>

/* A file of its own: tests put their own hub and store under it. */

static gboolean
has_token (const PtHubAccess *access)
{
  const char *variable = g_getenv ("HF_TOKEN");

  if (access != NULL && access->token != NULL)
    return TRUE;
  return variable != NULL && *variable != '\0';
}

/* A hub tells everybody what is in a gated repository, and says of a private one that there is
 * none. */
static gboolean
wants_token (const PtHubRepo *repo, const GError *error)
{
  if (repo != NULL)
    return repo->gated;
  return g_error_matches (error, PT_ERROR, PT_ERROR_DENIED) ||
         g_error_matches (error, PT_ERROR, PT_ERROR_NOT_FOUND);
}

PtHubRepo *
pt_hub_look_with_kept_token (const char *id, const char *revision, const PtHubAccess *access,
                             char **token, GCancellable *cancellable, GError **error)
{
  PtHubAccess own = { access != NULL ? access->endpoint : NULL, NULL };
  g_autofree char *kept = NULL;
  g_autoptr (GError) refusal = NULL;
  PtHubRepo *repo;

  if (token != NULL)
    *token = NULL;
  if (has_token (access))
    return pt_hub_look (id, revision, access, cancellable, error);
  own.token = kept = pt_hub_token_load (own.endpoint, FALSE, cancellable, NULL);
  repo = pt_hub_look (id, revision, &own, cancellable, &refusal);
  if (kept == NULL && wants_token (repo, refusal)) {
    own.token = kept = pt_hub_token_load (own.endpoint, TRUE, cancellable, NULL);
    if (kept != NULL) {
      g_clear_error (&refusal);
      g_clear_pointer (&repo, pt_hub_repo_free);
      repo = pt_hub_look (id, revision, &own, cancellable, &refusal);
    }
  }
  if (repo == NULL)
    g_propagate_error (error, g_steal_pointer (&refusal));
  else if (token != NULL)
    *token = g_steal_pointer (&kept);
  return repo;
}
