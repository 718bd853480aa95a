/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/picture-draw.h"

#include <math.h>

#include "ui/pictures/finding.h"

/* In pixels of the widget, at every zoom. */
#define LINE 2.0
#define WIDE_LINE 3.0
#define HALO 1.0
#define DOT 4.0
#define PADDING 3.0
/* Of what does not stand out while something does. */
#define DIM 0.35

static const GdkRGBA DARK = { 0, 0, 0, 0.55f };

static GdkRGBA
colour_of (guint i)
{
  guint32 colour = pt_look_colour (i);

  return (GdkRGBA){ (float) ((colour >> 16) & 0xff) / 255, (float) ((colour >> 8) & 0xff) / 255,
                    (float) (colour & 0xff) / 255, 1 };
}

/* Black or white, which is read more easily on @colour. */
static GdkRGBA
text_colour_on (const GdkRGBA *colour)
{
  double luminance = 0.2126 * pow (colour->red, 2.2) + 0.7152 * pow (colour->green, 2.2) +
                     0.0722 * pow (colour->blue, 2.2);

  return luminance > 0.179 ? (GdkRGBA){ 0, 0, 0, 1 } : (GdkRGBA){ 1, 1, 1, 1 };
}

/* ---- shapes ---- */

static void
draw_frame (GtkSnapshot *snapshot, const graphene_rect_t *box, double width, const GdkRGBA *colour)
{
  float w = (float) width;
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline, box, 0);
  gtk_snapshot_append_border (snapshot, &outline, (float[]){ w, w, w, w },
                              (GdkRGBA[]){ *colour, *colour, *colour, *colour });
}

/* A box with a dark line on both sides, so that it is seen on every picture. */
static void
draw_box (GtkSnapshot *snapshot, const graphene_rect_t *box, double width, const GdkRGBA *colour)
{
  graphene_rect_t outer = *box;

  graphene_rect_inset (&outer, (float) (-width / 2 - HALO), (float) (-width / 2 - HALO));
  draw_frame (snapshot, &outer, width + 2 * HALO, &DARK);
  graphene_rect_inset (&outer, (float) HALO, (float) HALO);
  draw_frame (snapshot, &outer, width, colour);
}

static void
draw_bar (GtkSnapshot *snapshot, double length, double width, const GdkRGBA *colour)
{
  gtk_snapshot_append_color (snapshot, colour,
                             &GRAPHENE_RECT_INIT ((float) (-width / 2), (float) (-width / 2),
                                                  (float) (length + width), (float) width));
}

static void
draw_line (GtkSnapshot *snapshot, double x1, double y1, double x2, double y2, double width,
           const GdkRGBA *colour)
{
  double length = hypot (x2 - x1, y2 - y1);

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x1, (float) y1));
  gtk_snapshot_rotate (snapshot, (float) (atan2 (y2 - y1, x2 - x1) * 180 / G_PI));
  draw_bar (snapshot, length, width + 2 * HALO, &DARK);
  draw_bar (snapshot, length, width, colour);
  gtk_snapshot_restore (snapshot);
}

static void
draw_disc (GtkSnapshot *snapshot, double x, double y, double radius, const GdkRGBA *colour)
{
  graphene_rect_t box = GRAPHENE_RECT_INIT ((float) (x - radius), (float) (y - radius),
                                            (float) (2 * radius), (float) (2 * radius));
  GskRoundedRect circle;

  gsk_rounded_rect_init_from_rect (&circle, &box, (float) radius);
  gtk_snapshot_push_rounded_clip (snapshot, &circle);
  gtk_snapshot_append_color (snapshot, colour, &box);
  gtk_snapshot_pop (snapshot);
}

static void
draw_dot (GtkSnapshot *snapshot, double x, double y, const GdkRGBA *colour)
{
  draw_disc (snapshot, x, y, DOT + HALO, &DARK);
  draw_disc (snapshot, x, y, DOT, colour);
}

