/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/classify-view.h"

#include "ui/i18n.h"
#include "ui/parts/image-file.h"
#include "ui/run/share-bar.h"

/* Of the picture as it is shown, in pixels. */
#define SIDE 240

struct _PterisClassifyView {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkPicture *picture;
  GtkLabel *status;
  GtkBox *classes;

  PterisEngineClient *client;
  char *program;
  char **data;
  char *path;   /* of the picture */
  guint64 job;  /* 0: nothing runs */
  guint number; /* of the picture, so that a late one is not shown */
};

G_DEFINE_FINAL_TYPE (PterisClassifyView, pteris_classify_view, GTK_TYPE_WIDGET)

static void
clear (PterisClassifyView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->classes))) != NULL)
    gtk_box_remove (self->classes, child);
}

static void
say (PterisClassifyView *self, const char *text)
{
  gtk_label_set_text (self->status, text);
  gtk_widget_set_visible (GTK_WIDGET (self->status), text[0] != '\0');
}

/* ---- what comes back ---- */

static void
show_classes (PterisClassifyView *self, const PtPicture *picture)
{
  say (self, picture->error != NULL ? picture->error : "");
  for (guint i = 0; i < picture->n_classes; i++) {
    const PtClass *one = &picture->classes[i];
    g_autofree char *number = g_strdup_printf (_ ("Class %lld"), (long long) one->index);
    g_autofree char *value = g_strdup_printf ("%.1f %%", one->probability * 100);

    gtk_box_append (self->classes, pteris_share_bar_new (one->label != NULL ? one->label : number,
                                                         value, one->probability));
  }
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  PterisClassifyView *self = user_data;

  if (event->job != self->job)
    return;
  switch (event->kind) {
  case PT_EVENT_REPORT: show_classes (self, &event->classification->pictures[0]); break;
  case PT_EVENT_FAILED: say (self, event->text); G_GNUC_FALLTHROUGH;
  case PT_EVENT_DONE:
  case PT_EVENT_STOPPED: self->job = 0; break;
  default: break;
  }
}

static void
stop (PterisClassifyView *self)
{
  guint64 job = self->job;

  self->job = 0;
  if (job != 0 && self->client != NULL)
    pteris_engine_client_cancel (self->client, job);
}

/* ---- the picture ---- */

typedef struct {
  char *path;
  guint number;
} Reading;

static void
reading_free (Reading *reading)
{
  g_free (reading->path);
  g_free (reading);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  GdkPixbuf *pixbuf =
      pteris_image_file_read (((Reading *) task_data)->path, 2 * SIDE, cancellable, &error);

  if (pixbuf != NULL)
    g_task_return_pointer (task, pixbuf, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisClassifyView *self = PTERIS_CLASSIFY_VIEW (source);
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GdkPixbuf) pixbuf = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autoptr (GdkTexture) texture = NULL;

  if (reading->number != self->number || self->content == NULL)
    return;
  if (pixbuf != NULL)
    texture = gdk_texture_new_for_pixbuf (pixbuf);
  gtk_picture_set_paintable (self->picture, GDK_PAINTABLE (texture));
  gtk_widget_set_visible (GTK_WIDGET (self->picture), texture != NULL);
}

static void
show_picture (PterisClassifyView *self)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_read, NULL);
  g_autofree char *name = g_filename_display_basename (self->path);
  Reading *reading = g_new (Reading, 1);

  *reading = (Reading){ g_strdup (self->path), ++self->number };
  gtk_picture_set_alternative_text (self->picture, name);
  g_task_set_source_tag (task, show_picture);
  g_task_set_task_data (task, reading, (GDestroyNotify) reading_free);
  g_task_run_in_thread (task, read_in_thread);
}

void
pteris_classify_view_open (PterisClassifyView *self, const char *path)
{
  const char *images[] = { path, NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_CLASSIFY);

  stop (self);
  clear (self);
  g_free (self->path);
  self->path = g_strdup (path);
  show_picture (self);
  say (self, _ ("Searching…"));
  job.model.path = self->program;
  job.model.data = (const char *const *) self->data;
  job.model.family = "classifier";
  job.vision.images = images;
  self->job = pteris_engine_client_submit (self->client, NULL, &job, on_event, g_object_ref (self),
                                           g_object_unref);
}

static void
on_chosen (GtkNativeDialog *dialog, int response, PterisClassifyView *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    pteris_classify_view_open (self, path);
  g_object_unref (dialog);
}

static void
choose (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisClassifyView *self = PTERIS_CLASSIFY_VIEW (widget);
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new (_ ("Choose Image"), GTK_WINDOW (root),
                                   GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Choose"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Images"));
  gtk_file_filter_add_mime_type (filter, "image/*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
pteris_classify_view_set_program (PterisClassifyView *self, const char *path,
                                  const char *const *data)
{
  stop (self);
  clear (self);
  say (self, "");
  self->number++;
  gtk_widget_set_visible (GTK_WIDGET (self->picture), FALSE);
  g_free (self->program);
  self->program = g_strdup (path);
  g_strfreev (self->data);
  self->data = g_strdupv ((char **) data);
}

/* ---- life ---- */

void
pteris_classify_view_bind (PterisClassifyView *self, PterisEngineClient *client)
{
  g_set_object (&self->client, client);
}

static void
pteris_classify_view_dispose (GObject *object)
{
  PterisClassifyView *self = PTERIS_CLASSIFY_VIEW (object);

  stop (self);
  g_clear_object (&self->client);
  g_clear_pointer (&self->program, g_free);
  g_clear_pointer (&self->data, g_strfreev);
  g_clear_pointer (&self->path, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CLASSIFY_VIEW);
  G_OBJECT_CLASS (pteris_classify_view_parent_class)->dispose (object);
}

static void
pteris_classify_view_class_init (PterisClassifyViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_classify_view_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/classify-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisClassifyView, content);
  gtk_widget_class_bind_template_child (widget_class, PterisClassifyView, picture);
  gtk_widget_class_bind_template_child (widget_class, PterisClassifyView, status);
  gtk_widget_class_bind_template_child (widget_class, PterisClassifyView, classes);
  gtk_widget_class_install_action (widget_class, "classify.choose", NULL, choose);
}

static void
pteris_classify_view_init (PterisClassifyView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
