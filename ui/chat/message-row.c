/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/message-row.h"

#include "ui/parts/error-card.h"
#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/markdown/markdown-view.h"
#include "ui/chat/question-view.h"
#include "ui/chat/thinking-view.h"
#include "ui/chat/version-switch.h"

struct _PterisMessageRow {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *divider;
  PterisQuestionView *question;
  GtkWidget *answer;
  GtkLabel *author;
  GtkWidget *waiting;
  GtkSpinner *spinner;
  GtkLabel *status;
  GtkWidget *answer_now;
  PterisThinkingView *thinking;
  PterisMarkdownView *body;
  GtkLabel *note;
  PterisErrorCard *error;
  GtkWidget *footer;
  GtkMenuButton *stats;
  GtkLabel *stats_label;
  GtkLabel *explanation;
  PterisVersionSwitch *versions;
  GtkButton *read_aloud;
  GtkWidget *go_on;
  GtkWidget *regenerate;

  PterisMessage *message;
  gboolean last;
};

G_DEFINE_FINAL_TYPE (PterisMessageRow, pteris_message_row, GTK_TYPE_WIDGET)

enum { SIGNAL_EDIT, SIGNAL_GO, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
set_text_or_hide (GtkLabel *label, const char *text)
{
  gtk_label_set_text (label, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL && text[0] != '\0');
}

/* The note on the end of the answer, if it did not end normally. */
static const char *
ending_note (PterisMessage *message)
{
  PtReason reason = pteris_message_get_reason (message);

  if (pteris_message_get_state (message) == PTERIS_MESSAGE_STOPPED)
    return reason == PT_REASON_INTERRUPTED
               ? _ ("Interrupted: Pteris was closed before the answer was finished.")
               : _ ("Stopped.");
  if (reason == PT_REASON_LENGTH)
    return _ ("The answer reached the maximum length.");
  if (reason == PT_REASON_LOOP)
    return _ ("The answer was stopped because it repeated itself.");
  if (reason == PT_REASON_CONTEXT)
    return _ ("The model's context is full. Start a new chat to continue.");
  return NULL;
}

static char *
explain (const PtStats *stats)
{
  GString *out = g_string_new (NULL);
  double speed = pteris_stats_speed (stats);

  if (speed > 0)
    g_string_append_printf (
        out,
        _ ("%u tokens in %.2f s. A token is part of a word: about four letters in English.\n\n"),
        stats->new_tokens, stats->decode_s);
  if (stats->first_token_s > 0)
    g_string_append_printf (out,
                            _ ("First token after %.0f ms: the time to process the new part of the "
                               "conversation (prefill).\n\n"),
                            stats->first_token_s * 1000);
  if (stats->context_size > 0)
    g_string_append_printf (
        out, _ ("The model's context holds %u tokens; this conversation uses %u of them.\n\n"),
        stats->context_size, stats->context_used);
  g_string_append (out, _ ("Everything ran on this computer."));
  return g_string_free (out, FALSE);
}

static void
update_aloud (PterisMessageRow *self)
{
  gboolean aloud = pteris_message_is_aloud (self->message);
  gboolean over = pteris_message_get_state (self->message) > PTERIS_MESSAGE_STREAMING;
  const char *what = aloud ? _ ("Stop Reading Aloud") : _ ("Read Answer Aloud");

  gtk_button_set_icon_name (self->read_aloud,
                            aloud ? "media-playback-stop-symbolic" : "audio-volume-high-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->read_aloud), what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->read_aloud), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  what, -1);
  gtk_widget_set_visible (GTK_WIDGET (self->read_aloud), over || aloud);
}

static void
update_footer (PterisMessageRow *self)
{
  PterisMessageState state = pteris_message_get_state (self->message);
  gboolean over = state > PTERIS_MESSAGE_STREAMING;
  gboolean stopped = state == PTERIS_MESSAGE_STOPPED;
  const PtStats *stats = pteris_message_get_stats (self->message);
  g_autofree char *figures = pteris_format_chat_stats (stats);
  g_autofree char *explanation = explain (stats);

  gtk_label_set_text (self->stats_label, figures);
  gtk_label_set_text (self->explanation, explanation);
  gtk_widget_set_visible (GTK_WIDGET (self->stats), figures[0] != '\0');
  gtk_widget_set_visible (self->go_on, self->last && pteris_message_may_go_on (self->message));
  gtk_widget_set_visible (self->regenerate, over && self->last);
  gtk_widget_set_visible (self->footer, pteris_message_get_text (self->message)[0] != '\0' ||
                                            (stopped && self->last));
}

/* Shows the next step after a failure: for a full context, or for a GPU that fails. */
static void
show_failure (PterisMessageRow *self)
{
  const char *alternative = pteris_message_get_alternative (self->message);
  PtError code;
  const char *sentence = pteris_message_get_error (self->message, &code);

  pteris_error_card_set (self->error, code, sentence, self->last ? "chat.regenerate" : NULL,
                         pteris_message_get_author (self->message));
  pteris_error_card_set_report (self->error, pteris_message_get_report (self->message));
  if (self->last && alternative != NULL)
    pteris_error_card_set_step (
        self->error, code == PT_ERROR_HOST ? _ ("Run on the _CPU") : _ ("_Reload on the CPU"),
        "chat.use-cpu");
  else if (self->last && code == PT_ERROR_CONTEXT_FULL)
    pteris_error_card_set_step (self->error, _ ("_Shorten Context"), "chat.leave-out");
}

static void
show_text (PterisMessageRow *self, gboolean partial)
{
  PtThought thinking = pt_thinking_split (pteris_message_get_text (self->message));

  pteris_thinking_view_set (self->thinking, &thinking,
                            pteris_message_get_thinking_time (self->message));
  pteris_markdown_view_set_text (self->body, thinking.answer, partial);
  gtk_widget_set_visible (GTK_WIDGET (self->body), thinking.answer[0] != '\0');
}

static void
update_place (PterisMessageRow *self)
{
  PterisMessagePlace place = pteris_message_get_place (self->message);

  gtk_widget_set_visible (self->divider, place == PTERIS_MESSAGE_FIRST_READ);
  if (place == PTERIS_MESSAGE_LEFT_OUT)
    gtk_widget_add_css_class (self->content, "left-out");
  else
    gtk_widget_remove_css_class (self->content, "left-out");
}

static void
update_state (PterisMessageRow *self)
{
  PterisMessageState state = pteris_message_get_state (self->message);
  gboolean waiting = state == PTERIS_MESSAGE_WAITING;
  const char *status = pteris_message_get_status (self->message);

  gtk_label_set_text (self->author, pteris_message_get_author (self->message));
  gtk_widget_set_visible (self->waiting, waiting);
  gtk_spinner_set_spinning (self->spinner, waiting);
  gtk_label_set_text (self->status, status != NULL ? status : "");
  gtk_widget_set_visible (self->answer_now, pteris_message_may_go_first (self->message));
  update_aloud (self);
  set_text_or_hide (self->note, ending_note (self->message));
  gtk_widget_set_visible (GTK_WIDGET (self->error), state == PTERIS_MESSAGE_FAILED);
  if (state == PTERIS_MESSAGE_FAILED)
    show_failure (self);
  update_footer (self);
  if (state > PTERIS_MESSAGE_STREAMING)
    show_text (self, FALSE);
}

static void
on_appended (PterisMessageRow *self)
{
  show_text (self, TRUE);
}

static void
on_copy (GtkButton *button, PterisMessageRow *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (self));

  gdk_clipboard_set_text (clipboard,
                          pt_thinking_split (pteris_message_get_text (self->message)).answer);
}

static void
on_delete (PterisMessageRow *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.delete", "x",
                              pteris_message_get_id (self->message));
}

