/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/look.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/models/plan-shapes.h"
#include "engine/tasks/vision/classify.h"
#include "engine/tasks/vision/labels.h"
#include "engine/tasks/vision/look-embedding.h"
#include "engine/tasks/vision/look-maps.h"
#include "engine/tasks/vision/look-objects.h"
#include "engine/tasks/vision/look-result.h"
#include "engine/tasks/vision/look-traits.h"
#include "engine/tasks/vision/look-writing.h"

#define DEFAULT_TOP 5
#define MAX_TOP 1000
#define N_VOC 21
#define MAX_OUTPUTS 4

static const float MEAN[3] = { 0.485f, 0.456f, 0.406f };
static const float DEVIATION[3] = { 0.229f, 0.224f, 0.225f };
static const float ZERO[3] = { 0, 0, 0 };
static const float ONE[3] = { 1, 1, 1 };

struct _PtLooker {
  PtModelSet *set;
  const PtJob *job; /* the one that is done; its strings last as long as it */
  int device;
  char *trust;              /* or NULL */
  PtModule *module, *other; /* the second: of the model's other program, or NULL */
  PtLookKind kind;
  PtLookTraits traits;
  double threshold;
  char **labels;       /* that somebody named; or NULL */
  PtLookMethod method; /* of models that have no own struct */
  PtClassifier *classifier;
  PtWritingReader *reader;
  char **texts;       /* to compare pictures with; or NULL */
  GPtrArray *vectors; /* of @texts; or NULL */
};

/* ---- opening ---- */

static PtModule *
open_part (PtLooker *self, const char *role, GError **error)
{
  PtMethodOptions options = { .device = self->device, .trust = self->trust };
  const char *path = pt_model_set_part (self->set, role);

  return path != NULL ? pt_model_set_open_companion (self->set, path, &options, error) : NULL;
}

static gboolean
open_classifier (PtLooker *self, GError **error)
{
  self->kind = PT_LOOK_CLASSES;
  self->classifier = pt_classifier_new (self->module, self->set, self->job->vision.labels, error);
  return self->classifier != NULL;
}

/* A detector alone only says where writing is; a recogniser alone takes the picture for a line. */
static gboolean
open_reader (PtLooker *self, GError **error)
{
  gboolean finds = self->set->family == PT_FAMILY_TEXT_DETECTOR;
  g_autoptr (GError) reason = NULL;

  self->kind = PT_LOOK_WRITING;
  self->other = open_part (self, finds ? "recognizer" : "detector", &reason);
  if (reason != NULL) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }
  self->reader = pt_writing_reader_new (self->set, finds ? self->module : self->other,
                                        finds ? self->other : self->module,
                                        self->job->vision.labels, self->job->vision.size, error);
  return self->reader != NULL;
}

/* Opens the method of a model whose result is one of plain outputs. */
static gboolean
open_method (PtLooker *self, GError **error)
{
  PtProgram *program = pt_module_program (self->module);
  g_autoptr (GArray) sizes = pt_look_method_sizes (program);
  g_autofree char *name = pt_look_method_find (program, pt_module_chosen_method (self->module),
                                               self->job->vision.size, 0, error);

  if (name == NULL || !pt_look_method_open (&self->method, self->module, name, 3, error))
    return FALSE;
  pt_look_traits_find (&self->traits, self->set, sizes->len > 0,
                       MAX (self->method.width, self->method.height));
  self->labels = pt_labels_load (self->job->vision.labels, self->set->folder, error);
  return self->labels != NULL || self->job->vision.labels == NULL;
}

