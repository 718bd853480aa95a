/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/sound-chooser.h"

#include "ui/i18n.h"
#include "ui/sound/sound-devices.h"

/* ---- a row of the preferences ---- */

typedef struct {
  PterisSoundUse use;
  PterisSoundDevices *devices;
  gboolean is_filling; /* the row changes, but not by the user */
} Row;

static void
row_free (gpointer data)
{
  Row *self = data;

  g_object_unref (self->devices);
  g_free (self);
}

static Row *
row_of (AdwComboRow *row)
{
  return g_object_get_data (G_OBJECT (row), "sound");
}

/* The row may be open, so that its list is changed only where the devices are others. */
static gboolean
has_labels (AdwComboRow *row, const char *const *labels)
{
  GListModel *model = adw_combo_row_get_model (row);
  guint n = g_strv_length ((char **) labels);

  if (model == NULL || g_list_model_get_n_items (model) != n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (gtk_string_list_get_string (GTK_STRING_LIST (model), i), labels[i]))
      return FALSE;
  return TRUE;
}

static void
fill_row (AdwComboRow *row)
{
  Row *self = row_of (row);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) labels = NULL;

  for (guint i = 0; i < pteris_sound_devices_count (self->devices); i++) {
    g_autofree char *label = pteris_sound_devices_label (self->devices, i);

    g_strv_builder_add (builder, label);
  }
  labels = g_strv_builder_end (builder);
  self->is_filling = TRUE;
  if (!has_labels (row, (const char *const *) labels)) {
    g_autoptr (GtkStringList) names = gtk_string_list_new ((const char *const *) labels);

    adw_combo_row_set_model (row, G_LIST_MODEL (names));
  }
  adw_combo_row_set_selected (row, pteris_sound_devices_find_chosen (self->devices));
  self->is_filling = FALSE;
}

static void
on_selected (AdwComboRow *row)
{
  Row *self = row_of (row);
  guint i = adw_combo_row_get_selected (row);

  if (!self->is_filling && i < pteris_sound_devices_count (self->devices))
    pteris_sound_choice_set (self->use, pteris_sound_devices_nth (self->devices, i));
}

