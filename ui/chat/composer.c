/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/composer.h"

#include <string.h>
#include <pteris/models.h>

#include "ui/chat/attachment-reader.h"
#include "ui/chat/attachment-strip.h"
#include "ui/parts/files.h"
#include "ui/i18n.h"
#include "ui/settings.h"

struct _PterisComposer {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *notice;
  GtkLabel *note;
  PterisAttachmentStrip *attachments;
  GtkWidget *frame;
  GtkWidget *attach;
  GtkTextView *view;
  GtkLabel *placeholder;
  GtkButton *send;
  GtkButton *stop;

  gboolean busy;
  guint takes;
  char *model;
};

G_DEFINE_FINAL_TYPE (PterisComposer, pteris_composer, GTK_TYPE_WIDGET)

enum { SIGNAL_SEND, SIGNAL_STOP, SIGNAL_CHANGED, SIGNAL_EDIT_LAST, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
say (PterisComposer *self, const char *text)
{
  gtk_label_set_text (self->note, text != NULL ? text : "");
  gtk_widget_set_visible (self->notice, text != NULL);
}

char *
pteris_composer_get_text (PterisComposer *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

void
pteris_composer_set_text (PterisComposer *self, const char *text)
{
  say (self, NULL);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->view), text, -1);
}

void
pteris_composer_clear (PterisComposer *self)
{
  pteris_composer_set_text (self, "");
  pteris_attachment_strip_set (self->attachments, NULL, TRUE);
}

gboolean
pteris_composer_type (PterisComposer *self, GtkEventControllerKey *keys)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
  return gtk_event_controller_key_forward (keys, GTK_WIDGET (self->view));
}

static gboolean
is_empty (PterisComposer *self)
{
  return gtk_text_buffer_get_char_count (gtk_text_view_get_buffer (self->view)) == 0;
}

static void
update (PterisComposer *self)
{
  gboolean focused = gtk_widget_has_focus (GTK_WIDGET (self->view));
  g_autofree char *text = g_strstrip (pteris_composer_get_text (self));

  gtk_widget_set_visible (GTK_WIDGET (self->placeholder), is_empty (self));
  gtk_widget_set_sensitive (GTK_WIDGET (self->send),
                            text[0] != '\0' ||
                                pteris_attachment_strip_get (self->attachments) != NULL);
  gtk_widget_set_visible (self->attach, self->takes != 0);
  gtk_widget_set_visible (GTK_WIDGET (self->send), !self->busy);
  gtk_widget_set_visible (GTK_WIDGET (self->stop), self->busy);
  if (focused)
    gtk_widget_add_css_class (self->frame, "focused");
  else
    gtk_widget_remove_css_class (self->frame, "focused");
}

void
pteris_composer_set_busy (PterisComposer *self, gboolean busy)
{
  self->busy = busy;
  update (self);
}

/* ---- attachments ---- */

static void
on_close_notice (PterisComposer *self)
{
  say (self, NULL);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

GPtrArray *
pteris_composer_get_attachments (PterisComposer *self)
{
  return pteris_attachment_strip_get (self->attachments);
}

void
pteris_composer_set_takes (PterisComposer *self, guint takes, const char *model)
{
  /* Another model may take the files that the last one refused. */
  if (self->takes != takes || g_strcmp0 (self->model, model) != 0)
    say (self, NULL);
  self->takes = takes;
  g_free (self->model);
  self->model = g_strdup (model);
  update (self);
}

/* The focus was on the button of the removed attachment. */
static void
on_attachments_changed (PterisComposer *self)
{
  update (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisComposer) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisAttachment) attachment = pteris_attachment_read_finish (result, &error);
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  GPtrArray *now;

  /* The window may be gone. */
  if (self->attachments == NULL)
    return;
  if (attachment == NULL) {
    say (self, error->message);
    return;
  }
  now = pteris_attachment_strip_get (self->attachments);
  for (guint i = 0; now != NULL && i < now->len; i++)
    g_ptr_array_add (list, g_object_ref (now->pdata[i]));
  g_ptr_array_add (list, g_steal_pointer (&attachment));
  pteris_attachment_strip_set (self->attachments, list, TRUE);
  update (self);
}

