/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/get-dialog.h"

#include <adwaita.h>

#include "ui/discover/estimate.h"
#include "ui/discover/access-token.h"
#include "ui/i18n.h"

#define RESPONSE_GET "get"

#define PTERIS_TYPE_GET_DIALOG (pteris_get_dialog_get_type ())
G_DECLARE_FINAL_TYPE (PterisGetDialog, pteris_get_dialog, PTERIS, GET_DIALOG, AdwMessageDialog)

struct _PterisGetDialog {
  AdwMessageDialog parent_instance;

  GtkStack *stack;
  GtkDropDown *variants;
  GtkLabel *facts;
  GtkLabel *license;
  GtkLabel *problem;
  GtkWidget *token_box;
  GtkPasswordEntry *token;
  GtkCheckButton *keep;
  GtkLabel *token_fate;
  GtkLabel *token_page;
  GtkLabel *not_kept;

  PterisDownloads *downloads;
  PterisMachine *machine;
  char *id, *revision, *variant;
  GCancellable *cancellable;
  PtHubRepo *repo;    /* NULL: not known yet */
  gboolean has_token; /* the hub was asked with a token and refused */
};

G_DEFINE_FINAL_TYPE (PterisGetDialog, pteris_get_dialog, ADW_TYPE_MESSAGE_DIALOG)

static void look (PterisGetDialog *self);

static const char *
title_of (PterisGetDialog *self)
{
  PterisOffer *offer = pteris_downloads_find_offer (self->downloads, self->id, self->revision);

  return offer != NULL ? pteris_offer_get_title (offer) : self->id;
}

static void
enable_get (PterisGetDialog *self, gboolean enabled, const char *label)
{
  adw_message_dialog_set_response_label (ADW_MESSAGE_DIALOG (self), RESPONSE_GET, label);
  adw_message_dialog_set_response_enabled (ADW_MESSAGE_DIALOG (self), RESPONSE_GET, enabled);
}

/* ---- what the repository has ---- */

static void
on_variant_changed (PterisGetDialog *self)
{
  guint selected = gtk_drop_down_get_selected (self->variants);
  const PtHubVariant *variant;
  PtFit fit;
  g_autofree char *size = NULL;
  g_autofree char *memory = NULL;
  g_autofree char *sentence = NULL;
  g_autofree char *text = NULL;

  if (self->repo == NULL || selected >= self->repo->n_variants)
    return;
  variant = &self->repo->variants[selected];
  size = g_format_size (variant->bytes);
  memory = g_format_size (pteris_estimate_memory (variant->bytes));
  sentence = pteris_estimate_fit (variant->bytes, pteris_machine_get_memory (self->machine), &fit);
  text = g_strdup_printf (ngettext ("%s in %u file. It needs about %s of memory. %s",
                                    "%s in %u files. It needs about %s of memory. %s",
                                    variant->n_files),
                          size, variant->n_files, memory, sentence != NULL ? sentence : "");
  gtk_label_set_text (self->facts, text);
  if (fit == PT_FIT_NEVER)
    gtk_widget_add_css_class (GTK_WIDGET (self->facts), "warning");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->facts), "warning");
}

/* "8da4w · 470 MB" */
static GtkStringList *
list_variants (const PtHubRepo *repo)
{
  GtkStringList *list = gtk_string_list_new (NULL);

  for (guint i = 0; i < repo->n_variants; i++) {
    g_autofree char *size = g_format_size (repo->variants[i].bytes);

    gtk_string_list_take (list, g_strdup_printf ("%s · %s", repo->variants[i].name, size));
  }
  return list;
}

static void
show_license (PterisGetDialog *self)
{
  const PterisOffer *offer =
      pteris_downloads_find_offer (self->downloads, self->id, self->revision);
  const char *license = self->repo->license;
  g_autofree char *page = g_strdup_printf ("%s/%s", self->repo->endpoint, self->repo->id);
  g_autofree char *text = NULL;

  if (license == NULL && offer != NULL)
    license = pteris_offer_get_license ((PterisOffer *) offer);
  text = license != NULL
             ? g_markup_printf_escaped (
                   _ ("License: %s. <a href=\"%s\">Read its page</a>"), license,
                   self->repo->license_link != NULL ? self->repo->license_link : page)
             : g_markup_printf_escaped (
                   _ ("Its license is not stated. <a href=\"%s\">Read its page</a>"), page);
  gtk_label_set_markup (self->license, text);
}

