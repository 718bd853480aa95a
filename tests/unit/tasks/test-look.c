/* SPDX-License-Identifier: BSD-3-Clause */

/* Results of vision models: look-alikes of published ones, whose results numpy computed
 * (tools/make-look-fixtures.py), and outputs that no intact model has. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/vision/ctc.h"
#include "engine/tasks/vision/look-maps.h"
#include "engine/tasks/vision/look-objects.h"
#include "engine/tasks/vision/look.h"
#include "engine/tasks/vision/text-boxes.h"

/* ---- look-alikes ---- */

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "vision", "look", name, NULL);
}

static PtLookResult *
look_at (const char *model, const PtVisionOptions *options, GError **error)
{
  g_autofree char *path = data_path (model), *picture = data_path ("picture.png");
  const char *images[] = { picture, NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_LOOK);
  g_autoptr (PtModelSet) set = pt_model_set_find (path, NULL, NULL, NULL, NULL, error);

  if (set == NULL || !pt_model_set_check (set, error))
    return NULL;
  if (options != NULL)
    job.vision = *options;
  job.vision.images = images;
  return pt_look (set, &job, NULL, NULL, NULL, error);
}

/* Whether @got has all that @want has. Numbers may be off by the rounding of a pixel. */
static void
check_json (const json_t *got, const json_t *want, const char *where)
{
  const char *key;
  json_t *value;
  gsize i;

  if (json_is_number (want)) {
    double number = json_number_value (want);

    if (!(fabs (json_number_value (got) - number) <= 0.02 + 0.01 * fabs (number)))
      g_error ("%s: %g, not %g", where, json_number_value (got), number);
  } else if (json_is_object (want)) {
    json_object_foreach ((json_t *) want, key, value) {
      g_autofree char *inner = g_strdup_printf ("%s.%s", where, key);

      check_json (json_object_get (got, key), value, inner);
    }
  } else if (json_is_array (want)) {
    if (json_array_size (got) != json_array_size (want))
      g_error ("%s: %zu items, not %zu", where, json_array_size (got), json_array_size (want));
    json_array_foreach (want, i, value) {
      g_autofree char *inner = g_strdup_printf ("%s[%zu]", where, i);

      check_json (json_array_get (got, i), value, inner);
    }
  } else if (!json_equal (got, want)) {
    g_error ("%s: another value", where);
  }
}

