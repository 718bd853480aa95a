/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-hub.h"

#include <pteris/server-key.h>

#include <string.h>

FakeHub fake_hub;

#define BYTES 1000000

/* ---- repositories ---- */

void
pt_hub_repo_free (PtHubRepo *repo)
{
  if (repo == NULL)
    return;
  for (guint i = 0; i < repo->n_variants; i++)
    g_free (repo->variants[i].name);
  g_free (repo->variants);
  g_free (repo->id);
  g_free (repo->endpoint);
  g_free (repo->license);
  g_free (repo);
}

PtHubRepo *
pt_hub_look (const char *id, const char *revision, const PtHubAccess *access,
             GCancellable *cancellable, GError **error)
{
  PtHubRepo *repo;

  if (fake_hub.offline) {
    g_set_error_literal (error, PT_ERROR, PT_ERROR_NETWORK, "The hub cannot be reached.");
    return NULL;
  }
  if (fake_hub.token != NULL && g_strcmp0 (access->token, fake_hub.token) != 0) {
    g_set_error_literal (error, PT_ERROR, PT_ERROR_DENIED, "The repository wants a token.");
    return NULL;
  }
  repo = g_new0 (PtHubRepo, 1);
  repo->id = g_strdup (id);
  repo->endpoint = g_strdup ("https://hub.example");
  repo->revision = (char *) g_intern_string (revision != NULL ? revision : "main");
  repo->license = g_strdup ("apache-2.0");
  repo->gated = fake_hub.gated;
  repo->n_variants = 2;
  repo->variants = g_new0 (PtHubVariant, 2);
  for (guint i = 0; i < 2; i++) {
    repo->variants[i].name = g_strdup (i == 0 ? "8da4w" : "bf16");
    repo->variants[i].bytes = (i + 1) * BYTES;
    repo->variants[i].n_files = 3;
  }
  return repo;
}

PtHubRepo *
pt_hub_look_files (const char *id, const char *revision, const PtHubAccess *access,
                   GCancellable *cancellable, GError **error)
{
  return pt_hub_look (id, revision, access, cancellable, error);
}

const PtHubVariant *
pt_hub_choose (const PtHubRepo *repo, const char *name, GError **error)
{
  g_free (fake_hub.wanted);
  fake_hub.wanted = g_strdup (name);
  return name != NULL && strstr (name, "bf16") != NULL ? &repo->variants[1] : &repo->variants[0];
}

gboolean
pt_hub_borrow (PtHubRepo *repo, guint number, const PtHubRepo *other, const char *const *paths,
               GError **error)
{
  fake_hub.borrowed = g_strdup (paths[0]);
  return TRUE;
}

/* ---- downloads ---- */

static gboolean
stay_at_half (const PtHubVariant *variant, PtHubProgressFunc func, gpointer user_data,
              GCancellable *cancellable, GError **error)
{
  PtHubProgress progress = { .phase = PT_HUB_DOWNLOADING,
                             .bytes = variant->bytes / 2,
                             .total = variant->bytes,
                             .rate = 250000,
                             .seconds_left = 2,
                             .n_files = variant->n_files };

  func (&progress, user_data);
  while (g_atomic_int_get (&fake_hub.held) != 0 && !g_cancellable_is_cancelled (cancellable))
    g_usleep (2000);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

char *
pt_hub_get (const PtHubRepo *repo, const PtHubVariant *variant, const PtHubAccess *access,
            PtHubProgressFunc func, gpointer user_data, GCancellable *cancellable, GError **error)
{
  if (!stay_at_half (variant, func, user_data, cancellable, error))
    return NULL;
  if (fake_hub.damaged) {
    g_set_error_literal (error, PT_ERROR, PT_ERROR_DATA, "A file did not arrive as published.");
    return NULL;
  }
  fake_hub.got = g_strdup_printf ("%s %s", repo->id, variant->name);
  return g_strdup ("/models/owner--name");
}

void
pt_hub_model_free (PtHubModel *model)
{
  g_free (model->id);
  g_strfreev (model->variants);
  g_free (model);
}

GPtrArray *
pt_hub_installed (void)
{
  GPtrArray *models = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_hub_model_free);

  for (guint i = 0; i < fake_hub.n_parts; i++) {
    PtHubModel *model = g_new0 (PtHubModel, 1);
    const char *const variants[] = { "8da4w", NULL };

    model->id = g_strdup ("owner/begun");
    model->variants = g_strdupv ((char **) variants);
    model->is_part = TRUE;
    model->bytes = BYTES;
    model->bytes_there = BYTES / 4;
    g_ptr_array_add (models, model);
  }
  return models;
}

