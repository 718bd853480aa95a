/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/text-boxes.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

/* Of the maps. */
#define MIN_TEXT 0.4f
#define MIN_LINK 0.4f
#define MIN_PEAK 0.7f
#define MIN_AREA 10
/* More parts are noise. */
#define MAX_BOXES 4096

/* Of lines, as parts of a height or in pixels of the page. */
#define MAX_OFF_LINE 0.5
#define MAX_DISTANCE 2.0
#define MAX_HEIGHT_DIFFERENCE 2.0
#define MAX_LENGTH 588
#define MIN_SHORT_SIDE 15
#define MIN_LONG_SIDE 30
#define SAME_ROW 0.5

/* ---- parts of the map ---- */

/* A connected part. */
typedef struct {
  guint left, top, right, bottom; /* the last two are outside */
  guint area;
  float peak;
} Part;

/* Which points have been seen, and those whose neighbours have not. */
typedef struct {
  const float *map;
  guint width, height;
  guint8 *state; /* 0: background or seen, 1: text, 2: of the current part */
  guint *stack;
} Search;

static void
push (Search *self, guint *n, guint x, guint y)
{
  guint at = y * self->width + x;

  if (self->state[at] != 1)
    return;
  self->state[at] = 2;
  self->stack[(*n)++] = at;
}

/* Marks the part that point @at belongs to; four neighbours are connected. */
static Part
trace (Search *self, guint at)
{
  Part part = { self->width, self->height, 0, 0, 0, -1 };
  guint n = 0;

  push (self, &n, at % self->width, at / self->width);
  while (n > 0) {
    guint point = self->stack[--n], x = point % self->width, y = point / self->width;

    part.area++;
    part.peak = MAX (part.peak, self->map[2 * (gsize) point]);
    part.left = MIN (part.left, x);
    part.top = MIN (part.top, y);
    part.right = MAX (part.right, x + 1);
    part.bottom = MAX (part.bottom, y + 1);
    if (x > 0)
      push (self, &n, x - 1, y);
    if (x + 1 < self->width)
      push (self, &n, x + 1, y);
    if (y > 0)
      push (self, &n, x, y - 1);
    if (y + 1 < self->height)
      push (self, &n, x, y + 1);
  }
  return part;
}

/* ---- the smallest rectangle around a part ---- */

typedef struct {
  double x, y;
} Point;

/* The first and last points of each row of the current part, which is grown to all sides, by a
 * square of @size whose centre is at @size / 2. */
static void
collect_points (const Search *self, const Part *part, guint size, GArray *points)
{
  int before = (int) size / 2, behind = (int) size - 1 - before;

  for (guint y = part->top; y < part->bottom; y++) {
    const guint8 *row = self->state + (gsize) y * self->width;
    guint first = part->left, last = part->right;

    while (first < last && row[first] != 2)
      first++;
    while (last > first && row[last - 1] != 2)
      last--;
    for (guint i = 0; first < last && i < 4; i++) {
      int x = i % 2 == 0 ? (int) first - behind : (int) last - 1 + before;
      int to_y = i < 2 ? (int) y - behind : (int) y + before;
      Point point = { CLAMP (x, 0, (int) self->width - 1),
                      CLAMP (to_y, 0, (int) self->height - 1) };

      g_array_append_val (points, point);
    }
  }
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;

  if (p->x < q->x || p->x > q->x)
    return p->x < q->x ? -1 : 1;
  return p->y < q->y ? -1 : p->y > q->y;
}

