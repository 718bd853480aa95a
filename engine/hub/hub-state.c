/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/hub-state.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/hub/staging.h"
#include "engine/hub/repo-names.h"

#define VERSION 1
#define MAX_STATE (32u << 20)

static void
kept_free (gpointer data)
{
  PtHubKept *self = data;

  g_free (self->name);
  g_free (self->commit);
  g_strfreev (self->programs);
  g_free (self);
}

static PtHubState *
empty_state (void)
{
  PtHubState *self = g_new0 (PtHubState, 1);

  self->variants = g_ptr_array_new_with_free_func (kept_free);
  self->files = g_ptr_array_new_with_free_func (pt_hub_entry_free);
  return self;
}

void
pt_hub_state_free (PtHubState *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->endpoint);
  g_free (self->revision);
  g_free (self->commit);
  g_free (self->license);
  g_ptr_array_unref (self->variants);
  g_ptr_array_unref (self->files);
  g_free (self);
}

static void
add_file (PtHubState *self, const char *path, guint64 bytes, const char *sha256, const char *sha1)
{
  PtHubEntry *entry = g_new0 (PtHubEntry, 1);

  entry->path = g_strdup (path);
  entry->bytes = bytes;
  entry->sha256 = g_strdup (sha256);
  entry->sha1 = g_strdup (sha1);
  g_ptr_array_add (self->files, entry);
}

static void
add_variant (PtHubState *self, const char *name, const char *commit, char **programs)
{
  PtHubKept *kept = g_new0 (PtHubKept, 1);

  kept->name = g_strdup (name);
  kept->commit = g_strdup (commit);
  kept->programs = programs;
  g_ptr_array_add (self->variants, kept);
}

PtHubState *
pt_hub_state_new (const PtHubRepo *repo, const PtHubVariant *variant)
{
  PtHubState *self = empty_state ();
  char **programs = g_new0 (char *, variant->n_programs + 1);

  self->id = g_strdup (repo->id);
  self->endpoint = g_strdup (repo->endpoint);
  self->revision = g_strdup (repo->revision);
  self->commit = g_strdup (repo->commit);
  self->license = g_strdup (repo->license);
  for (guint i = 0; i < variant->n_programs; i++)
    programs[i] = g_strdup (variant->files[i].path);
  add_variant (self, variant->name, repo->commit, programs);
  for (guint i = 0; i < variant->n_files; i++) {
    const PtHubFile *file = &variant->files[i];

    add_file (self, file->path, file->bytes, file->sha256, file->sha1);
  }
  return self;
}

const PtHubEntry *
pt_hub_state_file (const PtHubState *self, const char *path)
{
  for (guint i = 0; i < self->files->len; i++) {
    const PtHubEntry *entry = self->files->pdata[i];

    if (strcmp (entry->path, path) == 0)
      return entry;
  }
  return NULL;
}

