/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-variants.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/program-labels.h"
#include "engine/base/set-error.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/device.h"
#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/model-parts.h"
#include "engine/tasks/models/model-root.h"

/* Most models that an error names. */
#define MAX_NAMED 8
/* Variants of a model that are opened. */
#define MAX_VARIANTS 32

/* A program of the model with what decides whether it is chosen. */
typedef struct {
  const PtTreeProgram *file;
  PtModelVariant *variant;
  gboolean is_exact; /* of a family that wants fp32 */
  gboolean is_openvino, is_vulkan;
  guint usual_side;    /* of pictures; 0: the smallest */
  gboolean is_default; /* by config.json */
} Candidate;

void
pt_model_variant_free (PtModelVariant *variant)
{
  g_free (variant->name);
  g_free (variant->path);
  g_free (variant->precision);
  g_free (variant->backend);
  g_free (variant->obstacle);
  g_free (variant);
}

/* ---- groups: the programs with one key ---- */

/* Which model @file is: its key, without parts that are not of its name. */
static gboolean
is_same_model (const PtTreeProgram *a, const PtTreeProgram *b)
{
  return strcmp (a->name.key, b->name.key) == 0;
}

/* The first program of each model in @tree. */
static GPtrArray *
first_of_each (const PtModelTree *tree)
{
  GPtrArray *firsts = g_ptr_array_new ();

  for (guint i = 0; i < tree->programs->len; i++) {
    gboolean is_known = FALSE;

    for (guint k = 0; k < firsts->len && !is_known; k++)
      is_known = is_same_model (tree->programs->pdata[i], firsts->pdata[k]);
    if (!is_known)
      g_ptr_array_add (firsts, tree->programs->pdata[i]);
  }
  return firsts;
}

static gboolean
is_companion (PtModelSet *set, const PtTreeProgram *file)
{
  PtProgram *program = pt_model_set_program (set, file->path, NULL);

  return program != NULL &&
         pt_family_info (pt_family_of (program, NULL))->task == PT_TASK_COMPANION;
}

static gboolean
is_marked (const PtTreeProgram *file)
{
  return g_strcmp0 (file->name.backend, "cpu") == 0 ||
         g_strcmp0 (file->name.backend, "xnnpack") == 0;
}

/* Whether @file is named for the CPU, for NVIDIA's GPUs, for OpenVINO, or for nothing. */
static gboolean
is_plain (const PtTreeProgram *file)
{
  return file->name.backend == NULL || strcmp (file->name.backend, "cuda") == 0 ||
         strcmp (file->name.backend, "openvino") == 0 || is_marked (file);
}

/* Whether @holds is true of all programs of the model of @like. */
static gboolean
all_programs (const PtModelTree *tree, const PtTreeProgram *like,
              gboolean (*holds) (const PtTreeProgram *file))
{
  for (guint i = 0; i < tree->programs->len; i++)
    if (is_same_model (tree->programs->pdata[i], like) && !holds (tree->programs->pdata[i]))
      return FALSE;
  return TRUE;
}

/* The one of @firsts that has a program not named for the CPU, if all programs of the others are:
 * they are the same for the CPU, under another name. NULL: there is none. */
static const PtTreeProgram *
unmarked_one (const PtModelTree *tree, const GPtrArray *firsts)
{
  const PtTreeProgram *found = NULL;

  for (guint i = 0; i < firsts->len; i++) {
    const PtTreeProgram *first = firsts->pdata[i];

    if (all_programs (tree, first, is_marked))
      continue;
    if (found != NULL || !all_programs (tree, first, is_plain))
      return NULL;
    found = first;
  }
  return found;
}

/* The one of @firsts that is opened, if all are parts of one model, or NULL. @part: the role that
 * is asked for, or NULL. */
static const PtTreeProgram *
part_of_all (PtModelSet *set, const GPtrArray *firsts, const char *part)
{
  g_autoptr (GPtrArray) programs = g_ptr_array_new ();
  const char *path;

  for (guint i = 0; i < firsts->len; i++) {
    const PtTreeProgram *file = firsts->pdata[i];
    PtProgram *program = pt_model_set_program (set, file->path, NULL);

    if (program == NULL)
      return NULL;
    g_ptr_array_add (programs, program);
  }
  path = pt_model_parts_main (programs, part);
  for (guint i = 0; path != NULL && i < firsts->len; i++)
    if (strcmp (((const PtTreeProgram *) firsts->pdata[i])->path, path) == 0)
      return firsts->pdata[i];
  return NULL;
}

