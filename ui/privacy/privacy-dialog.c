/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/privacy/privacy-dialog.h"

#include "ui/engine/privacy-search.h"
#include "ui/i18n.h"
#include "ui/privacy/found-name.h"

#define FAMILY "token-classifier"
#define RESPONSE_ACCEPT "accept"
#define RESPONSE_MODELS "models"
/* Bytes of the preview; more would be slow to lay out. */
#define MAX_PREVIEW 20000
/* Pixels, so that the dialog keeps its size and place when the search ends. */
#define WIDTH 384
#define HEIGHT 380

struct _PterisPrivacyDialog {
  AdwMessageDialog parent_instance;

  GtkStack *stack;
  GtkLabel *searching;
  GtkLabel *problem;
  GtkLabel *count;
  GtkWidget *found;
  GtkListBox *list;
  GtkTextView *preview;

  GCancellable *cancellable;
  PtPrivacyReport *report;
  GListModel *findings;
  gboolean is_closed;
  PterisPrivacyFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
};

G_DEFINE_FINAL_TYPE (PterisPrivacyDialog, pteris_privacy_dialog, ADW_TYPE_MESSAGE_DIALOG)

/* ---- what was found ---- */

static void
update_preview (PterisPrivacyDialog *self)
{
  g_auto (GStrv) texts = pteris_found_names_replace (self->findings, self->report);
  g_autofree char *text = g_strjoinv ("\n", texts);

  if (strlen (text) > MAX_PREVIEW) {
    char *end = g_utf8_find_prev_char (text, text + MAX_PREVIEW);

    g_strlcpy (end, "…", 4);
  }
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->preview), text, -1);
}

static GtkWidget *
make_row (gpointer item, gpointer user_data)
{
  PterisPrivacyDialog *self = user_data;
  GtkWidget *row = adw_action_row_new (), *check = gtk_check_button_new ();
  g_autofree char *about = pteris_found_name_describe (item);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), pteris_found_name_get_text (item));
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), about);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  g_object_bind_property (item, "active", check, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_signal_connect_object (check, "toggled", G_CALLBACK (update_preview), self, G_CONNECT_SWAPPED);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), check);
  return row;
}

static const char *
first_error (const PtPrivacyReport *report)
{
  for (guint i = 0; i < report->n_texts; i++)
    if (report->texts[i].error != NULL)
      return report->texts[i].error;
  return NULL;
}

static void
show_problem (PterisPrivacyDialog *self, const char *text)
{
  gtk_label_set_text (self->problem, text);
  gtk_stack_set_visible_child_name (self->stack, "problem");
}

static void
show_found (PterisPrivacyDialog *self)
{
  guint n = g_list_model_get_n_items (self->findings);
  g_autofree char *text =
      n > 0 ? g_strdup_printf (
                  ngettext ("%u name or secret was found. The model does not find everything: read "
                            "the text before you give it away.",
                            "%u names and secrets were found. The model does not find everything: "
                            "read the text before you give it away.",
                            n),
                  n)
            : g_strdup (_ ("No names or secrets were found. The model does not find everything: "
                           "read the text before you give it away."));

  gtk_label_set_text (self->count, text);
  gtk_widget_set_visible (self->found, n > 0);
  gtk_list_box_bind_model (self->list, self->findings, make_row, self, NULL);
  update_preview (self);
  gtk_stack_set_visible_child_name (self->stack, "found");
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (self), RESPONSE_ACCEPT, TRUE);
}

static void
on_searched (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisPrivacyDialog) self = user_data;
  g_autoptr (GError) error = NULL;

  self->report = pteris_privacy_search_finish (result, &error);
  if (self->is_closed)
    return;
  if (self->report == NULL) {
    show_problem (self, error->message);
  } else if (first_error (self->report) != NULL) {
    /* A text that was not read may hold anything. */
    show_problem (self, first_error (self->report));
  } else {
    self->findings = pteris_found_names_new (self->report);
    show_found (self);
  }
}

/* ---- responses ---- */

