/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/variants.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/base/program-labels.h"
#include "engine/hub/repo-names.h"
#include "engine/hub/program-words.h"

/* More than anybody publishes in one repository. */
#define MAX_PROGRAMS 512

/** A program of the list. */
typedef struct {
  const PtHubEntry *entry;
  char *folder; /* "1b/xnnpack", or "" */
  char **words; /* of its name, without the folder */
  char *key;    /* equal for the parts of one model */
  char *parts;  /* the words that make it one of them */
  const char *backend;
  char *precision;
  char *target; /* "sm90a", or NULL */
  gboolean is_default;
} Program;

typedef struct {
  PtHubRepo *repo;
  const GPtrArray *entries;
  GPtrArray *programs; /* Program */
  GPtrArray *groups;   /* GPtrArray of Program: one variant each */
  guint capability;
} Finding;

static void
program_free (gpointer data)
{
  Program *self = data;

  g_free (self->folder);
  g_strfreev (self->words);
  g_free (self->key);
  g_free (self->parts);
  g_free (self->precision);
  g_free (self->target);
  g_free (self);
}

static char *
folder_of (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL ? g_strndup (path, (gsize) (slash - path)) : g_strdup ("");
}

static const char *
name_of (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL ? slash + 1 : path;
}

static gboolean
is_program (const char *path)
{
  return g_str_has_suffix (path, ".pte") && *name_of (path) != '.';
}

/* ---- programs ---- */

/* Reads size, backend and precision from the program's name, else its folders, else the
 * repository's. */
static void
read_names (Program *self, const char *id)
{
  g_auto (GStrv) folders = pt_hub_words (self->folder);
  g_auto (GStrv) repo = pt_hub_words (strchr (id, '/') + 1);
  const char *const *const lists[] = { (const char *const *) self->words,
                                       (const char *const *) folders, (const char *const *) repo };

  self->backend = "";
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++) {
    if (*self->backend == '\0' || strcmp (self->backend, "cuda") == 0) {
      const char *backend = pt_hub_backend (lists[i]);

      if (*backend != '\0')
        self->backend = backend;
    }
    if (self->precision == NULL)
      self->precision = pt_hub_precision (lists[i]);
    if (self->target == NULL)
      self->target = g_strdup (pt_hub_target (lists[i]));
  }
  if (self->precision == NULL)
    self->precision = g_strdup ("");
}

/* Programs whose names differ in words such as "encoder" and "decoder" alone are parts of one. */
static void
read_parts (Program *self)
{
  GString *key = g_string_new (self->folder), *parts = g_string_new (NULL);

  for (guint i = 0; self->words[i] != NULL; i++)
    g_string_append_printf (pt_hub_is_component (self->words[i]) ? parts : key, "\n%s",
                            self->words[i]);
  self->key = g_string_free (key, FALSE);
  self->parts = g_string_free (parts, FALSE);
}

static Program *
program_new (const PtHubEntry *entry, const char *id)
{
  Program *self = g_new0 (Program, 1);
  const char *name = name_of (entry->path);
  g_autofree char *stem = g_strndup (name, strlen (name) - strlen (".pte"));

  self->entry = entry;
  self->folder = folder_of (entry->path);
  self->words = pt_hub_words (stem);
  read_names (self, id);
  read_parts (self);
  return self;
}

static gboolean
is_helper (const char *path)
{
  g_auto (GStrv) words = pt_hub_words (path);

  return pt_hub_is_helper ((const char *const *) words);
}

/* A preprocessor is a program where there is no other. */
static gboolean
find_programs (Finding *self, GError **error)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->entries->len && !any; i++) {
    const PtHubEntry *entry = self->entries->pdata[i];

    any = is_program (entry->path) && !is_helper (entry->path);
  }
  for (guint i = 0; i < self->entries->len; i++) {
    const PtHubEntry *entry = self->entries->pdata[i];

    if (is_program (entry->path) && !(any && is_helper (entry->path)))
      g_ptr_array_add (self->programs, program_new (entry, self->repo->id));
  }
  return self->programs->len <= MAX_PROGRAMS ||
         pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "“%s” has more than %u programs, which is no model. Choose another one.",
                  self->repo->id, MAX_PROGRAMS);
}

