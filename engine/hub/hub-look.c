/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/hub.h>
#include <pteris/stats.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/base/program-labels.h"
#include "engine/hub/hub-api.h"
#include "engine/hub/variants.h"
#include "engine/hub/repo-names.h"
#include "engine/hub/program-words.h"

/* Folders of a repository whose config.json is read. */
#define MAX_CONFIGS 16
/* Names of variants in a message. */
#define MAX_LISTED 30

void
pt_hub_repo_free (PtHubRepo *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_variants; i++)
    pt_hub_variant_clear (&self->variants[i]);
  g_free (self->variants);
  g_free (self->id);
  g_free (self->endpoint);
  g_free (self->revision);
  g_free (self->commit);
  g_free (self->license);
  g_free (self->license_link);
  g_free (self->task);
  g_free (self->left_out);
  g_free (self);
}

/* ---- looking ---- */

/* Reads the config files, which are optional: of a gated repository only the list can be
 * read. FALSE when it was stopped, or the hub cannot be reached. */
static gboolean
read_configs (PtHub *hub, const PtHubRepo *repo, const GPtrArray *entries, GHashTable *configs,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) paths = pt_hub_config_paths (entries, MAX_CONFIGS);

  for (guint i = 0; i < paths->len; i++) {
    g_autoptr (GError) problem = NULL;
    json_t *json = pt_hub_read_json (hub, repo, paths->pdata[i], cancellable, &problem);

    if (json != NULL) {
      g_hash_table_insert (configs, paths->pdata[i], json);
    } else if (g_error_matches (problem, PT_ERROR, PT_ERROR_CANCELLED) ||
               g_error_matches (problem, PT_ERROR, PT_ERROR_NETWORK)) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_arguments (const char *id, const char *revision, GError **error)
{
  if (!pt_hub_is_id (id))
    return pt_fail (error, PT_ERROR_ARGUMENT, "“%s” names no repository. Give “owner/name”.", id);
  if (revision != NULL &&
      (*revision == '\0' || strlen (revision) > 200 || !g_utf8_validate (revision, -1, NULL)))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "“%.200s” is no revision. Give a branch, a tag or a commit.", revision);
  return TRUE;
}

/* Opens the hub and reads the list of files. NULL with an error. */
static PtHubRepo *
read_repo (PtHub **hub, const char *id, const char *revision, const PtHubAccess *access,
           GPtrArray **entries, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtHubRepo) repo = NULL;

  if (!check_arguments (id, revision, error))
    return NULL;
  *hub = pt_hub_open (access, PT_HTTP_TIMES, cancellable, error);
  if (*hub != NULL)
    repo = pt_hub_read_info (*hub, id, revision, cancellable, error);
  if (repo != NULL)
    *entries = pt_hub_read_tree (*hub, repo, cancellable, error);
  return *entries != NULL ? g_steal_pointer (&repo) : NULL;
}

PtHubRepo *
pt_hub_look (const char *id, const char *revision, const PtHubAccess *access,
             GCancellable *cancellable, GError **error)
{
  g_autoptr (PtHub) hub = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (GHashTable) configs =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) json_decref);
  g_autoptr (PtHubRepo) repo = read_repo (&hub, id, revision, access, &entries, cancellable, error);
  g_autoptr (PtMachineStats) stats = NULL;

  if (repo == NULL || !read_configs (hub, repo, entries, configs, cancellable, error))
    return NULL;
  stats = pt_stats_read ();
  if (!pt_hub_find_variants (repo, entries, configs, pt_label_best_capability (stats), error))
    return NULL;
  return g_steal_pointer (&repo);
}

PtHubRepo *
pt_hub_look_files (const char *id, const char *revision, const PtHubAccess *access,
                   GCancellable *cancellable, GError **error)
{
  g_autoptr (PtHub) hub = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autoptr (PtHubRepo) repo = read_repo (&hub, id, revision, access, &entries, cancellable, error);

  if (repo != NULL)
    pt_hub_take_all (repo, entries);
  return g_steal_pointer (&repo);
}

/* ---- choosing ---- */

static gboolean
has_words (const PtHubVariant *variant, char **wanted)
{
  g_autofree char *text =
      g_strjoin ("/", variant->name, variant->program, variant->precision, NULL);
  g_auto (GStrv) words = pt_hub_words (text);

  for (guint i = 0; wanted[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) words, wanted[i]))
      return FALSE;
  return wanted[0] != NULL;
}

static char *
list_names (const PtHubRepo *repo)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < repo->n_variants && i < MAX_LISTED; i++)
    g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "", repo->variants[i].name);
  if (repo->n_variants > MAX_LISTED)
    g_string_append (names, ", …");
  return g_string_free (g_steal_pointer (&names), FALSE);
}

const PtHubVariant *
pt_hub_choose (const PtHubRepo *repo, const char *name, GError **error)
{
  g_auto (GStrv) wanted = name != NULL ? pt_hub_words (name) : NULL;
  g_autofree char *names = NULL;
  const PtHubVariant *found = NULL;
  guint n = 0;

  if (name == NULL)
    return &repo->variants[0];
  for (guint i = 0; i < repo->n_variants; i++) {
    const PtHubVariant *variant = &repo->variants[i];

    if (strcmp (variant->name, name) == 0 || strcmp (variant->program, name) == 0)
      return variant;
    if (has_words (variant, wanted)) {
      found = variant;
      n++;
    }
  }
  if (n == 1)
    return found;
  names = list_names (repo);
  pt_fail (error, PT_ERROR_NOT_FOUND,
           n == 0 ? "“%s” has no variant “%s”. It has %s."
                  : "“%s” has several variants that “%s” may mean. It has %s.",
           repo->id, name, names);
  return NULL;
}

/* ---- borrowing ---- */

static const PtHubFile *
find_file (const PtHubVariant *variant, const char *path)
{
  for (guint i = 0; i < variant->n_files; i++)
    if (strcmp (variant->files[i].path, path) == 0)
      return &variant->files[i];
  return NULL;
}

static const PtHubFile *
find_in_all (const PtHubRepo *repo, const char *path)
{
  const PtHubFile *found = NULL;

  for (guint i = 0; i < repo->n_variants && found == NULL; i++)
    found = find_file (&repo->variants[i], path);
  return found;
}

gboolean
pt_hub_borrow (PtHubRepo *repo, guint number, const PtHubRepo *other, const char *const *paths,
               GError **error)
{
  PtHubVariant *variant = &repo->variants[number];

  if (strcmp (repo->endpoint, other->endpoint) != 0)
    return pt_fail (error, PT_ERROR_ARGUMENT, "“%s” and “%s” are not on the same hub.", repo->id,
                    other->id);
  for (guint i = 0; paths[i] != NULL; i++) {
    const PtHubFile *file = find_in_all (other, paths[i]);
    PtHubFile *added;

    if (find_file (variant, paths[i]) != NULL)
      continue;
    if (file == NULL)
      return pt_fail (error, PT_ERROR_NOT_FOUND,
                      "“%s” has no file “%s” that belongs to a program. Look at its list again.",
                      other->id, paths[i]);
    variant->files = g_renew (PtHubFile, variant->files, variant->n_files + 1);
    added = &variant->files[variant->n_files++];
    *added = (PtHubFile){ g_strdup (file->path), file->bytes,          g_strdup (file->sha256),
                          g_strdup (file->sha1), g_strdup (other->id), g_strdup (other->commit) };
    variant->bytes += file->bytes;
  }
  return TRUE;
}
