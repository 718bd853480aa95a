/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-view.h"

#include <string.h>

#include <adwaita.h>

#include "ui/parts/error-card.h"
#include "ui/i18n.h"
#include "ui/speech/language-drop-down.h"
#include "ui/speech/languages.h"
#include "ui/sound/player-bar.h"
#include "ui/speech/segment-list.h"
#include "ui/settings.h"
#include "ui/speech/transcript-export.h"
#include "ui/speech/transcript-search.h"

struct _PterisTranscriptView {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *drag_handle;
  GtkLabel *name;
  GtkLabel *summary;
  GtkWidget *pause;
  GtkWidget *resume;
  GtkWidget *stop;
  GtkWidget *undo;
  GtkWidget *redo;
  AdwSplitButton *export_button;
  GtkLabel *export_label;
  GtkMenuButton *more;
  GtkPopover *again;
  GtkDropDown *language;
  GtkDropDown *task;
  GtkPopover *rename;
  GtkEditable *title;
  GtkProgressBar *progress;
  PterisPlayerBar *player;
  PterisTranscriptSearch *search;
  PterisErrorCard *error;
  GtkStack *stack;
  PterisSegmentList *segments;
  gint64 wanted; /* id of the segment to scroll to; 0: none */
  GtkTextView *plain;

  PterisTranscriptQueue *queue;
  PterisTranscript *transcript;
  char *format;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptView, pteris_transcript_view, GTK_TYPE_WIDGET)

static gboolean
is_plain (PterisTranscriptView *self)
{
  return g_str_equal (gtk_stack_get_visible_child_name (self->stack), "plain");
}

/* ---- showing ---- */

static void
update_actions (PterisTranscriptView *self)
{
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self->transcript));
  GtkWidget *widget = GTK_WIDGET (self);

  gtk_widget_action_set_enabled (widget, "transcript.undo",
                                 pteris_transcript_can_undo (self->transcript));
  gtk_widget_action_set_enabled (widget, "transcript.redo",
                                 pteris_transcript_can_redo (self->transcript));
  gtk_widget_action_set_enabled (widget, "transcript.copy", n > 0);
  gtk_widget_action_set_enabled (widget, "transcript.find", n > 0);
  gtk_widget_action_set_enabled (widget, "transcript.export-as", n > 0);
  gtk_widget_action_set_enabled (widget, "transcript.export-without-names", n > 0);
  gtk_widget_action_set_enabled (widget, "transcript.replace-names", n > 0);
  gtk_widget_action_set_enabled (widget, "transcript.again",
                                 pteris_transcript_get_state (self->transcript) !=
                                     PTERIS_TRANSCRIPT_RUNNING);
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), n > 0);
}

static void
update_page (PterisTranscriptView *self)
{
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self->transcript));
  PterisTranscriptState state = pteris_transcript_get_state (self->transcript);

  if (n > 0 || !pteris_transcript_is_loaded (self->transcript)) {
    if (!is_plain (self))
      gtk_stack_set_visible_child_name (self->stack, "timed");
  } else if (state == PTERIS_TRANSCRIPT_DONE) {
    gtk_stack_set_visible_child_name (self->stack, "silent");
  } else {
    gtk_stack_set_visible_child_name (self->stack, "empty");
  }
}

/* No undo during the transcription. A dictation has its own controls. */
static void
update_controls (PterisTranscriptView *self)
{
  gboolean open = pteris_transcript_is_open (self->transcript);
  gboolean paused = pteris_transcript_get_state (self->transcript) == PTERIS_TRANSCRIPT_PAUSED;
  gboolean live = pteris_transcript_is_live (self->transcript);
  double fraction = pteris_transcript_get_fraction (self->transcript);

  gtk_widget_set_visible (self->pause, open && !paused && !live);
  gtk_widget_set_visible (self->resume, paused && !live);
  gtk_widget_set_visible (self->stop, open && !live);
  gtk_widget_set_visible (self->undo, !open);
  gtk_widget_set_visible (self->redo, !open);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), open && !live && fraction > 0);
  gtk_progress_bar_set_fraction (self->progress, fraction);
}