/* Makes the vectors of the job's texts, unless they are there. */
static gboolean
read_texts (PtLooker *self, GCancellable *cancellable, GError **error)
{
  const char *const *texts = self->job->vision.texts;
  const PtTensorSpec *vector = pt_plan_output (pt_method_plan (self->method.method), 0);

  if (texts != NULL && self->texts != NULL &&
      g_strv_equal (texts, (const char *const *) self->texts))
    return TRUE;
  g_clear_pointer (&self->vectors, g_ptr_array_unref);
  g_clear_pointer (&self->texts, g_strfreev);
  if (texts == NULL || texts[0] == NULL || vector == NULL)
    return TRUE;
  if (pt_model_set_part (self->set, "text") == NULL)
    return pt_fail (error, PT_ERROR_MISSING_FILE,
                    "“%s” can compare pictures with texts only with the model's program for texts. "
                    "Put it into “%s”.",
                    self->set->name, self->set->folder);
  if (self->other == NULL)
    self->other = open_part (self, "text", error);
  if (self->other == NULL)
    return FALSE;
  self->vectors = pt_look_text_vectors (self->other, self->set->tokenizer, texts,
                                        (guint) vector->numel, cancellable, error);
  if (self->vectors != NULL)
    self->texts = g_strdupv ((char **) texts);
  return self->vectors != NULL;
}

/* A map of one class is that of a person. */
static gboolean
open_segmentation (PtLooker *self, GError **error)
{
  const PtTensorSpec *map;

  self->kind = PT_LOOK_SEGMENTS;
  if (!open_method (self, error))
    return FALSE;
  map = pt_plan_output (pt_method_plan (self->method.method), 0);
  if (map == NULL || map->rank < 3)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "This segmentation model is not supported.");
  if (map->sizes[map->rank - 3] == 1) {
    self->kind = PT_LOOK_PERSON;
    self->traits.normalizes = FALSE;
  }
  return TRUE;
}

static gboolean
open_family (PtLooker *self, GError **error)
{
  switch (self->set->family) {
  case PT_FAMILY_CLASSIFIER: return open_classifier (self, error);
  case PT_FAMILY_DETECTOR: self->kind = PT_LOOK_OBJECTS; return open_method (self, error);
  case PT_FAMILY_KEYPOINTS: self->kind = PT_LOOK_POSES; return open_method (self, error);
  case PT_FAMILY_INSTANCES: self->kind = PT_LOOK_INSTANCES; return open_method (self, error);
  case PT_FAMILY_STYLE: self->kind = PT_LOOK_STYLE; return open_method (self, error);
  case PT_FAMILY_SEGMENTATION: return open_segmentation (self, error);
  case PT_FAMILY_IMAGE_EMBEDDING: self->kind = PT_LOOK_EMBEDDING; return open_method (self, error);
  case PT_FAMILY_TEXT_DETECTOR:
  case PT_FAMILY_TEXT_RECOGNIZER: return open_reader (self, error);
  default:
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s” does not look at pictures: it is %s %s.",
                    self->set->name, pt_family_article (self->set->family),
                    pt_family_info (self->set->family)->name);
  }
}

gboolean
pt_looker_takes (const PtModelSet *set)
{
  return set->task == PT_TASK_CLASSIFY || set->task == PT_TASK_LOOK ||
         set->family == PT_FAMILY_IMAGE_EMBEDDING;
}

PtLooker *
pt_looker_new (PtModelSet *set, const PtJob *job, GError **error)
{
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = job->model.exact };
  g_autoptr (PtLooker) self = g_new0 (PtLooker, 1);
  g_autoptr (GError) reason = NULL;

  self->set = set;
  self->job = job;
  self->device = job->model.device;
  self->trust = g_strdup (job->model.trust);
  self->module = pt_model_set_open (set, &options, &reason);
  if (self->module == NULL ||
      !pt_backend_choice_check (job->model.backend, pt_module_program (self->module), &reason) ||
      !pt_module_choose_method (self->module, job->model.method, &reason) ||
      !open_family (self, &reason)) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return NULL;
  }
  return g_steal_pointer (&self);
}

