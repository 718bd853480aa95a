/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sharing/server-page.h"

#include <adwaita.h>

#include "ui/i18n.h"
#include "ui/settings.h"

struct _PterisServerPage {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkSwitch *serve;
  AdwActionRow *address;
  GtkButton *copy_address;
  GtkSwitch *with_key;
  AdwActionRow *key;
  GtkButton *copy_key;
  AdwEntryRow *origins;
  GtkLabel *bad_origin;
  AdwActionRow *connections;
  AdwActionRow *requests;
  AdwActionRow *speed;
  AdwPreferencesGroup *programs;
  AdwPreferencesGroup *errors;

  PterisSharing *sharing;
  GPtrArray *program_rows, *error_rows; /* widgets in the groups */
  guint tick;
};

G_DEFINE_FINAL_TYPE (PterisServerPage, pteris_server_page, GTK_TYPE_WIDGET)

/* ---- figures ---- */

static void
update_figures (PterisServerPage *self)
{
  PterisServerStatus status;
  g_autofree char *connections = NULL, *requests = NULL, *speed = NULL;

  pteris_sharing_get_status (self->sharing, &status);
  connections = g_strdup_printf ("%u", status.connections);
  requests = g_strdup_printf (_ ("%u within the last minute; %u running, %u waiting"),
                              status.requests_per_minute, status.running, status.waiting);
  speed = g_strdup_printf (_ ("%.1f tokens/s"), status.tokens_per_second);
  adw_action_row_set_subtitle (self->connections, connections);
  adw_action_row_set_subtitle (self->requests, requests);
  adw_action_row_set_subtitle (self->speed, speed);
}

static gboolean
on_tick (gpointer data)
{
  update_figures (data);
  return G_SOURCE_CONTINUE;
}

/* ---- lists ---- */

static void
clear_rows (AdwPreferencesGroup *group, GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    adw_preferences_group_remove (group, rows->pdata[i]);
  g_ptr_array_set_size (rows, 0);
}

static void
add_row (AdwPreferencesGroup *group, GPtrArray *rows, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_preferences_group_add (group, row);
  g_ptr_array_add (rows, row);
}

static void
update_lists (PterisServerPage *self)
{
  const GPtrArray *programs = pteris_sharing_get_programs (self->sharing);
  const GPtrArray *errors = pteris_sharing_get_errors (self->sharing);

  clear_rows (self->programs, self->program_rows);
  clear_rows (self->errors, self->error_rows);
  for (guint i = 0; i < programs->len; i++) {
    const PterisSharingProgram *program = programs->pdata[i];
    g_autofree char *count = g_strdup_printf (
        ngettext ("%u request", "%u requests", program->requests), program->requests);

    add_row (self->programs, self->program_rows,
             *program->name != '\0' ? program->name : _ ("A program without a name"), count);
  }
  for (guint i = 0; i < errors->len; i++)
    add_row (self->errors, self->error_rows, errors->pdata[i], NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->programs), programs->len > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->errors), errors->len > 0);
}

/* ---- state ---- */

static const char *
describe_address (PterisServerPage *self)
{
  switch (pteris_sharing_get_state (self->sharing)) {
  case PTERIS_SHARING_ON: return pteris_sharing_get_address (self->sharing);
  case PTERIS_SHARING_FAILED: return pteris_sharing_get_error (self->sharing);
  case PTERIS_SHARING_CHANGING: return _ ("One moment…");
  default: return _ ("The server is off.");
  }
}

static char *
describe_key (PterisServerPage *self)
{
  const char *key = pteris_sharing_get_key (self->sharing);

  if (!gtk_switch_get_active (self->with_key))
    return g_strdup (_ ("Every program on this computer may use the server."));
  if (key == NULL)
    return g_strdup (_ ("The key is shown when the server is on."));
  if (pteris_sharing_keeps_key (self->sharing))
    return g_strdup (key);
  return g_strconcat (key, "\n",
                      _ ("This session has no secret store that could keep the key. Next time it "
                         "will be another one."),
                      NULL);
}

