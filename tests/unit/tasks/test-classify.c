/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/vision/classify.h"
#include "engine/tasks/vision/labels.h"
#include "engine/tasks/vision/recipe.h"

/* A small classifier, what makes its input, and the names of its classes. */

typedef struct {
  char *folder; /* empty, and removed in the end */
  PtModelSet *set;
  PtModule *module;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "classifiers", "vit_xnnpack_q8", NULL);
  g_autoptr (GError) error = NULL;

  f->folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  f->set = pt_model_set_find (path, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  f->module = pt_module_open (f->set->program, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  static const char *const NAMES[] = { "preprocessor_config.json", "labels.txt", "labels.json",
                                       "config.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = g_build_filename (f->folder, NAMES[i], NULL);

    g_remove (path);
  }
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  pt_module_free (f->module);
  pt_model_set_free (f->set);
}

static char *
write_text (const Fixture *f, const char *name, const char *text)
{
  char *path = g_build_filename (f->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static PtPictureRecipe
read_recipe (const Fixture *f, const char *name, guint side)
{
  g_autoptr (GError) error = NULL;
  PtPictureRecipe recipe;

  pt_picture_recipe_read (&recipe, f->module, f->folder, name, side, side, &error);
  g_assert_no_error (error);
  return recipe;
}

static void
test_imagenet (Fixture *f, gconstpointer data)
{
  g_assert_cmpuint (read_recipe (f, "resnet18", 224).shorter, ==, 256);
  g_assert_cmpuint (read_recipe (f, "inception_v3", 299).shorter, ==, 342);
  g_assert_cmpuint (read_recipe (f, "MobileNet_v2-xnnpack", 224).shorter, ==, 232);
  g_assert_cmpfloat (read_recipe (f, "x", 224).mean[0], ==, 0.485f);
}

static void
test_config (Fixture *f, gconstpointer data)
{
  static const char VIT[] = "{\"size\": {\"height\": 224, \"width\": 200}, \"resample\": 3,"
                            " \"image_mean\": [0.5, 0.5, 0.5], \"image_std\": [0.25, 0.5, 0.5]}";
  static const char MOBILENET[] = "{\"size\": {\"shortest_edge\": 256}, \"resample\": 2,"
                                  " \"do_normalize\": false, \"crop_size\": {\"height\": 224}}";
  g_autofree char *path = write_text (f, "preprocessor_config.json", VIT);
  PtPictureRecipe recipe = read_recipe (f, "vit", 224);

  g_assert_cmpuint (recipe.shorter, ==, 0);
  g_assert_cmpuint (recipe.stretched_width, ==, 200);
  g_assert_cmpint (recipe.filter, ==, PT_FILTER_BICUBIC);
  g_assert_cmpfloat_with_epsilon (recipe.deviation[0], 0.25f, 1e-6f);
  g_free (write_text (f, "preprocessor_config.json", MOBILENET));
  recipe = read_recipe (f, "mobilenet", 224);
  g_assert_cmpuint (recipe.shorter, ==, 256);
  g_assert_cmpfloat (recipe.mean[1], ==, 0);
  g_assert_cmpfloat_with_epsilon (recipe.deviation[1], 1, 1e-6f);
}

static void
test_bad_config (Fixture *f, gconstpointer data)
{
  static const char *const BAD[] = { "{\"image_std\": [0, 0, 0]}", "{\"rescale_factor\": -1}",
                                     "{\"size\": {\"shortest_edge\": 9999999}}",
                                     "{\"size\": {\"height\": -4}}", "[" };

  for (gsize i = 0; i < G_N_ELEMENTS (BAD); i++) {
    g_autofree char *path = write_text (f, "preprocessor_config.json", BAD[i]);
    g_autoptr (GError) error = NULL;
    PtPictureRecipe recipe;

    g_assert_false (pt_picture_recipe_read (&recipe, f->module, f->folder, "x", 8, 8, &error));
    g_assert_nonnull (error);
  }
}

static char **
read_labels (const char *path, const char *folder, guint n)
{
  g_autoptr (GError) error = NULL;
  char **labels;

  pt_labels_read (path, folder, n, &labels, &error);
  g_assert_no_error (error);
  return labels;
}

static void
test_labels (Fixture *f, gconstpointer data)
{
  g_autofree char *text = write_text (f, "labels.txt", "cat\r\n dog \nfern\n\n");
  g_autofree char *json =
      write_text (f, "labels.json", "{\"id2label\": {\"1\": \"b\", \"0\": \"a\", \"2\": \"c\"}}");
  g_auto (GStrv) three = read_labels (text, f->folder, 3);
  g_auto (GStrv) four = read_labels (text, f->folder, 4);
  g_auto (GStrv) map = read_labels (json, f->folder, 3);
  g_auto (GStrv) beside = read_labels (NULL, f->folder, 3);
  g_auto (GStrv) none = read_labels (NULL, f->folder, 9);
  g_autoptr (GError) error = NULL;
  char **wrong;

  g_assert_cmpstr (three[1], ==, "dog");
  g_assert_cmpstr (four[0], ==, "background");
  g_assert_cmpstr (four[3], ==, "fern");
  g_assert_cmpstr (map[2], ==, "c");
  g_assert_cmpstr (beside[0], ==, "cat");
  g_assert_null (none);
  g_assert_false (pt_labels_read (text, f->folder, 9, &wrong, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
}

/* The job: a picture, and a file that is none. */
static void
test_job (Fixture *f, gconstpointer data)
{
  g_autofree char *picture =
      g_test_build_filename (G_TEST_DIST, "data", "vision", "picture.png", NULL);
  const char *const images[] = { picture, "/nowhere.png", NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_CLASSIFY);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtClassification) found = NULL;
  g_autoptr (PtClassification) copy = NULL;
  g_autoptr (json_t) report = NULL;
  g_autofree char *text = NULL;
  const PtPicture *pictures;
  const json_t *list, *classes;
  double sum = 0;

  job.vision.images = images;
  job.vision.top = 20;
  found = pt_classify (f->set, &job, NULL, &error);
  g_assert_no_error (error);
  /* The event has a copy. */
  copy = pt_classification_copy (found);
  g_clear_pointer (&found, pt_classification_free);
  g_assert_cmpstr (copy->model, ==, f->set->name);
  g_assert_cmpstr (copy->device, ==, "CPU");
  g_assert_cmpuint (copy->n_pictures, ==, 2);
  pictures = copy->pictures;
  g_assert_cmpstr (pictures[0].path, ==, picture);
  g_assert_null (pictures[0].error);
  g_assert_cmpuint (pictures[0].n_classes, ==, 20);
  for (guint i = 0; i < 20; i++)
    sum += pictures[0].classes[i].probability;
  g_assert_cmpfloat_with_epsilon (sum, 1, 1e-9);
  g_assert_true (g_str_has_prefix (pictures[0].classes[0].label, "kind"));
  g_assert_cmpstr (pictures[1].path, ==, "/nowhere.png");
  g_assert_nonnull (pictures[1].error);
  g_assert_cmpuint (pictures[1].n_classes, ==, 0);

  text = pt_classification_to_json (copy);
  report = json_loads (text, 0, NULL);
  g_assert_false (pt_json_bool (report, "ok", TRUE));
  g_assert_cmpint (pt_json_int (report, "failed", 0), ==, 1);
  list = json_object_get (report, "images");
  classes = json_object_get (json_array_get (list, 0), "classes");
  g_assert_cmpuint (json_array_size (classes), ==, 20);
  g_assert_cmpstr (pt_json_string (json_array_get (classes, 0), "label"), ==,
                   pictures[0].classes[0].label);
  g_assert_cmpstr (pt_json_string (json_array_get (list, 1), "error"), ==, pictures[1].error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
#define ADD(name, func) g_test_add ("/classify/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("imagenet", test_imagenet);
  ADD ("config", test_config);
  ADD ("bad-config", test_bad_config);
  ADD ("labels", test_labels);
  ADD ("job", test_job);
#undef ADD
  return g_test_run ();
}