/* Where the terms of a repository are accepted. */
static void
show_terms (PterisGetDialog *self)
{
  g_autofree char *hub = pt_hub_token_origin (NULL, NULL);
  g_autofree char *page = g_strdup_printf ("%s/%s", hub != NULL ? hub : "", self->id);
  g_autofree char *text = g_markup_printf_escaped (_ ("<a href=\"%s\">Open its page</a>"), page);

  gtk_label_set_markup (self->token_page, text);
  gtk_widget_set_visible (GTK_WIDGET (self->token_page), hub != NULL);
}

/* Strings are copies. */
typedef struct {
  char *id, *revision;
  GError *not_kept;   /* why an entered token is not in the secret store; or NULL */
  gboolean can_keep;  /* there is a secret store */
  gboolean has_token; /* one that the hub did not take */
} Question;

static void
show_repo (PterisGetDialog *self, const Question *question)
{
  const GError *not_kept = question->not_kept;
  const PtHubVariant *chosen = pt_hub_choose (self->repo, self->variant, NULL);
  g_autoptr (GtkStringList) list = list_variants (self->repo);

  if (chosen == NULL)
    chosen = pt_hub_choose (self->repo, NULL, NULL);
  gtk_drop_down_set_model (self->variants, G_LIST_MODEL (list));
  gtk_widget_set_visible (GTK_WIDGET (self->variants), self->repo->n_variants > 1);
  gtk_drop_down_set_selected (self->variants,
                              chosen != NULL ? (guint) (chosen - self->repo->variants) : 0);
  on_variant_changed (self);
  show_license (self);
  if (not_kept != NULL) {
    g_autofree char *text = g_strdup_printf (
        _ ("The access token is kept until Pteris closes only. %s"), not_kept->message);

    gtk_label_set_text (self->not_kept, text);
  }
  gtk_widget_set_visible (GTK_WIDGET (self->not_kept), not_kept != NULL);
  gtk_stack_set_visible_child_name (self->stack, "ready");
  enable_get (self, TRUE, _ ("_Download"));
}

/* Free with g_free(). */
static char *
get_token (PterisGetDialog *self)
{
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->token))));
}

/* Without a new token the hub can be asked again only with the one that is there, for which the
 * terms may have been accepted meanwhile. */
static void
on_token_changed (PterisGetDialog *self)
{
  g_autofree char *token = get_token (self);

  if (self->repo != NULL || !gtk_widget_get_visible (self->token_box))
    return;
  if (*token == '\0' && self->has_token)
    enable_get (self, TRUE, _ ("_Try Again"));
  else
    enable_get (self, *token != '\0', _ ("_Continue"));
}

static void
show_problem (PterisGetDialog *self, const Question *question, const GError *error)
{
  /* To a token that is no longer valid a hub says that there is no such repository. */
  gboolean denied = g_error_matches (error, PT_ERROR, PT_ERROR_DENIED) ||
                    g_error_matches (error, PT_ERROR, PT_ERROR_NOT_FOUND);

  gtk_label_set_text (self->problem, error->message);
  gtk_widget_set_visible (self->token_box, denied);
  show_terms (self);
  gtk_widget_set_visible (GTK_WIDGET (self->keep), question->can_keep);
  gtk_label_set_text (self->token_fate,
                      question->can_keep
                          ? _ ("It is sent to the hub only.")
                          : _ ("It is sent to the hub only, and kept until Pteris closes, because "
                               "this system has no secret store."));
  gtk_stack_set_visible_child_name (self->stack, "problem");
  self->has_token = question->has_token;
  enable_get (self, TRUE, _ ("_Try Again"));
  on_token_changed (self);
  if (denied)
    gtk_widget_grab_focus (GTK_WIDGET (self->token));
}

/* ---- asking the hub ---- */

static void
question_free (gpointer data)
{
  Question *question = data;

  g_free (question->id);
  g_free (question->revision);
  g_clear_error (&question->not_kept);
  g_free (question);
}

static void
ask_hub (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Question *question = task_data;
  g_autofree char *token = NULL;
  GError *error = NULL;
  PtHubRepo *repo = pteris_hub_token_look (question->id, question->revision, &token,
                                           &question->not_kept, cancellable, &error);

  if (repo != NULL)
    g_task_return_pointer (task, repo, (GDestroyNotify) pt_hub_repo_free);
  else {
    question->can_keep = pt_hub_token_can_keep (cancellable);
    question->has_token = pteris_hub_token_is_there ();
    g_task_return_error (task, error);
  }
}