static void
on_read_aloud (PterisMessageRow *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.read-answer", "x",
                              pteris_message_get_id (self->message));
}

static void
on_edit (PterisMessageRow *self, const char *text)
{
  g_signal_emit (self, signals[SIGNAL_EDIT], 0, text);
}

static void
on_go (PterisMessageRow *self, int offset)
{
  g_signal_emit (self, signals[SIGNAL_GO], 0, offset);
}

static void
bind_answer (PterisMessageRow *self)
{
  g_signal_connect_object (self->message, "appended", G_CALLBACK (on_appended), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->message, "changed", G_CALLBACK (update_state), self,
                           G_CONNECT_SWAPPED);
  pteris_version_switch_set_message (self->versions, self->message);
  gtk_widget_set_visible (self->answer, TRUE);
  if (pteris_message_get_state (self->message) <= PTERIS_MESSAGE_STREAMING &&
      pteris_message_get_text (self->message)[0] != '\0')
    on_appended (self);
  update_state (self);
}

PterisMessageRow *
pteris_message_row_new (PterisMessage *message)
{
  PterisMessageRow *self = g_object_new (PTERIS_TYPE_MESSAGE_ROW, NULL);

  self->message = g_object_ref (message);
  if (pteris_message_is_answer (message))
    bind_answer (self);
  else
    pteris_question_view_set_message (self->question, message);
  gtk_widget_set_visible (GTK_WIDGET (self->question), !pteris_message_is_answer (message));
  g_signal_connect_object (message, "changed", G_CALLBACK (update_place), self, G_CONNECT_SWAPPED);
  update_place (self);
  return self;
}

