/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/discover-page.h"

#include <adwaita.h>
#include <string.h>

#include "ui/discover/download-row.h"
#include "ui/discover/estimate.h"
#include "ui/discover/get-dialog.h"
#include "ui/discover/offer-row.h"
#include "ui/i18n.h"
#include "ui/parts/drop-down.h"

/* In the order of the drop-down in discover-page.ui. */
static const char *const TASKS[] = { NULL,   "chat",  "transcribe", "speak",
                                     "look", "embed", "companion" };

struct _PterisDiscoverPage {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkSearchEntry *search;
  GtkDropDown *task;
  GtkCheckButton *fitting;
  GtkLabel *count;
  GtkWidget *downloads_box;
  GtkListBox *downloads_list;
  GtkWidget *address;
  GtkLabel *address_title;
  GtkListBox *offers;
  GtkStack *stack;

  GListModel *catalogue;
  PterisDownloads *downloads;
  PterisMachine *machine;
  GtkFilter *filter;
  GListModel *shown;
  double read_rate;              /* bytes a second; 0: not measured */
  char *id, *variant, *revision; /* what the search field says, if it is a repository */
};

G_DEFINE_FINAL_TYPE (PterisDiscoverPage, pteris_discover_page, GTK_TYPE_WIDGET)

/* ---- search and filters ---- */

static gboolean
holds (const char *text, const char *folded)
{
  g_autofree char *other = g_utf8_casefold (text, -1);

  return strstr (other, folded) != NULL;
}

/* Every word of the search is in the title, the sentence or the name of the repository. */
static gboolean
is_found (PterisDiscoverPage *self, PterisOffer *offer)
{
  g_autofree char *text = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  g_auto (GStrv) words = g_strsplit_set (text, " ", -1);

  for (char **word = words; *word != NULL; word++)
    if (!holds (pteris_offer_get_title (offer), *word) &&
        !holds (pteris_offer_get_about (offer), *word) &&
        !holds (pteris_offer_get_repository (offer), *word))
      return FALSE;
  return TRUE;
}

static gboolean
fits (PterisDiscoverPage *self, PterisOffer *offer)
{
  PtFit fit;
  g_autofree char *text = pteris_estimate_fit (pteris_offer_get_usual (offer)->bytes,
                                               pteris_machine_get_memory (self->machine), &fit);

  return fit < PT_FIT_NOT_NOW;
}

static gboolean
is_shown (gpointer item, gpointer user_data)
{
  PterisDiscoverPage *self = user_data;
  const char *task = TASKS[MIN (gtk_drop_down_get_selected (self->task), G_N_ELEMENTS (TASKS) - 1)];

  return (task == NULL || g_str_equal (pteris_offer_get_task (item), task)) &&
         (!gtk_check_button_get_active (self->fitting) || fits (self, item)) &&
         is_found (self, item);
}

static void
update_count (PterisDiscoverPage *self)
{
  guint n = g_list_model_get_n_items (self->shown);
  g_autofree char *text = g_strdup_printf (ngettext ("%u model", "%u models", n), n);

  gtk_label_set_text (self->count, text);
  gtk_stack_set_visible_child_name (self->stack, n > 0 || self->id != NULL ? "offers" : "none");
  gtk_widget_set_visible (GTK_WIDGET (self->offers), n > 0);
}

/* "owner/name" or an address in the search field is a repository that can be downloaded. */
static void
read_address (PterisDiscoverPage *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search));
  g_autofree char *stripped = g_strstrip (g_strdup (text));

  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->variant, g_free);
  g_clear_pointer (&self->revision, g_free);
  if (strchr (stripped, '/') != NULL)
    pt_hub_parse (stripped, &self->id, &self->variant, &self->revision, NULL);
  gtk_widget_set_visible (self->address, self->id != NULL);
  gtk_label_set_text (self->address_title, self->id != NULL ? self->id : "");
}

static void
on_filter_changed (PterisDiscoverPage *self)
{
  if (self->shown == NULL)
    return;
  read_address (self);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

/* ---- rows ---- */

static void
update_row (PterisDiscoverPage *self, PterisOfferRow *row)
{
  const char *id = pteris_offer_get_repository (pteris_offer_row_get_offer (row));

  pteris_offer_row_update (row, pteris_downloads_has (self->downloads, id),
                           pteris_machine_get_memory (self->machine), self->read_rate);
}

static GtkWidget *
make_offer_row (gpointer item, gpointer user_data)
{
  GtkWidget *row = pteris_offer_row_new (item);

  update_row (user_data, PTERIS_OFFER_ROW (row));
  return row;
}

static void
update_rows (PterisDiscoverPage *self)
{
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->offers)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    if (PTERIS_IS_OFFER_ROW (row))
      update_row (self, PTERIS_OFFER_ROW (row));
}

static GtkWidget *
make_download_row (gpointer item, gpointer user_data)
{
  return pteris_download_row_new (PTERIS_DISCOVER_PAGE (user_data)->downloads, item);
}

static void
on_downloads_listed (PterisDiscoverPage *self)
{
  gtk_widget_set_visible (self->downloads_box,
                          g_list_model_get_n_items (G_LIST_MODEL (self->downloads)) > 0);
}

static void
on_installed (PterisDiscoverPage *self)
{
  update_rows (self);
}

/* ---- this computer ---- */

static void
on_machine_changed (PterisDiscoverPage *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    update_rows (self);
}

static void
on_rate_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisDiscoverPage) self = user_data;

  self->read_rate = pteris_read_rate_finish (result);
  if (self->downloads != NULL)
    update_rows (self);
}