/* ---- config.json of react-native-executorch ---- */

GPtrArray *
pt_hub_config_paths (const GPtrArray *entries, guint max)
{
  g_autoptr (GHashTable) folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GPtrArray *paths = g_ptr_array_new ();

  for (guint i = 0; i < entries->len; i++) {
    const PtHubEntry *entry = entries->pdata[i];

    if (is_program (entry->path))
      g_hash_table_add (folders, folder_of (entry->path));
  }
  for (guint i = 0; i < entries->len && paths->len < max; i++) {
    const PtHubEntry *entry = entries->pdata[i];
    g_autofree char *folder = folder_of (entry->path);

    if (strcmp (name_of (entry->path), "config.json") == 0 &&
        g_hash_table_contains (folders, folder))
      g_ptr_array_add (paths, entry->path);
  }
  return paths;
}

/* The path of a repository that @path means in @folder; NULL: it leads out of it. */
static char *
resolve (const char *folder, const char *path)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  g_autofree char *joined = g_strconcat (folder, "/", path, NULL);
  g_auto (GStrv) parts = g_strsplit (joined, "/", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    if (*parts[i] == '\0' || strcmp (parts[i], ".") == 0)
      continue;
    if (strcmp (parts[i], "..") != 0)
      g_ptr_array_add (kept, parts[i]);
    else if (kept->len > 0)
      g_ptr_array_set_size (kept, (int) kept->len - 1);
    else
      return NULL;
  }
  g_ptr_array_add (kept, NULL);
  return g_strjoinv ("/", (char **) kept->pdata);
}

static Program *
find_program (Finding *self, const char *folder, const json_t *path)
{
  g_autofree char *whole =
      json_is_string (path) ? resolve (folder, json_string_value (path)) : NULL;

  for (guint i = 0; whole != NULL && i < self->programs->len; i++) {
    Program *program = self->programs->pdata[i];

    if (strcmp (program->entry->path, whole) == 0)
      return program;
  }
  return NULL;
}

static void
take_facts (Program *program, const json_t *variant, const char *key)
{
  const char *precision = pt_json_string (variant, "precision");
  g_autofree char *known = NULL;

  if (program == NULL)
    return;
  program->is_default |= pt_json_bool (variant, "default", FALSE);
  if (precision != NULL && strlen (precision) <= 32) {
    g_auto (GStrv) words = pt_hub_words (precision);

    known = pt_hub_precision ((const char *const *) words);
  }
  if (known != NULL) {
    g_free (program->precision);
    program->precision = g_steal_pointer (&known);
  }
  if (key != NULL) {
    g_free (program->key);
    program->key = g_strdup (key);
  }
}

static void
read_config (Finding *self, const char *path, const json_t *config)
{
  g_autofree char *folder = folder_of (path);
  const json_t *variants = json_object_get (config, "variants");
  json_t *variant, *component;
  const char *name;
  gsize i;

  json_array_foreach (variants, i, variant) {
    g_autofree char *key = g_strdup_printf ("%s\n%" G_GSIZE_FORMAT, path, i);

    take_facts (find_program (self, folder, json_object_get (variant, "file")), variant, NULL);
    json_object_foreach (json_object_get (variant, "components"), name, component) {
      Program *program = find_program (self, folder, component);

      if (program == NULL)
        continue;
      g_free (program->parts);
      program->parts = g_strdup (name);
      take_facts (program, variant, key);
    }
  }
}

/* ---- groups ---- */

/* Whether @program completes @group instead of being another version of what is in it. */
static gboolean
completes (const GPtrArray *group, const Program *program)
{
  for (guint i = 0; i < group->len; i++) {
    const Program *other = group->pdata[i];

    if (strcmp (other->key, program->key) != 0 || strcmp (other->parts, program->parts) == 0)
      return FALSE;
  }
  return TRUE;
}

static void
make_groups (Finding *self)
{
  for (guint i = 0; i < self->programs->len; i++) {
    Program *program = self->programs->pdata[i];
    GPtrArray *group = NULL;

    if (!pt_hub_is_for_here (program->backend))
      continue;
    for (guint k = 0; k < self->groups->len && group == NULL; k++)
      if (completes (self->groups->pdata[k], program))
        group = self->groups->pdata[k];
    if (group == NULL) {
      group = g_ptr_array_new ();
      g_ptr_array_add (self->groups, group);
    }
    g_ptr_array_add (group, program);
  }
}