/* Above 0: @c lies to the left of the line from @a to @b. */
static double
side (const Point *a, const Point *b, const Point *c)
{
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* The corners of the convex hull of sorted @points, by Andrew's monotone chain. */
static GArray *
find_hull (const GArray *points)
{
  GArray *hull = g_array_new (FALSE, FALSE, sizeof (Point));

  for (guint pass = 0; pass < 2; pass++) {
    guint begin = hull->len;

    for (guint i = 0; i < points->len; i++) {
      Point point = g_array_index (points, Point, pass == 0 ? i : points->len - 1 - i);

      while (hull->len >= begin + 2 &&
             side (&g_array_index (hull, Point, hull->len - 2),
                   &g_array_index (hull, Point, hull->len - 1), &point) <= 0)
        g_array_set_size (hull, hull->len - 1);
      g_array_append_val (hull, point);
    }
    /* The last point begins the other half. */
    g_array_set_size (hull, MAX (hull->len, 1) - 1);
  }
  return hull;
}

/* The rectangle around @hull that has a side along (@x, @y) of length 1: its corners in @box as an
 * upright box. Returns its area. */
static double
enclose (const GArray *hull, double x, double y, PtTextBox *box)
{
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };

  for (guint i = 0; i < hull->len; i++) {
    const Point *point = &g_array_index (hull, Point, i);
    double at[2] = { point->x * x + point->y * y, point->y * x - point->x * y };

    for (guint k = 0; k < 2; k++) {
      low[k] = MIN (low[k], at[k]);
      high[k] = MAX (high[k], at[k]);
    }
  }
  *box = (PtTextBox){ INFINITY, INFINITY, -INFINITY, -INFINITY, FALSE };
  for (guint corner = 0; corner < 4; corner++) {
    double along = corner % 2 == 0 ? low[0] : high[0], across = corner < 2 ? low[1] : high[1];
    double corner_x = along * x - across * y, corner_y = along * y + across * x;

    box->x1 = MIN (box->x1, corner_x);
    box->x2 = MAX (box->x2, corner_x);
    box->y1 = MIN (box->y1, corner_y);
    box->y2 = MAX (box->y2, corner_y);
  }
  return (high[0] - low[0]) * (high[1] - low[1]);
}

/* The box around the smallest rectangle, of any direction, that has all points of the part. */
static PtTextBox
box_of (const Search *self, const Part *part)
{
  guint longer = MAX (part->right - part->left, part->bottom - part->top);
  guint size = 1 + (guint) (sqrt ((double) part->area / longer) * 2);
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_autoptr (GArray) hull = NULL;
  PtTextBox best;
  double least;

  collect_points (self, part, size, points);
  g_array_sort (points, compare_points);
  hull = find_hull (points);
  least = enclose (hull, 1, 0, &best);
  for (guint i = 0; i < hull->len; i++) {
    const Point *a = &g_array_index (hull, Point, i);
    const Point *b = &g_array_index (hull, Point, (i + 1) % hull->len);
    double length = hypot (b->x - a->x, b->y - a->y), area;
    PtTextBox box;

    if (!(length > 0))
      continue;
    area = enclose (hull, (b->x - a->x) / length, (b->y - a->y) / length, &box);
    if (area < least - 1e-6) {
      least = area;
      best = box;
    }
  }
  return best;
}

static void
forget_part (Search *self, const Part *part)
{
  for (guint y = part->top; y < part->bottom; y++)
    for (guint x = part->left; x < part->right; x++)
      if (self->state[(gsize) y * self->width + x] == 2)
        self->state[(gsize) y * self->width + x] = 0;
}

static gboolean
mark_text (Search *self, GError **error)
{
  for (gsize i = 0; i < (gsize) self->width * self->height; i++) {
    float text = self->map[2 * i], link = self->map[2 * i + 1];

    if (isnan (text) || isnan (link))
      return pt_fail (error, PT_ERROR_INTERNAL,
                      "The model's output contains invalid numbers (NaN): its files are damaged. "
                      "Download or export it again.");
    self->state[i] = text > MIN_TEXT || link > MIN_LINK;
  }
  return TRUE;
}

GArray *
pt_text_boxes_find (const float *map, guint width, guint height, GError **error)
{
  guint n = width * height;
  g_autofree guint8 *state = pt_allocate (n, 1, error);
  g_autofree guint *stack = state != NULL ? pt_allocate (n, sizeof (guint), error) : NULL;
  Search search = { map, width, height, state, stack };
  GArray *boxes;

  if (stack == NULL || !mark_text (&search, error))
    return NULL;
  boxes = g_array_new (FALSE, FALSE, sizeof (PtTextBox));
  for (guint at = 0; at < n && boxes->len < MAX_BOXES; at++) {
    Part part;

    if (state[at] != 1)
      continue;
    part = trace (&search, at);
    if (part.area >= MIN_AREA && part.peak >= MIN_PEAK) {
      PtTextBox box = box_of (&search, &part);

      g_array_append_val (boxes, box);
    }
    forget_part (&search, &part);
  }
  return boxes;
}

/* ---- lines ---- */

static double
short_side (const PtTextBox *box)
{
  return MIN (box->x2 - box->x1, box->y2 - box->y1);
}

static double
long_side (const PtTextBox *box)
{
  return MAX (box->x2 - box->x1, box->y2 - box->y1);
}

static int
compare_lengths (gconstpointer a, gconstpointer b)
{
  double x = long_side (a), y = long_side (b);

  return x > y ? -1 : x < y;
}

