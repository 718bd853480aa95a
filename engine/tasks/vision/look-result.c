/* SPDX-License-Identifier: BSD-3-Clause */

/* The result of PT_JOB_LOOK: its references, and its JSON. */

#include "engine/tasks/vision/look-result.h"

#include "engine/base/json.h"

PtLookResult *
pt_look_result_new (void)
{
  PtHeap *heap = pt_heap_new ();
  PtLookResult *result = pt_heap_new0 (heap, PtLookResult, 1);

  result->owner = heap;
  return result;
}

PtLookResult *
pt_look_result_ref (const PtLookResult *result)
{
  if (result->owner != NULL)
    pt_heap_ref (result->owner);
  return (PtLookResult *) result;
}

void
pt_look_result_unref (PtLookResult *result)
{
  if (result != NULL && result->owner != NULL)
    pt_heap_unref (result->owner);
}

const char *
pt_look_kind_name (PtLookKind kind)
{
  static const char *const NAMES[PT_N_LOOK_KINDS] = {
    [PT_LOOK_CLASSES] = "classes",     [PT_LOOK_OBJECTS] = "objects",
    [PT_LOOK_POSES] = "poses",         [PT_LOOK_INSTANCES] = "instances",
    [PT_LOOK_SEGMENTS] = "segments",   [PT_LOOK_PERSON] = "person",
    [PT_LOOK_STYLE] = "style",         [PT_LOOK_WRITING] = "writing",
    [PT_LOOK_EMBEDDING] = "embedding",
  };

  return NAMES[kind];
}

/* ---- JSON ---- */

static json_t *
describe_classes (const PtLookPicture *picture)
{
  json_t *list = json_array ();

  for (guint i = 0; i < picture->n_classes; i++) {
    const PtClass *one = &picture->classes[i];

    json_array_append_new (list,
                           json_pack ("{s:I, s:o, s:f}", "index", (json_int_t) one->index, "label",
                                      pt_json_text (one->label), "probability", one->probability));
  }
  return list;
}

static json_t *
describe_points (const PtObject *object)
{
  json_t *list = json_array ();

  for (guint i = 0; i < object->n_points; i++) {
    const PtKeypoint *point = &object->points[i];

    json_array_append_new (list,
                           json_pack ("{s:o, s:f, s:f, s:f, s:b}", "name",
                                      pt_json_text (point->name), "x", point->x, "y", point->y,
                                      "visibility", point->visibility, "found", point->is_found));
  }
  return list;
}

static json_t *
describe_mask (const PtMask *mask)
{
  json_t *runs = json_array ();

  for (guint i = 0; i < mask->n_runs; i++)
    json_array_append_new (runs, json_integer (mask->runs[i]));
  return json_pack ("{s:I, s:I, s:I, s:I, s:I, s:o}", "x", (json_int_t) mask->x, "y",
                    (json_int_t) mask->y, "width", (json_int_t) mask->width, "height",
                    (json_int_t) mask->height, "area", (json_int_t) mask->area, "runs", runs);
}

static json_t *
describe_objects (const PtLookPicture *picture, PtLookKind kind)
{
  json_t *list = json_array ();

  for (guint i = 0; i < picture->n_objects; i++) {
    const PtObject *object = &picture->objects[i];
    json_t *one = json_pack ("{s:I, s:o, s:f, s:[f, f, f, f]}", "index", (json_int_t) object->index,
                             "label", pt_json_text (object->label), "score", object->score, "box",
                             object->x1, object->y1, object->x2, object->y2);

    if (kind == PT_LOOK_POSES)
      json_object_set_new (one, "keypoints", describe_points (object));
    if (kind == PT_LOOK_INSTANCES)
      json_object_set_new (one, "mask", describe_mask (&object->mask));
    json_array_append_new (list, one);
  }
  return list;
}

static json_t *
describe_regions (const PtLookPicture *picture)
{
  json_t *list = json_array ();

  for (guint i = 0; i < picture->n_regions; i++) {
    const PtRegion *region = &picture->regions[i];

    json_array_append_new (list,
                           json_pack ("{s:I, s:o, s:I, s:f}", "index", (json_int_t) region->index,
                                      "label", pt_json_text (region->label), "pixels",
                                      (json_int_t) region->pixels, "share", region->share));
  }
  return list;
}

