/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/question-editor.h"

struct _PterisQuestionEditor {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkTextView *editor;
};

G_DEFINE_FINAL_TYPE (PterisQuestionEditor, pteris_question_editor, GTK_TYPE_WIDGET)

enum { SIGNAL_SEND, SIGNAL_CANCEL, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
on_cancel (PterisQuestionEditor *self)
{
  g_signal_emit (self, signals[SIGNAL_CANCEL], 0);
}

static void
on_send (PterisQuestionEditor *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->editor);
  GtkTextIter start, end;
  g_autofree char *text = NULL;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = g_strstrip (gtk_text_buffer_get_text (buffer, &start, &end, FALSE));
  if (text[0] != '\0')
    g_signal_emit (self, signals[SIGNAL_SEND], 0, text);
}

static gboolean
on_key (PterisQuestionEditor *self, guint key, guint code, GdkModifierType state)
{
  if (key == GDK_KEY_Escape)
    on_cancel (self);
  else if ((key == GDK_KEY_Return || key == GDK_KEY_KP_Enter) && !(state & GDK_SHIFT_MASK))
    on_send (self);
  else
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

static gboolean
pteris_question_editor_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (PTERIS_QUESTION_EDITOR (widget)->editor));
}

static void
pteris_question_editor_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_QUESTION_EDITOR);
  G_OBJECT_CLASS (pteris_question_editor_parent_class)->dispose (object);
}

static void
pteris_question_editor_class_init (PterisQuestionEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_question_editor_dispose;
  widget_class->grab_focus = pteris_question_editor_grab_focus;

  signals[SIGNAL_SEND] = g_signal_new ("send", PTERIS_TYPE_QUESTION_EDITOR, G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_CANCEL] = g_signal_new ("cancel", PTERIS_TYPE_QUESTION_EDITOR, G_SIGNAL_RUN_LAST,
                                         0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/question-editor.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionEditor, content);
  gtk_widget_class_bind_template_child (widget_class, PterisQuestionEditor, editor);
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
  gtk_widget_class_bind_template_callback (widget_class, on_send);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
}

static void
pteris_question_editor_init (PterisQuestionEditor *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

PterisQuestionEditor *
pteris_question_editor_new (const char *text)
{
  PterisQuestionEditor *self = g_object_new (PTERIS_TYPE_QUESTION_EDITOR, NULL);

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->editor), text, -1);
  return self;
}
