/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-page.h"

#include "ui/chat/attachment-reader.h"
#include "ui/chat/chat-settings.h"
#include "ui/chat/composer.h"
#include "ui/chat/context-meter.h"
#include "ui/chat/drafts.h"
#include "ui/chat/suggestions.h"
#include "ui/parts/end-scroller.h"
#include "ui/i18n.h"
#include "ui/chat/message-list.h"
#include "ui/models/starter-card.h"

/* A draft is saved this long after the last change. */
#define DRAFT_MS 400

/* Until a message that was searched for is scrolled to, and how long it is marked. */
#define REACH_MS 150
#define FOUND_MS 2500

struct _PterisChatPage {
  GtkWidget parent_instance;

  GtkWidget *content;
  AdwToastOverlay *toasts;
  GtkStack *stack;
  GtkStack *empty;
  PterisStarterCard *starter_card;
  GtkLabel *prompts[PTERIS_N_SUGGESTIONS]; /* "prompt_1" and following */
  PterisEndScroller *scroller;
  PterisMessageList *rows;
  PterisComposer *composer;
  PterisChatSettingsButton *settings;
  PterisContextMeter *meter;

  PterisChatSession *session;
  guint reached; /* position of the message to scroll to */
  PterisLibrary *library;
  PterisDrafts *drafts;
  gint64 written; /* the conversation of the composer's text; 0: the next new one */
  guint draft_source;
};

G_DEFINE_FINAL_TYPE (PterisChatPage, pteris_chat_page, GTK_TYPE_WIDGET)

/* ---- rows ---- */

static void
update_stack (PterisChatPage *self)
{
  gboolean empty = g_list_model_get_n_items (G_LIST_MODEL (self->session)) == 0;
  gboolean no_model = pteris_library_is_ready (self->library) &&
                      pteris_chat_session_get_model (self->session) == NULL;

  gtk_stack_set_visible_child_name (self->stack, empty ? "empty" : "conversation");
  gtk_stack_set_visible_child_name (self->empty, no_model ? "no-model" : "prompts");
}

static void
on_edit (PterisMessageRow *row, const char *text, PterisChatPage *self)
{
  g_autoptr (PterisMessage) message = g_object_ref (pteris_message_row_get_message (row));

  pteris_chat_page_focus (self);
  pteris_chat_session_edit (self->session, message, text);
  pteris_end_scroller_go_to_end (self->scroller);
}

static void
on_go (PterisMessageRow *row, int offset, PterisChatPage *self)
{
  g_autoptr (PterisMessage) message = g_object_ref (pteris_message_row_get_message (row));

  pteris_chat_page_focus (self);
  pteris_chat_session_switch (self->session, message, offset);
}

static void
on_row_added (PterisMessageList *list, PterisMessageRow *row, PterisChatPage *self)
{
  g_signal_connect_object (row, "edit", G_CALLBACK (on_edit), self, 0);
  g_signal_connect_object (row, "go", G_CALLBACK (on_go), self, 0);
}

/* The suggestions, and the files that messages may have, depend on the model. */
static void
update_takes (PterisChatPage *self)
{
  PterisModel *model = pteris_chat_session_get_model (self->session);
  const PtModelInfo *info = model != NULL ? pteris_model_get_info (model) : NULL;

  pteris_composer_set_takes (self->composer, info != NULL ? info->takes : 0,
                             info != NULL ? info->title : NULL);
  for (guint i = 0; i < PTERIS_N_SUGGESTIONS; i++)
    gtk_label_set_text (self->prompts[i],
                        pteris_suggestions_get (i, info != NULL ? info->languages : NULL));
}

gboolean
pteris_chat_page_takes (PterisChatPage *self, GFile *file)
{
  PterisModel *model = pteris_chat_session_get_model (self->session);
  guint takes = model != NULL ? pteris_model_get_info (model)->takes : 0;

  /* A recording is transcribed, unless the model takes sound. */
  return pteris_attachment_kind_of (file) != PTERIS_ATTACHMENT_AUDIO ||
         (takes & PT_MODEL_AUDIO) != 0;
}

void
pteris_chat_page_attach (PterisChatPage *self, GFile *file)
{
  pteris_composer_attach (self->composer, file);
  pteris_chat_page_focus (self);
}

/* ---- drafts ---- */

static gint64
shown_conversation (PterisChatPage *self)
{
  PterisConversation *conversation = pteris_chat_session_get_conversation (self->session);

  return conversation != NULL ? pteris_conversation_get_id (conversation) : 0;
}

static void
keep_draft (PterisChatPage *self)
{
  g_autofree char *text = pteris_composer_get_text (self->composer);

  g_clear_handle_id (&self->draft_source, g_source_remove);
  pteris_drafts_set (self->drafts, self->written, text);
}

static gboolean
on_draft_time (gpointer user_data)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (user_data);

  self->draft_source = 0;
  keep_draft (self);
  return G_SOURCE_REMOVE;
}