static void
update (PterisServerPage *self)
{
  const char *key = pteris_sharing_get_key (self->sharing);
  g_autofree char *about_key = describe_key (self);
  gboolean on = pteris_sharing_get_state (self->sharing) == PTERIS_SHARING_ON;

  adw_action_row_set_subtitle (self->address, describe_address (self));
  gtk_widget_set_sensitive (GTK_WIDGET (self->copy_address), on);
  adw_action_row_set_subtitle (self->key, about_key);
  gtk_widget_set_visible (GTK_WIDGET (self->copy_key), key != NULL);
  update_figures (self);
  update_lists (self);
}

static void
on_copy_address (PterisServerPage *self)
{
  g_autofree char *text = g_strconcat (pteris_sharing_get_address (self->sharing), "/v1", NULL);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
on_copy_key (PterisServerPage *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          pteris_sharing_get_key (self->sharing));
}

static void
on_origins (PterisServerPage *self)
{
  g_autofree char *bad =
      pteris_sharing_allow_pages (gtk_editable_get_text (GTK_EDITABLE (self->origins)));
  g_autofree char *text = NULL;

  if (bad != NULL)
    /* Translators: %s is what a person entered. */
    text = g_strdup_printf (_ ("“%s” is not the address of a web site, such as "
                               "https://example.org. Separate several with spaces."),
                            bad);
  gtk_label_set_text (self->bad_origin, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->bad_origin), bad != NULL);
}

static void
on_origins_changed (PterisServerPage *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->bad_origin), FALSE);
}

static void
show_origins (PterisServerPage *self)
{
  g_auto (GStrv) list = pteris_settings_get_list (PTERIS_SETTING_SERVE_ORIGINS);
  g_autofree char *text = g_strjoinv (" ", list);

  gtk_editable_set_text (GTK_EDITABLE (self->origins), text);
}

void
pteris_server_page_bind (PterisServerPage *self, PterisSharing *sharing)
{
  self->sharing = g_object_ref (sharing);
  pteris_settings_bind (PTERIS_SETTING_SERVE, self->serve, "active");
  pteris_settings_bind (PTERIS_SETTING_SERVE_WITH_KEY, self->with_key, "active");
  show_origins (self);
  g_signal_connect_object (sharing, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->with_key, "notify::active", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

/* ---- life ---- */

static void
pteris_server_page_map (GtkWidget *widget)
{
  PterisServerPage *self = PTERIS_SERVER_PAGE (widget);

  GTK_WIDGET_CLASS (pteris_server_page_parent_class)->map (widget);
  if (self->sharing == NULL)
    return;
  update_figures (self);
  self->tick = g_timeout_add_seconds (1, on_tick, self);
}

static void
pteris_server_page_unmap (GtkWidget *widget)
{
  PterisServerPage *self = PTERIS_SERVER_PAGE (widget);

  g_clear_handle_id (&self->tick, g_source_remove);
  GTK_WIDGET_CLASS (pteris_server_page_parent_class)->unmap (widget);
}

static void
pteris_server_page_dispose (GObject *object)
{
  PterisServerPage *self = PTERIS_SERVER_PAGE (object);

  g_clear_handle_id (&self->tick, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_SERVER_PAGE);
  g_clear_object (&self->sharing);
  g_clear_pointer (&self->program_rows, g_ptr_array_unref);
  g_clear_pointer (&self->error_rows, g_ptr_array_unref);
  G_OBJECT_CLASS (pteris_server_page_parent_class)->dispose (object);
}

static void
pteris_server_page_class_init (PterisServerPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_server_page_dispose;
  widget_class->map = pteris_server_page_map;
  widget_class->unmap = pteris_server_page_unmap;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/server-page.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, content);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, serve);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, address);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, copy_address);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, with_key);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, key);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, copy_key);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, origins);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, bad_origin);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, connections);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, requests);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, speed);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, programs);
  gtk_widget_class_bind_template_child (widget_class, PterisServerPage, errors);
  gtk_widget_class_bind_template_callback (widget_class, on_copy_address);
  gtk_widget_class_bind_template_callback (widget_class, on_copy_key);
  gtk_widget_class_bind_template_callback (widget_class, on_origins);
  gtk_widget_class_bind_template_callback (widget_class, on_origins_changed);
}

static void
pteris_server_page_init (PterisServerPage *self)
{
  self->program_rows = g_ptr_array_new ();
  self->error_rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