/* A label above (@x, @y), or below it where there is no room above. */
static void
draw_label (GtkSnapshot *snapshot, const PterisDrawing *drawing, double x, double y,
            const GdkRGBA *colour, guint i)
{
  g_autoptr (PterisFinding) finding = pteris_finding_new (drawing->picture, drawing->kind, i);
  g_autofree char *text = g_strdup_printf ("%s %s", pteris_finding_get_name (finding),
                                           pteris_finding_get_value (finding));
  GdkRGBA black_or_white = text_colour_on (colour);
  double right = drawing->picture->width * drawing->scale;
  int width, height;

  pango_layout_set_text (drawing->text, text, -1);
  pango_layout_get_pixel_size (drawing->text, &width, &height);
  x = MAX (0, MIN (x, right - width - 2 * PADDING));
  y = y >= height ? y - height : y;
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_color (
      snapshot, colour, &GRAPHENE_RECT_INIT (0, 0, (float) (width + 2 * PADDING), (float) height));
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) PADDING, 0));
  gtk_snapshot_append_layout (snapshot, drawing->text, &black_or_white);
  gtk_snapshot_restore (snapshot);
}

/* ---- findings ---- */

static void
draw_texture (GtkSnapshot *snapshot, GdkTexture *texture, const graphene_rect_t *rect, double scale)
{
  graphene_rect_t place;

  if (texture == NULL)
    return;
  graphene_rect_scale (rect, (float) scale, (float) scale, &place);
  gtk_snapshot_append_texture (snapshot, texture, &place);
}

static void
draw_points (GtkSnapshot *snapshot, const PtObject *object, double scale, double width,
             const GdkRGBA *colour)
{
  const PtKeypoint *points = object->points;
  guint n_bones;
  const PtBone *bones = pt_look_bones (object, &n_bones);

  for (guint i = 0; i < n_bones; i++) {
    const PtKeypoint *a = &points[bones[i].from], *b = &points[bones[i].to];

    if (a->is_found && b->is_found)
      draw_line (snapshot, a->x * scale, a->y * scale, b->x * scale, b->y * scale, width, colour);
  }
  for (guint i = 0; i < object->n_points; i++)
    if (points[i].is_found)
      draw_dot (snapshot, points[i].x * scale, points[i].y * scale, colour);
}

/* Cut to the picture, beyond which it may reach. */
static graphene_rect_t
box_of (const PtLookPicture *picture, const PtObject *object, double scale)
{
  double x1 = CLAMP (object->x1, 0, picture->width), x2 = CLAMP (object->x2, 0, picture->width);
  double y1 = CLAMP (object->y1, 0, picture->height), y2 = CLAMP (object->y2, 0, picture->height);

  return GRAPHENE_RECT_INIT ((float) (x1 * scale), (float) (y1 * scale),
                             (float) ((x2 - x1) * scale), (float) ((y2 - y1) * scale));
}

static void
draw_object (GtkSnapshot *snapshot, const PterisDrawing *drawing, guint i, gboolean stands_out)
{
  const PtObject *object = &drawing->picture->objects[i];
  graphene_rect_t box = box_of (drawing->picture, object, drawing->scale), rect;
  GdkTexture *mask = pteris_masks_get_object (drawing->masks, i, &rect);
  double width = stands_out ? WIDE_LINE : LINE;
  GdkRGBA colour = colour_of (i);

  draw_texture (snapshot, mask, &rect, drawing->scale);
  draw_box (snapshot, &box, width, &colour);
  draw_points (snapshot, object, drawing->scale, width, &colour);
  draw_label (snapshot, drawing, box.origin.x - width / 2 - HALO, box.origin.y - width / 2, &colour,
              i);
}

static void
draw_writing (GtkSnapshot *snapshot, const PterisDrawing *drawing, guint i, gboolean stands_out)
{
  const PtTextLine *line = &drawing->picture->lines[i];
  double scale = drawing->scale, width = stands_out ? WIDE_LINE : LINE;
  GdkRGBA colour = colour_of (i);

  for (guint k = 0; k < 4; k++)
    draw_line (snapshot, line->x[k] * scale, line->y[k] * scale, line->x[(k + 1) % 4] * scale,
               line->y[(k + 1) % 4] * scale, width, &colour);
  /* The text is in the picture already. */
  if (stands_out)
    draw_label (snapshot, drawing, line->x[0] * scale, line->y[0] * scale, &colour, i);
}