static void
on_text_changed (PterisChatPage *self)
{
  if (self->drafts != NULL && self->draft_source == 0)
    self->draft_source = g_timeout_add (DRAFT_MS, on_draft_time, self);
}

static void
show_draft (PterisChatPage *self)
{
  self->written = shown_conversation (self);
  pteris_composer_set_text (self->composer, pteris_drafts_get (self->drafts, self->written));
  g_clear_handle_id (&self->draft_source, g_source_remove);
}

/* The first message of a new conversation was sent: moves the draft to it. */
static void
on_conversation (PterisChatPage *self)
{
  if (shown_conversation (self) == self->written)
    return;
  keep_draft (self);
  show_draft (self);
}

static void
on_drafts_ready (PterisChatPage *self)
{
  g_autofree char *text = pteris_composer_get_text (self->composer);

  if (text[0] == '\0')
    show_draft (self);
}

/* ---- doing ---- */

static void
say (PterisChatPage *self, const char *text)
{
  pteris_chat_session_send (self->session, text);
  pteris_end_scroller_go_to_end (self->scroller);
}

static void
on_send (PterisComposer *composer, const char *text, PterisChatPage *self)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autoptr (GPtrArray) attachments = NULL;

  if (pteris_chat_session_is_busy (self->session))
    return;
  attachments = pteris_composer_get_attachments (composer);
  if (trimmed[0] == '\0' && attachments == NULL)
    return;
  if (attachments != NULL)
    g_ptr_array_ref (attachments);
  pteris_composer_clear (composer);
  pteris_chat_session_send_with (self->session, trimmed, attachments);
  pteris_end_scroller_go_to_end (self->scroller);
}

/* Edits the last question in place. */
static void
on_edit_last (PterisChatPage *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->session));

  for (guint i = n; i-- > 0;) {
    g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (self->session), i);

    if (pteris_message_is_answer (message))
      continue;
    pteris_message_row_begin_edit (pteris_message_list_reach (self->rows, i));
    return;
  }
}

static gboolean
unmark (gpointer row)
{
  gtk_widget_remove_css_class (row, "found");
  return G_SOURCE_REMOVE;
}

/* The rows of a conversation that has just been opened get their places first. */
static gboolean
reach (gpointer user_data)
{
  PterisChatPage *self = user_data;
  GtkWidget *row;

  if (self->session == NULL ||
      self->reached >= g_list_model_get_n_items (G_LIST_MODEL (self->session)))
    return G_SOURCE_REMOVE;
  row = GTK_WIDGET (pteris_message_list_reach (self->rows, self->reached));
  gtk_widget_add_css_class (row, "found");
  g_timeout_add_full (G_PRIORITY_DEFAULT, FOUND_MS, unmark, g_object_ref (row), g_object_unref);
  return G_SOURCE_REMOVE;
}

static void
on_reach (PterisChatSession *session, guint position, PterisChatPage *self)
{
  self->reached = position;
  g_timeout_add_full (G_PRIORITY_LOW, REACH_MS, reach, g_object_ref (self), g_object_unref);
}

static void
on_stop (PterisComposer *composer, PterisChatPage *self)
{
  pteris_chat_session_stop (self->session);
}

static void
on_prompt (GtkButton *button, PterisChatPage *self)
{
  GtkWidget *label = gtk_button_get_child (button);

  /* The button disappears: without this the focus would move to the first text. */
  pteris_chat_page_focus (self);
  say (self, gtk_label_get_text (GTK_LABEL (label)));
}

static void
on_busy (PterisChatSession *session, GParamSpec *pspec, PterisChatPage *self)
{
  gboolean busy = pteris_chat_session_is_busy (session);

  pteris_composer_set_busy (self->composer, busy);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.regenerate", !busy);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.continue", !busy);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.delete", !busy);
}

/* Moves the focus from a button that disappears to the composer. */
static void
write_on (GtkWidget *widget, const char *name, GVariant *parameter)
{
  pteris_chat_page_focus (PTERIS_CHAT_PAGE (widget));
}

static void
regenerate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (widget);

  pteris_chat_page_focus (self);
  pteris_chat_session_regenerate (self->session);
  pteris_end_scroller_go_to_end (self->scroller);
}

static void
go_on (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (widget);

  pteris_chat_page_focus (self);
  pteris_chat_session_continue (self->session);
  pteris_end_scroller_go_to_end (self->scroller);
}

static void
delete_message (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (widget);
  PterisMessage *message =
      pteris_chat_session_find_message (self->session, g_variant_get_int64 (parameter));

  pteris_chat_page_focus (self);
  if (message != NULL)
    pteris_chat_session_delete (self->session, message);
}

static PterisMessage *
last_message (PterisChatPage *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->session));
  g_autoptr (PterisMessage) message =
      n > 0 ? g_list_model_get_item (G_LIST_MODEL (self->session), n - 1) : NULL;

  return message;
}

