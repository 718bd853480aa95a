/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown-view.h"

#include "ui/code-block.h"
#include "ui/markdown.h"

/* One block on the screen. */
typedef struct {
  PterisBlockKind kind;
  guint level;
  gsize start;
  GtkWidget *widget; /* the child; not owned */
  GtkWidget *marker; /* of an item */
  GtkWidget *label;  /* what shows the text; NULL for code and rules */
} Shown;

struct _PterisMarkdownView {
  GtkWidget parent_instance;

  GString *text;
  gboolean partial;
  GArray *shown; /* of Shown */
  guint tick;
};

G_DEFINE_FINAL_TYPE (PterisMarkdownView, pteris_markdown_view, GTK_TYPE_WIDGET)

#define INDENT 20

static GtkWidget *
make_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  return label;
}

static void
make_item (Shown *shown)
{
  shown->widget = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  shown->marker = gtk_label_new (NULL);
  shown->label = make_label ();
  gtk_label_set_width_chars (GTK_LABEL (shown->marker), 2);
  gtk_label_set_xalign (GTK_LABEL (shown->marker), 1);
  gtk_widget_set_valign (shown->marker, GTK_ALIGN_START);
  gtk_widget_add_css_class (shown->marker, "dim-label");
  gtk_widget_add_css_class (shown->marker, "numeric");
  gtk_widget_add_css_class (shown->widget, "item");
  gtk_box_append (GTK_BOX (shown->widget), shown->marker);
  gtk_box_append (GTK_BOX (shown->widget), shown->label);
}

static Shown
make_block (PterisMarkdownView *self, const PterisBlock *block)
{
  Shown shown = { .kind = block->kind, .level = block->level };

  switch (block->kind) {
  case PTERIS_BLOCK_CODE: shown.widget = GTK_WIDGET (pteris_code_block_new ()); break;
  case PTERIS_BLOCK_RULE: shown.widget = gtk_separator_new (GTK_ORIENTATION_HORIZONTAL); break;
  case PTERIS_BLOCK_ITEM: make_item (&shown); break;
  case PTERIS_BLOCK_HEADING:
    shown.widget = shown.label = make_label ();
    gtk_widget_add_css_class (shown.widget, block->level <= 1   ? "h1"
                                            : block->level == 2 ? "h2"
                                                                : "h3");
    break;
  case PTERIS_BLOCK_QUOTE:
    shown.widget = shown.label = make_label ();
    gtk_widget_add_css_class (shown.widget, "quote");
    break;
  case PTERIS_BLOCK_PARAGRAPH: shown.widget = shown.label = make_label (); break;
  }
  if (block->kind == PTERIS_BLOCK_ITEM || block->kind == PTERIS_BLOCK_PARAGRAPH)
    gtk_widget_set_margin_start (shown.widget, (int) block->level * INDENT);
  gtk_widget_set_parent (shown.widget, GTK_WIDGET (self));
  return shown;
}

/* Setting a label's text drops the selection: put it back, so that reading a stream stays possible.
 */
static void
set_markup (GtkLabel *label, const char *markup)
{
  int start, end;
  gboolean selected;

  if (g_str_equal (gtk_label_get_label (label), markup))
    return;
  selected = gtk_label_get_selection_bounds (label, &start, &end);
  gtk_label_set_markup (label, markup);
  if (selected)
    gtk_label_select_region (label, start, end);
}

static void
fill_block (const Shown *shown, const PterisBlock *block, gboolean partial)
{
  if (block->kind == PTERIS_BLOCK_CODE)
    pteris_code_block_set (PTERIS_CODE_BLOCK (shown->widget), block->marker, block->text);
  if (shown->marker != NULL)
    gtk_label_set_text (GTK_LABEL (shown->marker), block->marker);
  if (shown->label != NULL) {
    g_autofree char *markup = pteris_markdown_inline (block->text, partial);

    set_markup (GTK_LABEL (shown->label), markup);
  }
}

static void
drop_from (PterisMarkdownView *self, guint first)
{
  for (guint i = first; i < self->shown->len; i++)
    gtk_widget_unparent (g_array_index (self->shown, Shown, i).widget);
  if (first < self->shown->len)
    g_array_set_size (self->shown, first);
}

static void
show_block (PterisMarkdownView *self, guint i, const PterisBlock *block, gsize offset,
            gboolean partial)
{
  Shown *shown;

  if (i < self->shown->len) {
    shown = &g_array_index (self->shown, Shown, i);
    if (shown->kind != block->kind || shown->level != block->level)
      drop_from (self, i);
  }
  if (i == self->shown->len) {
    Shown made = make_block (self, block);

    g_array_append_val (self->shown, made);
  }
  shown = &g_array_index (self->shown, Shown, i);
  shown->start = offset + block->start;
  fill_block (shown, block, partial);
}

static void
update (PterisMarkdownView *self)
{
  /* The last line may still turn out to belong to the last block but one. */
  guint keep = self->shown->len > 2 ? self->shown->len - 2 : 0;
  gsize offset = self->shown->len > 0 ? g_array_index (self->shown, Shown, keep).start : 0;
  g_autoptr (GPtrArray) blocks = pteris_markdown_parse (self->text->str + offset);

  for (guint i = 0; i < blocks->len; i++)
    show_block (self, keep + i, blocks->pdata[i], offset, self->partial && i + 1 == blocks->len);
  drop_from (self, keep + blocks->len);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  PterisMarkdownView *self = PTERIS_MARKDOWN_VIEW (widget);

  self->tick = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

void
pteris_markdown_view_set_text (PterisMarkdownView *self, const char *text, gboolean partial)
{
  g_return_if_fail (g_str_has_prefix (text, self->text->str));

  g_string_append (self->text, text + self->text->len);
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

static void
pteris_markdown_view_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
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
  G_OBJECT_CLASS (klass)->dispose = pteris_markdown_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_markdown_view_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "markdown");
}

static void
pteris_markdown_view_init (PterisMarkdownView *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->text = g_string_new (NULL);
  self->shown = g_array_new (FALSE, FALSE, sizeof (Shown));
}