gboolean
pt_hub_remove (const char *name, GError **error)
{
  return TRUE;
}

gboolean
pt_hub_discard (const PtHubModel *part, GError **error)
{
  fake_hub.discarded = g_intern_string (part->variants[0]);
  return TRUE;
}

/* ---- the secret store ---- */

char *
pt_hub_token_origin (const char *endpoint, GError **error)
{
  return g_strdup ("https://hub.example");
}

gboolean
pt_hub_token_can_keep (GCancellable *cancellable)
{
  return fake_hub.has_store;
}

static gboolean
fail_store (GError **error)
{
  g_set_error_literal (error, PT_ERROR, PT_ERROR_UNSUPPORTED, "There is no store.");
  return FALSE;
}

char *
pt_hub_token_load (const char *endpoint, gboolean may_ask, GCancellable *cancellable,
                   GError **error)
{
  if (!fake_hub.has_store)
    fail_store (error);
  return fake_hub.has_store ? g_strdup (g_atomic_pointer_get (&fake_hub.kept)) : NULL;
}

gboolean
pt_hub_token_keep (const char *endpoint, const char *token, GCancellable *cancellable,
                   GError **error)
{
  if (fake_hub.store_refuses)
    g_set_error_literal (error, PT_ERROR, PT_ERROR_CANCELLED, "The store was not unlocked.");
  if (!fake_hub.has_store)
    fail_store (error);
  if (fake_hub.store_refuses || !fake_hub.has_store)
    return FALSE;
  g_atomic_pointer_set (&fake_hub.kept, (char *) g_intern_string (token));
  return TRUE;
}

char *
pt_server_key_load (GCancellable *cancellable, GError **error)
{
  if (fake_hub.store_refuses)
    g_set_error_literal (error, PT_ERROR, PT_ERROR_CANCELLED, "The store was not unlocked.");
  else if (!fake_hub.has_store)
    fail_store (error);
  return fake_hub.has_store && !fake_hub.store_refuses
             ? g_strdup (g_atomic_pointer_get (&fake_hub.kept_key))
             : NULL;
}

gboolean
pt_server_key_keep (const char *key, GCancellable *cancellable, GError **error)
{
  if (!fake_hub.has_store)
    return fail_store (error);
  g_atomic_pointer_set (&fake_hub.kept_key, (char *) g_intern_string (key));
  return TRUE;
}

char *
pt_server_key_new (void)
{
  static int n;

  return g_strdup_printf ("pteris-%040x", 0xfe41 + g_atomic_int_add (&n, 1));
}

gboolean
pt_hub_token_forget (const char *endpoint, GCancellable *cancellable, GError **error)
{
  if (!fake_hub.has_store)
    return fail_store (error);
  g_atomic_pointer_set (&fake_hub.kept, NULL);
  return TRUE;
}

char **
pt_hub_token_list (GCancellable *cancellable, GError **error)
{
  const char *const list[] = { g_atomic_pointer_get (&fake_hub.kept) != NULL ? "https://hub.example"
                                                                             : NULL,
                               NULL };

  if (!fake_hub.has_store) {
    fail_store (error);
    return NULL;
  }
  return g_strdupv ((char **) list);
}
