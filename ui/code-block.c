/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/code-block.h"

#include <string.h>

struct _PterisCodeBlock {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkLabel *language;
  GtkLabel *code;
};

G_DEFINE_FINAL_TYPE (PterisCodeBlock, pteris_code_block, GTK_TYPE_WIDGET)

static void
on_copy (GtkButton *button, PterisCodeBlock *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (self));

  gdk_clipboard_set_text (clipboard, gtk_label_get_text (self->code));
}

void
pteris_code_block_set (PterisCodeBlock *self, const char *language, const char *code)
{
  int start, end;
  gboolean selected = gtk_label_get_selection_bounds (self->code, &start, &end);

  gtk_label_set_text (self->language, language);
  if (g_str_equal (gtk_label_get_text (self->code), code))
    return;
  gtk_label_set_text (self->code, code);
  if (selected)
    gtk_label_select_region (self->code, start, end);
}

static void
pteris_code_block_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CODE_BLOCK);
  G_OBJECT_CLASS (pteris_code_block_parent_class)->dispose (object);
}

static void
pteris_code_block_class_init (PterisCodeBlockClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_code_block_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/code-block.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisCodeBlock, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisCodeBlock, language);
  gtk_widget_class_bind_template_child (widget_class, PterisCodeBlock, code);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
}

static void
pteris_code_block_init (PterisCodeBlock *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

PterisCodeBlock *
pteris_code_block_new (void)
{
  return g_object_new (PTERIS_TYPE_CODE_BLOCK, NULL);
}