/* If the file is not a recording, another model does not help. */
static void
show_error (PterisTranscriptView *self, PtError code, const char *sentence)
{
  const char *path = pteris_transcript_get_path (self->transcript);
  g_autofree char *name = g_filename_display_basename (path);
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self->transcript));
  const char *alternative;

  gtk_widget_set_visible (GTK_WIDGET (self->error), sentence != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->stack), sentence == NULL || n > 0);
  if (sentence == NULL)
    return;
  if ((code == PT_ERROR_FORMAT || code == PT_ERROR_UNSUPPORTED) && strstr (sentence, name) != NULL)
    code = PT_ERROR_AUDIO;
  pteris_error_card_set (self->error, code, sentence, "transcript.retry", path);
  if (code != PT_ERROR_HOST)
    return;
  pteris_error_card_set_report (self->error,
                                pteris_transcript_get_report (self->transcript, &alternative));
  if (alternative != NULL)
    pteris_error_card_set_step (self->error, _ ("Run on the _CPU"), "transcript.use-cpu");
}

static void
update (PterisTranscriptView *self)
{
  g_autofree char *summary = pteris_transcript_describe (self->transcript);
  const PtStats *stats = pteris_transcript_get_stats (self->transcript);
  gboolean live = pteris_transcript_is_live (self->transcript);
  PtError code;
  const char *sentence = pteris_transcript_get_error (self->transcript, &code);

  gtk_label_set_text (self->name, pteris_transcript_get_title (self->transcript));
  gtk_label_set_text (self->summary, summary);
  gtk_widget_set_visible (GTK_WIDGET (self->player), !live);
  pteris_player_bar_set_path (self->player,
                              live ? NULL : pteris_transcript_get_path (self->transcript),
                              stats->audio_total_s);
  show_error (self, code, sentence);
  update_actions (self);
  update_controls (self);
  update_page (self);
}

static void
fill_plain (PterisTranscriptView *self)
{
  g_autofree char *text = pteris_transcript_format_plain (self->transcript);

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->plain), text, -1);
}

/* Scrolls to the wanted segment once it is there. */
static void
reach (PterisTranscriptView *self)
{
  GListModel *segments = pteris_transcript_get_segments (self->transcript);
  guint n = self->wanted != 0 ? g_list_model_get_n_items (segments) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisSegment) segment = g_list_model_get_item (segments, i);

    if (pteris_segment_get_id (segment) == self->wanted) {
      self->wanted = 0;
      pteris_segment_list_reach (self->segments, i);
      return;
    }
  }
}

static void
on_segments_changed (PterisTranscriptView *self)
{
  reach (self);
  if (is_plain (self))
    fill_plain (self);
  update_actions (self);
  update_page (self);
}

static void
on_search (PterisTranscriptView *self)
{
  PterisMatch match;
  gboolean found = pteris_transcript_search_get_match (self->search, &match);

  pteris_segment_list_set_query (self->segments, pteris_transcript_search_get_query (self->search),
                                 found ? &match : NULL);
}

/* ---- listening ---- */

static void
on_player (PterisTranscriptView *self)
{
  PterisPlayer *player = pteris_player_bar_get_player (self->player);
  double position = pteris_player_get_position (player);
  gboolean heard = pteris_player_is_playing (player) || position > 0;

  if (self->transcript != NULL)
    pteris_segment_list_set_playing (
        self->segments, heard ? pteris_transcript_find_time (self->transcript, position) : -1);
}

static void
on_seek (PterisSegmentList *list, double seconds, PterisTranscriptView *self)
{
  pteris_segment_list_follow (list);
  pteris_player_seek (pteris_player_bar_get_player (self->player), seconds);
}

/* Space plays and pauses, except in a text field or on a button. */
static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        PterisTranscriptView *self)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));

  if (key != GDK_KEY_space || (state & gtk_accelerator_get_default_mod_mask ()) != 0 ||
      GTK_IS_EDITABLE (focus) || GTK_IS_BUTTON (focus) ||
      (GTK_IS_TEXT_VIEW (focus) && gtk_text_view_get_editable (GTK_TEXT_VIEW (focus))))
    return FALSE;
  pteris_player_bar_toggle (self->player);
  return TRUE;
}

