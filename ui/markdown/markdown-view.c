/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/markdown-view.h"

#include "ui/markdown/code-block.h"
#include "ui/markdown/markdown.h"
#include "ui/markdown/markup-label.h"
#include "ui/markdown/table-view.h"
#include "ui/parts/text-width.h"
#include "ui/i18n.h"

/* Pixels: the indent of a list or quote, the part of it for the item's marker, and the line of a
   quote. */
#define LIST_INDENT 28
#define MARKER_WIDTH 20
#define QUOTE_INDENT 15
#define QUOTE_LINE 3

#define SPACING 10
#define MIN_WIDTH 120
#define NATURAL_WIDTH 640

#define NARROWEST_CHARS 12

/* Bytes: a longer text is shown in parts, since the layout of a megabyte takes seconds. */
#define PART_BYTES 65536

/* One block on the screen. */
typedef struct {
  PterisBlockKind kind;
  guint level, depth, quotes;
  GtkWidget *widget; /* widget of the contents; not owned */
  GtkWidget *marker; /* of an item, or NULL */
} Shown;

struct _PterisMarkdownView {
  GtkWidget parent_instance;

  GString *text;
  gboolean partial;
  GArray *shown; /* of Shown */
  gsize cut;     /* text before this offset does not change any more: */
  guint n_kept;  /* so many blocks */
  guint tick;
  gsize reach; /* bytes of the text that may be shown */
  GtkWidget *more;
};

G_DEFINE_FINAL_TYPE (PterisMarkdownView, pteris_markdown_view, GTK_TYPE_WIDGET)

/* ---- blocks ---- */

static GtkWidget *
make_text (void)
{
  GtkWidget *label = pteris_markup_label_new ();

  /* Otherwise the label would break at every word to measure its minimum width. */
  gtk_label_set_width_chars (GTK_LABEL (label), NARROWEST_CHARS);
  return label;
}

static GtkWidget *
make_widget (const PterisBlock *block)
{
  static const char *const HEADINGS[] = { "h1", "h1", "h2", "h3", "h3", "h3", "h3" };
  GtkWidget *label;

  switch (block->kind) {
  case PTERIS_BLOCK_CODE: return GTK_WIDGET (pteris_code_block_new ());
  case PTERIS_BLOCK_TABLE: return GTK_WIDGET (pteris_table_view_new ());
  case PTERIS_BLOCK_RULE: return gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);
  case PTERIS_BLOCK_HEADING:
    label = make_text ();
    gtk_widget_add_css_class (label, HEADINGS[MIN (block->level, 6)]);
    return label;
  default: return make_text ();
  }
}

static GtkWidget *
make_marker (void)
{
  GtkWidget *marker = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (marker), 1);
  gtk_label_set_yalign (GTK_LABEL (marker), 0);
  gtk_widget_add_css_class (marker, "dim-label");
  gtk_widget_add_css_class (marker, "numeric");
  gtk_widget_add_css_class (marker, "item");
  return marker;
}

static Shown
make_block (PterisMarkdownView *self, const PterisBlock *block)
{
  Shown shown = {
    .kind = block->kind,
    .level = block->level,
    .depth = block->depth,
    .quotes = block->quotes,
    .widget = make_widget (block),
  };

  if (block->marker != NULL) {
    shown.marker = make_marker ();
    gtk_widget_set_parent (shown.marker, GTK_WIDGET (self));
    gtk_widget_add_css_class (shown.widget, "item");
  }
  if (block->quotes > 0)
    gtk_widget_add_css_class (shown.widget, "quote");
  gtk_widget_set_parent (shown.widget, GTK_WIDGET (self));
  return shown;
}

static void
fill_block (const Shown *shown, const PterisBlock *block)
{
  if (shown->marker != NULL)
    gtk_label_set_text (GTK_LABEL (shown->marker), block->marker);
  if (block->kind == PTERIS_BLOCK_CODE)
    pteris_code_block_set (PTERIS_CODE_BLOCK (shown->widget), block->language, block->text);
  else if (block->kind == PTERIS_BLOCK_TABLE)
    pteris_table_view_set (PTERIS_TABLE_VIEW (shown->widget), block);
  else if (block->kind != PTERIS_BLOCK_RULE)
    pteris_markup_label_set (GTK_LABEL (shown->widget), block->text);
}

static void
drop_from (PterisMarkdownView *self, guint first)
{
  for (guint i = first; i < self->shown->len; i++) {
    Shown *shown = &g_array_index (self->shown, Shown, i);

    gtk_widget_unparent (shown->widget);
    g_clear_pointer (&shown->marker, gtk_widget_unparent);
  }
  if (first < self->shown->len)
    g_array_set_size (self->shown, first);
}

static gboolean
fits (const Shown *shown, const PterisBlock *block)
{
  return shown->kind == block->kind && shown->level == block->level &&
         shown->depth == block->depth && shown->quotes == block->quotes &&
         (shown->marker != NULL) == (block->marker != NULL);
}

