/* SPDX-License-Identifier: BSD-3-Clause */

/* Draws what was found into a picture: the window and the command line show the same. */

#include <math.h>
#include <string.h>

#include <pteris/vision.h>

/* Parts of 256 of the colour that a mask has. */
#define MASK_ALPHA 110
#define SOLID 256
/* The shorter side of a picture has this many widths of a line. */
#define WIDTHS 220

/* The bones of a person between COCO's keypoints. */
static const PtBone BONES[] = {
  { 0, 1 },  { 0, 2 },  { 1, 3 },  { 2, 4 },   { 5, 6 },   { 5, 7 },   { 7, 9 },   { 6, 8 },
  { 8, 10 }, { 5, 11 }, { 6, 12 }, { 11, 12 }, { 11, 13 }, { 13, 15 }, { 12, 14 }, { 14, 16 },
};
#define N_PERSON_POINTS 17

guint32
pt_look_colour (guint index)
{
  /* Okabe and Ito's, which people with any kind of colour vision can tell apart. */
  static const guint32 COLOURS[] = { 0xe69f00, 0x0072b2, 0x009e73, 0xcc79a7,
                                     0x56b4e9, 0xd55e00, 0xf0e442 };

  return COLOURS[index % G_N_ELEMENTS (COLOURS)];
}

/* ---- pixels ---- */

static void
blend (PtImage *image, gsize at, guint32 colour, guint alpha)
{
  guint8 *pixel = image->pixels + 3 * at;

  for (guint c = 0; c < 3; c++) {
    guint value = (colour >> (16 - 8 * c)) & 0xff;

    pixel[c] = (guint8) ((pixel[c] * (SOLID - alpha) + value * alpha) / SOLID);
  }
}

/* Fills the part of a rectangle that is in the picture. */
static void
fill (PtImage *image, double x1, double y1, double x2, double y2, guint32 colour)
{
  guint left = (guint) CLAMP (rint (x1), 0, image->width);
  guint top = (guint) CLAMP (rint (y1), 0, image->height);
  guint right = (guint) CLAMP (rint (x2), left, image->width);
  guint bottom = (guint) CLAMP (rint (y2), top, image->height);

  for (guint y = top; y < bottom; y++)
    for (guint x = left; x < right; x++)
      blend (image, (gsize) y * image->width + x, colour, SOLID);
}

static double
line_width (const PtImage *image)
{
  return MAX (2, rint (MIN (image->width, image->height) / (double) WIDTHS));
}

static void
draw_box (PtImage *image, double x1, double y1, double x2, double y2, guint32 colour)
{
  double width = line_width (image), half = width / 2;

  /* A side outside of the picture is drawn at its edge. */
  x1 = CLAMP (x1, half, image->width - half);
  x2 = CLAMP (x2, half, image->width - half);
  y1 = CLAMP (y1, half, image->height - half);
  y2 = CLAMP (y2, half, image->height - half);
  fill (image, x1 - half, y1 - half, x2 + half, y1 + half, colour);
  fill (image, x1 - half, y2 - half, x2 + half, y2 + half, colour);
  fill (image, x1 - half, y1 - half, x1 + half, y2 + half, colour);
  fill (image, x2 - half, y1 - half, x2 + half, y2 + half, colour);
}

/* Cuts the line from @from to @to, along one axis, to [low, high]. FALSE: nothing of it is there.
 */
static gboolean
cut_line (double from, double to, double low, double high, double *begin, double *end)
{
  double a, b;

  if (from == to)
    return from >= low && from <= high;
  a = (low - from) / (to - from);
  b = (high - from) / (to - from);
  *begin = MAX (*begin, MIN (a, b));
  *end = MIN (*end, MAX (a, b));
  return *begin <= *end;
}