/* ---- files of a group ---- */

/* Whether @folder is @other or lies above it. */
static gboolean
is_above (const char *folder, const char *other)
{
  gsize length = strlen (folder);

  return length == 0 ||
         (strncmp (folder, other, length) == 0 && (other[length] == '\0' || other[length] == '/'));
}

/* "voices/af.bin" beside or above the program. */
static gboolean
is_in_companion_folder (const char *path, const char *folder)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  g_autoptr (GString) above = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL && parts[i + 1] != NULL; i++) {
    if (pt_hub_is_companion_folder (parts[i]) && is_above (above->str, folder))
      return TRUE;
    g_string_append_printf (above, "%s%s", i > 0 ? "/" : "", parts[i]);
  }
  return FALSE;
}

/* Whether the data file @path may be of another program in the folder than those of @group. */
static gboolean
is_data_of_other (Finding *self, const GPtrArray *group, const char *path)
{
  gboolean others = FALSE;

  for (guint i = 0; i < self->programs->len; i++) {
    Program *program = self->programs->pdata[i];
    g_autofree char *stem = g_strndup (program->entry->path, strlen (program->entry->path) - 4);

    if (g_str_has_prefix (path, stem) && !g_ptr_array_find ((GPtrArray *) group, program, NULL))
      others = TRUE;
    else if (g_str_has_prefix (path, stem))
      return FALSE;
  }
  return others;
}

static gboolean
is_in (const GPtrArray *group, const PtHubEntry *entry)
{
  for (guint i = 0; i < group->len; i++)
    if (((Program *) group->pdata[i])->entry == entry)
      return TRUE;
  return FALSE;
}

/* Whether @entry, which is none of its programs, belongs to @group. */
static gboolean
belongs (Finding *self, const GPtrArray *group, const PtHubEntry *entry)
{
  const Program *first = group->pdata[0];
  g_autofree char *folder = folder_of (entry->path);
  const char *name = name_of (entry->path);

  if (*name == '.' || is_in (group, entry))
    return FALSE;
  if (g_str_has_suffix (name, ".ptd"))
    return strcmp (folder, first->folder) == 0 && !is_data_of_other (self, group, entry->path);
  if (is_in_companion_folder (entry->path, first->folder))
    return TRUE;
  if (!is_above (folder, first->folder))
    return FALSE;
  return is_program (name) ? is_helper (name) : pt_hub_is_companion (name);
}

static void
take_file (GArray *files, const PtHubEntry *entry, PtHubVariant *variant)
{
  PtHubFile file = { g_strdup (entry->path), entry->bytes, g_strdup (entry->sha256),
                     g_strdup (entry->sha1), NULL,         NULL };

  variant->bytes += entry->bytes;
  g_array_append_val (files, file);
}

static void
take_files (Finding *self, const GPtrArray *group, PtHubVariant *variant)
{
  GArray *files = g_array_new (FALSE, TRUE, sizeof (PtHubFile));

  for (guint i = 0; i < group->len; i++)
    take_file (files, ((Program *) group->pdata[i])->entry, variant);
  for (guint i = 0; i < self->entries->len; i++)
    if (belongs (self, group, self->entries->pdata[i]))
      take_file (files, self->entries->pdata[i], variant);
  variant->n_files = files->len;
  variant->files = (PtHubFile *) (gpointer) g_array_free (files, FALSE);
}

void
pt_hub_variant_clear (PtHubVariant *self)
{
  for (guint i = 0; i < self->n_files; i++) {
    g_free (self->files[i].path);
    g_free (self->files[i].sha256);
    g_free (self->files[i].sha1);
    g_free (self->files[i].id);
    g_free (self->files[i].commit);
  }
  g_free (self->files);
  g_free (self->name);
  g_free (self->program);
  g_free (self->backend);
  g_free (self->precision);
}

/* ---- names of variants ---- */

enum { BY_PRECISION, BY_FOLDER, BY_BACKEND, BY_PATH };