static void
on_response (PterisPrivacyDialog *self, const char *response)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  g_auto (GStrv) texts = NULL;

  /* Closing the dialog is a response, too. */
  if (self->is_closed)
    return;
  self->is_closed = TRUE;
  g_cancellable_cancel (self->cancellable);
  if (g_str_equal (response, RESPONSE_MODELS) && parent != NULL) {
    gtk_widget_activate_action (GTK_WIDGET (parent), "win.show-privacy-filters", NULL);
  } else if (g_str_equal (response, RESPONSE_ACCEPT) && self->findings != NULL) {
    texts = pteris_found_names_replace (self->findings, self->report);
    self->func ((const char *const *) texts, self->user_data);
  }
}

static void
search (PterisPrivacyDialog *self, PterisModel *model, const char *const *texts)
{
  g_autofree char *text =
      g_strdup_printf (_ ("%s looks for names and secrets, on this computer only. The model that "
                          "you use stays loaded."),
                       pteris_model_get_info (model)->title);

  gtk_label_set_text (self->searching, text);
  gtk_widget_set_size_request (GTK_WIDGET (self->stack), WIDTH, HEIGHT);
  pteris_privacy_search_async (model, texts, self->cancellable, on_searched, g_object_ref (self));
}

void
pteris_privacy_dialog_present (GtkWindow *parent, PterisLibrary *library,
                               const PterisPrivacyRequest *request)
{
  PterisPrivacyDialog *self =
      g_object_new (PTERIS_TYPE_PRIVACY_DIALOG, "transient-for", parent, NULL);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (self);
  PterisModel *model = pteris_library_pick_family (library, FAMILY);

  self->func = request->func;
  self->user_data = request->user_data;
  self->destroy = request->destroy;
  if (model != NULL) {
    adw_message_dialog_add_response (dialog, RESPONSE_ACCEPT, request->accept);
    adw_message_dialog_set_response_enabled (dialog, RESPONSE_ACCEPT, FALSE);
    adw_message_dialog_set_response_appearance (dialog, RESPONSE_ACCEPT, ADW_RESPONSE_SUGGESTED);
    adw_message_dialog_set_default_response (dialog, RESPONSE_ACCEPT);
    search (self, model, request->texts);
  } else {
    adw_message_dialog_add_response (dialog, RESPONSE_MODELS, _ ("Show _Models"));
    adw_message_dialog_set_response_appearance (dialog, RESPONSE_MODELS, ADW_RESPONSE_SUGGESTED);
    adw_message_dialog_set_default_response (dialog, RESPONSE_MODELS);
    show_problem (self, _ ("This needs a privacy filter, a model that finds names and "
                           "secrets. The library has none; some are published."));
  }
  gtk_window_present (GTK_WINDOW (self));
}

/* ---- life ---- */

static void
pteris_privacy_dialog_dispose (GObject *object)
{
  PterisPrivacyDialog *self = PTERIS_PRIVACY_DIALOG (object);

  self->is_closed = TRUE;
  g_cancellable_cancel (self->cancellable);
  if (self->destroy != NULL)
    self->destroy (self->user_data);
  self->destroy = NULL;
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_PRIVACY_DIALOG);
  G_OBJECT_CLASS (pteris_privacy_dialog_parent_class)->dispose (object);
}

static void
pteris_privacy_dialog_finalize (GObject *object)
{
  PterisPrivacyDialog *self = PTERIS_PRIVACY_DIALOG (object);

  g_object_unref (self->cancellable);
  g_clear_object (&self->findings);
  pt_privacy_report_unref (self->report);
  G_OBJECT_CLASS (pteris_privacy_dialog_parent_class)->finalize (object);
}

static void
pteris_privacy_dialog_class_init (PterisPrivacyDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_privacy_dialog_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_privacy_dialog_finalize;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/privacy-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, searching);
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, problem);
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, count);
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, found);
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, list);
  gtk_widget_class_bind_template_child (widget_class, PterisPrivacyDialog, preview);
  gtk_widget_class_bind_template_callback (widget_class, on_response);
}

static void
pteris_privacy_dialog_init (PterisPrivacyDialog *self)
{
  self->cancellable = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