static void
draw_segments (GtkSnapshot *snapshot, const PterisDrawing *drawing)
{
  const PtLookPicture *picture = drawing->picture;
  graphene_rect_t all = GRAPHENE_RECT_INIT (0, 0, (float) picture->width, (float) picture->height);
  gboolean one = drawing->highlight >= 0 && (guint) drawing->highlight < picture->n_regions;

  draw_texture (
      snapshot,
      one ? pteris_masks_get_class (drawing->masks, picture->regions[drawing->highlight].index)
          : pteris_masks_get_segments (drawing->masks),
      &all, drawing->scale);
}

/* The first are drawn last: they have the highest scores. */
static void
draw_each (GtkSnapshot *snapshot, const PterisDrawing *drawing,
           void (*draw) (GtkSnapshot *snapshot, const PterisDrawing *drawing, guint i,
                         gboolean stands_out))
{
  gboolean one = drawing->highlight >= 0 && (guint) drawing->highlight < drawing->n;

  if (one)
    gtk_snapshot_push_opacity (snapshot, DIM);
  for (guint i = drawing->n; i > 0; i--)
    if (!one || i - 1 != (guint) drawing->highlight)
      draw (snapshot, drawing, i - 1, FALSE);
  if (one) {
    gtk_snapshot_pop (snapshot);
    draw (snapshot, drawing, (guint) drawing->highlight, TRUE);
  }
}

void
pteris_draw_findings (GtkSnapshot *snapshot, const PterisDrawing *drawing)
{
  switch (drawing->kind) {
  case PT_LOOK_OBJECTS:
  case PT_LOOK_POSES:
  case PT_LOOK_INSTANCES: draw_each (snapshot, drawing, draw_object); break;
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: draw_segments (snapshot, drawing); break;
  case PT_LOOK_WRITING: draw_each (snapshot, drawing, draw_writing); break;
  case PT_LOOK_CLASSES:
  case PT_LOOK_STYLE:
  case PT_LOOK_EMBEDDING:
  case PT_N_LOOK_KINDS: break;
  }
}

/* ---- what is where ---- */

static int
find_object (const PtLookPicture *picture, guint n, double x, double y)
{
  double least = INFINITY;
  int found = -1;

  for (guint i = 0; i < n; i++) {
    const PtObject *object = &picture->objects[i];
    double area = (object->x2 - object->x1) * (object->y2 - object->y1);

    if (x >= object->x1 && x <= object->x2 && y >= object->y1 && y <= object->y2 && area < least) {
      least = area;
      found = (int) i;
    }
  }
  return found;
}

/* The corners are clockwise: inside, the point is on the same side of all four lines. */
static gboolean
holds (const PtTextLine *line, double x, double y)
{
  for (guint k = 0; k < 4; k++) {
    guint next = (k + 1) % 4;

    if ((line->x[next] - line->x[k]) * (y - line->y[k]) <
        (line->y[next] - line->y[k]) * (x - line->x[k]))
      return FALSE;
  }
  return TRUE;
}

static int
find_line (const PtLookPicture *picture, guint n, double x, double y)
{
  for (guint i = 0; i < n; i++)
    if (holds (&picture->lines[i], x, y))
      return (int) i;
  return -1;
}

static int
find_region (const PtLookPicture *picture, guint n, double x, double y)
{
  guint8 index;

  if (picture->segments == NULL || x < 0 || y < 0 || x >= picture->width || y >= picture->height)
    return -1;
  index = picture->segments[(gsize) y * picture->width + (gsize) x];
  for (guint i = 0; i < n && index != 0; i++)
    if (picture->regions[i].index == index)
      return (int) i;
  return -1;
}

int
pteris_find_at (const PtLookPicture *picture, PtLookKind kind, guint n, double x, double y)
{
  switch (kind) {
  case PT_LOOK_OBJECTS:
  case PT_LOOK_POSES:
  case PT_LOOK_INSTANCES: return find_object (picture, n, x, y);
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: return find_region (picture, n, x, y);
  case PT_LOOK_WRITING: return find_line (picture, n, x, y);
  default: return -1;
  }
}
