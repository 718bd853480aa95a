/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/error-card.h"

#include "ui/i18n.h"

struct _PterisErrorCard {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkLabel *sentence;
  GtkButton *dismiss;
  GtkButton *next;
  GtkButton *retry;
  GtkButton *copy_report;
  GtkLabel *details;
  char *report; /* path, or NULL */
};

G_DEFINE_FINAL_TYPE (PterisErrorCard, pteris_error_card, GTK_TYPE_WIDGET)

/* The button for each kind of error. */
static const struct {
  PtError code;
  const char *label;
  const char *action;
} STEPS[] = {
  { PT_ERROR_NOT_FOUND, N_ ("_Use Starter Models"), "win.use-starter" },
  { PT_ERROR_CONTEXT_FULL, N_ ("_New Chat"), "win.new-chat" },
  { PT_ERROR_AUDIO, N_ ("_Open Another Recording…"), "win.open" },
  { PT_ERROR_FILE, N_ ("_Open…"), "win.open" },
  { PT_ERROR_FORMAT, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_PROGRAM, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_DATA, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_MISSING_FILE, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_MISSING_OPERATOR, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_MISSING_BACKEND, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_UNSUPPORTED, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_DELEGATE, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_GPU, N_ ("_Open Another Model…"), "win.open" },
  { PT_ERROR_UNTRUSTED, N_ ("_Run…"), "win.trust-model" },
  { PT_ERROR_TOKENIZER, N_ ("_Open Another Model…"), "win.open" },
};

/* In a narrow window large labels must shrink. */
static void
let_shrink (GtkButton *button)
{
  GtkWidget *label = gtk_button_get_child (button);

  if (GTK_IS_LABEL (label))
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
}

void
pteris_error_card_set_step (PterisErrorCard *self, const char *label, const char *action)
{
  gtk_button_set_label (self->next, label);
  let_shrink (self->next);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->next), action);
  gtk_widget_set_visible (GTK_WIDGET (self->next), TRUE);
}

void
pteris_error_card_set (PterisErrorCard *self, PtError code, const char *sentence, const char *retry,
                       const char *subject)
{
  g_autofree char *details = NULL;
  gboolean has_step = FALSE;

  gtk_label_set_text (self->sentence, sentence);
  for (guint i = 0; i < G_N_ELEMENTS (STEPS); i++) {
    if (STEPS[i].code != code)
      continue;
    pteris_error_card_set_step (self, _ (STEPS[i].label), STEPS[i].action);
    has_step = TRUE;
  }
  gtk_widget_set_visible (GTK_WIDGET (self->next), has_step);
  gtk_button_set_label (self->retry, code == PT_ERROR_HOST ? _ ("_Load Again") : _ ("_Try Again"));
  let_shrink (self->retry);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->retry), retry);
  gtk_widget_set_visible (GTK_WIDGET (self->retry), retry != NULL);
  details = g_strdup_printf ("Pteris %s\nerror: %s\n%s%s%s%s", PTERIS_VERSION, pt_error_name (code),
                             subject != NULL ? "with: " : "", subject != NULL ? subject : "",
                             subject != NULL ? "\n" : "", sentence);
  gtk_label_set_text (self->details, details);
  pteris_error_card_set_report (self, NULL);
}

void
pteris_error_card_set_report (PterisErrorCard *self, const char *path)
{
  char *copy = g_strdup (path);

  g_free (self->report);
  self->report = copy;
  gtk_widget_set_visible (GTK_WIDGET (self->copy_report), path != NULL);
}

void
pteris_error_card_set_dismiss (PterisErrorCard *self, const char *action)
{
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->dismiss), action);
  gtk_widget_set_visible (GTK_WIDGET (self->dismiss), TRUE);
}

static void
on_copy (GtkButton *button, PterisErrorCard *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (self));

  gdk_clipboard_set_text (clipboard, gtk_label_get_text (self->details));
}

/* The text that Copy Report has read, or why it cannot be read. */
static void
on_report_read (GObject *file, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisErrorCard) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_load_contents_finish (G_FILE (file), result, &text, &length, NULL, &error)) {
    gtk_label_set_text (self->details, error->message);
    return;
  }
  if (g_utf8_validate (text, (gssize) length, NULL))
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
on_copy_report (GtkButton *button, PterisErrorCard *self)
{
  g_autoptr (GFile) file = NULL;

  if (self->report == NULL)
    return;
  file = g_file_new_for_path (self->report);
  g_file_load_contents_async (file, NULL, on_report_read, g_object_ref (self));
}

static void
pteris_error_card_finalize (GObject *object)
{
  g_free (PTERIS_ERROR_CARD (object)->report);
  G_OBJECT_CLASS (pteris_error_card_parent_class)->finalize (object);
}

static void
pteris_error_card_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_ERROR_CARD);
  G_OBJECT_CLASS (pteris_error_card_parent_class)->dispose (object);
}

static void
pteris_error_card_class_init (PterisErrorCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_error_card_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_error_card_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/error-card.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, sentence);
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, dismiss);
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, next);
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, retry);
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, copy_report);
  gtk_widget_class_bind_template_child (widget_class, PterisErrorCard, details);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
  gtk_widget_class_bind_template_callback (widget_class, on_copy_report);
}

static void
pteris_error_card_init (PterisErrorCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  let_shrink (self->retry);
}
