/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Names of the classes of well-known data sets, and the alphabets of recognisers of writing. */

#define PT_N_IMAGENET_NAMES 1000
#define PT_N_COCO_KEYPOINTS 17

extern const char *const pt_imagenet_names[PT_N_IMAGENET_NAMES + 1];

typedef enum {
  PT_NAMES_NONE,
  PT_NAMES_COCO_80,   /* 80 objects from 0, as YOLO counts them */
  PT_NAMES_COCO_91,   /* COCO's own numbers from 1 */
  PT_NAMES_COCO_91_0, /* the same from 0 */
  PT_NAMES_VOC,       /* Pascal VOC: 20 classes behind the background */
  PT_NAMES_ANYTHING,  /* one class: FastSAM */
} PtNames;

/** The name of class @index, or NULL. Static. */
const char *pt_class_name (PtNames names, guint index);

/** The name of point @index of a person, or NULL. Static. */
const char *pt_keypoint_name (guint index);

/**
 * The alphabet called @name ("english", "latin", …); NULL as @name: the only one with @n
 * characters, or NULL. The characters are in the order of the classes 1 to n. Static.
 */
const char *pt_alphabet_find (const char *name, guint n);

/** The name of alphabet @i, or NULL behind the last one. */
const char *pt_alphabet_name (guint i);

G_END_DECLS