PterisMessage *
pteris_message_row_get_message (PterisMessageRow *self)
{
  return self->message;
}

void
pteris_message_row_set_last (PterisMessageRow *self, gboolean last)
{
  if (self->last == last)
    return;
  self->last = last;
  if (pteris_message_is_answer (self->message))
    update_state (self);
}

void
pteris_message_row_begin_edit (PterisMessageRow *self)
{
  g_return_if_fail (!pteris_message_is_answer (self->message));
  pteris_question_view_begin_edit (self->question);
}

gboolean
pteris_message_row_is_edited (PterisMessageRow *self)
{
  return pteris_question_view_is_edited (self->question);
}

static void
pteris_message_row_dispose (GObject *object)
{
  g_clear_object (&PTERIS_MESSAGE_ROW (object)->message);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_MESSAGE_ROW);
  G_OBJECT_CLASS (pteris_message_row_parent_class)->dispose (object);
}

static void
pteris_message_row_class_init (PterisMessageRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_message_row_dispose;
  g_type_ensure (PTERIS_TYPE_MARKDOWN_VIEW);
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  g_type_ensure (PTERIS_TYPE_QUESTION_VIEW);
  g_type_ensure (PTERIS_TYPE_THINKING_VIEW);
  g_type_ensure (PTERIS_TYPE_VERSION_SWITCH);

  signals[SIGNAL_EDIT] = g_signal_new ("edit", PTERIS_TYPE_MESSAGE_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                       NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_GO] = g_signal_new ("go", PTERIS_TYPE_MESSAGE_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/message-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, content);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, divider);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, question);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, answer);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, author);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, waiting);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, spinner);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, status);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, answer_now);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, thinking);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, body);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, note);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, error);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, footer);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, stats);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, stats_label);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, explanation);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, versions);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, go_on);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, read_aloud);
  gtk_widget_class_bind_template_child (widget_class, PterisMessageRow, regenerate);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
  gtk_widget_class_bind_template_callback (widget_class, on_delete);
  gtk_widget_class_bind_template_callback (widget_class, on_edit);
  gtk_widget_class_bind_template_callback (widget_class, on_read_aloud);
  gtk_widget_class_bind_template_callback (widget_class, on_go);
}

static void
pteris_message_row_init (PterisMessageRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