static void
unbind (PterisTranscriptView *self)
{
  if (self->transcript == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->transcript, self);
  g_signal_handlers_disconnect_by_data (pteris_transcript_get_segments (self->transcript), self);
  pteris_player_bar_set_path (self->player, NULL, 0);
  pteris_segment_list_set_transcript (self->segments, NULL);
  pteris_transcript_search_set_transcript (self->search, NULL);
  g_clear_object (&self->transcript);
  self->wanted = 0;
}

void
pteris_transcript_view_reach (PterisTranscriptView *self, gint64 id)
{
  if (self->transcript == NULL)
    return;
  self->wanted = id;
  reach (self);
}

void
pteris_transcript_view_set_transcript (PterisTranscriptView *self, PterisTranscript *transcript)
{
  if (self->transcript == transcript)
    return;
  unbind (self);
  gtk_widget_set_visible (self->content, transcript != NULL);
  if (transcript == NULL)
    return;
  self->transcript = g_object_ref (transcript);
  pteris_transcript_load (transcript);
  g_signal_connect_object (transcript, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (pteris_transcript_get_segments (transcript), "items-changed",
                           G_CALLBACK (on_segments_changed), self, G_CONNECT_SWAPPED);
  pteris_segment_list_set_transcript (self->segments, transcript);
  pteris_transcript_search_set_transcript (self->search, transcript);
  if (is_plain (self))
    fill_plain (self);
  update (self);
}

PterisTranscript *
pteris_transcript_view_get_transcript (PterisTranscriptView *self)
{
  return self->transcript;
}

void
pteris_transcript_view_set_queue (PterisTranscriptView *self, PterisTranscriptQueue *queue)
{
  g_set_object (&self->queue, queue);
}

/* ---- actions ---- */

#define ACTION(name) static void name (GtkWidget *widget, const char *action, GVariant *parameter)

ACTION (copy)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);
  g_autofree char *text = is_plain (self)
                              ? pteris_transcript_format_plain (self->transcript)
                              : pteris_transcript_format (self->transcript, PT_SUBTITLE_TXT);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
set_format (PterisTranscriptView *self, const char *format)
{
  g_autofree char *upper = g_ascii_strup (format, -1);
  /* TRANSLATORS: a button; %s is the name of a format of files: "SRT". */
  g_autofree char *label = g_strdup_printf (_ ("Export %s"), upper);
  GtkWidget *button = gtk_widget_get_first_child (GTK_WIDGET (self->export_button));
  char *copy = g_strdup (format);

  g_free (self->format);
  self->format = copy;
  gtk_label_set_text (self->export_label, label);
  /* A split button does not pass its name to its two buttons. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_accessible_update_property (
      GTK_ACCESSIBLE (gtk_widget_get_last_child (GTK_WIDGET (self->export_button))),
      GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Other formats"), -1);
}

static PtSubtitleFormat
current_format (PterisTranscriptView *self)
{
  PtSubtitleFormat format = PT_SUBTITLE_SRT;

  pt_subtitle_format_find (self->format, &format);
  return format;
}

static void
on_export_clicked (PterisTranscriptView *self)
{
  if (self->transcript != NULL)
    pteris_transcript_export_dialog (GTK_WIDGET (self), self->transcript, current_format (self));
}

ACTION (export_as)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  set_format (self, g_variant_get_string (parameter, NULL));
  pteris_settings_set_string (PTERIS_SETTING_LAST_EXPORT, self->format);
  on_export_clicked (self);
}

ACTION (export_last)
{
  on_export_clicked (PTERIS_TRANSCRIPT_VIEW (widget));
}

ACTION (export_all)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  pteris_transcripts_export_dialog (widget, G_LIST_MODEL (self->queue), current_format (self));
}

/* The window has the library of models, and so the privacy filter. */
ACTION (export_without_names)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  gtk_widget_activate_action (widget, "win.export-transcript-without-names", "(xs)",
                              pteris_transcript_get_id (self->transcript), self->format);
}

