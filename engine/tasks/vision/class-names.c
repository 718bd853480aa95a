/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/class-names.h"

#include <string.h>

#include "engine/tasks/vision/alphabets-data.h"

/* COCO's objects by their numbers, which begin at 1; 11 of them are in no data set. */
static const char *const COCO[] = {
  "person",        "bicycle",       "car",          "motorcycle",     "airplane",     "bus",
  "train",         "truck",         "boat",         "traffic light",  "fire hydrant", "street sign",
  "stop sign",     "parking meter", "bench",        "bird",           "cat",          "dog",
  "horse",         "sheep",         "cow",          "elephant",       "bear",         "zebra",
  "giraffe",       "hat",           "backpack",     "umbrella",       "shoe",         "eyeglasses",
  "handbag",       "tie",           "suitcase",     "frisbee",        "skis",         "snowboard",
  "sports ball",   "kite",          "baseball bat", "baseball glove", "skateboard",   "surfboard",
  "tennis racket", "bottle",        "plate",        "wine glass",     "cup",          "fork",
  "knife",         "spoon",         "bowl",         "banana",         "apple",        "sandwich",
  "orange",        "broccoli",      "carrot",       "hot dog",        "pizza",        "donut",
  "cake",          "chair",         "couch",        "potted plant",   "bed",          "mirror",
  "dining table",  "window",        "desk",         "toilet",         "door",         "tv",
  "laptop",        "mouse",         "remote",       "keyboard",       "cell phone",   "microwave",
  "oven",          "toaster",       "sink",         "refrigerator",   "blender",      "book",
  "clock",         "vase",          "scissors",     "teddy bear",     "hair drier",   "toothbrush",
  "hair brush",
};

/* Numbers of COCO that YOLO leaves out. */
static const guint8 LEFT_OUT[] = { 12, 26, 29, 30, 45, 66, 68, 69, 71, 83, 91 };

static const char *const VOC[] = {
  "background", "aeroplane", "bicycle",      "bird",  "boat",         "bottle", "bus",
  "car",        "cat",       "chair",        "cow",   "dining table", "dog",    "horse",
  "motorbike",  "person",    "potted plant", "sheep", "sofa",         "train",  "tv monitor",
};

static const char *const KEYPOINTS[PT_N_COCO_KEYPOINTS] = {
  "nose",           "left eye",   "right eye",   "left ear",   "right ear",   "left shoulder",
  "right shoulder", "left elbow", "right elbow", "left wrist", "right wrist", "left hip",
  "right hip",      "left knee",  "right knee",  "left ankle", "right ankle",
};

static const char *
coco_80_name (guint index)
{
  guint number = index + 1;

  for (gsize i = 0; i < G_N_ELEMENTS (LEFT_OUT); i++)
    number += LEFT_OUT[i] <= number;
  return index < 80 ? COCO[number - 1] : NULL;
}

const char *
pt_class_name (PtNames names, guint index)
{
  switch (names) {
  case PT_NAMES_COCO_80: return coco_80_name (index);
  case PT_NAMES_COCO_91: return index >= 1 && index <= G_N_ELEMENTS (COCO) ? COCO[index - 1] : NULL;
  case PT_NAMES_COCO_91_0: return index < G_N_ELEMENTS (COCO) ? COCO[index] : NULL;
  case PT_NAMES_VOC: return index < G_N_ELEMENTS (VOC) ? VOC[index] : NULL;
  case PT_NAMES_ANYTHING: return index == 0 ? "object" : NULL;
  case PT_NAMES_NONE: break;
  }
  return NULL;
}

const char *
pt_keypoint_name (guint index)
{
  return index < PT_N_COCO_KEYPOINTS ? KEYPOINTS[index] : NULL;
}

/* ---- alphabets ---- */

static const struct {
  const char *name, *characters;
} ALPHABETS[] = {
  { "english", ENGLISH }, { "latin", LATIN },   { "cyrillic", CYRILLIC }, { "japanese", JAPANESE },
  { "zh_sim", ZH_SIM },   { "korean", KOREAN }, { "telugu", TELUGU },     { "kannada", KANNADA },
};

const char *
pt_alphabet_find (const char *name, guint n)
{
  const char *found = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (ALPHABETS); i++) {
    if (name != NULL && strcmp (ALPHABETS[i].name, name) == 0)
      return ALPHABETS[i].characters;
    if (name != NULL || g_utf8_strlen (ALPHABETS[i].characters, -1) != (glong) n)
      continue;
    if (found != NULL)
      return NULL;
    found = ALPHABETS[i].characters;
  }
  return found;
}

const char *
pt_alphabet_name (guint i)
{
  return i < G_N_ELEMENTS (ALPHABETS) ? ALPHABETS[i].name : NULL;
}