static json_t *
describe_segments (const PtLookPicture *picture)
{
  gsize n = (gsize) picture->width * picture->height;
  json_t *runs = json_array ();

  for (gsize i = 0, begin = 0; i < n; i++)
    if (i + 1 == n || picture->segments[i + 1] != picture->segments[begin]) {
      json_array_append_new (
          runs, json_pack ("[i, I]", (int) picture->segments[begin], (json_int_t) (i + 1 - begin)));
      begin = i + 1;
    }
  return json_pack ("{s:I, s:I, s:o}", "width", (json_int_t) picture->width, "height",
                    (json_int_t) picture->height, "runs", runs);
}

static json_t *
describe_lines (const PtLookPicture *picture)
{
  json_t *list = json_array ();

  for (guint i = 0; i < picture->n_lines; i++) {
    const PtTextLine *line = &picture->lines[i];
    json_t *corners = json_array ();

    for (guint k = 0; k < G_N_ELEMENTS (line->x); k++)
      json_array_append_new (corners, json_pack ("[f, f]", line->x[k], line->y[k]));
    json_array_append_new (list, json_pack ("{s:o, s:f, s:o}", "text", pt_json_text (line->text),
                                            "confidence", line->confidence, "corners", corners));
  }
  return list;
}

static json_t *
describe_vector (const PtLookPicture *picture)
{
  json_t *list = json_array ();

  for (guint i = 0; i < picture->n_vector; i++)
    json_array_append_new (list, json_real (picture->vector[i]));
  return list;
}

static json_t *
describe_similarities (const PtLookPicture *picture)
{
  json_t *list = json_array ();

  for (guint i = 0; i < picture->n_similarities; i++) {
    const PtSimilarity *one = &picture->similarities[i];

    json_array_append_new (list, json_pack ("{s:o, s:f, s:f}", "text", pt_json_text (one->text),
                                            "similarity", one->similarity, "probability",
                                            one->probability));
  }
  return list;
}

static void
add_findings (json_t *json, const PtLookPicture *picture, PtLookKind kind)
{
  switch (kind) {
  case PT_LOOK_CLASSES: json_object_set_new (json, "classes", describe_classes (picture)); break;
  case PT_LOOK_OBJECTS:
  case PT_LOOK_POSES:
  case PT_LOOK_INSTANCES:
    json_object_set_new (json, "objects", describe_objects (picture, kind));
    break;
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON:
    json_object_set_new (json, "regions", describe_regions (picture));
    json_object_set_new (json, "segments", describe_segments (picture));
    break;
  case PT_LOOK_WRITING: json_object_set_new (json, "lines", describe_lines (picture)); break;
  case PT_LOOK_EMBEDDING:
    json_object_set_new (json, "vector", describe_vector (picture));
    json_object_set_new (json, "similarities", describe_similarities (picture));
    break;
  case PT_LOOK_STYLE:
  case PT_N_LOOK_KINDS: break;
  }
}

static json_t *
describe_picture (const PtLookPicture *picture, PtLookKind kind)
{
  json_t *json;

  if (picture->error != NULL)
    return json_pack ("{s:o, s:o}", "path", pt_json_text (picture->path), "error",
                      pt_json_text (picture->error));
  json = json_pack ("{s:o, s:I, s:I, s:[I, I], s:f}", "path", pt_json_text (picture->path), "width",
                    (json_int_t) picture->width, "height", (json_int_t) picture->height, "input",
                    (json_int_t) picture->input_width, (json_int_t) picture->input_height,
                    "elapsed_s", picture->elapsed_s);
  add_findings (json, picture, kind);
  return json;
}

char *
pt_look_result_to_json (const PtLookResult *result)
{
  json_t *images = json_array ();
  guint n_failed = 0;

  for (guint i = 0; i < result->n_pictures; i++) {
    n_failed += result->pictures[i].error != NULL;
    json_array_append_new (images, describe_picture (&result->pictures[i], result->kind));
  }
  return pt_json_steal_text (
      json_pack ("{s:o, s:s, s:o, s:f, s:f, s:o, s:b, s:I}", "model", pt_json_text (result->model),
                 "kind", pt_look_kind_name (result->kind), "device", pt_json_text (result->device),
                 "load_s", result->load_s, "threshold", result->threshold, "images", images, "ok",
                 n_failed == 0, "failed", (json_int_t) n_failed));
}