/* The sentence why @kind cannot be attached; NULL: it can. Free with g_free(). */
static char *
refuse (PterisComposer *self, PterisAttachmentKind kind, const char *name)
{
  const char *model = self->model != NULL ? self->model : _ ("The model");
  guint needed = kind == PTERIS_ATTACHMENT_IMAGE   ? PT_MODEL_IMAGES
                 : kind == PTERIS_ATTACHMENT_AUDIO ? PT_MODEL_AUDIO
                                                   : 0;

  if (needed == 0)
    return g_strdup_printf (_ ("“%s” was not added: only images and recordings can be attached."),
                            name);
  if ((self->takes & needed) != 0)
    return NULL;
  if (self->takes == 0)
    return g_strdup_printf (_ ("%s supports text only; “%s” was not added."), model, name);
  return g_strdup_printf (needed == PT_MODEL_IMAGES
                              ? _ ("%s does not support images; “%s” was not added.")
                              : _ ("%s does not support audio; “%s” was not added."),
                          model, name);
}

void
pteris_composer_attach (PterisComposer *self, GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *reason = pteris_file_explain_foreign (file);

  if (reason == NULL)
    reason = refuse (self, pteris_attachment_kind_of (file), name);
  say (self, reason);
  if (reason == NULL)
    pteris_attachment_read_async (file, NULL, on_read, g_object_ref (self));
}

static void
on_files_chosen (GtkNativeDialog *dialog, int response, PterisComposer *self)
{
  g_autoptr (GListModel) chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
  guint n = response == GTK_RESPONSE_ACCEPT ? g_list_model_get_n_items (chosen) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (GFile) file = g_list_model_get_item (chosen, i);

    pteris_composer_attach (self, file);
  }
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
  g_object_unref (dialog);
}

static void
add_suffixes (GtkFileFilter *filter, const char *const *suffixes)
{
  for (; *suffixes != NULL; suffixes++)
    gtk_file_filter_add_suffix (filter, *suffixes);
}

static void
on_attach_clicked (PterisComposer *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Attach"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
      GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Attach"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Supported Files"));
  if (self->takes & PT_MODEL_IMAGES)
    add_suffixes (filter, pteris_picture_suffixes ());
  if (self->takes & PT_MODEL_AUDIO)
    add_suffixes (filter, pteris_recording_suffixes ());
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_files_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- pasting ---- */

/* Saves a pasted picture to a file named by its hash. */
static GFile *
save_texture (GdkTexture *texture, GError **error)
{
  g_autoptr (GBytes) png = gdk_texture_save_to_png_bytes (texture);
  g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, png);
  g_autofree char *name = g_strconcat (sum, ".png", NULL);
  g_autofree char *folder =
      g_build_filename (g_get_user_data_dir (), "pteris", "attachments", NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  gsize size;
  const char *bytes = g_bytes_get_data (png, &size);

  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents_full (path, bytes, (gssize) size, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
                                 error))
    return NULL;
  return g_file_new_for_path (path);
}

static void
on_texture (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisComposer) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture =
      gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (clipboard), result, &error);
  g_autoptr (GFile) file = texture != NULL ? save_texture (texture, &error) : NULL;

  if (self->attachments == NULL)
    return;
  if (file != NULL)
    pteris_composer_attach (self, file);
  else
    say (self, error->message);
}

static void
on_files (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisComposer) self = user_data;
  const GValue *value = gdk_clipboard_read_value_finish (GDK_CLIPBOARD (clipboard), result, NULL);

  for (GSList *l = value != NULL && self->attachments != NULL ? g_value_get_boxed (value) : NULL;
       l != NULL; l = l->next)
    pteris_composer_attach (self, l->data);
}

/* Text is pasted as text; pictures and files become attachments. */
static void
on_paste (GtkTextView *view, PterisComposer *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (view));
  GdkContentFormats *formats = gdk_clipboard_get_formats (clipboard);

  if (gdk_content_formats_contain_gtype (formats, GDK_TYPE_FILE_LIST)) {
    g_signal_stop_emission_by_name (view, "paste-clipboard");
    gdk_clipboard_read_value_async (clipboard, GDK_TYPE_FILE_LIST, G_PRIORITY_DEFAULT, NULL,
                                    on_files, g_object_ref (self));
  } else if (gdk_content_formats_contain_gtype (formats, GDK_TYPE_TEXTURE) &&
             !gdk_content_formats_contain_gtype (formats, G_TYPE_STRING)) {
    g_signal_stop_emission_by_name (view, "paste-clipboard");
    if ((self->takes & PT_MODEL_IMAGES) == 0) {
      g_autofree char *reason = refuse (self, PTERIS_ATTACHMENT_IMAGE, _ ("Image"));

      say (self, reason);
      return;
    }
    gdk_clipboard_read_texture_async (clipboard, NULL, on_texture, g_object_ref (self));
  }
}

