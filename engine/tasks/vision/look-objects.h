/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/heap.h"
#include "engine/tasks/vision/class-names.h"
#include "engine/tasks/vision/look-method.h"

G_BEGIN_DECLS

/*
 * The outputs of detectors, keypoint detectors and instance segmentation, as objects of the picture
 * (docs/formats/protocols.md, sections 16.2 to 16.4). All numbers are checked. Any thread.
 */

/** More objects of a picture are not reported. */
#define PT_LOOK_MAX_OBJECTS 1000

/** How outputs become objects. */
typedef struct {
  double threshold; /* least score */
  double overlap;   /* most overlap (IoU) of two objects of a class; 0: any */
  PtNames names;
  char **labels;                   /* instead of @names; or NULL */
  guint width, height;             /* of the picture */
  guint input_width, input_height; /* boxes are in pixels of this */
} PtObjectRule;

/**
 * The objects of @boxes [q, 4], @scores [q], @labels [q] (NULL: all are persons) and @points
 * [q, k, 2 or 3] or NULL. @masks: [q, height, width] logits, or NULL. Memory of @heap; @out: set to
 * an array of *@n, the best first. FALSE with an error.
 */
typedef struct {
  const PtLookOutput *boxes, *scores, *labels, *points, *masks;
} PtObjectOutputs;

gboolean pt_look_objects (const PtObjectOutputs *outputs, const PtObjectRule *rule, PtHeap *heap,
                          const PtObject **out, guint *n, GError **error);

/** Split @pairs [q, 2] into @scores and @labels [q], which are to be cleared. */
gboolean pt_look_split_pairs (const PtLookOutput *pairs, PtLookOutput *scores, PtLookOutput *labels,
                              GError **error);

/**
 * The mask of @object from the logits [height, width] in @values: sigmoid above a half within its
 * box. @budget: runs that may still be made, for all objects of a picture; it is reduced.
 */
gboolean pt_look_mask (const float *values, guint width, guint height, const PtObjectRule *rule,
                       PtHeap *heap, gsize *budget, PtObject *object, GError **error);

G_END_DECLS
