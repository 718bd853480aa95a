/* SPDX-License-Identifier: BSD-3-Clause */

/* The members of the reports of CLASSIFY and LOOK. */

#include "engine/host/messages.h"

static const PtField class[] = {
  PT_PLAIN (PtClass, index),
  PT_TEXT (PtClass, label),
  PT_PLAIN (PtClass, probability),
};
static PT_STRUCT (class_info, PtClass, class, NULL);

/* ---- CLASSIFY ---- */

static const PtField picture[] = {
  PT_PATH (PtPicture, path),
  PT_TEXT (PtPicture, error),
  PT_PLAIN (PtPicture, elapsed_s),
  PT_ROWS (PtPicture, classes, n_classes, &class_info),
};

static const char *
check_picture (gconstpointer self, gconstpointer parent)
{
  return ((const PtPicture *) self)->path == NULL ? "a picture has no path" : NULL;
}

static PT_STRUCT (picture_info, PtPicture, picture, check_picture);

static const PtField classification[] = {
  PT_NAME (PtClassification, model),
  PT_TEXT (PtClassification, device),
  PT_PLAIN (PtClassification, load_s),
  PT_ROWS (PtClassification, pictures, n_pictures, &picture_info),
};
PT_STRUCT (pt_classification_fields, PtClassification, classification, NULL);

/* ---- LOOK ---- */

static const PtField point[] = {
  PT_TEXT (PtKeypoint, name),        PT_PLAIN (PtKeypoint, x),       PT_PLAIN (PtKeypoint, y),
  PT_PLAIN (PtKeypoint, visibility), PT_BOOL (PtKeypoint, is_found),
};
static PT_STRUCT (point_info, PtKeypoint, point, NULL);

static const PtField mask[] = {
  PT_PLAIN (PtMask, x),      PT_PLAIN (PtMask, y),    PT_PLAIN (PtMask, width),
  PT_PLAIN (PtMask, height), PT_PLAIN (PtMask, area), PT_NUMBERS (PtMask, runs, n_runs),
};

static const char *
check_mask (gconstpointer self, gconstpointer parent)
{
  const PtMask *one = self;
  guint64 pixels = 0;

  for (guint i = 0; i < one->n_runs; i++)
    pixels += one->runs[i];
  if (one->n_runs > 0 && pixels != (guint64) one->width * one->height)
    return "a mask is larger or smaller than its rectangle";
  return NULL;
}

static PT_STRUCT (mask_info, PtMask, mask, check_mask);

static const PtField object[] = {
  PT_PLAIN (PtObject, x1),
  PT_PLAIN (PtObject, y1),
  PT_PLAIN (PtObject, x2),
  PT_PLAIN (PtObject, y2),
  PT_PLAIN (PtObject, score),
  PT_PLAIN (PtObject, index),
  PT_TEXT (PtObject, label),
  PT_ROWS (PtObject, points, n_points, &point_info),
  PT_INSIDE (PtObject, mask, &mask_info),
};
static PT_STRUCT (object_info, PtObject, object, NULL);

static const PtField region[] = {
  PT_PLAIN (PtRegion, index),
  PT_TEXT (PtRegion, label),
  PT_PLAIN (PtRegion, pixels),
  PT_PLAIN (PtRegion, share),
};
static PT_STRUCT (region_info, PtRegion, region, NULL);

static const PtField line[] = {
  PT_PLAIN (PtTextLine, x),
  PT_PLAIN (PtTextLine, y),
  PT_TEXT (PtTextLine, text),
  PT_PLAIN (PtTextLine, confidence),
};
static PT_STRUCT (line_info, PtTextLine, line, NULL);

static const PtField similarity[] = {
  PT_NAME (PtSimilarity, text),
  PT_PLAIN (PtSimilarity, similarity),
  PT_PLAIN (PtSimilarity, probability),
};
static PT_STRUCT (similarity_info, PtSimilarity, similarity, NULL);

static guint64
n_pixels (gconstpointer self, gconstpointer parent)
{
  const PtLookPicture *one = self;

  return (guint64) one->width * one->height;
}

static guint64
n_samples (gconstpointer self, gconstpointer parent)
{
  return n_pixels (self, parent) <= PT_IMAGE_MAX_PIXELS ? 3 * n_pixels (self, parent) : 0;
}

static const PtField look_picture[] = {
  PT_PATH (PtLookPicture, path),
  PT_TEXT (PtLookPicture, error),
  PT_PLAIN (PtLookPicture, elapsed_s),
  PT_PLAIN (PtLookPicture, width),
  PT_PLAIN (PtLookPicture, height),
  PT_PLAIN (PtLookPicture, input_width),
  PT_PLAIN (PtLookPicture, input_height),
  PT_ROWS (PtLookPicture, classes, n_classes, &class_info),
  PT_ROWS (PtLookPicture, objects, n_objects, &object_info),
  PT_COUNTED (PtLookPicture, segments, n_pixels),
  PT_ROWS (PtLookPicture, regions, n_regions, &region_info),
  PT_COUNTED (PtLookPicture, styled, n_samples),
  PT_ROWS (PtLookPicture, lines, n_lines, &line_info),
  PT_NUMBERS (PtLookPicture, vector, n_vector),
  PT_ROWS (PtLookPicture, similarities, n_similarities, &similarity_info),
};

/* Rectangles of masks lie in the picture. */
static const char *
check_masks (const PtLookPicture *one)
{
  for (guint i = 0; i < one->n_objects; i++) {
    const PtMask *m = &one->objects[i].mask;

    if (m->width > 0 && (m->width > one->width || m->x > one->width - m->width ||
                         m->height > one->height || m->y > one->height - m->height))
      return "a mask lies outside of its picture";
  }
  return NULL;
}

static const char *
check_look_picture (gconstpointer self, gconstpointer parent)
{
  const PtLookPicture *one = self;
  PtLookKind kind = ((const PtLookResult *) parent)->kind;
  const char *fault = check_masks (one);

  if (fault != NULL)
    return fault;
  if (one->path == NULL)
    return "a picture has no path";
  if (n_pixels (one, NULL) > PT_IMAGE_MAX_PIXELS)
    return "a picture is too large";
  if (one->error != NULL)
    return NULL;
  if ((kind == PT_LOOK_SEGMENTS || kind == PT_LOOK_PERSON) && one->segments == NULL)
    return "a picture has no segments";
  return kind == PT_LOOK_STYLE && one->styled == NULL ? "a styled picture is missing" : NULL;
}

static PT_STRUCT (look_picture_info, PtLookPicture, look_picture, check_look_picture);

static const PtField look[] = {
  PT_NAME (PtLookResult, model),
  PT_TEXT (PtLookResult, device),
  PT_ENUM (PtLookResult, kind, PT_N_LOOK_KINDS),
  PT_PLAIN (PtLookResult, load_s),
  PT_PLAIN (PtLookResult, threshold),
  PT_ROWS (PtLookResult, pictures, n_pictures, &look_picture_info),
  PT_OWNER (PtLookResult),
};
PT_STRUCT (pt_look_fields, PtLookResult, look, NULL);