/* "1b" for "1b/xnnpack". */
static char *
folders_without_backend (const Program *program)
{
  g_auto (GStrv) parts = g_strsplit (program->folder, "/", -1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    if (g_ascii_strcasecmp (parts[i], program->backend) != 0 && *parts[i] != '\0')
      g_string_append_printf (text, "%s%s", text->len > 0 ? "-" : "", parts[i]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
joined (const char *a, const char *b, const char *c)
{
  g_autoptr (GString) text = g_string_new (a);

  if (*b != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? "-" : "", b);
  if (*c != '\0')
    g_string_append_printf (text, "%s%s", text->len > 0 ? "-" : "", c);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* "" where that says nothing. Program names are the last resort, since they are long. */
static char *
name_by (const Program *program, guint way)
{
  g_autofree char *folders = folders_without_backend (program);

  switch (way) {
  case BY_PRECISION: return g_strdup (program->precision);
  case BY_FOLDER: return joined (folders, program->precision, "");
  case BY_BACKEND: return joined (folders, program->backend, program->precision);
  default:
    g_free (folders);
    folders = g_strndup (program->entry->path, strlen (program->entry->path) - strlen (".pte"));
    return g_strdelimit (g_steal_pointer (&folders), "/", '-');
  }
}

/* Whether every variant has a name of its own that way. */
static gboolean
is_telling (const Finding *self, guint way)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < self->groups->len; i++) {
    const GPtrArray *group = self->groups->pdata[i];
    char *name = name_by (group->pdata[0], way);
    gboolean is_empty = *name == '\0';

    if (!g_hash_table_add (names, name) || is_empty)
      return FALSE;
  }
  return TRUE;
}

/* ---- the best one ---- */

/* 0: on a GPU that is here; 1: on the CPU; 2: on a GPU that is not here. */
static guint
place_of (const Finding *self, const Program *program)
{
  if (!g_str_has_prefix (program->backend, "cuda"))
    return 1;
  return self->capability > 0 && pt_label_fits (program->target, self->capability) ? 0 : 2;
}

/* Whisper is published for the CPU in fp32, and read best in it. */
static guint
precision_rank (const Finding *self, const Program *program)
{
  g_autofree char *text = g_ascii_strdown (self->repo->id, -1);

  return pt_label_precision_rank (program->precision, strstr (text, "whisper") != NULL);
}

static guint
capability_of (const Program *program)
{
  return program->target != NULL ? pt_label_capability (program->target) : 0;
}

static guint64
bytes_of (const GPtrArray *group)
{
  guint64 bytes = 0;

  for (guint i = 0; i < group->len; i++)
    bytes += ((Program *) group->pdata[i])->entry->bytes;
  return bytes;
}

static int
compare_groups (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Finding *self = user_data;
  const GPtrArray *x = *(GPtrArray *const *) a, *y = *(GPtrArray *const *) b;
  const Program *p = x->pdata[0], *q = y->pdata[0];
  guint places[2] = { place_of (self, p), place_of (self, q) };
  guint ranks[2] = { precision_rank (self, p), precision_rank (self, q) };
  guint targets[2] = { capability_of (p), capability_of (q) };
  guint64 bytes[2] = { bytes_of (x), bytes_of (y) };

  if (places[0] != places[1])
    return places[0] < places[1] ? -1 : 1;
  /* Code for the GPU's own architecture is better than that for an older one. */
  if (places[0] == 0 && targets[0] != targets[1])
    return targets[0] > targets[1] ? -1 : 1;
  if (ranks[0] != ranks[1])
    return ranks[0] < ranks[1] ? -1 : 1;
  if (p->is_default != q->is_default)
    return p->is_default ? -1 : 1;
  if (bytes[0] != bytes[1])
    return bytes[0] < bytes[1] ? -1 : 1;
  return strcmp (p->entry->path, q->entry->path);
}

/* ---- the whole ---- */

static void
take_variants (Finding *self)
{
  PtHubRepo *repo = self->repo;
  guint way = BY_PRECISION;

  g_ptr_array_sort_with_data (self->groups, compare_groups, self);
  while (way < BY_PATH && !is_telling (self, way))
    way++;
  repo->n_variants = self->groups->len;
  repo->variants = g_new0 (PtHubVariant, repo->n_variants);
  for (guint i = 0; i < repo->n_variants; i++) {
    const GPtrArray *group = self->groups->pdata[i];
    const Program *first = group->pdata[0];
    PtHubVariant *variant = &repo->variants[i];

    variant->name = name_by (first, way);
    variant->program = g_strdup (first->entry->path);
    variant->backend = g_strdup (first->backend);
    variant->precision = g_strdup (first->precision);
    variant->best = i == 0;
    variant->n_programs = group->len;
    take_files (self, group, variant);
  }
}

static void
take_left_out (Finding *self)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->programs->len; i++) {
    const Program *program = self->programs->pdata[i];

    if (!pt_hub_is_for_here (program->backend) &&
        g_hash_table_add (names, (gpointer) program->backend))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", program->backend);
  }
  if (text->len > 0)
    self->repo->left_out = g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
pt_hub_find_variants (PtHubRepo *repo, const GPtrArray *entries, GHashTable *configs,
                      guint capability, GError **error)
{
  g_autoptr (GPtrArray) programs = g_ptr_array_new_with_free_func (program_free);
  g_autoptr (GPtrArray) groups =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  Finding self = { repo, entries, programs, groups, capability };
  GHashTableIter at;
  gpointer path, config;

  if (!find_programs (&self, error))
    return FALSE;
  g_hash_table_iter_init (&at, configs);
  while (g_hash_table_iter_next (&at, &path, &config))
    read_config (&self, path, config);
  make_groups (&self);
  take_left_out (&self);
  if (programs->len == 0)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "“%s” at “%s” holds no ExecuTorch program (.pte). Choose another repository or "
                    "revision.",
                    repo->id, repo->revision);
  if (groups->len == 0)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "The programs of “%s” are for other computers (%s). Choose another repository.",
                    repo->id, repo->left_out);
  take_variants (&self);
  return TRUE;
}

