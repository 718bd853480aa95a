/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/conformance/tasks.h"

#include <math.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "engine/tasks/vision/classify.h"

/* Classifiers: the case's pictures as files, and the classes that they should be. */

#define MAX_TOP 100

/* The bytes of a picture [height, width, 3] as a PNG in @folder. */
static char *
write_picture (TaskCase *c, const json_t *picture, const char *folder)
{
  const json_t *shape = json_object_get (picture, "shape");
  int height = (int) json_integer_value (json_array_get (shape, 0));
  int width = (int) json_integer_value (json_array_get (shape, 1));
  g_autofree char *raw = task_path (c, json_object_get (picture, "file"));
  g_autofree char *bytes = NULL, *path = g_build_filename (folder, "picture.png", NULL);
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  gsize length;

  if (raw == NULL || !g_file_get_contents (raw, &bytes, &length, NULL) || height < 1 || width < 1 ||
      length != (gsize) height * (gsize) width * 3) {
    task_fail (c, "a picture cannot be read");
    return NULL;
  }
  pixbuf = gdk_pixbuf_new_from_data ((const guchar *) bytes, GDK_COLORSPACE_RGB, FALSE, 8, width,
                                     height, 3 * width, NULL, NULL);
  if (!gdk_pixbuf_save (pixbuf, path, "png", NULL, NULL)) {
    task_fail (c, "a picture cannot be written");
    return NULL;
  }
  return g_steal_pointer (&path);
}

/* Classes of quantised logits are often equally likely; their shares are written with six digits.
 */
#define TIE 2e-6

/* Probabilities are those of the logits, within the tolerance of these. */
static gboolean
check_classes (TaskCase *c, guint i, const PtClass *got, guint n, const json_t *want)
{
  const json_t *tolerance = json_object_get (c->root, "tolerance");
  double within = 2 * json_number_value (json_object_get (tolerance, "atol")) + 1e-4;
  const json_t *classes = json_object_get (want, "classes");
  const json_t *softmax = json_object_get (want, "softmax");

  for (guint k = 0; k < MIN (n, json_array_size (classes)); k++) {
    double share = json_number_value (json_array_get (softmax, k));
    gboolean is_tie = fabs (got[k].probability - share) < TIE;

    if ((json_int_t) got[k].index != json_integer_value (json_array_get (classes, k)) && !is_tie)
      return task_fail (c, "picture %u, place %u: class %u", i, k, got[k].index);
    if (!(fabs (got[k].probability - share) <= within * share + 1e-5))
      return task_fail (c, "picture %u, class %u: %g and not %g", i, got[k].index,
                        got[k].probability, share);
  }
  return TRUE;
}

static gboolean
check_picture (TaskCase *c, PtClassifier *classifier, guint i, const char *folder)
{
  const json_t *want = json_array_get (json_object_get (c->root, "top"), i);
  g_autofree char *path =
      write_picture (c, json_array_get (json_object_get (c->root, "images"), i), folder);
  guint n = (guint) json_array_size (json_object_get (want, "classes"));
  g_autoptr (GError) error = NULL;
  PtClass classes[MAX_TOP];

  if (path == NULL)
    return FALSE;
  n = pt_classifier_run (classifier, path, classes, MIN (n, MAX_TOP), NULL, &error);
  g_remove (path);
  return n > 0 ? check_classes (c, i, classes, n, want) : task_fail (c, "%s", error->message);
}

gboolean
task_classifier (TaskCase *c)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtClassifier) classifier = pt_classifier_new (c->module, c->set, NULL, &error);
  gsize n = json_array_size (json_object_get (c->root, "top"));
  gboolean ok = TRUE;

  if (classifier == NULL)
    return task_fail (c, "%s", error->message);
  if (n == 0)
    return task_fail (c, "the case says nothing of what is seen");
  for (guint i = 0; ok && i < n; i++)
    ok = check_picture (c, classifier, i, folder);
  g_rmdir (folder);
  return ok;
}