ACTION (replace_names)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  gtk_widget_activate_action (widget, "win.replace-names", "x",
                              pteris_transcript_get_id (self->transcript));
}

ACTION (retry)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  pteris_transcript_queue_enqueue (self->queue, self->transcript);
}

ACTION (use_cpu)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);
  const char *alternative;

  pteris_transcript_get_report (self->transcript, &alternative);
  if (alternative != NULL)
    pteris_transcript_queue_use_model (self->queue, self->transcript, alternative);
}

ACTION (pause_it)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  pteris_transcript_queue_pause (self->queue, self->transcript);
}

ACTION (stop)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  pteris_transcript_queue_stop (self->queue, self->transcript);
}

ACTION (undo)
{
  pteris_transcript_undo (PTERIS_TRANSCRIPT_VIEW (widget)->transcript);
}

ACTION (redo)
{
  pteris_transcript_redo (PTERIS_TRANSCRIPT_VIEW (widget)->transcript);
}

ACTION (find)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  gtk_stack_set_visible_child_name (self->stack, "timed");
  pteris_transcript_search_set_open (self->search, TRUE);
}

/* "timed" or "plain". */
ACTION (show_as)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);
  gboolean plain = g_str_equal (g_variant_get_string (parameter, NULL), "plain");

  if (plain) {
    pteris_transcript_search_set_open (self->search, FALSE);
    fill_plain (self);
  }
  gtk_stack_set_visible_child_name (self->stack, plain ? "plain" : "timed");
  update_page (self);
}

ACTION (set_marks)
{
  pteris_segment_list_set_marks (PTERIS_TRANSCRIPT_VIEW (widget)->segments,
                                 g_variant_get_boolean (parameter));
}

ACTION (delete)
{
  gtk_widget_activate_action (
      widget, "win.delete-transcript", "x",
      pteris_transcript_get_id (PTERIS_TRANSCRIPT_VIEW (widget)->transcript));
}

/* ---- transcribe again ---- */

ACTION (again)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  gtk_drop_down_set_selected (
      self->language, pteris_languages_find (pteris_transcript_get_language (self->transcript)));
  gtk_drop_down_set_selected (self->task, pteris_transcript_get_translate (self->transcript));
  gtk_popover_popup (self->again);
}

static void
on_again (PterisTranscriptView *self)
{
  const char *language = pteris_languages_get_code (gtk_drop_down_get_selected (self->language));
  gboolean translate = gtk_drop_down_get_selected (self->task) == 1;

  gtk_popover_popdown (self->again);
  /* A paused one would continue in another language than its beginning. */
  if (pteris_transcript_get_state (self->transcript) == PTERIS_TRANSCRIPT_PAUSED)
    pteris_transcript_queue_stop (self->queue, self->transcript);
  pteris_transcript_set_choices (self->transcript, language, translate);
  pteris_transcript_queue_enqueue (self->queue, self->transcript);
}

/* ---- another title ---- */

ACTION (ask_title)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  gtk_editable_set_text (self->title, pteris_transcript_get_title (self->transcript));
  gtk_popover_popup (self->rename);
  gtk_widget_grab_focus (GTK_WIDGET (self->title));
}

static void
on_title (PterisTranscriptView *self)
{
  pteris_transcript_set_title (self->transcript, gtk_editable_get_text (self->title));
  gtk_popover_popdown (self->rename);
}

/* ---- drag of the text ---- */

static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, PterisTranscriptView *self)
{
  g_autofree char *text = NULL;

  if (self->transcript == NULL)
    return NULL;
  text = pteris_transcript_format_plain (self->transcript);
  return gdk_content_provider_new_typed (G_TYPE_STRING, text);
}

static void
add_dragging (PterisTranscriptView *self)
{
  GtkDragSource *source = gtk_drag_source_new ();

  g_signal_connect (source, "prepare", G_CALLBACK (on_drag_prepare), self);
  gtk_widget_add_controller (self->drag_handle, GTK_EVENT_CONTROLLER (source));
  gtk_widget_set_cursor_from_name (self->drag_handle, "grab");
}

