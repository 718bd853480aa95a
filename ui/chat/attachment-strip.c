/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/attachment-strip.h"

#include "ui/i18n.h"

#define PICTURE_SIZE 64
#define NAME_CHARS 18

struct _PterisAttachmentStrip {
  GtkWidget parent_instance;

  GtkFlowBox *box;
  GPtrArray *list; /* or NULL */
  gboolean removable;
};

G_DEFINE_FINAL_TYPE (PterisAttachmentStrip, pteris_attachment_strip, GTK_TYPE_WIDGET)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void fill (PterisAttachmentStrip *self);

static void
on_open (GtkWidget *button, PterisAttachment *attachment)
{
  GtkRoot *root = gtk_widget_get_root (button);
  g_autofree char *uri = g_filename_to_uri (pteris_attachment_get_path (attachment), NULL, NULL);

  if (uri != NULL)
    gtk_show_uri (GTK_WINDOW (root), uri, GDK_CURRENT_TIME);
}

static void
on_remove (GtkWidget *button, PterisAttachment *attachment)
{
  g_autoptr (PterisAttachmentStrip) self = g_object_ref (
      PTERIS_ATTACHMENT_STRIP (gtk_widget_get_ancestor (button, PTERIS_TYPE_ATTACHMENT_STRIP)));

  g_ptr_array_remove (self->list, attachment);
  fill (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static GtkWidget *
make_picture (PterisAttachment *attachment)
{
  GBytes *png = pteris_attachment_get_thumbnail (attachment);
  g_autoptr (GdkTexture) thumbnail = png != NULL ? gdk_texture_new_from_bytes (png, NULL) : NULL;
  gboolean image = pteris_attachment_get_kind (attachment) == PTERIS_ATTACHMENT_IMAGE;
  GtkWidget *picture = thumbnail != NULL
                           ? gtk_image_new_from_paintable (GDK_PAINTABLE (thumbnail))
                           : gtk_image_new_from_icon_name (image ? "image-x-generic-symbolic"
                                                                 : "audio-x-generic-symbolic");

  gtk_image_set_pixel_size (GTK_IMAGE (picture), thumbnail != NULL ? PICTURE_SIZE : 24);
  return picture;
}

static GtkWidget *
make_item (PterisAttachmentStrip *self, PterisAttachment *attachment)
{
  g_autofree char *name = g_path_get_basename (pteris_attachment_get_path (attachment));
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *open = gtk_button_new (), *label = gtk_label_new (name);
  GtkWidget *inner = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), NAME_CHARS);
  gtk_widget_add_css_class (label, "caption");
  gtk_box_append (GTK_BOX (inner), make_picture (attachment));
  gtk_box_append (GTK_BOX (inner), label);
  gtk_button_set_child (GTK_BUTTON (open), inner);
  gtk_widget_set_tooltip_text (open, pteris_attachment_get_path (attachment));
  gtk_widget_add_css_class (open, "flat");
  g_signal_connect_object (open, "clicked", G_CALLBACK (on_open), attachment, 0);
  gtk_box_append (GTK_BOX (box), open);
  gtk_widget_add_css_class (box, "attachment");
  if (self->removable) {
    GtkWidget *remove = gtk_button_new_from_icon_name ("window-close-symbolic");

    gtk_widget_set_valign (remove, GTK_ALIGN_CENTER);
    gtk_widget_add_css_class (remove, "flat");
    gtk_widget_add_css_class (remove, "small-button");
    gtk_widget_set_tooltip_text (remove, _ ("Remove"));
    gtk_accessible_update_property (GTK_ACCESSIBLE (remove), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    _ ("Remove"), -1);
    g_signal_connect_object (remove, "clicked", G_CALLBACK (on_remove), attachment, 0);
    gtk_box_append (GTK_BOX (box), remove);
  }
  return box;
}

static void
fill (PterisAttachmentStrip *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->box))) != NULL)
    gtk_flow_box_remove (self->box, child);
  for (guint i = 0; self->list != NULL && i < self->list->len; i++)
    gtk_flow_box_insert (self->box, make_item (self, self->list->pdata[i]), -1);
  gtk_widget_set_visible (GTK_WIDGET (self), pteris_attachment_strip_get (self) != NULL);
}

void
pteris_attachment_strip_set (PterisAttachmentStrip *self, GPtrArray *list, gboolean removable)
{
  g_autoptr (GPtrArray) copy = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; list != NULL && i < list->len; i++)
    g_ptr_array_add (copy, g_object_ref (list->pdata[i]));
  g_clear_pointer (&self->list, g_ptr_array_unref);
  self->list = g_steal_pointer (&copy);
  self->removable = removable;
  fill (self);
}

GPtrArray *
pteris_attachment_strip_get (PterisAttachmentStrip *self)
{
  return self->list != NULL && self->list->len > 0 ? self->list : NULL;
}

static void
pteris_attachment_strip_dispose (GObject *object)
{
  g_clear_pointer ((GtkWidget **) &PTERIS_ATTACHMENT_STRIP (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (pteris_attachment_strip_parent_class)->dispose (object);
}

static void
pteris_attachment_strip_finalize (GObject *object)
{
  g_clear_pointer (&PTERIS_ATTACHMENT_STRIP (object)->list, g_ptr_array_unref);
  G_OBJECT_CLASS (pteris_attachment_strip_parent_class)->finalize (object);
}

static void
pteris_attachment_strip_class_init (PterisAttachmentStripClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_attachment_strip_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_attachment_strip_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_ATTACHMENT_STRIP,
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
pteris_attachment_strip_init (PterisAttachmentStrip *self)
{
  self->box = GTK_FLOW_BOX (gtk_flow_box_new ());
  gtk_flow_box_set_selection_mode (self->box, GTK_SELECTION_NONE);
  gtk_flow_box_set_max_children_per_line (self->box, 4);
  gtk_widget_set_parent (GTK_WIDGET (self->box), GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
