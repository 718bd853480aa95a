/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/run-panel.h"

#include <adwaita.h>
#include <glib/gstdio.h>

#include "engine/base/folder.h"
#include "ui/i18n.h"
#include "ui/parts/error-card.h"
#include "ui/parts/format.h"
#include "ui/parts/overwrite.h"
#include "ui/run/run-input.h"
#include "ui/run/run-result.h"

/* A list of classes is short. */
#define MAX_LABELS (4u << 20)

/* Between what is scrolled to and the top. */
#define GAP 12

struct _PterisRunPanel {
  GtkWidget parent_instance;

  GtkScrolledWindow *content;
  GtkDropDown *methods;
  GtkBox *inputs;
  GtkWidget *no_inputs;
  GtkSpinButton *repeat;
  GtkSwitch *profile;
  GtkLabel *labels_name;
  GtkWidget *start;
  GtkWidget *stop;
  GtkWidget *progress_row;
  GtkLabel *doing;
  GtkProgressBar *progress;
  GtkWidget *error_frame;
  PterisErrorCard *error;
  PterisRunResult *result;

  PterisEngineClient *client;
  PtInspectReport *report;
  char *path;
  char **data;
  char *folder; /* where the outputs of the last run are */
  guint64 job;  /* 0: nothing runs */
  GCancellable *preparing;
  char *asked;      /* SHA-256 of the file whose native code the shown error asks about, or NULL */
  char *trust;      /* of what the user agreed to run; or NULL */
  gboolean reveals; /* what came out is scrolled to, once it has its place */
};

G_DEFINE_FINAL_TYPE (PterisRunPanel, pteris_run_panel, GTK_TYPE_WIDGET)

/* ---- a folder for a run ---- */

static void
remove_folder (PterisRunPanel *self)
{
  g_autofree char *folder = g_steal_pointer (&self->folder);
  g_autoptr (PtFolder) dir = folder != NULL ? pt_folder_open (folder) : NULL;
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  if (folder != NULL)
    g_rmdir (folder);
}

/* ---- state ---- */

gboolean
pteris_run_panel_is_running (PterisRunPanel *self)
{
  return self->job != 0 || self->preparing != NULL;
}

static void
update (PterisRunPanel *self)
{
  gboolean runs = pteris_run_panel_is_running (self);
  GtkWidget *shown = runs ? self->stop : self->start;
  GtkWidget *hidden = runs ? self->start : self->stop;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  gtk_widget_set_visible (shown, TRUE);
  /* The one stands where the other was, for the keyboard, too. */
  if (root != NULL && gtk_root_get_focus (root) == hidden)
    gtk_widget_grab_focus (shown);
  gtk_widget_set_visible (hidden, FALSE);
  gtk_widget_set_visible (self->progress_row, runs);
  gtk_widget_set_sensitive (GTK_WIDGET (self->methods), !runs);
}

/* Scrolls the Run button to the top if the result is below the visible part. */
static gboolean
reveal (gpointer user_data)
{
  PterisRunPanel *self = user_data;
  GtkAdjustment *adjustment;
  GtkWidget *row, *page;
  graphene_point_t top;

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return G_SOURCE_REMOVE;
  adjustment = gtk_scrolled_window_get_vadjustment (self->content);
  row = gtk_widget_get_parent (self->start);
  page = gtk_widget_get_ancestor (row, ADW_TYPE_CLAMP);
  if (gtk_widget_compute_point (row, page, &GRAPHENE_POINT_INIT (0, -GAP), &top))
    gtk_adjustment_set_value (adjustment, MAX (top.y, gtk_adjustment_get_value (adjustment)));
  return G_SOURCE_REMOVE;
}

/* A viewport that gives out places does not hear of another value. */
static void
on_laid_out (GtkAdjustment *adjustment, PterisRunPanel *self)
{
  if (self->reveals)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, reveal, g_object_ref (self), g_object_unref);
  self->reveals = FALSE;
}

static void
fail (PterisRunPanel *self, PtError code, const char *sentence)
{
  self->reveals = TRUE;
  gtk_widget_set_visible (self->error_frame, TRUE);
  pteris_error_card_set (self->error, code, sentence, "run.start", self->path);
  /* The sentence says what is asked. */
  if (code == PT_ERROR_UNTRUSTED)
    pteris_error_card_set_step (self->error, _ ("_Run"), "run.trust");
}

/* ---- methods and inputs ---- */