void
pt_hub_take_all (PtHubRepo *repo, const GPtrArray *entries)
{
  GArray *files = g_array_new (FALSE, TRUE, sizeof (PtHubFile));
  PtHubVariant *variant = g_new0 (PtHubVariant, 1);

  for (guint i = 0; i < entries->len; i++)
    take_file (files, entries->pdata[i], variant);
  variant->name = g_strdup ("files");
  variant->program = g_strdup ("");
  variant->backend = g_strdup ("");
  variant->precision = g_strdup ("");
  variant->best = TRUE;
  variant->n_files = files->len;
  variant->files = (PtHubFile *) (gpointer) g_array_free (files, FALSE);
  repo->variants = variant;
  repo->n_variants = 1;
}

/* ---- names of files ---- */

/* A file takes its name and those of its folders; only folders share names. */
static gboolean
take_name (GHashTable *names, const char *path, GError **error)
{
  g_autofree char *key = pt_hub_path_key (path);
  char *slash = key;

  while ((slash = strchr (slash, '/')) != NULL) {
    g_autofree char *folder = g_strndup (key, (gsize) (slash - key));

    if (GPOINTER_TO_INT (g_hash_table_lookup (names, folder)) == 'f')
      return pt_fail (error, PT_ERROR_FORMAT,
                      "The repository has a file and a folder of one name (“%s”), which is damaged "
                      "or made to do harm. Nothing of it is downloaded.",
                      path);
    g_hash_table_insert (names, g_steal_pointer (&folder), GINT_TO_POINTER ('d'));
    slash++;
  }
  if (g_hash_table_contains (names, key))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The repository has two files whose names differ in nothing but their case "
                    "(“%s”), which not every disk can hold. Choose another variant.",
                    path);
  g_hash_table_insert (names, g_steal_pointer (&key), GINT_TO_POINTER ('f'));
  return TRUE;
}

gboolean
pt_hub_check_names (const PtHubVariant *variant, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < variant->n_files; i++) {
    const char *path = variant->files[i].path;
    const char *lie = pt_hub_path_lie (path);
    const char *problem = lie != NULL ? lie : pt_hub_path_problem (path);

    if (problem != NULL)
      return pt_fail (error, PT_ERROR_UNSUPPORTED,
                      "The file “%.200s” of the repository cannot be stored under its name: %s. "
                      "Choose another variant.",
                      path, problem);
    if (!take_name (names, path, error))
      return FALSE;
  }
  return TRUE;
}