void
pt_looker_free (PtLooker *self)
{
  if (self == NULL)
    return;
  pt_classifier_free (self->classifier);
  pt_writing_reader_free (self->reader);
  pt_look_method_clear (&self->method);
  g_clear_pointer (&self->vectors, g_ptr_array_unref);
  g_strfreev (self->texts);
  g_strfreev (self->labels);
  g_free (self->trust);
  g_clear_pointer (&self->other, pt_module_free);
  g_clear_pointer (&self->module, pt_module_free);
  g_free (self);
}

gboolean
pt_looker_set_job (PtLooker *self, const PtJob *job, GCancellable *cancellable, GError **error)
{
  self->job = job;
  if (job->model.trust != NULL) {
    g_free (self->trust);
    self->trust = g_strdup (job->model.trust);
  }
  self->threshold = self->traits.threshold;
  if (job->vision.threshold > 0 && self->threshold > 0)
    self->threshold = job->vision.threshold;
  return self->kind != PT_LOOK_EMBEDDING || read_texts (self, cancellable, error);
}

PtLookKind
pt_looker_kind (const PtLooker *self)
{
  return self->kind;
}

/* ---- one picture ---- */

static gboolean
find_classes (PtLooker *self, const char *path, PtHeap *heap, PtLookPicture *out,
              GCancellable *cancellable, GError **error)
{
  guint top = self->job->vision.top > 0 ? MIN (self->job->vision.top, MAX_TOP) : DEFAULT_TOP;
  PtClass *classes = pt_heap_new0 (heap, PtClass, top);

  out->n_classes = pt_classifier_run (self->classifier, path, classes, top, cancellable, error);
  out->classes = classes;
  for (guint i = 0; i < out->n_classes; i++)
    classes[i].label = pt_heap_text (heap, classes[i].label);
  return out->n_classes > 0;
}

static gboolean
call_method (PtLooker *self, const PtImage *image, GCancellable *cancellable, GError **error)
{
  PtPixels from = { image->width, image->height, 3, image->pixels };
  PtPixels to = pt_look_method_pixels (&self->method);

  if (!pt_resample (&from, &to, PT_RESAMPLE_LINEAR, error))
    return FALSE;
  pt_look_method_normalize (&self->method, self->traits.normalizes ? MEAN : ZERO,
                            self->traits.normalizes ? DEVIATION : ONE, FALSE);
  return pt_look_method_call (&self->method, cancellable, error);
}

/* Which output is which. Up to v0.9 instances have scores and classes in one output. */
static gboolean
sort_outputs (PtLooker *self, PtLookOutput *outputs, guint n, PtLookOutput *pair,
              PtObjectOutputs *sorted, GError **error)
{
  *sorted = (PtObjectOutputs){ .boxes = &outputs[0], .scores = &outputs[1] };
  if (self->kind == PT_LOOK_INSTANCES && n == 3) {
    sorted->masks = &outputs[2];
    sorted->scores = &pair[0];
    sorted->labels = &pair[1];
    return pt_look_split_pairs (&outputs[1], &pair[0], &pair[1], error);
  }
  if (self->kind == PT_LOOK_POSES)
    sorted->points = &outputs[2];
  else
    sorted->labels = &outputs[2];
  if (self->kind == PT_LOOK_INSTANCES)
    sorted->masks = &outputs[3];
  return TRUE;
}

static gboolean
find_objects (PtLooker *self, const PtImage *image, PtHeap *heap, PtLookPicture *out,
              GError **error)
{
  PtObjectRule rule = { self->threshold,    self->traits.overlap, self->traits.names,
                        self->labels,       image->width,         image->height,
                        self->method.width, self->method.height };
  PtLookOutput outputs[MAX_OUTPUTS] = { 0 }, pair[2] = { 0 };
  guint n = pt_method_n_outputs (self->method.method);
  PtObjectOutputs sorted;
  gboolean ok = n == 3 || (n == 4 && self->kind == PT_LOOK_INSTANCES);

  if (!ok)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This model is not supported: it has %u results, where three are known.", n);
  for (guint i = 0; ok && i < n; i++)
    ok = pt_look_method_output (&self->method, i, &outputs[i], error);
  ok = ok && sort_outputs (self, outputs, n, pair, &sorted, error) &&
       pt_look_objects (&sorted, &rule, heap, &out->objects, &out->n_objects, error);
  for (guint i = 0; i < MAX_OUTPUTS; i++)
    pt_look_output_clear (&outputs[i]);
  pt_look_output_clear (&pair[0]);
  pt_look_output_clear (&pair[1]);
  return ok;
}

