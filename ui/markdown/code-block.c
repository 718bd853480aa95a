/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/code-block.h"

#include <string.h>

#include "ui/markdown/highlight.h"

/* Lines of a label: of growing code only the last label changes. */
#define PART_LINES 64

struct _PterisCodeBlock {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkLabel *language;
  GtkBox *parts;

  char *name; /* of the language */
  char *code;
  GArray *spans; /* PterisCodeSpan of the whole code */
};

G_DEFINE_FINAL_TYPE (PterisCodeBlock, pteris_code_block, GTK_TYPE_WIDGET)

/* The colours are named in the style sheet, so that they follow the theme. */
static const char *const COLORS[PTERIS_CODE_N_KINDS] = {
  [PTERIS_CODE_COMMENT] = "code_comment", [PTERIS_CODE_STRING] = "code_string",
  [PTERIS_CODE_NUMBER] = "code_number",   [PTERIS_CODE_KEYWORD] = "code_keyword",
  [PTERIS_CODE_TYPE] = "code_type",       [PTERIS_CODE_FUNCTION] = "code_function",
  [PTERIS_CODE_META] = "code_meta",       [PTERIS_CODE_ADDED] = "code_added",
  [PTERIS_CODE_REMOVED] = "code_removed",
};

static guint16
to_pango (double value)
{
  return (guint16) CLAMP (value * G_MAXUINT16, 0, G_MAXUINT16);
}

static void
add_color (PterisCodeBlock *self, PangoAttrList *attributes, const PterisCodeSpan *span,
           gsize offset, gsize length)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));
  PangoAttribute *attribute;
  GdkRGBA color;

  if (!gtk_style_context_lookup_color (context, COLORS[span->kind], &color))
    return;
  attribute = pango_attr_foreground_new (to_pango (color.red), to_pango (color.green),
                                         to_pango (color.blue));
  attribute->start_index = (guint) (MAX (span->start, offset) - offset);
  attribute->end_index = (guint) (MIN (span->end, offset + length) - offset);
  pango_attr_list_insert (attributes, attribute);
}

/* The first span that ends behind @offset. */
static guint
find_span (PterisCodeBlock *self, gsize offset)
{
  guint low = 0, high = self->spans->len;

  while (low < high) {
    guint middle = (low + high) / 2;

    if (g_array_index (self->spans, PterisCodeSpan, middle).end <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static PangoAttrList *
make_colors (PterisCodeBlock *self, gsize offset, gsize length)
{
  PangoAttrList *attributes = pango_attr_list_new ();

  for (guint i = find_span (self, offset); i < self->spans->len; i++) {
    const PterisCodeSpan *span = &g_array_index (self->spans, PterisCodeSpan, i);

    if (span->start >= offset + length)
      break;
    add_color (self, attributes, span, offset, length);
  }
  return attributes;
}

static GtkWidget *
make_part (PterisCodeBlock *self)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_add_css_class (label, "monospace");
  gtk_box_append (self->parts, label);
  return label;
}

static void
fill_part (PterisCodeBlock *self, GtkLabel *label, const char *text, gsize length)
{
  g_autofree char *part = g_strndup (text, length);
  g_autoptr (PangoAttrList) colors = make_colors (self, (gsize) (text - self->code), length);
  int start, end;
  gboolean selected = gtk_label_get_selection_bounds (label, &start, &end);

  if (!g_str_equal (gtk_label_get_text (label), part)) {
    gtk_label_set_text (label, part);
    if (selected)
      gtk_label_select_region (label, start, end);
  }
  if (!pango_attr_list_equal (gtk_label_get_attributes (label), colors))
    gtk_label_set_attributes (label, colors);
}

/* The length of the lines of one label at @text, without the last newline. */
static gsize
part_length (const char *text)
{
  const char *p = text;

  for (guint i = 0; i < PART_LINES; i++) {
    p += strcspn (p, "\n");
    if (*p == '\0')
      return (gsize) (p - text);
    p++;
  }
  return (gsize) (p - text) - 1;
}

static void
fill (PterisCodeBlock *self)
{
  GtkWidget *label = gtk_widget_get_first_child (GTK_WIDGET (self->parts));
  const char *p = self->code;

  for (;;) {
    gsize length = part_length (p);

    if (label == NULL)
      label = make_part (self);
    fill_part (self, GTK_LABEL (label), p, length);
    label = gtk_widget_get_next_sibling (label);
    if (p[length] == '\0')
      break;
    p += length + 1;
  }
  while (label != NULL) {
    GtkWidget *next = gtk_widget_get_next_sibling (label);

    gtk_box_remove (self->parts, label);
    label = next;
  }
}

static void
on_copy (GtkButton *button, PterisCodeBlock *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->code);
}

void
pteris_code_block_set (PterisCodeBlock *self, const char *language, const char *code)
{
  if (g_strcmp0 (self->code, code) == 0 && g_strcmp0 (self->name, language) == 0)
    return;
  gtk_label_set_text (self->language, language);
  g_free (self->name);
  g_free (self->code);
  self->name = g_strdup (language);
  self->code = g_strdup (code);
  g_array_set_size (self->spans, 0);
  pteris_highlight (language, code, self->spans);
  fill (self);
}

static void
pteris_code_block_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  PterisCodeBlock *self = PTERIS_CODE_BLOCK (widget);

  GTK_WIDGET_CLASS (pteris_code_block_parent_class)->css_changed (widget, change);
  if (self->code != NULL && self->spans->len > 0)
    fill (self);
}

static void
pteris_code_block_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CODE_BLOCK);
  G_OBJECT_CLASS (pteris_code_block_parent_class)->dispose (object);
}

static void
pteris_code_block_finalize (GObject *object)
{
  PterisCodeBlock *self = PTERIS_CODE_BLOCK (object);

  g_free (self->name);
  g_free (self->code);
  g_array_unref (self->spans);
  G_OBJECT_CLASS (pteris_code_block_parent_class)->finalize (object);
}

static void
pteris_code_block_class_init (PterisCodeBlockClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_code_block_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_code_block_finalize;
  widget_class->css_changed = pteris_code_block_css_changed;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/code-block.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisCodeBlock, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisCodeBlock, language);
  gtk_widget_class_bind_template_child (widget_class, PterisCodeBlock, parts);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
}

static void
pteris_code_block_init (PterisCodeBlock *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->spans = g_array_new (FALSE, FALSE, sizeof (PterisCodeSpan));
}

PterisCodeBlock *
pteris_code_block_new (void)
{
  return g_object_new (PTERIS_TYPE_CODE_BLOCK, NULL);
}