/* NULL: there is none. */
static const PtInspectMethod *
get_method (PterisRunPanel *self)
{
  guint position = gtk_drop_down_get_selected (self->methods);
  guint n = self->report != NULL ? self->report->n_methods : 0;

  return position < n ? &self->report->methods[position] : NULL;
}

static void
show_inputs (PterisRunPanel *self)
{
  const PtInspectMethod *method = get_method (self);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->inputs))) != NULL)
    gtk_box_remove (self->inputs, child);
  for (guint i = 0; method != NULL && i < method->n_inputs; i++)
    if (method->inputs[i].value.kind == PT_ARGUMENT_TENSOR)
      gtk_box_append (self->inputs, GTK_WIDGET (pteris_run_input_new (i, &method->inputs[i])));
  gtk_widget_set_visible (self->no_inputs,
                          gtk_widget_get_first_child (GTK_WIDGET (self->inputs)) == NULL);
  pteris_run_result_set_report (self->result, NULL);
  gtk_widget_set_visible (self->error_frame, FALSE);
}

void
pteris_run_panel_set_program (PterisRunPanel *self, const char *path, const char *const *data,
                              const PtInspectReport *report)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  pteris_run_panel_stop (self);
  g_free (self->path);
  self->path = g_strdup (path);
  g_strfreev (self->data);
  self->data = g_strdupv ((char **) data);
  pt_inspect_report_unref (self->report);
  self->report = pt_inspect_report_ref (report);
  g_clear_pointer (&self->asked, g_free);
  g_clear_pointer (&self->trust, g_free);
  for (guint i = 0; i < report->n_methods; i++)
    gtk_string_list_append (names, report->methods[i].name);
  gtk_drop_down_set_model (self->methods, G_LIST_MODEL (names));
  show_inputs (self);
}

/* ---- running ---- */

typedef struct {
  GPtrArray *inputs; /* as PtJob has them, NULL-terminated in the end */
  GPtrArray *shapes;
  GPtrArray *images; /* PterisImageJob */
} Plan;

static void
plan_free (Plan *plan)
{
  g_ptr_array_unref (plan->inputs);
  g_ptr_array_unref (plan->shapes);
  g_ptr_array_unref (plan->images);
  g_free (plan);
}

static void
show_progress (PterisRunPanel *self, const PtEvent *event)
{
  g_autofree char *step = pteris_format_step (event);

  gtk_progress_bar_set_fraction (self->progress, CLAMP (event->fraction, 0, 1));
  gtk_label_set_text (self->doing, step);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  PterisRunPanel *self = user_data;

  switch (event->kind) {
  case PT_EVENT_PROGRESS: show_progress (self, event); return;
  case PT_EVENT_REPORT:
    self->reveals = TRUE;
    pteris_run_result_set_report (self->result, event->run);
    return;
  case PT_EVENT_FAILED:
    g_free (self->asked);
    self->asked = g_strdup (event->digest);
    fail (self, event->code, event->text);
    break;
  case PT_EVENT_DONE:
  case PT_EVENT_STOPPED: break;
  default: return;
  }
  self->job = 0;
  update (self);
}

static void
submit (PterisRunPanel *self, Plan *plan)
{
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = self->path;
  job.model.data = (const char *const *) self->data;
  job.model.method = get_method (self)->name;
  job.run.inputs = (const char *const *) plan->inputs->pdata;
  job.run.shapes = (const char *const *) plan->shapes->pdata;
  job.run.output_dir = self->folder;
  job.run.repeat = (guint) gtk_spin_button_get_value_as_int (self->repeat);
  job.run.profile = gtk_switch_get_active (self->profile);
  job.model.trust = self->trust;
  gtk_progress_bar_set_fraction (self->progress, 0);
  gtk_label_set_text (self->doing, _ ("Waiting"));
  self->job = pteris_engine_client_submit (self->client, NULL, &job, on_event, g_object_ref (self),
                                           g_object_unref);
}

static void
prepare_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Plan *plan = task_data;
  GError *error = NULL;

  for (guint i = 0; i < plan->images->len; i++) {
    if (!pteris_image_write (plan->images->pdata[i], cancellable, &error)) {
      g_task_return_error (task, error);
      return;
    }
  }
  g_task_return_boolean (task, TRUE);
}

static void
on_prepared (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisRunPanel *self = PTERIS_RUN_PANEL (source);
  g_autoptr (GError) error = NULL;
  gboolean done = g_task_propagate_boolean (G_TASK (result), &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->preparing);
  if (done && self->client != NULL)
    submit (self, g_task_get_task_data (G_TASK (result)));
  else if (error != NULL)
    fail (self, error->domain == PT_ERROR ? (PtError) error->code : PT_ERROR_FILE, error->message);
  update (self);
}

