/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-search.h"

#include "ui/i18n.h"

struct _PterisTranscriptSearch {
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkSearchEntry *query;
  GtkLabel *count;
  GtkWidget *previous;
  GtkWidget *next;
  GtkEditable *replacement;
  GtkWidget *replace;
  GtkWidget *replace_all;

  PterisTranscript *transcript;
  GArray *matches; /* PterisMatch */
  guint current;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptSearch, pteris_transcript_search, GTK_TYPE_WIDGET)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
update (PterisTranscriptSearch *self)
{
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->query));
  guint n = self->matches != NULL ? self->matches->len : 0;
  g_autofree char *text = NULL;

  if (query[0] != '\0')
    text =
        n > 0 ? g_strdup_printf (_ ("%u of %u"), self->current + 1, n) : g_strdup (_ ("Not found"));
  gtk_label_set_text (self->count, text != NULL ? text : "");
  gtk_widget_set_sensitive (self->previous, n > 1);
  gtk_widget_set_sensitive (self->next, n > 1);
  gtk_widget_set_sensitive (self->replace, n > 0);
  gtk_widget_set_sensitive (self->replace_all, n > 0);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
find (PterisTranscriptSearch *self)
{
  const char *query = pteris_transcript_search_get_query (self);

  g_clear_pointer (&self->matches, g_array_unref);
  if (self->transcript != NULL && query != NULL)
    self->matches = pteris_transcript_find (self->transcript, query);
  if (self->matches == NULL || self->current >= self->matches->len)
    self->current = 0;
  update (self);
}

static void
on_query (PterisTranscriptSearch *self)
{
  self->current = 0;
  find (self);
}

static void
step (PterisTranscriptSearch *self, guint by)
{
  guint n = self->matches != NULL ? self->matches->len : 0;

  if (n == 0)
    return;
  self->current = (self->current + by) % n;
  update (self);
}

static void
on_next (PterisTranscriptSearch *self)
{
  step (self, 1);
}

static void
on_previous (PterisTranscriptSearch *self)
{
  step (self, self->matches != NULL ? self->matches->len - 1 : 0);
}

/* The segments change, and so do the matches. */
static void
on_replace (PterisTranscriptSearch *self)
{
  PterisMatch match;

  if (pteris_transcript_search_get_match (self, &match))
    pteris_transcript_replace (self->transcript, &match, gtk_editable_get_text (self->replacement));
}

static void
on_replace_all (PterisTranscriptSearch *self)
{
  const char *query = pteris_transcript_search_get_query (self);

  if (query != NULL)
    pteris_transcript_replace_all (self->transcript, query,
                                   gtk_editable_get_text (self->replacement));
}

static void
on_close (PterisTranscriptSearch *self)
{
  pteris_transcript_search_set_open (self, FALSE);
}

void
pteris_transcript_search_set_transcript (PterisTranscriptSearch *self, PterisTranscript *transcript)
{
  if (self->transcript != NULL)
    g_signal_handlers_disconnect_by_data (pteris_transcript_get_segments (self->transcript), self);
  g_set_object (&self->transcript, transcript);
  if (transcript != NULL)
    g_signal_connect_object (pteris_transcript_get_segments (transcript), "items-changed",
                             G_CALLBACK (find), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  self->current = 0;
  find (self);
}

void
pteris_transcript_search_set_open (PterisTranscriptSearch *self, gboolean open)
{
  gtk_revealer_set_reveal_child (self->revealer, open);
  if (open)
    gtk_widget_grab_focus (GTK_WIDGET (self->query));
  find (self);
}

gboolean
pteris_transcript_search_is_open (PterisTranscriptSearch *self)
{
  return gtk_revealer_get_reveal_child (self->revealer);
}

const char *
pteris_transcript_search_get_query (PterisTranscriptSearch *self)
{
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->query));

  return query[0] != '\0' && pteris_transcript_search_is_open (self) ? query : NULL;
}

gboolean
pteris_transcript_search_get_match (PterisTranscriptSearch *self, PterisMatch *match)
{
  if (self->matches == NULL || self->current >= self->matches->len)
    return FALSE;
  *match = g_array_index (self->matches, PterisMatch, self->current);
  return TRUE;
}

static void
pteris_transcript_search_dispose (GObject *object)
{
  PterisTranscriptSearch *self = PTERIS_TRANSCRIPT_SEARCH (object);

  if (self->transcript != NULL)
    g_signal_handlers_disconnect_by_data (pteris_transcript_get_segments (self->transcript), self);
  g_clear_object (&self->transcript);
  g_clear_pointer (&self->matches, g_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_SEARCH);
  G_OBJECT_CLASS (pteris_transcript_search_parent_class)->dispose (object);
}

static void
pteris_transcript_search_class_init (PterisTranscriptSearchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_search_dispose;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-search.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, revealer);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, query);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, count);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, previous);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, next);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, replacement);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, replace);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptSearch, replace_all);
  gtk_widget_class_bind_template_callback (widget_class, on_query);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_replace);
  gtk_widget_class_bind_template_callback (widget_class, on_replace_all);
  gtk_widget_class_bind_template_callback (widget_class, on_close);
}

/* In a narrow window large labels must shrink. */
static void
let_shrink (GtkWidget *button)
{
  GtkWidget *label = gtk_button_get_child (GTK_BUTTON (button));

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
}

static void
pteris_transcript_search_init (PterisTranscriptSearch *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  let_shrink (self->replace);
  let_shrink (self->replace_all);
}
