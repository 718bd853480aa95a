/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/classification.h"

#include "engine/base/json.h"

static PtPicture
copy_picture (const PtPicture *picture)
{
  PtClass *classes = g_memdup2 (picture->classes, picture->n_classes * sizeof (PtClass));

  for (guint i = 0; i < picture->n_classes; i++)
    classes[i].label = g_strdup (classes[i].label);
  return (PtPicture){ .path = g_strdup (picture->path),
                      .error = g_strdup (picture->error),
                      .elapsed_s = picture->elapsed_s,
                      .classes = classes,
                      .n_classes = picture->n_classes };
}

PtClassification *
pt_classification_copy (const PtClassification *classification)
{
  PtClassification *copy = g_memdup2 (classification, sizeof *classification);
  PtPicture *pictures = g_new (PtPicture, copy->n_pictures);

  copy->model = g_strdup (copy->model);
  copy->device = g_strdup (copy->device);
  for (guint i = 0; i < copy->n_pictures; i++)
    pictures[i] = copy_picture (&classification->pictures[i]);
  copy->pictures = pictures;
  return copy;
}

static void
clear_picture (PtPicture *picture)
{
  for (guint i = 0; i < picture->n_classes; i++)
    g_free ((char *) picture->classes[i].label);
  g_free ((PtClass *) picture->classes);
  g_free ((char *) picture->path);
  g_free ((char *) picture->error);
}

void
pt_classification_free (PtClassification *classification)
{
  if (classification == NULL)
    return;
  for (guint i = 0; i < classification->n_pictures; i++)
    clear_picture ((PtPicture *) &classification->pictures[i]);
  g_free ((PtPicture *) classification->pictures);
  g_free ((char *) classification->model);
  g_free ((char *) classification->device);
  g_free (classification);
}

/* ---- JSON ---- */

static json_t *
describe_picture (const PtPicture *picture)
{
  json_t *classes;

  if (picture->error != NULL)
    return json_pack ("{s:o, s:o}", "path", pt_json_text (picture->path), "error",
                      pt_json_text (picture->error));
  classes = json_array ();
  for (guint i = 0; i < picture->n_classes; i++) {
    const PtClass *one = &picture->classes[i];

    json_array_append_new (classes,
                           json_pack ("{s:I, s:o, s:f}", "index", (json_int_t) one->index, "label",
                                      pt_json_text (one->label), "probability", one->probability));
  }
  return json_pack ("{s:o, s:f, s:o}", "path", pt_json_text (picture->path), "elapsed_s",
                    picture->elapsed_s, "classes", classes);
}

char *
pt_classification_to_json (const PtClassification *classification)
{
  json_t *images = json_array ();
  guint n_failed = 0;

  for (guint i = 0; i < classification->n_pictures; i++) {
    const PtPicture *picture = &classification->pictures[i];

    n_failed += picture->error != NULL;
    json_array_append_new (images, describe_picture (picture));
  }
  return pt_json_steal_text (
      json_pack ("{s:o, s:o, s:f, s:o, s:b, s:I}", "model", pt_json_text (classification->model),
                 "device", pt_json_text (classification->device), "load_s", classification->load_s,
                 "images", images, "ok", n_failed == 0, "failed", (json_int_t) n_failed));
}