static void
name_regions (PtLooker *self, PtLookPicture *out, guint n_classes, PtHeap *heap)
{
  guint n_labels = self->labels != NULL ? g_strv_length (self->labels) : 0;

  for (guint i = 0; i < out->n_regions; i++) {
    PtRegion *region = (PtRegion *) &out->regions[i];

    if (self->kind == PT_LOOK_PERSON)
      region->label = region->index == 1 ? "person" : "background";
    else if (self->labels != NULL)
      region->label =
          region->index < n_labels ? pt_heap_text (heap, self->labels[region->index]) : NULL;
    else if (n_classes == N_VOC)
      region->label = pt_class_name (self->traits.names, region->index);
  }
}

static gboolean
find_segments (PtLooker *self, const PtImage *image, PtHeap *heap, PtLookPicture *out,
               GError **error)
{
  gsize n = (gsize) image->width * image->height;
  g_auto (PtLookOutput) output = { 0 };
  g_autofree guint8 *map = NULL;
  guint8 *segments;
  guint width, height;

  if (!pt_look_method_output (&self->method, 0, &output, error) ||
      !pt_look_best_classes (&output, &map, &width, &height, error))
    return FALSE;
  segments = pt_allocate (n, 1, error);
  if (segments == NULL)
    return FALSE;
  pt_heap_take (heap, segments);
  pt_look_stretch_classes (map, width, height, segments, image->width, image->height);
  out->segments = segments;
  out->regions = pt_look_count_classes (segments, n, heap, &out->n_regions);
  name_regions (self, out, output.rank == 3 ? (guint) output.sizes[0] : 1, heap);
  return TRUE;
}

static gboolean
paint (PtLooker *self, const PtImage *image, PtHeap *heap, PtLookPicture *out, GError **error)
{
  g_auto (PtLookOutput) output = { 0 };
  g_autofree guint8 *painted = NULL;
  guint8 *pixels;
  guint width, height;
  PtPixels from, to;

  if (!pt_look_method_output (&self->method, 0, &output, error) ||
      !pt_look_paint (&output, &painted, &width, &height, error))
    return FALSE;
  pixels = pt_allocate ((gsize) image->width * image->height, 3, error);
  if (pixels == NULL)
    return FALSE;
  out->styled = pt_heap_take (heap, pixels);
  from = (PtPixels){ width, height, 3, painted };
  to = (PtPixels){ image->width, image->height, 3, pixels };
  return pt_resample (&from, &to, PT_RESAMPLE_LINEAR, error);
}

static gboolean
embed (PtLooker *self, PtHeap *heap, PtLookPicture *out, GError **error)
{
  g_auto (PtLookOutput) output = { 0 };

  if (!pt_look_method_output (&self->method, 0, &output, error))
    return FALSE;
  out->vector = pt_look_vector (&output, heap, error);
  if (out->vector == NULL)
    return FALSE;
  out->n_vector = (guint) output.n;
  if (self->vectors != NULL)
    out->similarities = pt_look_compare (out->vector, out->n_vector, self->job->vision.texts,
                                         self->vectors, heap, &out->n_similarities);
  return TRUE;
}