static double
center_x (const PtTextBox *box)
{
  return (box->x1 + box->x2) / 2;
}

static double
center_y (const PtTextBox *box)
{
  return (box->y1 + box->y2) / 2;
}

/* The least distance of a corner of @a from one of @b. */
static double
corner_distance (const PtTextBox *a, const PtTextBox *b)
{
  double x = MIN (MIN (fabs (a->x1 - b->x1), fabs (a->x1 - b->x2)),
                  MIN (fabs (a->x2 - b->x1), fabs (a->x2 - b->x2)));
  double y = MIN (MIN (fabs (a->y1 - b->y1), fabs (a->y1 - b->y2)),
                  MIN (fabs (a->y2 - b->y1), fabs (a->y2 - b->y2)));

  return hypot (x, y);
}

static gboolean
stands (const PtTextBox *box)
{
  return box->y2 - box->y1 > box->x2 - box->x1;
}

/* The box in @boxes whose centre is nearest to that of @line, and on it; -1: none. @passed: boxes
 * that are left out. */
static int
find_next (const GArray *boxes, const gboolean *passed, const PtTextBox *line)
{
  double nearest = INFINITY;
  int found = -1;

  for (guint i = 0; i < boxes->len; i++) {
    const PtTextBox *box = &g_array_index (boxes, PtTextBox, i);
    double x = center_x (box) - center_x (line), y = center_y (box) - center_y (line);
    double off = fabs (stands (line) ? x : y), distance = hypot (x, y);

    if (passed[i] || distance >= nearest || off >= short_side (box) * MAX_OFF_LINE)
      continue;
    nearest = distance;
    found = (int) i;
  }
  return found;
}

/* Takes from @boxes what continues @line, and makes it longer. */
static void
extend (PtTextBox *line, GArray *boxes)
{
  g_autofree gboolean *passed = g_new0 (gboolean, boxes->len + 1);
  int next;

  while (long_side (line) <= MAX_LENGTH && (next = find_next (boxes, passed, line)) >= 0) {
    PtTextBox box = g_array_index (boxes, PtTextBox, next);
    double height = short_side (&box);

    if (corner_distance (&box, line) >= MAX_DISTANCE * height ||
        fabs (short_side (line) - height) >= MAX_HEIGHT_DIFFERENCE * height) {
      passed[next] = TRUE;
      continue;
    }
    line->x1 = MIN (line->x1, box.x1);
    line->y1 = MIN (line->y1, box.y1);
    line->x2 = MAX (line->x2, box.x2);
    line->y2 = MAX (line->y2, box.y2);
    g_array_remove_index (boxes, (guint) next);
    memset (passed, 0, boxes->len * sizeof (gboolean));
  }
}

static int
compare_tops (gconstpointer a, gconstpointer b)
{
  double x = ((const PtTextBox *) a)->y1, y = ((const PtTextBox *) b)->y1;

  return x < y ? -1 : x > y;
}

static int
compare_lefts (gconstpointer a, gconstpointer b)
{
  double x = ((const PtTextBox *) a)->x1, y = ((const PtTextBox *) b)->x1;

  return x < y ? -1 : x > y;
}

/* Sorts @lines by rows from the top, and each row from the left. */
static void
sort_lines (GArray *lines)
{
  double height = 0;

  for (guint i = 0; i < lines->len; i++)
    height += short_side (&g_array_index (lines, PtTextBox, i)) / lines->len;
  g_array_sort (lines, compare_tops);
  for (guint begin = 0, end; begin < lines->len; begin = end) {
    double top = g_array_index (lines, PtTextBox, begin).y1;

    for (end = begin + 1; end < lines->len; end++)
      if (g_array_index (lines, PtTextBox, end).y1 - top > SAME_ROW * height)
        break;
    qsort (&g_array_index (lines, PtTextBox, begin), end - begin, sizeof (PtTextBox),
           compare_lefts);
  }
}

void
pt_text_boxes_join (GArray *boxes)
{
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (PtTextBox));

  g_array_sort (boxes, compare_lengths);
  while (boxes->len > 0) {
    PtTextBox line = g_array_index (boxes, PtTextBox, 0);

    g_array_remove_index (boxes, 0);
    extend (&line, boxes);
    line.stands = stands (&line);
    if (short_side (&line) > MIN_SHORT_SIDE && long_side (&line) > MIN_LONG_SIDE)
      g_array_append_val (lines, line);
  }
  sort_lines (lines);
  g_array_append_vals (boxes, lines->data, lines->len);
}