static Plan *
make_plan (PterisRunPanel *self)
{
  Plan *plan = g_new0 (Plan, 1);

  plan->inputs = g_ptr_array_new_with_free_func (g_free);
  plan->shapes = g_ptr_array_new_with_free_func (g_free);
  plan->images = g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_image_job_free);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->inputs)); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    char *shape;
    PterisImageJob *image;

    g_ptr_array_add (plan->inputs, pteris_run_input_make (PTERIS_RUN_INPUT (child), self->folder,
                                                          &shape, &image));
    g_ptr_array_add (plan->shapes, shape);
    if (image != NULL)
      g_ptr_array_add (plan->images, image);
  }
  g_ptr_array_add (plan->inputs, NULL);
  g_ptr_array_add (plan->shapes, NULL);
  return plan;
}

static gboolean
check_inputs (PterisRunPanel *self)
{
  gboolean all = TRUE;

  /* From the end: the first one with a problem has the focus then. */
  for (GtkWidget *child = gtk_widget_get_last_child (GTK_WIDGET (self->inputs)); child != NULL;
       child = gtk_widget_get_prev_sibling (child))
    all = pteris_run_input_check (PTERIS_RUN_INPUT (child)) && all;
  return all;
}

void
pteris_run_panel_start (PterisRunPanel *self)
{
  g_autoptr (GTask) task = NULL;
  g_autoptr (GError) error = NULL;

  if (pteris_run_panel_is_running (self) || get_method (self) == NULL || !check_inputs (self))
    return;
  gtk_widget_set_visible (self->error_frame, FALSE);
  pteris_run_result_set_report (self->result, NULL);
  remove_folder (self);
  self->folder = g_dir_make_tmp ("pteris-run-XXXXXX", &error);
  if (self->folder == NULL) {
    fail (self, PT_ERROR_FILE, error->message);
    return;
  }
  self->preparing = g_cancellable_new ();
  gtk_label_set_text (self->doing, _ ("Preparing"));
  task = g_task_new (self, self->preparing, on_prepared, NULL);
  g_task_set_source_tag (task, pteris_run_panel_start);
  g_task_set_task_data (task, make_plan (self), (GDestroyNotify) plan_free);
  g_task_run_in_thread (task, prepare_in_thread);
  update (self);
}

void
pteris_run_panel_stop (PterisRunPanel *self)
{
  if (self->preparing != NULL)
    g_cancellable_cancel (self->preparing);
  g_clear_object (&self->preparing);
  if (self->job != 0)
    pteris_engine_client_cancel (self->client, self->job);
  update (self);
}

/* ---- actions ---- */

static void
start (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_run_panel_start (PTERIS_RUN_PANEL (widget));
}

static void
stop (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_run_panel_stop (PTERIS_RUN_PANEL (widget));
}

static void
trust (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisRunPanel *self = PTERIS_RUN_PANEL (widget);

  g_free (self->trust);
  self->trust = g_strdup (self->asked);
  pteris_run_panel_start (self);
}

static void
copy_report (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const PtRunReport *report = pteris_run_result_get_report (PTERIS_RUN_PANEL (widget)->result);
  g_autofree char *text = report != NULL ? pt_run_report_to_json (report) : NULL;

  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
copy_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  char **paths = data; /* from, to */
  g_autoptr (GFile) to = g_file_new_for_path (paths[1]);
  g_autoptr (GMappedFile) from = NULL;
  GError *error = NULL;
  PtOutputPart part;

  if (pteris_check_overwrite (to, PT_OUTPUT_ARRAY, NULL, &error))
    from = g_mapped_file_new (paths[0], FALSE, &error);
  if (from != NULL)
    part = (PtOutputPart){ g_mapped_file_get_contents (from), g_mapped_file_get_length (from) };
  if (from != NULL && pt_output_write (paths[1], PT_OUTPUT_ARRAY, NULL, &part, 1, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_copied (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    fail (PTERIS_RUN_PANEL (source), PT_ERROR_FILE, error->message);
}

void
pteris_run_panel_save (PterisRunPanel *self, const char *from, const char *to)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_copied, NULL);
  const char *const paths[] = { from, to, NULL };

  g_task_set_source_tag (task, pteris_run_panel_save);
  g_task_set_task_data (task, g_strdupv ((char **) paths), (GDestroyNotify) g_strfreev);
  g_task_run_in_thread (task, copy_in_thread);
}

static void
on_save_response (GtkNativeDialog *dialog, int response, PterisRunPanel *self)
{
  g_autoptr (GFile) to = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  const char *path = to != NULL ? g_file_peek_path (to) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    pteris_run_panel_save (self, g_object_get_data (G_OBJECT (dialog), "from"), path);
  else if (response == GTK_RESPONSE_ACCEPT)
    fail (self, PT_ERROR_FILE, _ ("Choose a folder on this computer."));
  g_object_unref (dialog);
}

static GtkFileChooserNative *
make_dialog (PterisRunPanel *self, const char *title, GtkFileChooserAction action)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), action,
      action == GTK_FILE_CHOOSER_ACTION_SAVE ? _ ("_Save") : _ ("_Open"), _ ("_Cancel"));

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  return dialog;
}

