/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/starter-card.h"

#include <adwaita.h>

#include "ui/parts/format.h"
#include "ui/i18n.h"

struct _PterisStarterCard {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkLabel *text;
  GtkWidget *problem;
  GtkLabel *problem_text;
  GtkWidget *details_row;
  GtkLabel *details;
  GtkWidget *buttons;
  GtkButton *use;
  GtkWidget *running;
  GtkLabel *step;
  GtkProgressBar *progress;
  GtkLabel *numbers;

  PterisStarter *starter;
  char *page_title; /* title of the surrounding page, while nothing runs */
};

G_DEFINE_FINAL_TYPE (PterisStarterCard, pteris_starter_card, GTK_TYPE_WIDGET)

/* ---- in words ---- */

static const char *
describe (PterisStarter *starter)
{
  if (pteris_starter_is_running (starter))
    return _ (
        "A chat model, a speech model, and a model for the search by meaning. They stay on this "
        "computer, and you can use the rest of the window meanwhile.");
  if (pteris_starter_is_stopped (starter))
    return _ (
        "The download was canceled. Completed files are kept, and the download can be continued.");
  if (pteris_starter_is_available (starter))
    return _ (
        "The starter models are a small chat model, a speech model, and a model for the search "
        "by meaning, a download of about 340 MB. Or drop your own ExecuTorch models here: a "
        ".pte file or a folder.");
  return _ ("To create the starter models, run “./dev run” in the Pteris source folder. Or drop "
            "your own ExecuTorch models here: a .pte file or a folder.");
}

static char *
describe_step (const PterisStarterProgress *progress)
{
  switch (progress->step) {
  case PTERIS_STARTER_BEGINS: break;
  case PTERIS_STARTER_WAITS:
    return g_strdup_printf (_ ("Waiting: another program is preparing %s"), progress->title);
  case PTERIS_STARTER_DOWNLOADS: return g_strdup_printf (_ ("Downloading %s"), progress->title);
  case PTERIS_STARTER_CHECKS: return g_strdup_printf (_ ("Checking %s"), progress->title);
  case PTERIS_STARTER_WRITES: return g_strdup_printf (_ ("Preparing %s"), progress->title);
  }
  return g_strdup (_ ("Starting…"));
}

/* "12 MB of 243 MB · 3.1 MB/s · 40 s left", without unknown parts; NULL: no download. */
static char *
describe_numbers (const PterisStarterProgress *progress)
{
  g_autofree char *done = g_format_size (progress->done);
  g_autofree char *total = g_format_size (progress->total);
  g_autofree char *rate = NULL;
  g_autofree char *left = NULL;

  if (progress->step != PTERIS_STARTER_DOWNLOADS || progress->total == 0)
    return NULL;
  if (progress->rate < 0)
    return g_strdup_printf (_ ("%s of %s"), done, total);
  /* At lower rates the remaining time is meaningless. */
  if (progress->rate < 100)
    return g_strdup_printf (_ ("%s of %s · waiting for the network"), done, total);
  rate = g_format_size ((guint64) progress->rate);
  left = pteris_format_duration (
      MAX (1, (double) (progress->total - MIN (progress->done, progress->total)) / progress->rate));
  return g_strdup_printf (_ ("%s of %s · %s/s · %s left"), done, total, rate, left);
}

/* ---- what is shown ---- */

/* "No Chat Model Yet" would be wrong during a download. */
static void
show_page_title (PterisStarterCard *self, gboolean running)
{
  AdwStatusPage *page =
      ADW_STATUS_PAGE (gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_STATUS_PAGE));

  if (page == NULL)
    return;
  if (self->page_title == NULL)
    self->page_title = g_strdup (adw_status_page_get_title (page));
  adw_status_page_set_title (page,
                             running ? _ ("Downloading the Starter Models") : self->page_title);
}

static void
show_progress (PterisStarterCard *self, const PterisStarterProgress *progress)
{
  g_autofree char *step = describe_step (progress);
  g_autofree char *numbers = describe_numbers (progress);

  gtk_label_set_text (self->step, step);
  gtk_progress_bar_set_fraction (self->progress, progress->fraction);
  gtk_label_set_text (self->numbers, numbers != NULL ? numbers : "");
  gtk_widget_set_visible (GTK_WIDGET (self->numbers), numbers != NULL);
}

static void
update (PterisStarterCard *self)
{
  gboolean running = pteris_starter_is_running (self->starter);
  const char *error = pteris_starter_get_error (self->starter);
  const char *details = pteris_starter_get_details (self->starter);

  show_page_title (self, running);
  gtk_label_set_text (self->text, describe (self->starter));
  gtk_widget_set_visible (GTK_WIDGET (self->text), error == NULL);
  gtk_widget_set_visible (self->problem, error != NULL);
  gtk_label_set_text (self->problem_text, error != NULL ? error : "");
  gtk_widget_set_visible (self->details_row, details != NULL);
  gtk_label_set_text (self->details, details != NULL ? details : "");
  gtk_widget_set_visible (self->running, running);
  gtk_widget_set_visible (self->buttons, !running);
  gtk_widget_set_visible (GTK_WIDGET (self->use), pteris_starter_is_available (self->starter));
  if (error != NULL)
    gtk_button_set_label (self->use, _ ("_Try Again"));
  else if (pteris_starter_is_stopped (self->starter))
    gtk_button_set_label (self->use, _ ("_Continue Download"));
  else
    gtk_button_set_label (self->use, _ ("_Use Starter Models"));
  if (running)
    show_progress (self, pteris_starter_get_progress (self->starter));
}

static void
on_stop (GtkButton *button, PterisStarterCard *self)
{
  pteris_starter_stop (self->starter);
}

void
pteris_starter_card_set_starter (PterisStarterCard *self, PterisStarter *starter)
{
  g_set_object (&self->starter, starter);
  g_signal_connect_object (starter, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

/* ---- life ---- */

static void
pteris_starter_card_dispose (GObject *object)
{
  PterisStarterCard *self = PTERIS_STARTER_CARD (object);

  g_clear_object (&self->starter);
  g_clear_pointer (&self->page_title, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_STARTER_CARD);
  G_OBJECT_CLASS (pteris_starter_card_parent_class)->dispose (object);
}

static void
pteris_starter_card_class_init (PterisStarterCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_starter_card_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/starter-card.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, name)
  CHILD (frame);
  CHILD (text);
  CHILD (problem);
  CHILD (problem_text);
  CHILD (details_row);
  CHILD (details);
  CHILD (buttons);
  CHILD (use);
  CHILD (running);
  CHILD (step);
  CHILD (progress);
  CHILD (numbers);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
pteris_starter_card_init (PterisStarterCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