/* Whether the name of @file says nothing but that it is for the CPU. */
static gboolean
is_for_cpu (const PtTreeProgram *file)
{
  static const char *const CPU[] = { "xnnpack", "cpu", "portable", NULL };

  return file->name.backend == NULL || g_strv_contains (CPU, file->name.backend);
}

/* The program that stands for the model of @first in an error: one for the CPU, if there is. */
static const PtTreeProgram *
example_of (const PtModelTree *tree, const PtTreeProgram *first)
{
  for (guint i = 0; i < tree->programs->len && !is_for_cpu (first); i++) {
    const PtTreeProgram *file = tree->programs->pdata[i];

    if (is_same_model (file, first) && is_for_cpu (file))
      return file;
  }
  return first;
}

/* The folders of @file that say which model it is: "1b" of "1b/xnnpack/NAME.pte". NULL: none. Free
 * with g_free(). */
static char *
size_of (const PtTreeProgram *file)
{
  g_auto (GStrv) parts = g_strsplit (file->relative, "/", -1);
  g_autoptr (GString) size = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL && parts[i + 1] != NULL; i++)
    if (!pt_name_is_label (parts[i]))
      g_string_append_printf (size, "%s%s", size->len > 0 ? "/" : "", parts[i]);
  return size->len > 0 ? g_strdup (size->str) : NULL;
}

/* The sizes of @models, or NULL if one has none, or two have the same. */
static GPtrArray *
sizes_of (const GPtrArray *models)
{
  g_autoptr (GPtrArray) sizes = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < models->len; i++) {
    char *size = size_of (models->pdata[i]);

    if (size == NULL || g_ptr_array_find_with_equal_func (sizes, size, g_str_equal, NULL)) {
      g_free (size);
      return NULL;
    }
    g_ptr_array_add (sizes, size);
  }
  return g_steal_pointer (&sizes);
}

static gboolean
fail_several (const char *folder, const PtModelTree *tree, const GPtrArray *firsts, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GPtrArray) sizes = sizes_of (firsts);

  for (guint i = 0; i < firsts->len && i < MAX_NAMED; i++)
    g_string_append_printf (names, "%s“%.200s”",
                            i == 0                 ? ""
                            : i + 1 == firsts->len ? " and "
                                                   : ", ",
                            sizes != NULL ? (const char *) sizes->pdata[i]
                                          : example_of (tree, firsts->pdata[i])->relative);
  if (firsts->len > MAX_NAMED)
    g_string_append (names, " and more");
  if (sizes != NULL)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The folder “%s” contains %u models, %s. Choose one: “%s/%s”, or this folder "
                    "with the variant “%s”.",
                    folder, firsts->len, names->str, folder, (const char *) sizes->pdata[0],
                    (const char *) sizes->pdata[0]);
  return pt_fail (error, PT_ERROR_ARGUMENT,
                  "The folder “%s” contains %u models, %s. Choose one of these files, with its "
                  "path.",
                  folder, firsts->len, names->str);
}

/* The one of @models whose size the variant begins with that @query asks for, "1b" or "1b-8da4w";
 * NULL: there is none. @variant: set to what follows, NULL if nothing does. */
static const PtTreeProgram *
one_of_size (const PtModelQuery *query, const GPtrArray *models, const char **variant)
{
  g_autoptr (GPtrArray) sizes = sizes_of (models);
  gsize length = 0;
  guint found = 0;

  for (guint i = 0; sizes != NULL && query->variant != NULL && i < sizes->len; i++) {
    const char *size = sizes->pdata[i];
    gsize n = strlen (size);

    if (n > length && g_ascii_strncasecmp (query->variant, size, n) == 0 &&
        (query->variant[n] == '\0' || query->variant[n] == '-')) {
      length = n;
      found = i;
    }
  }
  if (length == 0)
    return NULL;
  *variant = query->variant[length] == '-' ? query->variant + length + 1 : NULL;
  return models->pdata[found];
}

/* The one of @firsts that speaks @language (as pt_model_language_rank()), if all synthesize speech;
 * NULL: there is none, or several. */
