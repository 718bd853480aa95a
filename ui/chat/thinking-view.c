/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/thinking-view.h"

#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/markdown/markdown-view.h"

struct _PterisThinkingView {
  GtkWidget parent_instance;

  GtkExpander *expander;
  GtkLabel *label;
  PterisMarkdownView *view; /* while it has been opened */

  char *thought; /* only while it is shown */
  gboolean open;
};

G_DEFINE_FINAL_TYPE (PterisThinkingView, pteris_thinking_view, GTK_TYPE_WIDGET)

static void
show_thought (PterisThinkingView *self)
{
  if (!gtk_expander_get_expanded (self->expander) || self->thought == NULL)
    return;
  if (self->view == NULL) {
    self->view = g_object_new (PTERIS_TYPE_MARKDOWN_VIEW, NULL);
    gtk_widget_add_css_class (GTK_WIDGET (self->view), "thought");
    gtk_expander_set_child (self->expander, GTK_WIDGET (self->view));
  }
  pteris_markdown_view_set_text (self->view, self->thought, self->open);
}

void
pteris_thinking_view_set (PterisThinkingView *self, const PtThought *thinking, double seconds)
{
  g_autofree char *time = NULL;
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self),
                          thinking->thought != NULL && (thinking->length > 0 || thinking->open));
  if (thinking->thought == NULL)
    return;
  g_free (self->thought);
  self->thought = g_strndup (thinking->thought, thinking->length);
  self->open = thinking->open;
  if (seconds > 0)
    time = pteris_format_duration (seconds);
  if (thinking->open)
    text = g_strdup (_ ("Thinking…"));
  else
    /* Translators: %s is a length of time like “3.2 s”. */
    text = time != NULL ? g_strdup_printf (_ ("Thought for %s"), time) : g_strdup (_ ("Reasoning"));
  gtk_label_set_text (self->label, text);
  show_thought (self);
}

static void
pteris_thinking_view_dispose (GObject *object)
{
  g_clear_pointer ((GtkWidget **) &PTERIS_THINKING_VIEW (object)->expander, gtk_widget_unparent);
  G_OBJECT_CLASS (pteris_thinking_view_parent_class)->dispose (object);
}

static void
pteris_thinking_view_finalize (GObject *object)
{
  g_free (PTERIS_THINKING_VIEW (object)->thought);
  G_OBJECT_CLASS (pteris_thinking_view_parent_class)->finalize (object);
}

static void
pteris_thinking_view_class_init (PterisThinkingViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_thinking_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_thinking_view_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
pteris_thinking_view_init (PterisThinkingView *self)
{
  self->expander = GTK_EXPANDER (gtk_expander_new (NULL));
  self->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (self->label), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->label), "dim-label");
  gtk_expander_set_label_widget (self->expander, GTK_WIDGET (self->label));
  gtk_widget_set_parent (GTK_WIDGET (self->expander), GTK_WIDGET (self));
  g_signal_connect_object (self->expander, "notify::expanded", G_CALLBACK (show_thought), self,
                           G_CONNECT_SWAPPED);
}
