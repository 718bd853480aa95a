/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/offer-row.h"

#include "ui/discover/estimate.h"
#include "ui/i18n.h"
#include "ui/parts/format.h"

struct _PterisOfferRow {
  GtkListBoxRow parent_instance;

  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *about;
  GtkLabel *facts;
  GtkLabel *fit;
  GtkWidget *installed;
  GtkButton *get;

  PterisOffer *offer;
};

G_DEFINE_FINAL_TYPE (PterisOfferRow, pteris_offer_row, GTK_TYPE_LIST_BOX_ROW)

static const char *
icon_of (const char *task)
{
  static const struct {
    const char *task, *icon;
  } ICONS[] = {
    { "chat", "pteris-chat-symbolic" },
    { "transcribe", "pteris-microphone-symbolic" },
    { "companion", "pteris-microphone-symbolic" },
    { "speak", "audio-volume-high-symbolic" },
    { "look", "image-x-generic-symbolic" },
    { "embed", "edit-find-symbolic" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ICONS); i++)
    if (g_str_equal (ICONS[i].task, task))
      return ICONS[i].icon;
  return "pteris-model-symbolic";
}

/* "en de" → "English, German"; long lists are counted. */
static char *
describe_languages (const char *codes)
{
  g_auto (GStrv) words = g_strsplit (codes, " ", -1);
  guint n = g_strv_length (words);

  if (g_str_equal (codes, "any") || n == 0)
    return NULL;
  if (g_str_equal (codes, "many"))
    return g_strdup (_ ("many languages"));
  if (n == 1 && g_str_equal (words[0], "en"))
    return g_strdup (_ ("English"));
  return g_strdup_printf (ngettext ("%u language", "%u languages", n), n);
}

/* "470 MB to 2.5 GB" over all variants; NULL: unknown. */
static char *
describe_sizes (PterisOffer *offer)
{
  guint n;
  const PterisOfferVariant *variants = pteris_offer_get_variants (offer, &n);
  guint64 least = G_MAXUINT64, most = 0;
  g_autofree char *small = NULL;
  g_autofree char *large = NULL;

  for (guint i = 0; i < n; i++) {
    if (variants[i].bytes == 0)
      continue;
    least = MIN (least, variants[i].bytes);
    most = MAX (most, variants[i].bytes);
  }
  if (most == 0)
    return NULL;
  small = g_format_size (least);
  large = g_format_size (most);
  return least == most ? g_steal_pointer (&large) : g_strdup_printf (_ ("%s to %s"), small, large);
}

static void
add_word (GString *text, const char *word)
{
  if (word == NULL || *word == '\0')
    return;
  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append (text, word);
}

static char *
describe_facts (PterisOffer *offer)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *sizes = describe_sizes (offer);
  g_autofree char *languages = describe_languages (pteris_offer_get_languages (offer));

  add_word (text, sizes);
  add_word (text, languages);
  add_word (text, pteris_offer_get_license (offer));
  add_word (text, pteris_offer_get_repository (offer));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
pteris_offer_row_update (PterisOfferRow *self, gboolean installed, const PtMemory *memory,
                         double read_rate)
{
  const PterisOfferVariant *usual = pteris_offer_get_usual (self->offer);
  PtFit fit;
  g_autofree char *sentence = pteris_estimate_fit (usual->bytes, memory, &fit);
  gboolean decodes = g_str_equal (pteris_offer_get_task (self->offer), "chat");
  double speed =
      decodes && fit <= PT_FIT_TIGHT ? pteris_estimate_speed (usual->bytes, read_rate) : 0;
  g_autoptr (GString) text = g_string_new (sentence);

  if (speed > 0) {
    g_autofree char *rate = pteris_format_rate (speed);

    g_string_append_printf (text, _ (" About %s tokens/s."), rate);
  }
  gtk_label_set_text (self->fit, text->str);
  gtk_widget_set_visible (GTK_WIDGET (self->fit), text->len > 0);
  if (fit == PT_FIT_NEVER)
    gtk_widget_add_css_class (GTK_WIDGET (self->fit), "warning");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->fit), "warning");
  gtk_widget_set_visible (self->installed, installed);
}

PterisOffer *
pteris_offer_row_get_offer (PterisOfferRow *self)
{
  return self->offer;
}

GtkWidget *
pteris_offer_row_new (PterisOffer *offer)
{
  PterisOfferRow *self = g_object_new (PTERIS_TYPE_OFFER_ROW, NULL);
  const char *title = pteris_offer_get_title (offer), *about = pteris_offer_get_about (offer);
  g_autofree char *facts = describe_facts (offer);
  g_autofree char *name = g_strdup_printf (_ ("Download %s"), title);
  /* "owner/name@tag", as a repository may have an offer for each of several tags. */
  g_autofree char *target = g_strdup_printf ("%s@%s", pteris_offer_get_repository (offer),
                                             pteris_offer_get_revision (offer));

  self->offer = g_object_ref (offer);
  gtk_image_set_from_icon_name (self->icon, icon_of (pteris_offer_get_task (offer)));
  gtk_label_set_text (self->title, title);
  gtk_label_set_text (self->about, about);
  gtk_label_set_text (self->facts, facts);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->get), "s", target);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->get), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  return GTK_WIDGET (self);
}

static void
pteris_offer_row_dispose (GObject *object)
{
  PterisOfferRow *self = PTERIS_OFFER_ROW (object);

  g_clear_object (&self->offer);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_OFFER_ROW);
  G_OBJECT_CLASS (pteris_offer_row_parent_class)->dispose (object);
}

static void
pteris_offer_row_class_init (PterisOfferRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_offer_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/offer-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, icon);
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, title);
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, about);
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, facts);
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, fit);
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, installed);
  gtk_widget_class_bind_template_child (widget_class, PterisOfferRow, get);
}

static void
pteris_offer_row_init (PterisOfferRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
