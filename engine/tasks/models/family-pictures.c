/* SPDX-License-Identifier: BSD-3-Clause */

/* Tells the family of a program that takes a picture, by what it returns. */

#include "engine/tasks/models/family-private.h"
#include "engine/tasks/models/plan-shapes.h"

/* The channels of a picture: red, green and blue. */
#define COLOURS 3
/* Numbers of a box. */
#define CORNERS 4

/* Whether @pixels is a picture of @channels planes; @sides: set to its height and width. */
static gboolean
is_picture (const PtTensorSpec *pixels, gint32 channels, const gint32 **sides)
{
  guint first;

  if (!pt_spec_is_real (pixels, 3) && !pt_spec_is_real (pixels, 4))
    return FALSE;
  first = pixels->rank - 3;
  *sides = pixels->sizes + first + 1;
  return (first == 0 || pixels->sizes[0] == 1) && pixels->sizes[first] == channels;
}

/* ---- vectors and classes ---- */

/* Whether the method scales its result to unit length, as embeddings are. */
static gboolean
makes_unit_length (const PtPlan *plan)
{
  if (pt_plan_calls (plan, "aten::linalg_vector_norm.out") ||
      pt_plan_calls (plan, "aten::norm.out") ||
      pt_plan_calls (plan, "aten::norm.ScalarOpt_dim_out"))
    return TRUE;
  return pt_plan_calls (plan, "aten::sum.IntList_out") &&
         (pt_plan_calls (plan, "aten::pow.Tensor_Scalar_out") ||
          pt_plan_calls (plan, "aten::sqrt.out") || pt_plan_calls (plan, "aten::rsqrt.out"));
}

/* Whether @out is a number for each class, or a vector. */
static gboolean
is_numbers (const PtTensorSpec *out)
{
  return (pt_spec_is_real (out, 1) && out->sizes[0] > 1) ||
         (pt_spec_is_real (out, 2) && out->sizes[0] == 1 && out->sizes[1] > 1);
}

static PtFamily
family_of_numbers (const PtProgram *program, const PtPlan *plan)
{
  static const PtFamilyHint HINTS[] = {
    { PT_FAMILY_IMAGE_EMBEDDING, PT_CAN_EMBED_IMAGE, "clip" },
    { PT_FAMILY_IMAGE_EMBEDDING, 0, "mobileclip" },
    { PT_FAMILY_IMAGE_EMBEDDING, 0, "siglip" },
    { PT_FAMILY_IMAGE_EMBEDDING, 0, "embedding" },
    { PT_FAMILY_CLASSIFIER, PT_CAN_CLASSIFY, "classification" },
    { PT_FAMILY_CLASSIFIER, 0, "classifier" },
  };
  PtFamily family;

  if (makes_unit_length (plan))
    return PT_FAMILY_IMAGE_EMBEDDING;
  family = pt_family_hint (program, HINTS, G_N_ELEMENTS (HINTS));
  return family != PT_FAMILY_UNKNOWN ? family : PT_FAMILY_CLASSIFIER;
}

/* ---- pictures ---- */

/* Whether a map is of text and affinity, and half as large as the picture. */
static gboolean
is_text_map (const gint32 *map, const gint32 *sides)
{
  return map[2] == 2 && map[0] == sides[0] / 2 && map[1] == sides[1] / 2;
}

/* Whether @out is a map. It may lack the batch only if the picture @pixels does. */
static gboolean
is_map (const PtPlan *plan, const PtTensorSpec *pixels, const PtTensorSpec *out)
{
  return (pt_spec_is_real (out, 4) && out->sizes[0] == 1) ||
         (pt_spec_is_real (out, 3) && pixels->rank == 3 && plan->n_outputs == 1);
}

static PtFamily
family_of_maps (const PtProgram *program, const PtPlan *plan, const gint32 *sides)
{
  static const PtFamilyHint HINTS[] = {
    { PT_FAMILY_STYLE, PT_CAN_STYLE, "style" },
    { PT_FAMILY_SEGMENTATION, PT_CAN_SEGMENT, "segmentation" },
    { PT_FAMILY_SEGMENTATION, 0, "seg" },
    { PT_FAMILY_SEGMENTATION, 0, "deeplab" },
  };
  const PtTensorSpec *out = pt_plan_output (plan, 0);
  const gint32 *map = out->sizes + out->rank - 3;
  PtFamily family;

  if (plan->n_outputs == 1 && is_text_map (map, sides))
    return PT_FAMILY_TEXT_DETECTOR;
  for (guint i = 1; i < plan->n_outputs; i++)
    if (!pt_spec_is_real (pt_plan_output (plan, i), 4))
      return PT_FAMILY_UNKNOWN;
  family = pt_family_hint (program, HINTS, G_N_ELEMENTS (HINTS));
  if (family != PT_FAMILY_UNKNOWN)
    return family;
  if (map[0] == COLOURS && map[1] >= sides[0] && map[2] >= sides[1])
    return PT_FAMILY_STYLE;
  /* Maps that are smaller are features of other models as well. */
  return map[1] == sides[0] && map[2] == sides[1] ? PT_FAMILY_SEGMENTATION : PT_FAMILY_UNKNOWN;
}

/* ---- boxes ---- */

/* The output of @plan with the corners of boxes, or NULL. */
static const PtTensorSpec *
find_boxes (const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_outputs; i++) {
    const PtTensorSpec *out = pt_plan_output (plan, i);

    if ((pt_spec_is_real (out, 2) || (pt_spec_is_real (out, 3) && out->sizes[0] == 1)) &&
        out->sizes[out->rank - 1] == CORNERS)
      return out;
  }
  return NULL;
}

static PtFamily
family_of_boxes (const PtPlan *plan)
{
  const PtTensorSpec *boxes = find_boxes (plan);
  PtFamily family = PT_FAMILY_DETECTOR;
  guint first;

  if (boxes == NULL)
    return PT_FAMILY_UNKNOWN;
  first = boxes->rank - 2;
  for (guint i = 0; i < plan->n_outputs; i++) {
    const PtTensorSpec *out = pt_plan_output (plan, i);
    guint rank = out != NULL ? (guint) out->rank : 0;

    if (rank <= first || out->sizes[first] != boxes->sizes[first])
      return PT_FAMILY_UNKNOWN;
    if (rank == first + 3 && out->sizes[rank - 1] > 3)
      family = PT_FAMILY_INSTANCES;
    else if (rank == first + 3 && family == PT_FAMILY_DETECTOR)
      family = PT_FAMILY_KEYPOINTS;
  }
  return family;
}

PtFamily
pt_family_of_pictures (const PtProgram *program, const PtPlan *plan)
{
  const PtTensorSpec *pixels = pt_plan_input (plan, 0), *out = pt_plan_output (plan, 0);
  const gint32 *sides;

  if (plan->n_inputs != 1 || plan->n_outputs == 0 || out == NULL)
    return PT_FAMILY_UNKNOWN;
  if (is_picture (pixels, 1, &sides))
    return plan->n_outputs == 1 && pt_spec_is_real (out, 3) && out->sizes[0] == 1
               ? PT_FAMILY_TEXT_RECOGNIZER
               : PT_FAMILY_UNKNOWN;
  if (!is_picture (pixels, COLOURS, &sides))
    return PT_FAMILY_UNKNOWN;
  if (plan->n_outputs == 1 && is_numbers (out))
    return family_of_numbers (program, plan);
  if (is_map (plan, pixels, out))
    return family_of_maps (program, plan, sides);
  return plan->n_outputs >= 2 ? family_of_boxes (plan) : PT_FAMILY_UNKNOWN;
}