static void
save (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisRunPanel *self = PTERIS_RUN_PANEL (widget);
  const char *from = g_variant_get_bytestring (parameter);
  g_autofree char *name = g_path_get_basename (from);
  GtkFileChooserNative *dialog =
      make_dialog (self, _ ("Save Output"), GTK_FILE_CHOOSER_ACTION_SAVE);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), "from", g_strdup (from), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_labels_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisRunPanel) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *name = NULL;
  gsize length;

  if (!g_file_load_contents_finish (G_FILE (source), result, &text, &length, NULL, &error)) {
    fail (self, PT_ERROR_FILE, error->message);
    return;
  }
  if (length > MAX_LABELS || !g_utf8_validate (text, (gssize) length, NULL)) {
    fail (self, PT_ERROR_FILE, _ ("Labels must be a text file with one class name per line."));
    return;
  }
  name = g_file_get_basename (G_FILE (source));
  gtk_label_set_text (self->labels_name, name);
  pteris_run_result_set_labels (self->result, text);
}

static void
on_labels_response (GtkNativeDialog *dialog, int response, PterisRunPanel *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    g_file_load_contents_async (file, NULL, on_labels_read, g_object_ref (self));
  g_object_unref (dialog);
}

static void
choose_labels (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisRunPanel *self = PTERIS_RUN_PANEL (widget);
  GtkFileChooserNative *dialog =
      make_dialog (self, _ ("Open Labels"), GTK_FILE_CHOOSER_ACTION_OPEN);

  g_signal_connect_object (dialog, "response", G_CALLBACK (on_labels_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- life ---- */

void
pteris_run_panel_bind (PterisRunPanel *self, PterisEngineClient *client)
{
  g_set_object (&self->client, client);
}

static void
pteris_run_panel_dispose (GObject *object)
{
  PterisRunPanel *self = PTERIS_RUN_PANEL (object);

  if (self->preparing != NULL)
    g_cancellable_cancel (self->preparing);
  g_clear_object (&self->preparing);
  remove_folder (self);
  g_clear_object (&self->client);
  g_clear_pointer (&self->report, pt_inspect_report_unref);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->data, g_strfreev);
  g_clear_pointer (&self->asked, g_free);
  g_clear_pointer (&self->trust, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_RUN_PANEL);
  G_OBJECT_CLASS (pteris_run_panel_parent_class)->dispose (object);
}

static void
pteris_run_panel_class_init (PterisRunPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_run_panel_dispose;
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  g_type_ensure (PTERIS_TYPE_RUN_RESULT);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/run-panel.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisRunPanel, name)
  CHILD (content);
  CHILD (methods);
  CHILD (inputs);
  CHILD (no_inputs);
  CHILD (repeat);
  CHILD (profile);
  CHILD (labels_name);
  CHILD (start);
  CHILD (stop);
  CHILD (progress_row);
  CHILD (doing);
  CHILD (progress);
  CHILD (error_frame);
  CHILD (error);
  CHILD (result);
#undef CHILD
  gtk_widget_class_bind_template_callback_full (widget_class, "on_method",
                                                G_CALLBACK (show_inputs));
  gtk_widget_class_install_action (widget_class, "run.start", NULL, start);
  gtk_widget_class_install_action (widget_class, "run.stop", NULL, stop);
  gtk_widget_class_install_action (widget_class, "run.trust", NULL, trust);
  gtk_widget_class_install_action (widget_class, "run.copy", NULL, copy_report);
  gtk_widget_class_install_action (widget_class, "run.save", "ay", save);
  gtk_widget_class_install_action (widget_class, "run.labels", NULL, choose_labels);
}

static void
pteris_run_panel_init (PterisRunPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (self->content), "changed",
                           G_CALLBACK (on_laid_out), self, 0);
}
