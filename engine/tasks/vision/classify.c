/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/classify.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/plan-shapes.h"
#include "engine/tasks/vision/class-names.h"
#include "engine/tasks/vision/labels.h"
#include "engine/tasks/vision/look-method.h"
#include "engine/tasks/vision/look-traits.h"
#include "engine/tasks/vision/recipe.h"

#define CHANNELS 3
#define MAX_CLASSES (1 << 20)
#define MAX_TOP 1000
#define DEFAULT_TOP 5

struct _PtClassifier {
  PtLookMethod method;
  PtPictureRecipe recipe;
  char **labels;  /* or NULL */
  guint n;        /* number of classes */
  double *scores; /* one for each class */
  guint *order;   /* indices of classes, the most probable first */
};

static gboolean
open_method (PtClassifier *self, PtModule *module, GError **error)
{
  const char *chosen = pt_module_chosen_method (module);
  const PtTensorSpec *classes = NULL;

  if (!pt_look_method_open (&self->method, module, chosen != NULL ? chosen : "forward", CHANNELS,
                            error))
    return FALSE;
  if (pt_method_n_outputs (self->method.method) == 1)
    classes = pt_plan_output (pt_method_plan (self->method.method), 0);
  if (classes == NULL || !pt_spec_is_real (classes, classes->rank) || classes->numel < 2 ||
      classes->numel > MAX_CLASSES)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This image classifier is not supported: its method must return one number "
                    "per class.");
  self->n = (guint) classes->numel;
  self->scores = pt_allocate (self->n, sizeof (double), error);
  self->order = self->scores != NULL ? pt_allocate (self->n, sizeof (guint), error) : NULL;
  return self->order != NULL;
}

/* Whether a delegate of @plan subtracts once: that is the mean of its input, as no layer of a
 * classifier subtracts. */
static gboolean
subtracts_mean (PtModule *module, const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_delegates; i++) {
    const PtBackend *backend = pt_backend_find (plan->delegates[i].id);
    PtDelegateContext context = { .program = pt_module_program (module),
                                  .data = pt_module_data (module),
                                  .spec = &plan->delegates[i],
                                  .method = plan->name,
                                  .pool = pt_pool_default (),
                                  .scope = module };
    g_autoptr (PtHeap) heap = pt_heap_new ();
    g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
    PtDelegateDescription found = { .heap = heap, .missing = missing };

    if (backend != NULL && backend->describe != NULL)
      backend->describe (&context, &found);
    for (guint k = 0; found.content.kind == PT_INSPECT_CONTENT_NODES && k < found.content.n_nodes;
         k++)
      if (strcmp (found.content.nodes[k].name, "Subtract") == 0 &&
          found.content.nodes[k].count == 1)
        return TRUE;
  }
  return FALSE;
}

/* Whether the program normalises its input itself, as those of react-native-executorch do. */
static gboolean
normalizes_inside (const PtClassifier *self, PtModule *module, const PtModelSet *set)
{
  static const char *const WORDS[] = { "efficientnetv2sxnnpack", NULL };
  g_autoptr (PtModelConfig) config = pt_model_config_read (set->folder, NULL);

  return (config != NULL && (config->capabilities & PT_CAN_CLASSIFY) != 0) ||
         pt_look_hint (set, WORDS) != NULL ||
         subtracts_mean (module, pt_method_plan (self->method.method));
}

/* Names of ImageNet's classes, for a model that has as many and brings none. */
static void
take_usual_labels (PtClassifier *self)
{
  if (self->labels == NULL && self->n == PT_N_IMAGENET_NAMES)
    self->labels = g_strdupv ((char **) pt_imagenet_names);
}

PtClassifier *
pt_classifier_new (PtModule *module, const PtModelSet *set, const char *labels, GError **error)
{
  g_autoptr (PtClassifier) self = g_new0 (PtClassifier, 1);

  if (!open_method (self, module, error) ||
      !pt_picture_recipe_read (&self->recipe, module, set->folder, set->name, self->method.width,
                               self->method.height, error) ||
      !pt_labels_read (labels, set->folder, self->n, &self->labels, error))
    return NULL;
  if (self->recipe.is_guess && normalizes_inside (self, module, set))
    pt_picture_recipe_take_plain (&self->recipe);
  take_usual_labels (self);
  return g_steal_pointer (&self);
}

void
pt_classifier_free (PtClassifier *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->labels);
  pt_look_method_clear (&self->method);
  g_free (self->scores);
  g_free (self->order);
  g_free (self);
}

void
pt_classifier_get_size (const PtClassifier *self, guint *width, guint *height)
{
  *width = self->recipe.width;
  *height = self->recipe.height;
}

/* ---- one picture ---- */

static gboolean
read_scores (PtClassifier *self, GError **error)
{
  g_auto (PtLookOutput) output = { 0 };

  if (!pt_look_method_output (&self->method, 0, &output, error))
    return FALSE;
  if (output.n != self->n)
    return pt_fail (error, PT_ERROR_INTERNAL, "The model gave another number of classes.");
  for (guint i = 0; i < self->n; i++) {
    if (!isfinite (output.values[i]))
      return pt_look_fail_damaged (error);
    self->scores[i] = output.values[i];
  }
  return TRUE;
}