static void
show_block (PterisMarkdownView *self, guint i, const PterisBlock *block)
{
  if (i < self->shown->len && !fits (&g_array_index (self->shown, Shown, i), block))
    drop_from (self, i);
  if (i == self->shown->len) {
    Shown made = make_block (self, block);

    g_array_append_val (self->shown, made);
  }
  fill_block (&g_array_index (self->shown, Shown, i), block);
}

/* ---- growing text ---- */

/* Moves the offset behind the blocks that cannot change any more. */
static void
move_cut (PterisMarkdownView *self, GPtrArray *blocks)
{
  for (guint i = blocks->len; i-- > 1;) {
    const PterisBlock *block = blocks->pdata[i];

    if (block->start == PTERIS_NO_START)
      continue;
    self->cut += block->start;
    self->n_kept += i;
    return;
  }
}

/* The end of the shown text, after a line or a word if there is one near. */
static gsize
shown_end (PterisMarkdownView *self)
{
  const char *text = self->text->str, *last = text + self->reach;
  const char *earliest = last - PART_BYTES / 4;

  if (self->text->len <= self->reach)
    return self->text->len;
  for (const char *at = last; at > earliest; at--)
    if (at[-1] == '\n')
      return (gsize) (at - text);
  for (const char *at = last; at > earliest; at--)
    if (at[-1] == ' ')
      return (gsize) (at - text);
  return (gsize) (g_utf8_find_prev_char (text, last + 1) - text);
}

static void
update (PterisMarkdownView *self)
{
  g_autoptr (GPtrArray) blocks = NULL;
  g_autofree char *part = NULL;
  gsize end;

  /* The definition of a link may follow long after its use. */
  if (!self->partial)
    self->cut = self->n_kept = 0;
  else
    self->reach = MAX (self->reach, self->text->len);
  end = shown_end (self);
  part = end < self->text->len ? g_strndup (self->text->str, end) : NULL;
  gtk_widget_set_visible (self->more, part != NULL);
  blocks = pteris_markdown_parse (part != NULL ? part : self->text->str + self->cut, self->partial);
  for (guint i = 0; i < blocks->len; i++)
    show_block (self, self->n_kept + i, blocks->pdata[i]);
  drop_from (self, self->n_kept + blocks->len);
  if (self->partial)
    move_cut (self, blocks);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (widget);

  self->tick = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

static void
on_more (PterisMarkdownView *self)
{
  self->reach += PART_BYTES;
  update (self);
}

void
pteris_markdown_view_set_text (PterisMarkdownView *self, const char *text, gboolean partial)
{
  if (g_str_has_prefix (text, self->text->str)) {
    g_string_append (self->text, text + self->text->len);
  } else {
    g_string_assign (self->text, text);
    self->cut = self->n_kept = 0;
    self->reach = PART_BYTES;
  }
  self->partial = partial;
  if (partial && gtk_widget_get_mapped (GTK_WIDGET (self))) {
    if (self->tick == 0)
      self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    return;
  }
  if (self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
  self->tick = 0;
  update (self);
}

/* ---- layout ---- */

static int
indent_of (const Shown *shown)
{
  return (int) (shown->depth * LIST_INDENT + shown->quotes * QUOTE_INDENT);
}

/* The width of a block within @width: code and tables take all, text only the readable width. */
static int
width_of (PterisMarkdownView *self, const Shown *shown, int width)
{
  gboolean text = shown->kind != PTERIS_BLOCK_CODE && shown->kind != PTERIS_BLOCK_TABLE;

  if (text)
    width = MIN (width, pteris_text_width (GTK_WIDGET (self)));
  return MAX (width - indent_of (shown), 1);
}

static GtkSizeRequestMode
pteris_markdown_view_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* The minimum width is 0: text breaks its lines, code and tables scroll. */
static void
pteris_markdown_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                              int *minimum, int *natural, int *minimum_baseline,
                              int *natural_baseline)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (widget);
  int width = for_size < 0 ? NATURAL_WIDTH : for_size;

  *minimum = MIN_WIDTH;
  *natural = NATURAL_WIDTH;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    return;
  *minimum = self->shown->len > 0 ? -SPACING : 0;
  for (guint i = 0; i < self->shown->len; i++) {
    const Shown *shown = &g_array_index (self->shown, Shown, i);
    int height;

    gtk_widget_measure (shown->widget, GTK_ORIENTATION_VERTICAL, width_of (self, shown, width),
                        &height, NULL, NULL, NULL);
    *minimum += height + SPACING;
  }
  if (gtk_widget_get_visible (self->more)) {
    int height;

    gtk_widget_measure (self->more, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
    *minimum += height + SPACING;
  }
  *natural = *minimum;
}

static void
allocate (PterisMarkdownView *self, GtkWidget *child, int x, int y, int width, int height)
{
  GtkWidget *widget = GTK_WIDGET (self);

  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    x = gtk_widget_get_width (widget) - x - width;
  gtk_widget_allocate (child, width, height, -1,
                       gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT ((float) x, (float) y)));
}