static void
test_model (gconstpointer name)
{
  g_autofree char *folder = data_path (name);
  g_autofree char *path = g_build_filename (folder, "expected.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtLookResult) result = look_at (name, NULL, &error);
  g_autofree char *text = NULL;
  g_autoptr (json_t) got = NULL, want = NULL;

  g_assert_no_error (error);
  text = pt_look_result_to_json (result);
  got = pt_json_parse ("result", text, strlen (text), &error);
  g_assert_no_error (error);
  want = pt_json_load (path, 1 << 20, &error);
  g_assert_no_error (error);
  check_json (got, want, name);
}

/* Without the times. */
static char *
to_text (const PtLookResult *result)
{
  g_autofree char *text = pt_look_result_to_json (result);
  g_autoptr (json_t) json = pt_json_parse ("result", text, strlen (text), NULL);

  json_object_del (json, "load_s");
  json_object_del (json_array_get (json_object_get (json, "images"), 0), "elapsed_s");
  return json_dumps (json, JSON_SORT_KEYS);
}

/* A model that stays open finds the same as one that is opened for a job. */
static void
test_kept (void)
{
  static const char *const MODELS[] = { "detector", "style" };
  g_autofree char *picture = data_path ("picture.png");
  const char *images[] = { picture, NULL };
  const PtVisionOptions jobs[] = { { .images = images },
                                   { .images = images, .threshold = 0.1 },
                                   { .images = images, .threshold = 0.9 },
                                   { .images = images } };

  for (guint i = 0; i < G_N_ELEMENTS (MODELS); i++) {
    g_autofree char *path = data_path (MODELS[i]);
    const PtModelQuery query = { .path = path, .part = "image" };
    g_autoptr (GError) error = NULL;
    g_autoptr (PtModelSet) set = pt_model_set_search (&query, &error);
    PtJob job = PT_JOB_INIT (PT_JOB_LOOK);
    g_autoptr (PtLooker) looker = NULL;

    g_assert_no_error (error);
    g_assert_true (pt_looker_takes (set));
    looker = pt_looker_new (set, &job, &error);
    g_assert_no_error (error);
    pt_model_set_close_files (set);
    for (guint k = 0; k < G_N_ELEMENTS (jobs); k++) {
      g_autoptr (PtModelSet) other = pt_model_set_search (&query, NULL);
      g_autoptr (PtLookResult) kept = NULL, fresh = NULL;
      g_autofree char *got = NULL, *want = NULL;

      job.vision = jobs[k];
      kept = pt_looker_look (looker, &job, 0, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      fresh = pt_look (other, &job, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      got = to_text (kept);
      want = to_text (fresh);
      g_assert_cmpstr (got, ==, want);
    }
  }
}

/* @name: a program with the weights of "style". */
static void
test_style (gconstpointer name)
{
  g_autofree char *folder = data_path ("style");
  g_autofree char *path = g_build_filename (folder, "expected.rgb", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtLookResult) result = look_at (name, NULL, &error);
  g_autofree char *want = NULL;
  const PtLookPicture *picture;
  gsize length;

  g_assert_no_error (error);
  picture = &result->pictures[0];
  g_assert_true (g_file_get_contents (path, &want, &length, NULL));
  g_assert_cmpuint (length, ==, 3 * (gsize) picture->width * picture->height);
  for (gsize i = 0; i < length; i++)
    g_assert_cmpint (abs (picture->styled[i] - (guint8) want[i]), <=, 1);
}

/* Runs of masks and of segments cover their rectangles. */
static void
test_runs (void)
{
  g_autoptr (PtLookResult) result = look_at ("instances-yolo", NULL, NULL);
  const PtLookPicture *picture = &result->pictures[0];

  for (guint i = 0; i < picture->n_objects; i++) {
    const PtMask *mask = &picture->objects[i].mask;
    guint64 all = 0, inside = 0;

    for (guint k = 0; k < mask->n_runs; k++) {
      all += mask->runs[k];
      inside += k % 2 == 1 ? mask->runs[k] : 0;
    }
    g_assert_cmpuint (all, ==, (guint64) mask->width * mask->height);
    g_assert_cmpuint (inside, ==, mask->area);
    g_assert_cmpuint (mask->x + mask->width, <=, picture->width);
    g_assert_cmpuint (mask->y + mask->height, <=, picture->height);
  }
}

static void
test_options (void)
{
  PtVisionOptions options = { .size = 96, .threshold = 0.999 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtLookResult) result = look_at ("detector", &options, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (result->pictures[0].input_width, ==, 96);
  for (guint i = 0; i < result->pictures[0].n_objects; i++)
    g_assert_cmpfloat (result->pictures[0].objects[i].score, >=, 0.999);
  options.size = 80;
  g_assert_null (look_at ("detector", &options, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "64, 96"));
}

static void
test_paint (void)
{
  g_autofree char *path = data_path ("picture.png");
  g_autoptr (PtLookResult) result = look_at ("pose", NULL, NULL);
  g_autoptr (PtImage) image = pt_image_read (path, NULL, NULL, NULL);
  g_autoptr (PtImage) other = pt_image_new (3, 3, NULL);
  g_autoptr (GBytes) png = NULL;
  g_autofree guint8 *before = g_memdup2 (image->pixels, 3 * 200 * 150);

  g_assert_false (pt_look_picture_paint (&result->pictures[0], other));
  g_assert_true (pt_look_picture_paint (&result->pictures[0], image));
  g_assert_cmpint (memcmp (before, image->pixels, 3 * 200 * 150), !=, 0);
  png = pt_image_to_png (image, NULL);
  g_assert_cmpmem (g_bytes_get_data (png, NULL), 4, "\x89PNG", 4);
}

/* ---- writing ---- */

static void
test_ocr (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtLookResult) result = look_at ("ocr", NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (result->kind, ==, PT_LOOK_WRITING);
  for (guint i = 0; i < result->pictures[0].n_lines; i++) {
    g_assert_nonnull (result->pictures[0].lines[i].text);
    g_assert_true (g_utf8_validate (result->pictures[0].lines[i].text, -1, NULL));
  }
}

/* Of detectors in files of their own the one for 800 pixels is opened, as of methods. */
static void
test_ocr_sizes (void)
{
  static const char *const NAMES[] = { "craft_320_xnnpack.pte", "craft_800_xnnpack.pte",
                                       "craft_1280_xnnpack.pte" };
  g_autofree char *from = data_path ("ocr"), *contents = NULL;
  g_autofree char *program = g_build_filename (from, "craft.pte", NULL);
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autoptr (PtModelSet) set = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (program, &contents, &length, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = g_build_filename (folder, NAMES[i], NULL);

    g_assert_true (g_file_set_contents (path, contents, (gssize) length, NULL));
  }
  set = pt_model_set_find (folder, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (set->program, NAMES[1]));
  g_assert_cmpuint (set->variants->len, ==, 3);
  pt_model_set_close_files (set);
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = g_build_filename (folder, NAMES[i], NULL);

    g_remove (path);
  }
  g_rmdir (folder);
}

static void
test_ctc (void)
{
  /* Three classes, five steps: blank, a, a, blank, b; each best one is 2 above the others. */
  float logits[5][3] = { { 2, 0, 0 }, { 0, 2, 0 }, { 0, 2, 0 }, { 2, 0, 0 }, { 0, 0, 2 } };
  const gunichar characters[] = { 'a', 0xe4 };
  g_autoptr (GString) text = g_string_new (NULL);
  double confidence, one = 1 / (1 + 2 * exp (-2));

  g_assert_true (pt_ctc_read (&logits[0][0], 5, 3, characters, text, &confidence));
  g_assert_cmpstr (text->str, ==, "aä");
  g_assert_cmpfloat_with_epsilon (confidence, pow (one * one * one, 2 / sqrt (3)), 1e-6);
  logits[2][1] = NAN;
  g_assert_false (pt_ctc_read (&logits[0][0], 5, 3, characters, text, &confidence));
}

static void
mark (float *map, guint width, guint x, guint y, guint w, guint h, float value)
{
  for (guint row = y; row < y + h; row++)
    for (guint column = x; column < x + w; column++)
      map[2 * (row * width + column)] = value;
}

static void
test_boxes (void)
{
  g_autofree float *map = g_new0 (float, 2 * 80 * 60);
  g_autoptr (GArray) boxes = NULL;
  const PtTextBox *box;

  mark (map, 80, 10, 20, 20, 8, 0.9f); /* 160 points; grown by a square of 1 + 2 √(160 / 20) = 6 */
  mark (map, 80, 50, 20, 20, 8, 0.6f); /* no peak */
  mark (map, 80, 10, 40, 3, 3, 0.9f);  /* too small */
  boxes = pt_text_boxes_find (map, 80, 60, NULL);
  g_assert_cmpuint (boxes->len, ==, 1);
  box = &g_array_index (boxes, PtTextBox, 0);
  g_assert_cmpfloat (box->x2 - box->x1, ==, 19 + 5);
  g_assert_cmpfloat (box->y2 - box->y1, ==, 7 + 5);
  map[11] = NAN;
  g_assert_null (pt_text_boxes_find (map, 80, 60, NULL));
}

static void
test_lines (void)
{
  const PtTextBox words[] = {
    { 500, 102, 560, 132 }, { 100, 100, 200, 130 }, { 220, 101, 300, 131 }, /* the first is far */
    { 100, 200, 180, 230 }, { 100, 300, 110, 310 },                         /* the last is small */
  };
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (PtTextBox));

  g_array_append_vals (boxes, words, G_N_ELEMENTS (words));
  pt_text_boxes_join (boxes);
  g_assert_cmpuint (boxes->len, ==, 3);
  g_assert_cmpfloat (g_array_index (boxes, PtTextBox, 0).x2, ==, 300);
  g_assert_cmpfloat (g_array_index (boxes, PtTextBox, 1).x1, ==, 500);
  g_assert_cmpfloat (g_array_index (boxes, PtTextBox, 2).y1, ==, 200);
}

/* ---- outputs that no intact model has ---- */

static PtLookOutput
output (float *values, gsize n, guint rank, gint64 a, gint64 b, gint64 c)
{
  return (PtLookOutput){ rank, { a, b, c }, n, values };
}

static gboolean
try_objects (float *boxes, float *scores, float *labels, gint64 q, guint *n, GError **error)
{
  PtLookOutput b = output (boxes, (gsize) (q * 4), 2, q, 4, 0);
  PtLookOutput s = output (scores, (gsize) q, 1, q, 0, 0);
  PtLookOutput l = output (labels, (gsize) q, 1, q, 0, 0);
  PtObjectOutputs outputs = { .boxes = &b, .scores = &s, .labels = &l };
  PtObjectRule rule = { 0.5, 0.5, PT_NAMES_COCO_80, NULL, 100, 100, 10, 10 };
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const PtObject *objects;

  return pt_look_objects (&outputs, &rule, heap, &objects, n, error);
}

static void
test_hostile_objects (void)
{
  float boxes[] = { 1, 1, 5, 5, 1, 1, 5, 5.5f }, scores[] = { 0.9f, 0.8f }, labels[] = { 3, 3 };
  guint n;

  g_assert_true (try_objects (boxes, scores, labels, 2, &n, NULL));
  g_assert_cmpuint (n, ==, 1);
  labels[1] = 79;
  g_assert_true (try_objects (boxes, scores, labels, 2, &n, NULL));
  g_assert_cmpuint (n, ==, 2);
  for (guint i = 0; i < 3; i++) {
    const float bad[] = { -1, 1e9f, NAN };

    labels[0] = bad[i];
    g_assert_false (try_objects (boxes, scores, labels, 2, &n, NULL));
  }
  labels[0] = 1;
  boxes[2] = NAN;
  g_assert_false (try_objects (boxes, scores, labels, 2, &n, NULL));
  scores[0] = 0.1f; /* a row that does not count may be anything */
  g_assert_true (try_objects (boxes, scores, labels, 2, &n, NULL));
  scores[0] = NAN;
  g_assert_false (try_objects (boxes, scores, labels, 2, &n, NULL));
  g_assert_true (try_objects (boxes, scores, labels, 0, &n, NULL));
  g_assert_cmpuint (n, ==, 0);
}

static void
test_hostile_shapes (void)
{
  float numbers[64] = { 0 };
  PtLookOutput boxes = output (numbers, 8, 2, 2, 4, 0), scores = output (numbers, 2, 1, 2, 0, 0);
  PtLookOutput labels = output (numbers, 3, 1, 3, 0, 0), masks = output (numbers, 27, 3, 3, 3, 3);
  PtObjectOutputs outputs = { .boxes = &boxes, .scores = &scores, .labels = &labels };
  PtObjectRule rule = { 0.5, 0, PT_NAMES_NONE, NULL, 10, 10, 10, 10 };
  g_autoptr (PtHeap) heap = pt_heap_new ();
  const PtObject *objects;
  guint n;

  g_assert_false (pt_look_objects (&outputs, &rule, heap, &objects, &n, NULL));
  outputs.labels = &scores;
  g_assert_true (pt_look_objects (&outputs, &rule, heap, &objects, &n, NULL));
  outputs.masks = &masks;
  g_assert_false (pt_look_objects (&outputs, &rule, heap, &objects, &n, NULL));
  outputs.masks = NULL;
  outputs.points = &labels;
  g_assert_false (pt_look_objects (&outputs, &rule, heap, &objects, &n, NULL));
  boxes.sizes[1] = 5;
  outputs.points = NULL;
  g_assert_false (pt_look_objects (&outputs, &rule, heap, &objects, &n, NULL));
}

/* Very many boxes neither take long nor become very many objects. */
static void
test_many (void)
{
  const gint64 q = 200000;
  g_autofree float *boxes = g_new (float, 4 * q), *scores = g_new (float, q);
  g_autofree float *labels = g_new0 (float, q);
  guint n;

  for (gint64 i = 0; i < q; i++) {
    float x = (float) (i % 1000);

    memcpy (boxes + 4 * i, (float[]){ x, x, x + 0.5f, x + 0.5f }, 4 * sizeof (float));
    scores[i] = 0.9f;
  }
  g_assert_true (try_objects (boxes, scores, labels, q, &n, NULL));
  g_assert_cmpuint (n, <=, PT_LOOK_MAX_OBJECTS);
}

static void
test_hostile_maps (void)
{
  float numbers[18] = { 0 };
  PtLookOutput map = output (numbers, 18, 3, 2, 3, 3);
  g_autofree guint8 *out = NULL;
  guint width, height;

  g_assert_true (pt_look_best_classes (&map, &out, &width, &height, NULL));
  g_clear_pointer (&out, g_free);
  numbers[4] = NAN;
  g_assert_false (pt_look_best_classes (&map, &out, &width, &height, NULL));
  g_assert_false (pt_look_paint (&map, &out, &width, &height, NULL));
  map.rank = 1;
  g_assert_false (pt_look_best_classes (&map, &out, &width, &height, NULL));
}

static void
test_names (void)
{
  guint n = 0;

  g_assert_cmpstr (pt_class_name (PT_NAMES_COCO_80, 0), ==, "person");
  g_assert_cmpstr (pt_class_name (PT_NAMES_COCO_80, 11), ==, "stop sign");
  g_assert_cmpstr (pt_class_name (PT_NAMES_COCO_80, 79), ==, "toothbrush");
  g_assert_null (pt_class_name (PT_NAMES_COCO_80, 80));
  g_assert_null (pt_class_name (PT_NAMES_COCO_91, 0));
  g_assert_cmpstr (pt_class_name (PT_NAMES_COCO_91, 90), ==, "toothbrush");
  g_assert_cmpstr (pt_class_name (PT_NAMES_VOC, 20), ==, "tv monitor");
  while (pt_imagenet_names[n] != NULL)
    n++;
  g_assert_cmpuint (n, ==, PT_N_IMAGENET_NAMES);
  g_assert_cmpint (g_utf8_strlen (pt_alphabet_find ("english", 0), -1), ==, 96);
  g_assert_null (pt_alphabet_find (NULL, 5));
}

int
main (int argc, char **argv)
{
  static const char *const MODELS[] = { "detector",
                                        "pose",
                                        "instances-yolo",
                                        "instances-rfdetr",
                                        "segmentation",
                                        "selfie",
                                        "style",
                                        "segmentation-rank3",
                                        "style-rank3",
                                        "classes-rank3",
                                        "classes-half",
                                        "detector-ssdlite",
                                        "detector-rfdetr",
                                        "pose-rfdetr",
                                        "instances-fastsam",
                                        "instances-fastsam4",
                                        "segmentation-twice" };

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (MODELS); i++) {
    g_autofree char *path = g_strdup_printf ("/look/model/%s", MODELS[i]);

    g_test_add_data_func (path, MODELS[i], test_model);
  }
  g_test_add_data_func ("/look/style", "style", test_style);
  g_test_add_data_func ("/look/style-rank3", "style-rank3", test_style);
  g_test_add_func ("/look/kept", test_kept);
  g_test_add_func ("/look/runs", test_runs);
  g_test_add_func ("/look/options", test_options);
  g_test_add_func ("/look/paint", test_paint);
  g_test_add_func ("/look/ocr", test_ocr);
  g_test_add_func ("/look/ocr-sizes", test_ocr_sizes);
  g_test_add_func ("/look/ctc", test_ctc);
  g_test_add_func ("/look/boxes", test_boxes);
  g_test_add_func ("/look/lines", test_lines);
  g_test_add_func ("/look/hostile/objects", test_hostile_objects);
  g_test_add_func ("/look/hostile/shapes", test_hostile_shapes);
  g_test_add_func ("/look/hostile/many", test_many);
  g_test_add_func ("/look/hostile/maps", test_hostile_maps);
  g_test_add_func ("/look/names", test_names);
  return g_test_run ();
}
