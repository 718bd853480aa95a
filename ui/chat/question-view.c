/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/question-view.h"

#include "ui/chat/attachment-strip.h"
#include "ui/chat/bubble.h"
#include "ui/chat/question-editor.h"
#include "ui/chat/version-switch.h"

/* Characters: a longer text is cut to SHOWN_CHARS until the user expands it. */
#define LONG_CHARS 1500
#define SHOWN_CHARS 1000

struct _PterisQuestionView {
  GtkWidget parent_instance;

  GtkWidget *content;
  PterisAttachmentStrip *attachments;
  PterisBubble *text;
  GtkWidget *more;
  GtkWidget *footer;
  PterisVersionSwitch *versions;

  PterisQuestionEditor *editor; /* the editor while it is open, or NULL */
  PterisMessage *message;
};

G_DEFINE_FINAL_TYPE (PterisQuestionView, pteris_question_view, GTK_TYPE_WIDGET)

enum { SIGNAL_EDIT, SIGNAL_GO, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
show_text (PterisQuestionView *self, gboolean all)
{
  const char *text = pteris_message_get_text (self->message);
  gboolean folds = !all && g_utf8_strlen (text, -1) > LONG_CHARS;
  g_autofree char *beginning = folds ? g_utf8_substring (text, 0, SHOWN_CHARS) : NULL;
  g_autofree char *shown =
      folds ? g_strconcat (g_strchomp (beginning), "…", NULL) : g_strdup (text);

  pteris_bubble_set_text (self->text, shown);
  gtk_widget_set_visible (self->more, folds);
}

static void
on_more (PterisQuestionView *self)
{
  show_text (self, TRUE);
}

void
pteris_question_view_set_message (PterisQuestionView *self, PterisMessage *message)
{
  g_set_object (&self->message, message);
  pteris_attachment_strip_set (self->attachments, pteris_message_get_attachments (message), FALSE);
  show_text (self, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->text), pteris_message_get_text (message)[0] != '\0');
  pteris_version_switch_set_message (self->versions, message);
}

static void
end_edit (PterisQuestionView *self)
{
  if (self->editor != NULL)
    gtk_box_remove (GTK_BOX (self->content), GTK_WIDGET (self->editor));
  self->editor = NULL;
  gtk_widget_set_visible (GTK_WIDGET (self->text), TRUE);
  gtk_widget_set_visible (self->footer, TRUE);
}

static void
on_send (PterisQuestionView *self, const char *text)
{
  end_edit (self);
  g_signal_emit (self, signals[SIGNAL_EDIT], 0, text);
}

static void
on_cancel (PterisQuestionView *self)
{
  end_edit (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.write", NULL);
}

void
pteris_question_view_begin_edit (PterisQuestionView *self)
{
  if (self->editor != NULL)
    return;
  self->editor = pteris_question_editor_new (pteris_message_get_text (self->message));
  g_signal_connect_swapped (self->editor, "send", G_CALLBACK (on_send), self);
  g_signal_connect_swapped (self->editor, "cancel", G_CALLBACK (on_cancel), self);
  gtk_box_append (GTK_BOX (self->content), GTK_WIDGET (self->editor));
  gtk_widget_set_visible (GTK_WIDGET (self->text), FALSE);
  gtk_widget_set_visible (self->footer, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->editor));
}

gboolean
pteris_question_view_is_edited (PterisQuestionView *self)
{
  return self->editor != NULL;
}

static void
on_delete (PterisQuestionView *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.delete", "x",
                              pteris_message_get_id (self->message));
}

static void
on_copy (PterisQuestionView *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          pteris_message_get_text (self->message));
}

static void
on_go (PterisQuestionView *self, int offset)
{
  g_signal_emit (self, signals[SIGNAL_GO], 0, offset);
}

static void
pteris_question_view_dispose (GObject *object)
{
  g_clear_object (&PTERIS_QUESTION_VIEW (object)->message);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_QUESTION_VIEW);
  G_OBJECT_CLASS (pteris_question_view_parent_class)->dispose (object);
}

static void
pteris_question_view_class_init (PterisQuestionViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_question_view_dispose;
  g_type_ensure (PTERIS_TYPE_ATTACHMENT_STRIP);
  g_type_ensure (PTERIS_TYPE_BUBBLE);
  g_type_ensure (PTERIS_TYPE_VERSION_SWITCH);

  signals[SIGNAL_EDIT] = g_signal_new ("edit", PTERIS_TYPE_QUESTION_VIEW, G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_GO] = g_signal_new ("go", PTERIS_TYPE_QUESTION_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/question-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionView, content);
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionView, text);
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionView, attachments);
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionView, more);
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionView, footer);
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionView, versions);
  gtk_widget_class_bind_template_callback (widget_class, pteris_question_view_begin_edit);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
  gtk_widget_class_bind_template_callback (widget_class, on_delete);
  gtk_widget_class_bind_template_callback (widget_class, on_more);
  gtk_widget_class_bind_template_callback (widget_class, on_go);
}

static void
pteris_question_view_init (PterisQuestionView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