static const PtTreeProgram *
one_that_speaks (PtModelSet *set, const GPtrArray *firsts, const char *language)
{
  const PtTreeProgram *best = NULL;
  guint best_rank = G_MAXUINT;

  for (guint i = 0; i < firsts->len; i++) {
    const PtTreeProgram *file = firsts->pdata[i];
    const PtProgram *program = pt_model_set_program (set, file->path, NULL);
    guint rank = pt_model_language_rank (file->path, language);

    if (program == NULL || pt_family_of (program, NULL) != PT_FAMILY_KOKORO)
      return NULL;
    if (rank == best_rank)
      best = NULL;
    else if (rank < best_rank)
      best = file;
    best_rank = MIN (best_rank, rank);
  }
  return best_rank < PT_LANGUAGE_OTHER ? best : NULL;
}

/* A program of the only model in @tree, or of the one whose size @query's variant names; NULL with
 * an error. @variant: set to the variant of this model. */
static const PtTreeProgram *
only_model (PtModelSet *set, const PtModelQuery *query, const PtModelTree *tree,
            const char **variant, GError **error)
{
  g_autoptr (GPtrArray) firsts = first_of_each (tree);
  g_autoptr (GPtrArray) models = g_ptr_array_new ();
  const PtTreeProgram *one;

  for (guint i = 0; i < firsts->len; i++)
    if (firsts->len == 1 || !is_companion (set, firsts->pdata[i]))
      g_ptr_array_add (models, firsts->pdata[i]);
  if (models->len == 1)
    return models->pdata[0];
  one = models->len > 1 ? one_of_size (query, models, variant) : NULL;
  if (one == NULL && models->len > 1)
    one = part_of_all (set, models, query->part);
  if (one == NULL && models->len > 1)
    one = unmarked_one (tree, models);
  if (one == NULL && models->len > 1)
    one = one_that_speaks (set, models, query->language);
  if (one != NULL)
    return one;
  if (firsts->len == 0)
    pt_fail (error, PT_ERROR_MISSING_FILE, "The folder “%s” contains no model (.pte).",
             query->path);
  else
    fail_several (query->path, tree, models->len > 0 ? models : firsts, error);
  return NULL;
}

/* ---- what runs here ---- */

/* Says in @self what a delegate needs. */
static void
take_needs (Candidate *self, const PtBackend *backend, const PtDelegateSpec *spec)
{
  gboolean is_cpu = backend->device_type == PT_DEVICE_CPU;

  if (backend->name_device != NULL)
    backend->name_device (spec, &is_cpu);
  self->variant->on_gpu |= !is_cpu;
  self->variant->foreign |= !pt_backend_is_own (backend);
  self->is_openvino |= strcmp (backend->id, "OpenvinoBackend") == 0;
  self->is_vulkan |= strcmp (backend->id, "VulkanBackend") == 0;
}

/* Why @program cannot run here, a sentence, or NULL; @self: set to what it needs. */
static char *
find_obstacle (Candidate *self, const PtProgram *program)
{
  /* A caller without registered backends only wants the list of variants. */
  gboolean knows = pt_backend_find ("XnnpackBackend") != NULL;

  for (guint p = 0; p < pt_program_n_plans (program); p++) {
    const PtPlan *plan = pt_program_plan (program, p);

    for (guint d = 0; d < plan->n_delegates; d++) {
      const PtBackend *backend = pt_backend_find (plan->delegates[d].id);
      g_autoptr (GError) reason = NULL;

      if (backend == NULL && knows) {
        const char *device = pt_backend_device (plan->delegates[d].id);

        return g_strdup_printf ("It needs the backend “%.60s”%s%s, which Pteris does not have.",
                                plan->delegates[d].id, device != NULL ? " for " : "",
                                device != NULL ? device : "");
      }
      if (backend == NULL)
        continue;
      take_needs (self, backend, &plan->delegates[d]);
      if (backend->is_available != NULL && !backend->is_available (&reason))
        return g_strdup (reason->message);
    }
  }
  return NULL;
}

static void
take_config (Candidate *candidate)
{
  g_autofree char *folder = g_path_get_dirname (candidate->file->path);
  g_autofree char *name = g_path_get_basename (candidate->file->path);
  g_autoptr (PtModelConfig) config = pt_model_config_read (folder, NULL);
  const PtConfigVariant *found = config != NULL ? pt_model_config_find (config, name, NULL) : NULL;
  PtModelVariant *variant = candidate->variant;

  if (config != NULL && config->backend != NULL) {
    g_free (variant->backend);
    variant->backend = g_strdup (config->backend);
  }
  if (found == NULL)
    return;
  candidate->is_default = found->is_default;
  if (found->precision != NULL) {
    g_free (variant->precision);
    variant->precision = g_strdup (found->precision);
  }
}

