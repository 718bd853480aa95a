/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/access-token.h"

#include "engine/base/set-error.h"
#include "ui/i18n.h"

/* Threads of downloads read it. */
static GMutex mutex;
static char *entered;    /* under the mutex; or NULL */
static gboolean to_keep; /* under the mutex: @entered is to be kept, and is not yet */
static gboolean is_kept; /* under the mutex: @entered is in the store */

void
pteris_hub_token_enter (const char *token, gboolean keep)
{
  g_mutex_lock (&mutex);
  g_free (entered);
  entered = g_strdup (token);
  to_keep = keep;
  is_kept = FALSE;
  g_mutex_unlock (&mutex);
}

static char *
copy_entered (gboolean *keep)
{
  char *copy;

  g_mutex_lock (&mutex);
  copy = g_strdup (entered);
  *keep = to_keep;
  g_mutex_unlock (&mutex);
  return copy;
}

/* Once; what cannot be kept now is used until the program ends. */
static void
keep (const char *token, GCancellable *cancellable, GError **error)
{
  gboolean kept = pt_hub_token_keep (NULL, token, cancellable, error);

  g_mutex_lock (&mutex);
  if (g_strcmp0 (entered, token) == 0) {
    is_kept = kept;
    to_keep = FALSE;
  }
  g_mutex_unlock (&mutex);
}

static gboolean
has_variable (void)
{
  const char *value = g_getenv ("HF_TOKEN");

  return value != NULL && *value != '\0';
}

PtHubRepo *
pteris_hub_token_look (const char *id, const char *revision, char **token, GError **not_kept,
                       GCancellable *cancellable, GError **error)
{
  gboolean wants_keeping;
  g_autofree char *own = copy_entered (&wants_keeping);
  g_autofree char *stored = NULL;
  PtHubAccess access = { .token = own };
  g_autoptr (PtHubRepo) repo =
      pt_hub_look_with_kept_token (id, revision, &access, &stored, cancellable, error);

  *token = NULL;
  if (repo == NULL)
    return NULL;
  if (repo->gated && own == NULL && stored == NULL && !has_variable ()) {
    pt_fail (error, PT_ERROR_DENIED,
             _ ("“%s” is given only to those who accept its terms. Open its page in a browser, "
                "sign in, accept them, and make an access token in the settings there."),
             id);
    return NULL;
  }
  if (own != NULL && wants_keeping)
    keep (own, cancellable, not_kept);
  *token = own != NULL ? g_steal_pointer (&own) : g_steal_pointer (&stored);
  return g_steal_pointer (&repo);
}

/* ---- what is there ---- */

gboolean
pteris_hub_token_is_temporary (const char *origin)
{
  g_autofree char *own = pt_hub_token_origin (NULL, NULL);
  gboolean passing;

  g_mutex_lock (&mutex);
  passing = entered != NULL && !is_kept && g_strcmp0 (own, origin) == 0;
  g_mutex_unlock (&mutex);
  return passing;
}

char **
pteris_hub_token_list (void)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *own = pt_hub_token_origin (NULL, NULL);
  g_auto (GStrv) stored = pt_hub_token_list (NULL, NULL);

  if (stored != NULL)
    g_strv_builder_addv (builder, (const char **) stored);
  if (own != NULL && pteris_hub_token_is_temporary (own) &&
      (stored == NULL || !g_strv_contains ((const char *const *) stored, own)))
    g_strv_builder_add (builder, own);
  return g_strv_builder_end (builder);
}

gboolean
pteris_hub_token_is_there (void)
{
  g_autofree char *own = pt_hub_token_origin (NULL, NULL);
  g_auto (GStrv) all = pteris_hub_token_list ();

  return has_variable () || (own != NULL && g_strv_contains ((const char *const *) all, own));
}

gboolean
pteris_hub_token_forget (const char *origin, GError **error)
{
  g_autofree char *own = pt_hub_token_origin (NULL, NULL);
  g_autoptr (GError) problem = NULL;

  if (g_strcmp0 (own, origin) == 0)
    pteris_hub_token_enter (NULL, FALSE);
  if (pt_hub_token_forget (origin, NULL, &problem) ||
      g_error_matches (problem, PT_ERROR, PT_ERROR_UNSUPPORTED)) /* there was nothing kept */
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}