/* ---- the widget ---- */

static void
pteris_transcript_view_dispose (GObject *object)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (object);

  if (self->segments != NULL)
    unbind (self);
  g_clear_object (&self->queue);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_VIEW);
  G_OBJECT_CLASS (pteris_transcript_view_parent_class)->dispose (object);
}

static void
pteris_transcript_view_finalize (GObject *object)
{
  g_free (PTERIS_TRANSCRIPT_VIEW (object)->format);
  G_OBJECT_CLASS (pteris_transcript_view_parent_class)->finalize (object);
}

static void
add_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "transcript.export-as", "s", export_as);
  gtk_widget_class_install_action (widget_class, "transcript.export", NULL, export_last);
  gtk_widget_class_install_action (widget_class, "transcript.export-all", NULL, export_all);
  gtk_widget_class_install_action (widget_class, "transcript.export-without-names", NULL,
                                   export_without_names);
  gtk_widget_class_install_action (widget_class, "transcript.replace-names", NULL, replace_names);
  gtk_widget_class_install_action (widget_class, "transcript.copy", NULL, copy);
  gtk_widget_class_install_action (widget_class, "transcript.retry", NULL, retry);
  gtk_widget_class_install_action (widget_class, "transcript.use-cpu", NULL, use_cpu);
  gtk_widget_class_install_action (widget_class, "transcript.pause", NULL, pause_it);
  gtk_widget_class_install_action (widget_class, "transcript.stop", NULL, stop);
  gtk_widget_class_install_action (widget_class, "transcript.again", NULL, again);
  gtk_widget_class_install_action (widget_class, "transcript.rename", NULL, ask_title);
  gtk_widget_class_install_action (widget_class, "transcript.delete", NULL, delete);
  gtk_widget_class_install_action (widget_class, "transcript.undo", NULL, undo);
  gtk_widget_class_install_action (widget_class, "transcript.redo", NULL, redo);
  gtk_widget_class_install_action (widget_class, "transcript.find", NULL, find);
  gtk_widget_class_install_action (widget_class, "transcript.show", "s", show_as);
  gtk_widget_class_install_action (widget_class, "transcript.marks", "b", set_marks);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_z, GDK_CONTROL_MASK, "transcript.undo",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK,
                                       "transcript.redo", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "transcript.find",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_h, GDK_CONTROL_MASK, "transcript.find",
                                       NULL);
}

static void
pteris_transcript_view_class_init (PterisTranscriptViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_transcript_view_finalize;
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  g_type_ensure (PTERIS_TYPE_PLAYER_BAR);
  g_type_ensure (PTERIS_TYPE_SEGMENT_LIST);
  g_type_ensure (PTERIS_TYPE_TRANSCRIPT_SEARCH);
  add_actions (widget_class);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, content);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, drag_handle);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, name);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, summary);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, pause);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, resume);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, stop);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, undo);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, redo);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, progress);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, export_button);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, export_label);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, more);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, again);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, language);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, task);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, rename);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, title);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, player);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, search);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, error);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, segments);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, plain);
  gtk_widget_class_bind_template_callback (widget_class, on_export_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_search);
  gtk_widget_class_bind_template_callback (widget_class, on_seek);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, on_again);
  gtk_widget_class_bind_template_callback (widget_class, on_title);
}

static void
pteris_transcript_view_init (PterisTranscriptView *self)
{
  g_autofree char *last = pteris_settings_get_string (PTERIS_SETTING_LAST_EXPORT);
  PtSubtitleFormat format;

  gtk_widget_init_template (GTK_WIDGET (self));
  pteris_language_drop_down_set_up (self->language);
  g_signal_connect_object (pteris_player_bar_get_player (self->player), "changed",
                           G_CALLBACK (on_player), self, G_CONNECT_SWAPPED);
  set_format (self, last != NULL && pt_subtitle_format_find (last, &format) ? last : "srt");
  add_dragging (self);
}