static void
candidate_free (Candidate *candidate)
{
  g_clear_pointer (&candidate->variant, pt_model_variant_free);
  g_free (candidate);
}

static Candidate *
candidate_new (PtModelSet *set, const PtTreeProgram *file)
{
  Candidate *candidate = g_new0 (Candidate, 1);
  PtModelVariant *variant = g_new0 (PtModelVariant, 1);
  g_autoptr (GError) error = NULL;
  PtProgram *program = pt_model_set_program (set, file->path, &error);
  GStatBuf status;
  PtFamily family;

  candidate->file = file;
  candidate->variant = variant;
  variant->path = g_strdup (file->path);
  variant->backend = g_strdup (file->name.backend);
  variant->precision = g_strdup (file->name.precision);
  variant->bytes = g_stat (file->path, &status) == 0 ? (guint64) status.st_size : 0;
  take_config (candidate);
  if (program == NULL) {
    variant->obstacle = g_strdup (error->message);
    return candidate;
  }
  variant->obstacle = find_obstacle (candidate, program);
  family = pt_family_of (program, NULL);
  candidate->is_exact = pt_family_info (family)->task == PT_TASK_TRANSCRIBE;
  candidate->usual_side = family == PT_FAMILY_TEXT_DETECTOR ? PT_USUAL_WRITING : 0;
  return candidate;
}

/* Programs in folders such as "sm80" run on GPUs of that architecture alone. */
static void
check_targets (GPtrArray *candidates)
{
  g_autoptr (PtMachineStats) stats = NULL;
  guint capability = 0;

  for (guint i = 0; i < candidates->len; i++) {
    Candidate *c = candidates->pdata[i];
    const char *target = c->file->name.target;

    if (target == NULL)
      continue;
    if (stats == NULL) {
      stats = pt_stats_read ();
      capability = pt_label_best_capability (stats);
    }
    if (c->variant->backend == NULL)
      c->variant->backend = g_strdup ("cuda");
    if (c->variant->obstacle != NULL || pt_label_fits (target, capability))
      continue;
    if (capability == 0)
      c->variant->obstacle =
          g_strdup_printf ("It is compiled for NVIDIA GPUs (%s), and there is none here.", target);
    else
      c->variant->obstacle = g_strdup_printf (
          "It is compiled for other GPUs (%s); this one is of sm%u.", target, capability);
  }
}

/* ---- the choice ---- */

/* Names tell variants apart: the precision, the backend, both, else the file. */
static void
name_variants (GPtrArray *candidates)
{
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *c = candidates->pdata[i];
    const char *extra = c->file->name.extra, *target = c->file->name.target;
    g_autofree char *stem = g_path_get_basename (c->file->path);
    GString *name = g_string_new (c->variant->backend);

    if (target != NULL)
      g_string_append_printf (name, "%s%s", name->len > 0 ? "-" : "", target);
    if (c->variant->precision != NULL)
      g_string_append_printf (name, "%s%s", name->len > 0 ? "-" : "", c->variant->precision);
    if (extra != NULL)
      g_string_append_printf (name, "%s%s", name->len > 0 ? "-" : "", extra);
    if (g_str_has_suffix (stem, ".pte"))
      stem[strlen (stem) - strlen (".pte")] = '\0';
    if (name->len == 0)
      g_string_assign (name, stem);
    for (guint k = 0; k < i; k++)
      if (strcmp (((Candidate *) candidates->pdata[k])->variant->name, name->str) == 0)
        g_string_assign (name, c->file->relative);
    c->variant->name = g_string_free (name, FALSE);
  }
}

/* OpenVINO's programs need consent and run with one version only: they come after our own code for
 * the CPU, unless somebody asks for them. */
static int
prefer_device (const Candidate *c, PtBackendChoice choice)
{
  gboolean is_own = !c->variant->foreign;

  switch (choice) {
  case PT_BACKEND_CPU: return is_own ? 0 : c->variant->on_gpu ? 2 : 1;
  case PT_BACKEND_OPENVINO: return c->is_openvino ? 0 : is_own ? 1 : 2;
  case PT_BACKEND_VULKAN: return c->is_vulkan ? 0 : is_own ? 1 : 2;
  case PT_BACKEND_CUDA:
  case PT_BACKEND_AUTO: break;
  }
  return c->is_openvino ? 3 : is_own ? 2 : c->is_vulkan ? 1 : 0;
}

