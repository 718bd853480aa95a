/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/look-traits.h"

#include <string.h>

#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/model-root.h"

/* The side of SSDLite's input, which no other detector has. */
#define SSDLITE_SIDE 320

/* Properties of models by a word in their names; NULL: of the family's other models. */
static const struct {
  PtFamily family;
  const char *word;
  PtLookTraits traits;
} KNOWN[] = {
  { PT_FAMILY_DETECTOR, "ssdlite", { 0.7, 0.55, PT_NAMES_COCO_91, FALSE } },
  { PT_FAMILY_DETECTOR, "rfdetr", { 0.7, 0.55, PT_NAMES_COCO_91, TRUE } },
  { PT_FAMILY_DETECTOR, "yolo", { 0.5, 0.5, PT_NAMES_COCO_80, FALSE } },
  { PT_FAMILY_DETECTOR, NULL, { 0.5, 0.5, PT_NAMES_NONE, FALSE } },
  { PT_FAMILY_KEYPOINTS, NULL, { 0.5, 0, PT_NAMES_NONE, FALSE } },
  { PT_FAMILY_INSTANCES, "rfdetr", { 0.5, 0.5, PT_NAMES_COCO_91_0, TRUE } },
  { PT_FAMILY_INSTANCES, "fastsam", { 0.5, 0.9, PT_NAMES_ANYTHING, FALSE } },
  { PT_FAMILY_INSTANCES, "yolo", { 0.5, 0, PT_NAMES_COCO_80, FALSE } },
  { PT_FAMILY_INSTANCES, NULL, { 0.5, 0, PT_NAMES_NONE, FALSE } },
  { PT_FAMILY_SEGMENTATION, "selfie", { 0, 0, PT_NAMES_NONE, FALSE } },
  { PT_FAMILY_SEGMENTATION, NULL, { 0, 0, PT_NAMES_VOC, TRUE } },
};

/* ---- names ---- */

/* Letters and digits of @name in lower case: "RF-DETR_nano" is "rfdetrnano". */
static char *
simplify (const char *name)
{
  GString *text = g_string_new (NULL);

  for (; *name != '\0'; name++)
    if (g_ascii_isalnum (*name))
      g_string_append_c (text, g_ascii_tolower (*name));
  return g_string_free (text, FALSE);
}

static const char *
find_word (const char *name, const char *const *words)
{
  g_autofree char *simple = name != NULL ? simplify (name) : NULL;

  for (guint i = 0; simple != NULL && words[i] != NULL; i++)
    if (strstr (simple, words[i]) != NULL)
      return words[i];
  return NULL;
}

static const char *
find_in_config (const char *folder, const char *const *words)
{
  g_autoptr (PtModelConfig) config = pt_model_config_read (folder, NULL);
  const char *found = NULL;

  if (config == NULL)
    return NULL;
  found = find_word (config->model, words);
  return found != NULL ? found : find_word (config->family, words);
}

static const char *
find_in_path (const char *path, const char *const *words)
{
  g_autofree char *base = g_path_get_basename (path);

  return find_word (base, words);
}

const char *
pt_look_hint (const PtModelSet *set, const char *const *words)
{
  const char *found = find_in_config (set->folder, words);
  g_auto (GStrv) folders = NULL;

  if (found == NULL)
    found = find_in_path (set->program, words);
  if (found != NULL)
    return found;
  folders = pt_model_folders (set->folder);
  for (guint i = 0; folders[i] != NULL && found == NULL; i++)
    found = find_in_path (folders[i], words);
  return found;
}

/* ---- traits ---- */

void
pt_look_traits_find (PtLookTraits *self, const PtModelSet *set, gboolean has_sizes, guint side)
{
  const char *words[G_N_ELEMENTS (KNOWN) + 1] = { NULL };
  const char *word;
  guint n = 0;

  *self = (PtLookTraits){ 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (KNOWN); i++)
    if (KNOWN[i].family == set->family && KNOWN[i].word != NULL)
      words[n++] = KNOWN[i].word;
  word = pt_look_hint (set, words);
  if (word == NULL && has_sizes)
    word = "yolo";
  else if (word == NULL && set->family == PT_FAMILY_DETECTOR && side == SSDLITE_SIDE)
    word = "ssdlite";
  for (gsize i = 0; i < G_N_ELEMENTS (KNOWN); i++)
    if (KNOWN[i].family == set->family &&
        (KNOWN[i].word == NULL || g_strcmp0 (KNOWN[i].word, word) == 0)) {
      *self = KNOWN[i].traits;
      return;
    }
}