void
pteris_sound_chooser_bind_row (AdwComboRow *row, PterisSoundUse use)
{
  Row *self = g_new0 (Row, 1);

  self->use = use;
  self->devices = pteris_sound_devices_new (use);
  g_object_set_data_full (G_OBJECT (row), "sound", self, row_free);
  fill_row (row);
  g_signal_connect (row, "notify::selected", G_CALLBACK (on_selected), NULL);
  g_signal_connect_object (self->devices, "changed", G_CALLBACK (fill_row), row, G_CONNECT_SWAPPED);
  pteris_sound_devices_refresh (self->devices);
  g_signal_connect_object (row, "map", G_CALLBACK (pteris_sound_devices_watch), self->devices,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (row, "unmap", G_CALLBACK (pteris_sound_devices_unwatch), self->devices,
                           G_CONNECT_SWAPPED);
}

/* ---- the menu of the button that records ---- */

typedef struct {
  PterisSoundDevices *devices;
  GMenu *menu;
  GSimpleAction *action; /* its state: pteris_sound_choice_to_string() */
} Menu;

static void
menu_free (gpointer data)
{
  Menu *self = data;

  g_object_unref (self->devices);
  g_object_unref (self->menu);
  g_object_unref (self->action);
  g_free (self);
}

static Menu *
menu_of (AdwSplitButton *button)
{
  return g_object_get_data (G_OBJECT (button), "sound");
}

/* @label with its underscores, which would be mnemonics. Free with g_free(). */
static char *
without_mnemonics (const char *label)
{
  g_auto (GStrv) parts = g_strsplit (label, "_", -1);

  return g_strjoinv ("__", parts);
}

static void
fill_menu (AdwSplitButton *button)
{
  Menu *self = menu_of (button);
  g_autoptr (GMenu) microphones = g_menu_new (), computer = g_menu_new ();

  for (guint i = 0; i < pteris_sound_devices_count (self->devices); i++) {
    const PterisSoundDevice *device = pteris_sound_devices_nth (self->devices, i);
    g_autofree char *label = pteris_sound_devices_label (self->devices, i);
    g_autofree char *target = pteris_sound_choice_to_string (device);
    g_autofree char *text = without_mnemonics (label);
    g_autoptr (GMenuItem) item = g_menu_item_new (text, NULL);

    g_menu_item_set_action_and_target (item, "sound.record-from", "s", target);
    g_menu_append_item (device->kind == PTERIS_SOUND_COMPUTER ? computer : microphones, item);
  }
  g_menu_remove_all (self->menu);
  g_menu_append_section (self->menu, _ ("Record From"), G_MENU_MODEL (microphones));
  g_menu_append_section (self->menu, NULL, G_MENU_MODEL (computer));
}

static void
on_change_state (AdwSplitButton *button, GVariant *target)
{
  Menu *self = menu_of (button);
  const char *wanted = g_variant_get_string (target, NULL);

  for (guint i = 0; i < pteris_sound_devices_count (self->devices); i++) {
    const PterisSoundDevice *device = pteris_sound_devices_nth (self->devices, i);
    g_autofree char *string = pteris_sound_choice_to_string (device);

    if (g_str_equal (string, wanted)) {
      pteris_sound_choice_set (PTERIS_SOUND_RECORDS, device);
      return;
    }
  }
}

/* Says what a click will record. The part to click has the tooltip; that of the whole button would
 * also cover its menu. */
static void
show_choice (AdwSplitButton *button)
{
  Menu *self = menu_of (button);
  g_autoptr (PterisSoundDevice) device = pteris_sound_choice_get (PTERIS_SOUND_RECORDS);
  g_autofree char *string = pteris_sound_choice_to_string (device);
  const char *what = device->kind == PTERIS_SOUND_COMPUTER ? _ ("Record What the Computer Plays")
                                                           : _ ("Record from Microphone");

  GtkWidget *part = gtk_widget_get_first_child (GTK_WIDGET (button));

  g_simple_action_set_state (self->action, g_variant_new_string (string));
  gtk_widget_set_tooltip_text (part, what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (part), GTK_ACCESSIBLE_PROPERTY_LABEL, what, -1);
}

void
pteris_sound_chooser_bind_button (AdwSplitButton *button)
{
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  Menu *self = g_new0 (Menu, 1);

  self->devices = pteris_sound_devices_new (PTERIS_SOUND_RECORDS);
  self->menu = g_menu_new ();
  self->action = g_simple_action_new_stateful ("record-from", G_VARIANT_TYPE_STRING,
                                               g_variant_new_string (""));
  g_object_set_data_full (G_OBJECT (button), "sound", self, menu_free);
  g_signal_connect_object (self->action, "change-state", G_CALLBACK (on_change_state), button,
                           G_CONNECT_SWAPPED);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (self->action));
  gtk_widget_insert_action_group (GTK_WIDGET (button), "sound", G_ACTION_GROUP (group));
  fill_menu (button);
  adw_split_button_set_menu_model (button, G_MENU_MODEL (self->menu));
  /* A split button does not pass names to its two buttons. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (gtk_widget_get_last_child (GTK_WIDGET (button))),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  adw_split_button_get_dropdown_tooltip (button), -1);
  g_signal_connect_object (self->devices, "changed", G_CALLBACK (fill_menu), button,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_split_button_get_popover (button), "map",
                           G_CALLBACK (pteris_sound_devices_refresh), self->devices,
                           G_CONNECT_SWAPPED);
  pteris_sound_choice_watch (PTERIS_SOUND_RECORDS, (void (*) (gpointer)) show_choice, button);
  show_choice (button);
}