/* Code for the GPU's own architecture is better than that for an older one. */
static guint
target_rank (const Candidate *c)
{
  const char *target = c->file->name.target;

  return target != NULL ? G_MAXUINT - pt_label_capability (target) : G_MAXUINT;
}

/* The side of the candidate's pictures, or 0. */
static guint
side_of (const Candidate *c)
{
  const char *extra = c->file->name.extra;

  return extra != NULL ? (guint) g_ascii_strtoull (extra, NULL, 10) : 0;
}

/* How far the candidate's side is from the usual one. */
static guint
side_rank (const Candidate *c)
{
  guint side = side_of (c);

  return side > c->usual_side ? side - c->usual_side : c->usual_side - side;
}

/* Less than 0: @a is better. */
static int
compare_candidates (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Candidate *x = *(const Candidate *const *) a, *y = *(const Candidate *const *) b;
  const PtModelQuery *query = user_data;
  PtBackendChoice choice = query->backend;
  const guint keys[][2] = {
    { choice != PT_BACKEND_AUTO ? (guint) prefer_device (x, choice) : 0,
      choice != PT_BACKEND_AUTO ? (guint) prefer_device (y, choice) : 0 },
    { x->variant->obstacle != NULL, y->variant->obstacle != NULL },
    { query->size > 0 && side_of (x) != query->size,
      query->size > 0 && side_of (y) != query->size },
    { (guint) prefer_device (x, choice), (guint) prefer_device (y, choice) },
    { target_rank (x), target_rank (y) },
    { pt_label_precision_rank (x->variant->precision, x->is_exact),
      pt_label_precision_rank (y->variant->precision, y->is_exact) },
    { !x->is_default, !y->is_default },
    { side_rank (x), side_rank (y) },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  if (x->variant->bytes != y->variant->bytes)
    return x->variant->bytes < y->variant->bytes ? -1 : 1;
  return strcmp (x->file->relative, y->file->relative);
}

static gboolean
has_label (const Candidate *c, const char *label)
{
  const char *labels[] = { c->variant->precision, c->variant->backend, c->file->name.target,
                           c->file->name.extra };

  for (gsize i = 0; i < G_N_ELEMENTS (labels); i++)
    if (labels[i] != NULL && g_ascii_strcasecmp (labels[i], label) == 0)
      return TRUE;
  return FALSE;
}

/* The candidate that @name means: all of its name, or the only one of that precision, backend or
 * side of pictures. */
static Candidate *
find_named (const GPtrArray *candidates, const char *name, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  Candidate *found = NULL;
  guint n = 0;

  for (guint i = 0; i < candidates->len; i++) {
    Candidate *c = candidates->pdata[i];
    g_autofree char *file = g_path_get_basename (c->file->path);

    if (g_ascii_strcasecmp (c->variant->name, name) == 0 || g_strcmp0 (file, name) == 0)
      return c;
    if (has_label (c, name)) {
      found = c;
      n++;
    }
    g_string_append_printf (all, "%s“%s”", i > 0 ? ", " : "", c->variant->name);
  }
  if (n == 1)
    return found;
  pt_fail (error, PT_ERROR_ARGUMENT, "“%s” %s of the model. Its variants are %s.", name,
           n > 1 ? "means several variants" : "is no variant", all->str);
  return NULL;
}

/* Whether @file is the same part of the model as @like. */
static gboolean
is_same_part (PtModelSet *set, const PtTreeProgram *file, const PtTreeProgram *like)
{
  PtProgram *a = pt_model_set_program (set, file->path, NULL);
  PtProgram *b = pt_model_set_program (set, like->path, NULL);

  if (a == NULL || b == NULL || a == b)
    return TRUE;
  return g_strcmp0 (pt_family_role (a, pt_family_of (a, NULL)),
                    pt_family_role (b, pt_family_of (b, NULL))) == 0;
}

/* Another part of the model that it is opened by, instead of @like. */
static const PtTreeProgram *
main_part (PtModelSet *set, const PtModelQuery *query, const PtModelTree *tree,
           const PtTreeProgram *like)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  const PtTreeProgram *found;

  for (guint i = 0; i < tree->programs->len; i++) {
    const PtTreeProgram *file = tree->programs->pdata[i];
    gboolean is_new = is_same_model (file, like) && pt_model_set_program (set, file->path, NULL);

    for (guint k = 0; k < parts->len && is_new; k++)
      is_new = !is_same_part (set, file, parts->pdata[k]);
    if (is_new)
      g_ptr_array_add (parts, (gpointer) file);
  }
  found = parts->len > 1 ? part_of_all (set, parts, query->part) : NULL;
  return found != NULL ? found : like;
}