/* Whether the scores are probabilities already: some programs end with a softmax. */
static gboolean
are_probabilities (const PtClassifier *self)
{
  double sum = 0;

  for (guint i = 0; i < self->n; i++) {
    if (self->scores[i] < 0 || self->scores[i] > 1)
      return FALSE;
    sum += self->scores[i];
  }
  return fabs (sum - 1) < 1e-3;
}

static void
take_softmax (PtClassifier *self)
{
  double most = self->scores[0], sum = 0;

  if (are_probabilities (self))
    return;
  for (guint i = 1; i < self->n; i++)
    most = MAX (most, self->scores[i]);
  for (guint i = 0; i < self->n; i++)
    sum += self->scores[i] = exp (self->scores[i] - most);
  for (guint i = 0; i < self->n; i++)
    self->scores[i] /= sum;
}

static int
compare_scores (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const double *scores = user_data;
  guint x = *(const guint *) a, y = *(const guint *) b;

  if (scores[x] > scores[y] || scores[x] < scores[y])
    return scores[x] > scores[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

static guint
choose_best (PtClassifier *self, PtClass *out, guint n)
{
  for (guint i = 0; i < self->n; i++)
    self->order[i] = i;
  g_qsort_with_data (self->order, (int) self->n, sizeof (guint), compare_scores, self->scores);
  n = MIN (n, self->n);
  for (guint i = 0; i < n; i++) {
    guint index = self->order[i];

    out[i] =
        (PtClass){ index, self->labels != NULL ? self->labels[index] : NULL, self->scores[index] };
  }
  return n;
}

guint
pt_classifier_run (PtClassifier *self, const char *path, PtClass *out, guint n,
                   GCancellable *cancellable, GError **error)
{
  g_autoptr (PtImage) image = pt_image_read (path, cancellable, NULL, error);

  if (image == NULL || !pt_picture_recipe_run (&self->recipe, image, self->method.pixels, error) ||
      !pt_look_method_call (&self->method, cancellable, error) || !read_scores (self, error))
    return 0;
  take_softmax (self);
  return choose_best (self, out, n);
}

/* ---- the job ---- */

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

/* FALSE with an error only when the job was stopped. */
static gboolean
classify_one (PtClassifier *self, const char *path, guint top, PtPicture *picture,
              GCancellable *cancellable, GError **error)
{
  g_autofree PtClass *classes = g_new0 (PtClass, top);
  g_autoptr (GError) reason = NULL;
  gint64 begin = g_get_monotonic_time ();
  guint n = pt_classifier_run (self, path, classes, top, cancellable, &reason);

  if (n == 0 && g_error_matches (reason, PT_ERROR, PT_ERROR_CANCELLED)) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }
  picture->path = g_strdup (path);
  if (n == 0) {
    picture->error = g_strdup (reason->message);
    return TRUE;
  }
  picture->elapsed_s = seconds_since (begin);
  for (guint i = 0; i < n; i++)
    classes[i].label = g_strdup (classes[i].label);
  picture->classes = g_steal_pointer (&classes);
  picture->n_classes = n;
  return TRUE;
}

static gboolean
classify_all (PtClassifier *self, const PtJob *job, PtClassification *found,
              GCancellable *cancellable, GError **error)
{
  guint top = job->vision.top > 0 ? MIN (job->vision.top, MAX_TOP) : DEFAULT_TOP;
  PtPicture *pictures = g_new0 (PtPicture, g_strv_length ((char **) job->vision.images));

  found->pictures = pictures;
  for (guint i = 0; job->vision.images[i] != NULL; i++) {
    if (!classify_one (self, job->vision.images[i], top, &pictures[i], cancellable, error))
      return FALSE;
    found->n_pictures = i + 1;
  }
  return TRUE;
}

static PtModule *
open_module (PtModelSet *set, const PtJob *job, GError **error)
{
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = job->model.exact };
  g_autoptr (PtModule) module = pt_model_set_open (set, &options, error);

  if (module == NULL ||
      !pt_backend_choice_check (job->model.backend, pt_module_program (module), error) ||
      !pt_module_choose_method (module, job->model.method, error))
    return NULL;
  return g_steal_pointer (&module);
}

PtClassification *
pt_classify (PtModelSet *set, const PtJob *job, GCancellable *cancellable, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (PtModule) module = NULL;
  g_autoptr (PtClassifier) classifier = NULL;
  g_autoptr (PtClassification) found = NULL;

  if (set->task != PT_TASK_CLASSIFY) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s” cannot classify images: it is %s %s.", set->name,
             pt_family_article (set->family), pt_family_info (set->family)->name);
    return NULL;
  }
  if (job->vision.images == NULL || job->vision.images[0] == NULL) {
    pt_fail (error, PT_ERROR_ARGUMENT, "No image was given. Choose an image.");
    return NULL;
  }
  module = open_module (set, job, error);
  classifier = module != NULL ? pt_classifier_new (module, set, job->vision.labels, error) : NULL;
  if (classifier == NULL)
    return NULL;
  found = g_new0 (PtClassification, 1);
  found->model = g_strdup (set->name);
  found->device =
      g_strdup (pt_backend_choice_device_name (pt_module_program (module), job->model.device));
  found->load_s = seconds_since (begin);
  if (!classify_all (classifier, job, found, cancellable, error))
    return NULL;
  return g_steal_pointer (&found);
}