static void
on_map (PterisDiscoverPage *self)
{
  if (self->downloads == NULL)
    return;
  pteris_machine_watch (self->machine, PTERIS_PACE_CALM);
  pteris_downloads_refresh (self->downloads);
  pteris_read_rate_async (on_rate_read, g_object_ref (self));
}

static void
on_unmap (PterisDiscoverPage *self)
{
  if (self->downloads != NULL)
    pteris_machine_unwatch (self->machine, PTERIS_PACE_CALM);
}

/* ---- downloading ---- */

static void
present_dialog (PterisDiscoverPage *self, const PterisGetRequest *request)
{
  pteris_get_dialog_present (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), self->downloads,
                             self->machine, request);
}

static void
on_get (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisDiscoverPage *self = PTERIS_DISCOVER_PAGE (widget);
  g_auto (GStrv) parts = g_strsplit (g_variant_get_string (parameter, NULL), "@", 2);
  const char *revision = *parts != NULL ? parts[1] : NULL;
  PterisGetRequest request = { .id = *parts != NULL ? *parts : "", .revision = revision };
  PterisOffer *offer = pteris_downloads_find_offer (self->downloads, request.id, revision);

  if (offer != NULL) {
    request.revision = pteris_offer_get_revision (offer);
    request.variant = pteris_offer_get_usual (offer)->file;
  }
  present_dialog (self, &request);
}

static void
on_get_address (PterisDiscoverPage *self)
{
  PterisGetRequest request = { self->id, self->revision, self->variant };

  if (self->id != NULL)
    present_dialog (self, &request);
}

/* Enter in the search field: the repository that it names. */
static void
on_search_activated (PterisDiscoverPage *self)
{
  read_address (self);
  on_get_address (self);
}

void
pteris_discover_page_get_chat (PterisDiscoverPage *self, guint64 most)
{
  const PtMemory *memory = pteris_machine_get_memory (self->machine);
  /* Where nothing is known yet, the dialog says whether the model fits. */
  guint64 largest = memory->ram_total > 0 ? MIN (pteris_estimate_largest (memory), most) : most;
  const PterisOfferVariant *variant;
  PterisOffer *offer = pteris_catalogue_best_chat (self->catalogue, largest, &variant);
  PterisGetRequest request = { 0 };

  pteris_discover_page_show_task (self, "chat");
  if (offer == NULL)
    return;
  request.id = pteris_offer_get_repository (offer);
  request.revision = pteris_offer_get_revision (offer);
  request.variant = variant->file;
  present_dialog (self, &request);
}

void
pteris_discover_page_show_found (PterisDiscoverPage *self, const char *text)
{
  gtk_drop_down_set_selected (self->task, 0);
  gtk_editable_set_text (GTK_EDITABLE (self->search), text);
}

void
pteris_discover_page_show_task (PterisDiscoverPage *self, const char *task)
{
  for (guint i = 1; i < G_N_ELEMENTS (TASKS); i++)
    if (g_str_equal (TASKS[i], task))
      gtk_drop_down_set_selected (self->task, i);
}

void
pteris_discover_page_focus (PterisDiscoverPage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

/* ---- life ---- */

void
pteris_discover_page_bind (PterisDiscoverPage *self, GListModel *catalogue,
                           PterisDownloads *downloads, PterisMachine *machine)
{
  self->catalogue = g_object_ref (catalogue);
  self->downloads = g_object_ref (downloads);
  self->machine = g_object_ref (machine);
  self->filter = GTK_FILTER (gtk_custom_filter_new (is_shown, self, NULL));
  self->shown = G_LIST_MODEL (
      gtk_filter_list_model_new (g_object_ref (catalogue), g_object_ref (self->filter)));
  gtk_list_box_bind_model (self->offers, self->shown, make_offer_row, self, NULL);
  gtk_list_box_bind_model (self->downloads_list, G_LIST_MODEL (downloads), make_download_row, self,
                           NULL);
  g_signal_connect_object (self->shown, "items-changed", G_CALLBACK (update_count), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (downloads, "items-changed", G_CALLBACK (on_downloads_listed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (downloads, "refreshed", G_CALLBACK (on_installed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (machine, "changed", G_CALLBACK (on_machine_changed), self,
                           G_CONNECT_SWAPPED);
  on_downloads_listed (self);
  update_count (self);
}

static void
pteris_discover_page_dispose (GObject *object)
{
  PterisDiscoverPage *self = PTERIS_DISCOVER_PAGE (object);

  g_clear_object (&self->shown);
  g_clear_object (&self->filter);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_DISCOVER_PAGE);
  g_clear_object (&self->catalogue);
  g_clear_object (&self->downloads);
  g_clear_object (&self->machine);
  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->variant, g_free);
  g_clear_pointer (&self->revision, g_free);
  G_OBJECT_CLASS (pteris_discover_page_parent_class)->dispose (object);
}

static void
find (GtkWidget *widget, const char *name, GVariant *parameter)
{
  pteris_discover_page_focus (PTERIS_DISCOVER_PAGE (widget));
}

static void
pteris_discover_page_class_init (PterisDiscoverPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_discover_page_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/discover-page.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisDiscoverPage, name)
  CHILD (content);
  CHILD (search);
  CHILD (task);
  CHILD (fitting);
  CHILD (count);
  CHILD (downloads_box);
  CHILD (downloads_list);
  CHILD (address);
  CHILD (address_title);
  CHILD (offers);
  CHILD (stack);
#undef CHILD
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_get_address);
  gtk_widget_class_install_action (widget_class, "discover.get", "s", on_get);
  gtk_widget_class_install_action (widget_class, "page.find", NULL, find);
}

static void
pteris_discover_page_init (PterisDiscoverPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  pteris_drop_down_ellipsize (self->task);
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (on_unmap), NULL);
}