static void
on_looked (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisGetDialog *self = PTERIS_GET_DIALOG (source);
  const Question *question = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  PtHubRepo *repo = g_task_propagate_pointer (G_TASK (result), &error);

  if (self->stack == NULL || g_cancellable_is_cancelled (self->cancellable)) {
    g_clear_pointer (&repo, pt_hub_repo_free);
    return;
  }
  self->repo = repo;
  if (repo != NULL)
    show_repo (self, question);
  else
    show_problem (self, question, error);
}

static void
look (PterisGetDialog *self)
{
  g_autoptr (GTask) task = g_task_new (self, self->cancellable, on_looked, NULL);
  Question *question = g_new0 (Question, 1);

  question->id = g_strdup (self->id);
  question->revision = g_strdup (self->revision);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, ask_hub);
  gtk_stack_set_visible_child_name (self->stack, "looking");
  enable_get (self, FALSE, _ ("_Download"));
}

/* ---- responses ---- */

static void
start_download (PterisGetDialog *self)
{
  const PterisOffer *offer =
      pteris_downloads_find_offer (self->downloads, self->id, self->revision);
  const PtHubVariant *variant = &self->repo->variants[gtk_drop_down_get_selected (self->variants)];
  PterisDownloadSpec spec = {
    .title = title_of (self),
    .id = self->repo->id,
    .revision = self->repo->revision,
    .variant = variant->name,
    .also = offer != NULL ? pteris_offer_get_also ((PterisOffer *) offer) : NULL,
    .bytes = variant->bytes,
  };

  pteris_downloads_start (self->downloads, &spec);
}

/* The dialog closes at each response; where there is more to ask it comes again. */
static void
on_response (PterisGetDialog *self, const char *response)
{
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));
  PterisGetRequest request = { self->id, self->revision, self->variant };
  g_autofree char *token = NULL;

  /* GTK 4.8 warns when a password entry is destroyed with the focus. */
  gtk_window_set_focus (GTK_WINDOW (self), NULL);
  if (!g_str_equal (response, RESPONSE_GET)) {
    g_cancellable_cancel (self->cancellable);
    return;
  }
  if (self->repo != NULL) {
    start_download (self);
    return;
  }
  token = get_token (self);
  if (*token != '\0')
    pteris_hub_token_enter (token, gtk_widget_get_visible (GTK_WIDGET (self->keep)) &&
                                       gtk_check_button_get_active (self->keep));
  pteris_get_dialog_present (parent, self->downloads, self->machine, &request);
}

void
pteris_get_dialog_present (GtkWindow *parent, PterisDownloads *downloads, PterisMachine *machine,
                           const PterisGetRequest *request)
{
  PterisGetDialog *self = g_object_new (PTERIS_TYPE_GET_DIALOG, "transient-for", parent, NULL);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (self);
  g_autofree char *heading = NULL;

  self->downloads = g_object_ref (downloads);
  self->machine = g_object_ref (machine);
  self->id = g_strdup (request->id);
  self->revision = g_strdup (request->revision);
  self->variant = g_strdup (request->variant);
  heading = g_strdup_printf (_ ("Download %s?"), title_of (self));
  adw_message_dialog_set_heading (dialog, heading);
  look (self);
  gtk_window_present (GTK_WINDOW (self));
}

/* ---- life ---- */

static void
pteris_get_dialog_dispose (GObject *object)
{
  PterisGetDialog *self = PTERIS_GET_DIALOG (object);

  g_cancellable_cancel (self->cancellable);
  self->stack = NULL;
  g_clear_object (&self->downloads);
  g_clear_object (&self->machine);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_GET_DIALOG);
  G_OBJECT_CLASS (pteris_get_dialog_parent_class)->dispose (object);
}

static void
pteris_get_dialog_finalize (GObject *object)
{
  PterisGetDialog *self = PTERIS_GET_DIALOG (object);

  g_clear_pointer (&self->repo, pt_hub_repo_free);
  g_object_unref (self->cancellable);
  g_free (self->id);
  g_free (self->revision);
  g_free (self->variant);
  G_OBJECT_CLASS (pteris_get_dialog_parent_class)->finalize (object);
}

static void
pteris_get_dialog_class_init (PterisGetDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_get_dialog_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_get_dialog_finalize;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/get-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, variants);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, facts);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, license);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, problem);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, token_box);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, token);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, keep);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, token_fate);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, token_page);
  gtk_widget_class_bind_template_child (widget_class, PterisGetDialog, not_kept);
  gtk_widget_class_bind_template_callback (widget_class, on_variant_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_token_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_response);
}

static void
pteris_get_dialog_init (PterisGetDialog *self)
{
  self->cancellable = g_cancellable_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