static gboolean
has_variant (const PtHubState *self, const char *name)
{
  for (guint i = 0; i < self->variants->len; i++)
    if (strcmp (((PtHubKept *) self->variants->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

void
pt_hub_state_keep (PtHubState *self, const PtHubState *older)
{
  for (guint i = 0; i < older->variants->len; i++) {
    const PtHubKept *kept = older->variants->pdata[i];

    if (!has_variant (self, kept->name))
      add_variant (self, kept->name, kept->commit, g_strdupv (kept->programs));
  }
  for (guint i = 0; i < older->files->len; i++) {
    const PtHubEntry *entry = older->files->pdata[i];

    if (pt_hub_state_file (self, entry->path) == NULL)
      add_file (self, entry->path, entry->bytes, entry->sha256, entry->sha1);
  }
}

/* ---- JSON ---- */

static json_t *
text_list (char *const *texts)
{
  json_t *list = json_array ();

  for (guint i = 0; texts[i] != NULL; i++)
    json_array_append_new (list, pt_json_text (texts[i]));
  return list;
}

static json_t *
files_to_json (const PtHubState *self)
{
  json_t *files = json_array ();

  for (guint i = 0; i < self->files->len; i++) {
    const PtHubEntry *entry = self->files->pdata[i];
    json_t *json = json_object ();

    json_object_set_new (json, "path", pt_json_text (entry->path));
    json_object_set_new (json, "bytes", json_integer ((json_int_t) entry->bytes));
    json_object_set_new (json, entry->sha256 != NULL ? "sha256" : "sha1",
                         pt_json_text (entry->sha256 != NULL ? entry->sha256 : entry->sha1));
    json_array_append_new (files, json);
  }
  return files;
}

gboolean
pt_hub_state_save (const PtHubState *self, const char *path, GError **error)
{
  json_t *json = json_object (), *variants = json_array ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < self->variants->len; i++) {
    const PtHubKept *kept = self->variants->pdata[i];
    json_t *variant = json_object ();

    json_object_set_new (variant, "name", pt_json_text (kept->name));
    json_object_set_new (variant, "commit", pt_json_text (kept->commit));
    json_object_set_new (variant, "programs", text_list (kept->programs));
    json_array_append_new (variants, variant);
  }
  json_object_set_new (json, "version", json_integer (VERSION));
  json_object_set_new (json, "repo", pt_json_text (self->id));
  json_object_set_new (json, "endpoint", pt_json_text (self->endpoint));
  json_object_set_new (json, "revision", pt_json_text (self->revision));
  json_object_set_new (json, "commit", pt_json_text (self->commit));
  json_object_set_new (json, "license", pt_json_text (self->license));
  json_object_set_new (json, "variants", variants);
  json_object_set_new (json, "files", files_to_json (self));
  text = pt_json_steal_text (json);
  return pt_hub_write_file (path, text, error);
}

static gboolean
read_file (PtHubState *self, const json_t *json)
{
  const char *path = pt_json_string (json, "path");
  const char *sha256 = pt_json_string (json, "sha256"), *sha1 = pt_json_string (json, "sha1");
  gint64 bytes = pt_json_int (json, "bytes", -1);

  if (path == NULL || pt_hub_path_lie (path) != NULL || bytes < 0 ||
      (sha256 == NULL && sha1 == NULL))
    return FALSE;
  add_file (self, path, (guint64) bytes, sha256, sha1);
  return TRUE;
}

static gboolean
read_variant (PtHubState *self, const json_t *json)
{
  const char *name = pt_json_string (json, "name"), *commit = pt_json_string (json, "commit");
  const json_t *programs = json_object_get (json, "programs");
  g_auto (GStrv) paths = NULL;
  gsize i;
  json_t *path;

  if (name == NULL || commit == NULL || !json_is_array (programs))
    return FALSE;
  paths = g_new0 (char *, json_array_size (programs) + 1);
  json_array_foreach (programs, i, path) {
    const char *text = json_string_value (path);

    if (text == NULL || pt_hub_path_lie (text) != NULL)
      return FALSE;
    paths[i] = g_strdup (text);
  }
  add_variant (self, name, commit, g_steal_pointer (&paths));
  return TRUE;
}

PtHubState *
pt_hub_state_load (const char *path)
{
  g_autoptr (json_t) json =
      g_file_test (path, G_FILE_TEST_IS_REGULAR) ? pt_json_load (path, MAX_STATE, NULL) : NULL;
  g_autoptr (PtHubState) self = empty_state ();
  const char *id = pt_json_string (json, "repo"), *endpoint = pt_json_string (json, "endpoint");
  const char *revision = pt_json_string (json, "revision");
  const char *commit = pt_json_string (json, "commit");
  json_t *one;
  gsize i;

  if (pt_json_int (json, "version", 0) != VERSION || id == NULL || !pt_hub_is_id (id) ||
      endpoint == NULL || revision == NULL || commit == NULL)
    return NULL;
  self->id = g_strdup (id);
  self->endpoint = g_strdup (endpoint);
  self->revision = g_strdup (revision);
  self->commit = g_strdup (commit);
  self->license = g_strdup (pt_json_string (json, "license"));
  json_array_foreach (json_object_get (json, "files"), i, one) {
    if (!read_file (self, one))
      return NULL;
  }
  json_array_foreach (json_object_get (json, "variants"), i, one) {
    if (!read_variant (self, one))
      return NULL;
  }
  return g_steal_pointer (&self);
}
