/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/gpu-notice.h"

#include "ui/diagnostics.h"
#include "ui/i18n.h"

struct _PterisGpuNotice {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *reason;
  GtkLabel *result;
  GtkWidget *look;
  GtkWidget *copy;

  char *machine_reason;   /* why the machine has no GPU; NULL: it has one */
  PtDiagnosis *diagnosis; /* or NULL: not made yet */
  gboolean asking;
};

G_DEFINE_FINAL_TYPE (PterisGpuNotice, pteris_gpu_notice, GTK_TYPE_WIDGET)

static void
set_result (PterisGpuNotice *self, const char *text)
{
  gtk_label_set_text (self->result, text);
  gtk_widget_set_visible (GTK_WIDGET (self->result), text[0] != '\0');
}

static const char *
get_reason (PterisGpuNotice *self)
{
  if (self->diagnosis != NULL && self->diagnosis->usable)
    return NULL;
  if (self->machine_reason != NULL)
    return self->machine_reason;
  return self->diagnosis != NULL ? self->diagnosis->reason : NULL;
}

static void
show_reason (PterisGpuNotice *self)
{
  const char *reason = get_reason (self);

  gtk_widget_set_visible (GTK_WIDGET (self), reason != NULL);
  if (reason != NULL)
    gtk_label_set_text (self->reason, reason);
}

static void
set_asking (PterisGpuNotice *self, gboolean asking)
{
  self->asking = asking;
  gtk_widget_set_sensitive (self->look, !asking);
  gtk_widget_set_sensitive (self->copy, !asking);
}

/* FALSE: the window was closed before the result came. */
static gboolean
take_diagnosis (PterisGpuNotice *self, GAsyncResult *result)
{
  g_clear_pointer (&self->diagnosis, pt_diagnosis_free);
  self->diagnosis = pteris_diagnose_finish (result);
  if (self->content == NULL)
    return FALSE;
  set_asking (self, FALSE);
  /* The machine's own reason comes with the next statistics. */
  if (self->diagnosis->found)
    g_clear_pointer (&self->machine_reason, g_free);
  show_reason (self);
  return TRUE;
}

static void
on_tried (GObject *source, GAsyncResult *result, gpointer user_data)
{
  take_diagnosis (PTERIS_GPU_NOTICE (source), result);
}

/* ---- the buttons ---- */

static void
on_looked (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisGpuNotice *self = PTERIS_GPU_NOTICE (source);

  if (!take_diagnosis (self, result))
    return;
  if (self->diagnosis->found)
    set_result (
        self,
        _ ("This computer has a GPU, but its driver is found only at start. Restart Pteris."));
  else
    set_result (self, _ ("No GPU found."));
}

static void
on_look (GtkButton *button, PterisGpuNotice *self)
{
  set_asking (self, TRUE);
  set_result (self, _ ("Searching…"));
  pteris_diagnose_async (G_OBJECT (self), on_looked, NULL);
}

static void
on_diagnosed (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisGpuNotice *self = PTERIS_GPU_NOTICE (source);
  g_autofree char *text = NULL;

  if (!take_diagnosis (self, result))
    return;
  text = pteris_diagnostics_text (self->diagnosis, gtk_widget_get_display (GTK_WIDGET (self)));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  set_result (self, _ ("Copied. Paste it into a bug report; it contains no personal data."));
}

static void
on_copy (GtkButton *button, PterisGpuNotice *self)
{
  set_asking (self, TRUE);
  set_result (self, _ ("Searching…"));
  pteris_diagnose_async (G_OBJECT (self), on_diagnosed, NULL);
}

void
pteris_gpu_notice_update (PterisGpuNotice *self, PterisMachine *machine)
{
  g_free (self->machine_reason);
  self->machine_reason = g_strdup (pteris_machine_get_gpu_reason (machine));
  show_reason (self);
  if (self->machine_reason == NULL && self->diagnosis == NULL && !self->asking &&
      g_list_model_get_n_items (pteris_machine_get_gpus (machine)) > 0) {
    set_asking (self, TRUE);
    pteris_diagnose_async (G_OBJECT (self), on_tried, NULL);
  }
}

/* ---- life ---- */

static void
pteris_gpu_notice_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_GPU_NOTICE);
  G_OBJECT_CLASS (pteris_gpu_notice_parent_class)->dispose (object);
}

static void
pteris_gpu_notice_finalize (GObject *object)
{
  PterisGpuNotice *self = PTERIS_GPU_NOTICE (object);

  g_free (self->machine_reason);
  g_clear_pointer (&self->diagnosis, pt_diagnosis_free);
  G_OBJECT_CLASS (pteris_gpu_notice_parent_class)->finalize (object);
}

static void
pteris_gpu_notice_class_init (PterisGpuNoticeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_gpu_notice_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_gpu_notice_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/gpu-notice.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisGpuNotice, content);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuNotice, reason);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuNotice, result);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuNotice, look);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuNotice, copy);
  gtk_widget_class_bind_template_callback (widget_class, on_look);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
}

static void
pteris_gpu_notice_init (PterisGpuNotice *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
