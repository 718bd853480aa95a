/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/download-row.h"

#include "ui/i18n.h"

struct _PterisDownloadRow {
  GtkListBoxRow parent_instance;

  GtkLabel *title;
  GtkLabel *text;
  GtkProgressBar *progress;
  GtkButton *pause;
  GtkButton *resume;
  GtkButton *remove;

  PterisDownloads *downloads;
  PterisDownload *download;
};

G_DEFINE_FINAL_TYPE (PterisDownloadRow, pteris_download_row, GTK_TYPE_LIST_BOX_ROW)

static void
update (PterisDownloadRow *self)
{
  PterisDownloadState state = pteris_download_get_state (self->download);
  double fraction = pteris_download_get_fraction (self->download);
  g_autofree char *text = pteris_download_describe (self->download);

  gtk_label_set_text (self->text, text);
  if (state == PTERIS_DOWNLOAD_FAILED)
    gtk_widget_add_css_class (GTK_WIDGET (self->text), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->text), "error");
  gtk_progress_bar_set_fraction (self->progress, MAX (fraction, 0));
  gtk_widget_set_visible (GTK_WIDGET (self->progress), state != PTERIS_DOWNLOAD_DONE);
  gtk_widget_set_visible (GTK_WIDGET (self->pause), state == PTERIS_DOWNLOAD_RUNNING);
  gtk_widget_set_visible (GTK_WIDGET (self->resume),
                          state == PTERIS_DOWNLOAD_PAUSED || state == PTERIS_DOWNLOAD_FAILED);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->resume), state == PTERIS_DOWNLOAD_FAILED
                                                              ? _ ("Try Again")
                                                              : _ ("Continue Download"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->remove), state == PTERIS_DOWNLOAD_DONE
                                                              ? _ ("Remove from This List")
                                                              : _ ("Cancel and Delete"));
}

static void
on_pause (PterisDownloadRow *self)
{
  pteris_download_pause (self->download);
  gtk_widget_grab_focus (GTK_WIDGET (self->resume));
}

static void
on_resume (PterisDownloadRow *self)
{
  pteris_download_start (self->download);
  gtk_widget_grab_focus (GTK_WIDGET (self->pause));
}

static void
on_remove (PterisDownloadRow *self)
{
  pteris_downloads_remove (self->downloads, self->download);
}

GtkWidget *
pteris_download_row_new (PterisDownloads *downloads, PterisDownload *download)
{
  PterisDownloadRow *self = g_object_new (PTERIS_TYPE_DOWNLOAD_ROW, NULL);
  const char *variant = pteris_download_get_variant (download);
  g_autofree char *title =
      g_strdup_printf ("%s · %s", pteris_download_get_title (download), variant);

  self->downloads = g_object_ref (downloads);
  self->download = g_object_ref (download);
  gtk_label_set_text (self->title, title);
  g_signal_connect_object (download, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}

static void
pteris_download_row_dispose (GObject *object)
{
  PterisDownloadRow *self = PTERIS_DOWNLOAD_ROW (object);

  g_clear_object (&self->downloads);
  g_clear_object (&self->download);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_DOWNLOAD_ROW);
  G_OBJECT_CLASS (pteris_download_row_parent_class)->dispose (object);
}

static void
pteris_download_row_class_init (PterisDownloadRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_download_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/download-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisDownloadRow, title);
  gtk_widget_class_bind_template_child (widget_class, PterisDownloadRow, text);
  gtk_widget_class_bind_template_child (widget_class, PterisDownloadRow, progress);
  gtk_widget_class_bind_template_child (widget_class, PterisDownloadRow, pause);
  gtk_widget_class_bind_template_child (widget_class, PterisDownloadRow, resume);
  gtk_widget_class_bind_template_child (widget_class, PterisDownloadRow, remove);
  gtk_widget_class_bind_template_callback (widget_class, on_pause);
  gtk_widget_class_bind_template_callback (widget_class, on_resume);
  gtk_widget_class_bind_template_callback (widget_class, on_remove);
}

static void
pteris_download_row_init (PterisDownloadRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