static void
draw_line (PtImage *image, double x1, double y1, double x2, double y2, guint32 colour)
{
  double width = line_width (image), half = width / 2, begin = 0, end = 1, steps;

  if (!cut_line (x1, x2, -width, image->width + width, &begin, &end) ||
      !cut_line (y1, y2, -width, image->height + width, &begin, &end))
    return;
  steps = ceil (MAX (fabs (x2 - x1), fabs (y2 - y1)) * (end - begin)) + 1;
  for (double i = 0; i <= steps; i++) {
    double at = begin + (end - begin) * i / steps;
    double x = x1 + (x2 - x1) * at, y = y1 + (y2 - y1) * at;

    fill (image, x - half, y - half, x + half, y + half, colour);
  }
}

static void
draw_dot (PtImage *image, double x, double y, guint32 colour)
{
  double radius = line_width (image) * 1.5;

  for (double dy = -radius; dy <= radius; dy++) {
    double dx = sqrt (MAX (radius * radius - dy * dy, 0));

    fill (image, x - dx, y + dy - 0.5, x + dx, y + dy + 0.5, colour);
  }
}

/* ---- findings ---- */

static void
paint_mask (PtImage *image, const PtMask *mask, guint32 colour)
{
  gsize at = 0, n = (gsize) mask->width * mask->height;

  for (guint i = 0; i < mask->n_runs; i++) {
    gsize end = MIN (at + mask->runs[i], n);

    for (; at < end; at++)
      if (i % 2 == 1)
        blend (image,
               (gsize) (mask->y + at / mask->width) * image->width + mask->x + at % mask->width,
               colour, MASK_ALPHA);
  }
}

const PtBone *
pt_look_bones (const PtObject *object, guint *n)
{
  *n = object->n_points == N_PERSON_POINTS ? G_N_ELEMENTS (BONES) : 0;
  return BONES;
}

static void
paint_points (PtImage *image, const PtObject *object, guint32 colour)
{
  const PtKeypoint *points = object->points;
  guint n_bones;
  const PtBone *bones = pt_look_bones (object, &n_bones);

  for (guint i = 0; i < n_bones; i++) {
    const PtKeypoint *a = &points[bones[i].from], *b = &points[bones[i].to];

    if (a->is_found && b->is_found)
      draw_line (image, a->x, a->y, b->x, b->y, colour);
  }
  for (guint i = 0; i < object->n_points; i++)
    if (points[i].is_found)
      draw_dot (image, points[i].x, points[i].y, colour);
}

static void
paint_objects (const PtLookPicture *picture, PtImage *image)
{
  for (guint i = picture->n_objects; i > 0; i--) {
    const PtObject *object = &picture->objects[i - 1];
    guint32 colour = pt_look_colour (i - 1);

    paint_mask (image, &object->mask, colour);
    draw_box (image, object->x1, object->y1, object->x2, object->y2, colour);
    paint_points (image, object, colour);
  }
}

/* Class 0 is the background. */
static void
paint_segments (const PtLookPicture *picture, PtImage *image)
{
  gsize n = (gsize) picture->width * picture->height;

  for (gsize i = 0; picture->segments != NULL && i < n; i++)
    if (picture->segments[i] != 0)
      blend (image, i, pt_look_colour (picture->segments[i] - 1u), MASK_ALPHA);
}

static void
paint_lines (const PtLookPicture *picture, PtImage *image)
{
  for (guint i = 0; i < picture->n_lines; i++) {
    const PtTextLine *line = &picture->lines[i];

    for (guint k = 0; k < 4; k++)
      draw_line (image, line->x[k], line->y[k], line->x[(k + 1) % 4], line->y[(k + 1) % 4],
                 pt_look_colour (i));
  }
}

gboolean
pt_look_picture_paint (const PtLookPicture *picture, PtImage *image)
{
  if (picture->width != image->width || picture->height != image->height)
    return FALSE;
  if (picture->styled != NULL)
    memcpy (image->pixels, picture->styled, (gsize) 3 * image->width * image->height);
  paint_segments (picture, image);
  paint_objects (picture, image);
  paint_lines (picture, image);
  return TRUE;
}
