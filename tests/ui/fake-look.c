/* SPDX-License-Identifier: BSD-3-Clause */

/* What LOOK finds in pictures. */

#include <string.h>

#include "engine/tasks/vision/look-result.h"
#include "tests/ui/fake-engine.h"

/* Of the picture, in pixels: what the tests and scenes make. */
#define WIDTH 320
#define HEIGHT 240
#define USUAL 0.5

static const PtClass CLASSES[] = { { 281, "tabby cat", 0.871 },
                                   { 282, "tiger cat", 0.093 },
                                   { 999, NULL, 0.012 } };

static const PtKeypoint POINTS[] = { { "nose", 80, 60, 0.9, TRUE },
                                     { "left eye", 90, 50, 0.9, TRUE },
                                     { "right eye", 0, 0, 0.1, FALSE } };

/* Outside of the object, inside, ...: its upper half. */
static const guint32 RUNS[] = { 0, 50 * 40, 50 * 40 };

static const PtObject OBJECTS[] = {
  { 40, 30, 200, 210, 0.914, 17, "cat", NULL, 0, { 0 } },
  { 150, 90, 300, 230, 0.731, 18, "dog", NULL, 0, { 0 } },
  { 10, 180, 60, 235, 0.42, 3, NULL, NULL, 0, { 0 } },
  { 250, 10, 310, 50, 0.18, 16, "bird", NULL, 0, { 0 } },
};

static const PtTextLine LINES[] = {
  { { 20, 120, 120, 20 }, { 20, 20, 50, 50 }, "Good morning", 0.97 },
  { { 20, 200, 200, 20 }, { 80, 80, 110, 110 }, "ferns & rain", 0.83 },
};

static PtLookKind
find_kind (void)
{
  for (guint i = 0; i < PT_N_LOOK_KINDS; i++)
    if (g_strcmp0 (fake.look, pt_look_kind_name (i)) == 0)
      return i;
  return PT_LOOK_OBJECTS;
}

static guint
count_objects (double threshold)
{
  guint n = 0;

  while (n < G_N_ELEMENTS (OBJECTS) && OBJECTS[n].score >= threshold)
    n++;
  return n;
}

static void
fill_objects (PtLookPicture *picture, PtLookKind kind, PtHeap *heap, double threshold)
{
  guint n = count_objects (threshold);
  PtObject *objects = pt_heap_new0 (heap, PtObject, n + 1);

  memcpy (objects, OBJECTS, n * sizeof *objects);
  if (kind == PT_LOOK_POSES && n > 0) {
    objects[0].points = POINTS;
    objects[0].n_points = G_N_ELEMENTS (POINTS);
  } else if (kind == PT_LOOK_INSTANCES && n > 0) {
    objects[0].mask = (PtMask){ 40, 30, 50, 80, 2000, RUNS, G_N_ELEMENTS (RUNS) };
  }
  picture->objects = objects;
  picture->n_objects = n;
}

/* A person in the middle. */
static void
fill_segments (PtLookPicture *picture, PtHeap *heap)
{
  guint8 *segments = pt_heap_new0 (heap, guint8, WIDTH * HEIGHT);
  PtRegion *regions = pt_heap_new0 (heap, PtRegion, 2);

  for (guint y = 60; y < 180; y++)
    memset (segments + y * WIDTH + 80, 1, 160);
  regions[0] = (PtRegion){ 0, "background", WIDTH * HEIGHT - 120 * 160, 0.75 };
  regions[1] = (PtRegion){ 1, "person", 120 * 160, 0.25 };
  picture->segments = segments;
  picture->regions = regions;
  picture->n_regions = 2;
}

static void
fill_similarities (PtLookPicture *picture, PtHeap *heap, const char *const *texts)
{
  guint n = texts != NULL ? g_strv_length ((char **) texts) : 0;
  PtSimilarity *all = pt_heap_new0 (heap, PtSimilarity, n + 1);

  for (guint i = 0; i < n; i++)
    all[i] =
        (PtSimilarity){ pt_heap_text (heap, texts[i]), 0.3 - 0.05 * i, i == 0 ? 0.993 : 0.007 };
  picture->similarities = all;
  picture->n_similarities = n;
  picture->n_vector = 512;
  picture->vector = pt_heap_new0 (heap, float, 512);
}

static void
fill (PtLookPicture *picture, PtLookKind kind, PtHeap *heap, double threshold,
      const char *const *texts)
{
  switch (kind) {
  case PT_LOOK_CLASSES:
    picture->classes = CLASSES;
    picture->n_classes = G_N_ELEMENTS (CLASSES);
    break;
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: fill_segments (picture, heap); break;
  case PT_LOOK_STYLE: picture->styled = pt_heap_new0 (heap, guint8, 3 * WIDTH * HEIGHT); break;
  case PT_LOOK_WRITING:
    picture->lines = LINES;
    picture->n_lines = G_N_ELEMENTS (LINES);
    break;
  case PT_LOOK_EMBEDDING: fill_similarities (picture, heap, texts); break;
  default: fill_objects (picture, kind, heap, threshold);
  }
}

PtLookResult *
fake_look_result (const char *path, double threshold, const char *const *texts)
{
  PtLookResult *result = pt_look_result_new ();
  PtLookPicture *picture = pt_heap_new0 (result->owner, PtLookPicture, 1);
  PtLookKind kind = find_kind ();
  gboolean scored = kind == PT_LOOK_OBJECTS || kind == PT_LOOK_POSES || kind == PT_LOOK_INSTANCES;

  if (threshold <= 0)
    threshold = USUAL;
  *picture = (PtLookPicture){ .path = pt_heap_text (result->owner, path),
                              .error = fake.look_error,
                              .elapsed_s = 0.041,
                              .width = WIDTH,
                              .height = HEIGHT };
  if (picture->error == NULL)
    fill (picture, kind, result->owner, threshold, texts);
  result->model = "model";
  result->device = "CPU";
  result->kind = kind;
  result->threshold = scored ? threshold : 0;
  result->pictures = picture;
  result->n_pictures = 1;
  return result;
}