/* ---- sending ---- */

static void
send (PterisComposer *self)
{
  g_autofree char *text = pteris_composer_get_text (self);

  if (!self->busy)
    g_signal_emit (self, signals[SIGNAL_SEND], 0, text);
}

static void
on_send_clicked (GtkButton *button, PterisComposer *self)
{
  send (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
on_stop_clicked (GtkButton *button, PterisComposer *self)
{
  g_signal_emit (self, signals[SIGNAL_STOP], 0);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
on_text_changed (PterisComposer *self)
{
  say (self, NULL);
  update (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        PterisComposer *self)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller));

  if ((key == GDK_KEY_Up || key == GDK_KEY_KP_Up) && !self->busy && is_empty (self)) {
    g_signal_emit (self, signals[SIGNAL_EDIT_LAST], 0);
    return GDK_EVENT_STOP;
  }
  if (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter && key != GDK_KEY_ISO_Enter)
    return GDK_EVENT_PROPAGATE;
  /* An input method may use Enter to finish a word. */
  if (event != NULL && gtk_text_view_im_context_filter_keypress (self->view, event))
    return GDK_EVENT_STOP;
  if (state & GDK_SHIFT_MASK)
    return GDK_EVENT_PROPAGATE;
  if (!(state & GDK_CONTROL_MASK) && !pteris_settings_get_boolean (PTERIS_SETTING_SEND_WITH_ENTER))
    return GDK_EVENT_PROPAGATE;
  send (self);
  return GDK_EVENT_STOP;
}

static void
on_send_with_enter (gpointer self)
{
  gboolean enter = pteris_settings_get_boolean (PTERIS_SETTING_SEND_WITH_ENTER);

  gtk_widget_set_tooltip_text (GTK_WIDGET (PTERIS_COMPOSER (self)->send),
                               enter ? _ ("Send (Enter)") : _ ("Send (Ctrl+Enter)"));
}

static gboolean
pteris_composer_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (PTERIS_COMPOSER (widget)->view));
}

static void
pteris_composer_finalize (GObject *object)
{
  g_free (PTERIS_COMPOSER (object)->model);
  G_OBJECT_CLASS (pteris_composer_parent_class)->finalize (object);
}

static void
pteris_composer_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_COMPOSER);
  G_OBJECT_CLASS (pteris_composer_parent_class)->dispose (object);
}

static void
pteris_composer_class_init (PterisComposerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_composer_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_composer_finalize;
  widget_class->grab_focus = pteris_composer_grab_focus;
  g_type_ensure (PTERIS_TYPE_ATTACHMENT_STRIP);

  signals[SIGNAL_SEND] = g_signal_new ("send", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                       NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_STOP] = g_signal_new ("stop", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                       NULL, NULL, G_TYPE_NONE, 0);

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_EDIT_LAST] = g_signal_new ("edit-last", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0,
                                            NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/composer.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, content);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, notice);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, note);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, attachments);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, attach);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, view);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, placeholder);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, send);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, stop);
  gtk_widget_class_bind_template_callback (widget_class, on_attachments_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_attach_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_close_notice);
  gtk_widget_class_bind_template_callback (widget_class, on_send_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_clicked);
}

static void
pteris_composer_init (PterisComposer *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->view, "paste-clipboard", G_CALLBACK (on_paste), self, 0);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->view), keys);
  g_signal_connect_object (gtk_text_view_get_buffer (self->view), "changed",
                           G_CALLBACK (on_text_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "notify::has-focus", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  pteris_settings_watch (PTERIS_SETTING_SEND_WITH_ENTER, on_send_with_enter, self);
  on_send_with_enter (self);
  update (self);
}