/* Leaves out old messages and repeats the question that did not fit. */
static void
leave_out (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (widget);
  PterisMessage *last = last_message (self);
  PtError code = PT_ERROR_INTERNAL;
  gboolean failed;

  pteris_chat_page_focus (self);
  if (last == NULL)
    return;
  failed = pteris_message_get_state (last) == PTERIS_MESSAGE_FAILED &&
           pteris_message_get_error (last, &code) != NULL && code == PT_ERROR_CONTEXT_FULL;
  if (pteris_chat_session_leave_out (self->session) && failed)
    pteris_chat_session_regenerate (self->session);
  else if (failed)
    pteris_message_fail (last, code,
                         _ ("Your message alone is too long for this model's context. Shorten it, "
                            "or choose a model with a larger context."));
}

static void
use_cpu (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (widget);
  PterisMessage *last = last_message (self);

  pteris_chat_page_focus (self);
  if (last != NULL && pteris_message_get_alternative (last) != NULL)
    pteris_chat_session_use_model (self->session, pteris_message_get_alternative (last));
}

void
pteris_chat_page_focus (PterisChatPage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->composer));
}

void
pteris_chat_page_add_toast (PterisChatPage *self, AdwToast *toast)
{
  adw_toast_overlay_add_toast (self->toasts, toast);
}

gboolean
pteris_chat_page_type (PterisChatPage *self, GtkEventControllerKey *keys)
{
  return pteris_composer_type (self->composer, keys);
}

void
pteris_chat_page_bind (PterisChatPage *self, PterisChatSession *session, PterisLibrary *library,
                       PterisStarter *starter, PterisPresets *presets)
{
  pteris_chat_settings_button_bind (self->settings, session, presets);
  pteris_context_meter_bind (self->meter, session);
  g_set_object (&self->session, session);
  g_set_object (&self->library, library);
  pteris_starter_card_set_starter (self->starter_card, starter);
  pteris_message_list_set_model (self->rows, G_LIST_MODEL (session));
  g_signal_connect_object (session, "items-changed", G_CALLBACK (update_stack), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "model", G_CALLBACK (update_takes), self, G_CONNECT_SWAPPED);
  update_takes (self);
  self->drafts = pteris_drafts_new ();
  g_signal_connect_object (self->drafts, "ready", G_CALLBACK (on_drafts_ready), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::conversation", G_CALLBACK (on_conversation), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::busy", G_CALLBACK (on_busy), self, 0);
  g_signal_connect_object (session, "reach", G_CALLBACK (on_reach), self, 0);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (update_stack), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "scanned", G_CALLBACK (update_stack), self, G_CONNECT_SWAPPED);
  update_stack (self);
}

/* ---- the widget ---- */

static void
pteris_chat_page_dispose (GObject *object)
{
  PterisChatPage *self = PTERIS_CHAT_PAGE (object);

  if (self->draft_source != 0)
    keep_draft (self);
  g_clear_object (&self->drafts);
  g_clear_object (&self->session);
  g_clear_object (&self->library);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CHAT_PAGE);
  G_OBJECT_CLASS (pteris_chat_page_parent_class)->dispose (object);
}

static void
pteris_chat_page_class_init (PterisChatPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_chat_page_dispose;
  g_type_ensure (PTERIS_TYPE_CHAT_SETTINGS_BUTTON);
  g_type_ensure (PTERIS_TYPE_COMPOSER);
  g_type_ensure (PTERIS_TYPE_CONTEXT_METER);
  g_type_ensure (PTERIS_TYPE_END_SCROLLER);
  g_type_ensure (PTERIS_TYPE_MESSAGE_LIST);
  g_type_ensure (PTERIS_TYPE_STARTER_CARD);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "chat.write", NULL, write_on);
  gtk_widget_class_install_action (widget_class, "chat.regenerate", NULL, regenerate);
  gtk_widget_class_install_action (widget_class, "chat.continue", NULL, go_on);
  gtk_widget_class_install_action (widget_class, "chat.delete", "x", delete_message);
  gtk_widget_class_install_action (widget_class, "chat.leave-out", NULL, leave_out);
  gtk_widget_class_install_action (widget_class, "chat.use-cpu", NULL, use_cpu);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/chat-page.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, content);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, toasts);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, empty);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, starter_card);
  for (guint i = 0; i < PTERIS_N_SUGGESTIONS; i++) {
    g_autofree char *name = g_strdup_printf ("prompt_%u", i + 1);

    gtk_widget_class_bind_template_child_full (widget_class, name, FALSE,
                                               G_STRUCT_OFFSET (PterisChatPage, prompts) +
                                                   (gssize) (i * sizeof (gpointer)));
  }
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, scroller);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, rows);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, composer);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, settings);
  gtk_widget_class_bind_template_child (widget_class, PterisChatPage, meter);
  gtk_widget_class_bind_template_callback (widget_class, on_row_added);
  gtk_widget_class_bind_template_callback (widget_class, on_send);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
  gtk_widget_class_bind_template_callback (widget_class, on_text_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_edit_last);
  gtk_widget_class_bind_template_callback (widget_class, on_prompt);
}

static void
pteris_chat_page_init (PterisChatPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