static void
pteris_markdown_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (widget);
  int y = 0;

  for (guint i = 0; i < self->shown->len; i++) {
    const Shown *shown = &g_array_index (self->shown, Shown, i);
    int indent = indent_of (shown), inner, used;

    gtk_widget_measure (shown->widget, GTK_ORIENTATION_HORIZONTAL, -1, &inner, NULL, NULL, NULL);
    inner = MAX (width_of (self, shown, width), inner);
    gtk_widget_measure (shown->widget, GTK_ORIENTATION_VERTICAL, inner, &used, NULL, NULL, NULL);
    allocate (self, shown->widget, indent, y, inner, used);
    if (shown->marker != NULL) {
      int marker;

      gtk_widget_measure (shown->marker, GTK_ORIENTATION_HORIZONTAL, -1, &marker, NULL, NULL, NULL);
      marker = MAX (marker, MARKER_WIDTH);
      allocate (self, shown->marker, indent - (LIST_INDENT - MARKER_WIDTH) - marker, y, marker,
                used);
    }
    y += used + SPACING;
  }
  if (gtk_widget_get_visible (self->more)) {
    int natural, used;

    gtk_widget_measure (self->more, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
    gtk_widget_measure (self->more, GTK_ORIENTATION_VERTICAL, -1, &used, NULL, NULL, NULL);
    allocate (self, self->more, 0, y, natural, used);
  }
}

/* ---- the widget ---- */

/* Draws the line beside the blocks from @first on that are in at least @quotes quotes. Returns the
   next block. */
static guint
draw_quote (PterisMarkdownView *self, GtkSnapshot *snapshot, guint first, guint quotes,
            const GdkRGBA *color)
{
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  float x = (float) ((quotes - 1) * QUOTE_INDENT);
  graphene_rect_t all, bounds;
  guint i = first;

  for (; i < self->shown->len && g_array_index (self->shown, Shown, i).quotes >= quotes; i++) {
    if (!gtk_widget_compute_bounds (g_array_index (self->shown, Shown, i).widget, widget, &bounds))
      continue;
    if (i == first)
      all = bounds;
    else
      graphene_rect_union (&all, &bounds, &all);
  }
  if (i > first) {
    if (mirrored)
      x = (float) gtk_widget_get_width (widget) - x - QUOTE_LINE;
    gtk_snapshot_append_color (snapshot, color,
                               &GRAPHENE_RECT_INIT (x, all.origin.y, QUOTE_LINE, all.size.height));
  }
  return i;
}

static void
pteris_markdown_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (widget);
  GdkRGBA color;
  guint deepest = 0;

  for (guint i = 0; i < self->shown->len; i++)
    deepest = MAX (deepest, g_array_index (self->shown, Shown, i).quotes);
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  color.alpha *= 0.25f;
  for (guint quotes = 1; quotes <= deepest; quotes++)
    for (guint i = 0; i < self->shown->len; i++)
      i = draw_quote (self, snapshot, i, quotes, &color);
  GTK_WIDGET_CLASS (pteris_markdown_view_parent_class)->snapshot (widget, snapshot);
}

static void
pteris_markdown_view_dispose (GObject *object)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (object);

  drop_from (self, 0);
  g_clear_pointer (&self->more, gtk_widget_unparent);
  G_OBJECT_CLASS (pteris_markdown_view_parent_class)->dispose (object);
}

static void
pteris_markdown_view_finalize (GObject *object)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (object);

  g_string_free (self->text, TRUE);
  g_array_unref (self->shown);
  G_OBJECT_CLASS (pteris_markdown_view_parent_class)->finalize (object);
}

static void
pteris_markdown_view_class_init (PterisMarkdownViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_markdown_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_markdown_view_finalize;
  widget_class->snapshot = pteris_markdown_view_snapshot;
  widget_class->measure = pteris_markdown_view_measure;
  widget_class->size_allocate = pteris_markdown_view_size_allocate;
  widget_class->get_request_mode = pteris_markdown_view_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "markdown");
}

static void
pteris_markdown_view_init (PterisMarkdownView *self)
{
  self->text = g_string_new (NULL);
  self->shown = g_array_new (FALSE, FALSE, sizeof (Shown));
  self->reach = PART_BYTES;
  self->more = gtk_button_new_with_mnemonic (_ ("Show _More"));
  gtk_widget_add_css_class (self->more, "flat");
  gtk_widget_set_visible (self->more, FALSE);
  g_signal_connect_swapped (self->more, "clicked", G_CALLBACK (on_more), self);
  gtk_widget_set_parent (self->more, GTK_WIDGET (self));
}