static GPtrArray *
list_candidates (PtModelSet *set, const PtModelTree *tree, const PtTreeProgram *like)
{
  GPtrArray *candidates = g_ptr_array_new_with_free_func ((GDestroyNotify) candidate_free);

  for (guint i = 0; i < tree->programs->len && candidates->len < MAX_VARIANTS; i++) {
    const PtTreeProgram *file = tree->programs->pdata[i];

    if (file == like || (is_same_model (file, like) && is_same_part (set, file, like)))
      g_ptr_array_add (candidates, candidate_new (set, file));
  }
  check_targets (candidates);
  name_variants (candidates);
  return candidates;
}

/* Chooses among the variants of @like in @tree; @own: @like itself, where nobody asks for others.
 */
static char *
choose (PtModelSet *set, const PtModelTree *tree, const PtTreeProgram *like,
        const PtModelQuery *query, gboolean own, GError **error)
{
  g_autoptr (GPtrArray) candidates = list_candidates (set, tree, like);
  Candidate *chosen = NULL;

  g_ptr_array_sort_with_data (candidates, compare_candidates, (gpointer) query);
  if (query->variant != NULL && *query->variant != '\0') {
    chosen = find_named (candidates, query->variant, error);
    if (chosen == NULL)
      return NULL;
  }
  for (guint i = 0; own && chosen == NULL && i < candidates->len; i++)
    if (((Candidate *) candidates->pdata[i])->file == like)
      chosen = candidates->pdata[i];
  if (chosen == NULL)
    chosen = candidates->pdata[0];
  chosen->variant->chosen = TRUE;
  for (guint i = 0; i < candidates->len; i++) {
    Candidate *c = candidates->pdata[i];

    g_ptr_array_add (set->variants, g_steal_pointer (&c->variant));
  }
  return g_strdup (chosen->file->path);
}

char *
pt_model_choose_in_folder (PtModelSet *set, const PtModelQuery *query, GError **error)
{
  g_autoptr (PtModelTree) tree = pt_model_tree_read (query->path, 0);
  PtModelQuery narrowed = *query;
  const PtTreeProgram *one;

  if (tree->programs->len == 0) {
    pt_model_tree_free (tree);
    tree = pt_model_tree_read (query->path, PT_TREE_DEPTH);
  }
  one = only_model (set, query, tree, &narrowed.variant, error);
  if (one == NULL)
    return NULL;
  return choose (set, tree, main_part (set, query, tree, one), &narrowed, FALSE, error);
}

/* The programs among which the variants of one in @folder are: those of the model's root if it has
 * signs of one, else those in @folder. */
static PtModelTree *
read_around (const char *folder)
{
  g_auto (GStrv) folders = pt_model_folders (folder);
  const char *root = folders[g_strv_length (folders) - 1];

  return pt_model_is_root (root) ? pt_model_tree_read (root, PT_TREE_DEPTH)
                                 : pt_model_tree_read (folder, 0);
}

char *
pt_model_choose_for_file (PtModelSet *set, const PtModelQuery *query, GError **error)
{
  g_autofree char *path = g_canonicalize_filename (query->path, NULL);
  g_autofree char *folder = g_path_get_dirname (query->path);
  g_autoptr (PtModelTree) tree = read_around (folder);
  g_autofree char *chosen = NULL;

  for (guint i = 0; i < tree->programs->len; i++) {
    const PtTreeProgram *file = tree->programs->pdata[i];
    g_autofree char *other = g_canonicalize_filename (file->path, NULL);

    if (strcmp (other, path) != 0)
      continue;
    chosen = choose (set, tree, query->best ? main_part (set, query, tree, file) : file, query,
                     !query->best, error);
    if (chosen == NULL)
      return NULL;
    /* Its path stays as it was written. */
    return g_strdup (strcmp (chosen, file->path) == 0 ? query->path : chosen);
  }
  return g_strdup (query->path);
}

GPtrArray *
pt_model_list_models (const char *folder)
{
  g_autoptr (PtModelTree) tree = pt_model_tree_read (folder, PT_TREE_DEPTH);
  g_autoptr (GPtrArray) firsts = first_of_each (tree);
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < firsts->len; i++)
    g_ptr_array_add (paths, g_strdup (((const PtTreeProgram *) firsts->pdata[i])->path));
  return paths;
}