static gboolean
find_by_kind (PtLooker *self, const PtImage *image, PtHeap *heap, PtLookPicture *out,
              GCancellable *cancellable, GError **error)
{
  if (self->kind == PT_LOOK_WRITING)
    return pt_writing_reader_run (self->reader, image, self->job->vision.threshold, heap, out,
                                  cancellable, error);
  out->input_width = self->method.width;
  out->input_height = self->method.height;
  if (!call_method (self, image, cancellable, error))
    return FALSE;
  switch (self->kind) {
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: return find_segments (self, image, heap, out, error);
  case PT_LOOK_STYLE: return paint (self, image, heap, out, error);
  case PT_LOOK_EMBEDDING: return embed (self, heap, out, error);
  default: return find_objects (self, image, heap, out, error);
  }
}

gboolean
pt_looker_run (PtLooker *self, const char *path, PtHeap *heap, PtLookPicture *out,
               GCancellable *cancellable, GError **error)
{
  g_autoptr (PtImage) image = pt_image_read (path, cancellable, NULL, error);

  if (image == NULL)
    return FALSE;
  out->width = image->width;
  out->height = image->height;
  if (self->kind == PT_LOOK_CLASSES) {
    pt_classifier_get_size (self->classifier, &out->input_width, &out->input_height);
    return find_classes (self, path, heap, out, cancellable, error);
  }
  return find_by_kind (self, image, heap, out, cancellable, error);
}

/* ---- the job ---- */

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

/* FALSE with an error only when the job was stopped. */
static gboolean
look_at (PtLooker *self, const char *path, PtHeap *heap, PtLookPicture *out,
         GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gint64 begin = g_get_monotonic_time ();

  if (!pt_looker_run (self, path, heap, out, cancellable, &reason)) {
    if (g_error_matches (reason, PT_ERROR, PT_ERROR_CANCELLED)) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
    *out = (PtLookPicture){ .error = pt_heap_text (heap, reason->message) };
  } else {
    out->elapsed_s = seconds_since (begin);
  }
  out->path = pt_heap_text (heap, path);
  return TRUE;
}

static gboolean
has_images (const PtJob *job, GError **error)
{
  const char *const *images = job->vision.images;

  return (images != NULL && images[0] != NULL) ||
         pt_fail (error, PT_ERROR_ARGUMENT, "No image was given. Choose an image.");
}

PtLookResult *
pt_looker_look (PtLooker *looker, const PtJob *job, double load_s, PtStepFunc step,
                gpointer user_data, GCancellable *cancellable, GError **error)
{
  const char *const *images = job->vision.images;
  g_autoptr (PtLookResult) result = NULL;
  gint64 begin = g_get_monotonic_time ();
  PtLookPicture *pictures;
  guint n;

  if (!has_images (job, error) || !pt_looker_set_job (looker, job, cancellable, error))
    return NULL;
  n = g_strv_length ((char **) images);
  result = pt_look_result_new ();
  result->model = pt_heap_text (result->owner, looker->set->name);
  result->device = pt_heap_text (
      result->owner,
      pt_backend_choice_device_name (pt_module_program (looker->module), looker->device));
  result->kind = looker->kind;
  result->threshold = looker->threshold;
  result->load_s = load_s + seconds_since (begin);
  result->pictures = pictures = pt_heap_new0 (result->owner, PtLookPicture, n);
  for (guint i = 0; i < n; i++) {
    if (step != NULL)
      step (PT_STEP_LOOKING, i + 1, n, user_data);
    if (!look_at (looker, images[i], result->owner, &pictures[i], cancellable, error))
      return NULL;
    result->n_pictures = i + 1;
  }
  return g_steal_pointer (&result);
}

PtLookResult *
pt_look (PtModelSet *set, const PtJob *job, PtStepFunc step, gpointer user_data,
         GCancellable *cancellable, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (PtLooker) looker = has_images (job, error) ? pt_looker_new (set, job, error) : NULL;

  if (looker == NULL)
    return NULL;
  return pt_looker_look (looker, job, seconds_since (begin), step, user_data, cancellable, error);
}
