/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/chat-settings.h"

#include <adwaita.h>

#include "ui/i18n.h"

struct _PterisChatSettingsButton {
  GtkWidget parent_instance;

  GtkMenuButton *button;
  GtkLabel *name;
  GtkDropDown *preset;
  GtkStringList *names;
  GtkWidget *rename;
  GtkWidget *remove;
  GtkRevealer *naming;
  GtkEntry *new_name;
  GtkTextView *system;
  GtkSpinButton *sampling[PT_SAMPLING_N_FIELDS]; /* named as they are */
  AdwEntryRow *stop;
  GtkSpinButton *length;
  GtkSpinButton *seed;
  GtkWidget *thinking_row;
  GtkDropDown *thinking; /* values of PtThinking, in its order */

  PterisChatSession *session;
  PterisPresets *presets;
  gboolean updating;
  int renamed; /* the preset that gets a new name; -1: a new preset */
};

G_DEFINE_FINAL_TYPE (PterisChatSettingsButton, pteris_chat_settings_button, GTK_TYPE_WIDGET)

/* ---- showing ---- */

/* The presets, and after them "Custom", for settings that match no preset. The list must not change
 * while it is open. */
static void
list_presets (PterisChatSettingsButton *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < pteris_presets_get_n (self->presets); i++)
    g_ptr_array_add (names, pteris_presets_get (self->presets, i)->name);
  g_ptr_array_add (names, (gpointer) _ ("Custom"));
  g_ptr_array_add (names, NULL);
  self->updating = TRUE;
  gtk_string_list_splice (self->names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->names)),
                          (const char *const *) names->pdata);
  self->updating = FALSE;
}

static void
show_preset (PterisChatSettingsButton *self, int found)
{
  guint selected = found >= 0 ? (guint) found : pteris_presets_get_n (self->presets);

  gtk_drop_down_set_selected (self->preset, selected);
  gtk_label_set_text (self->name, gtk_string_list_get_string (self->names, selected));
}

static void
show_system (PterisChatSettingsButton *self, const char *system)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->system);
  GtkTextIter start, end;
  g_autofree char *shown = NULL;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  shown = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  if (g_strcmp0 (shown, system != NULL ? system : "") != 0)
    gtk_text_buffer_set_text (buffer, system != NULL ? system : "", -1);
}

/* Shown only for models with a switch for thinking, or if the conversation has set it. */
static void
show_thinking (PterisChatSettingsButton *self)
{
  PterisModel *model = pteris_chat_session_get_model (self->session);
  const PtModelDetails *details = model != NULL ? pteris_model_get_details (model) : NULL;

  gtk_widget_set_visible (self->thinking_row,
                          (details != NULL && details->thinks) ||
                              gtk_drop_down_get_selected (self->thinking) != PT_THINKING_DEFAULT);
}

/* The defaults if the user sets nothing. */
static PtSampling
usual_sampling (PterisChatSettingsButton *self)
{
  PterisModel *model = pteris_chat_session_get_model (self->session);
  const PtModelDetails *details = model != NULL ? pteris_model_get_details (model) : NULL;

  return details != NULL ? details->sampling : pt_sampling_usual ();
}

static void
show_sampling (PterisChatSettingsButton *self, const PterisChatSettings *settings)
{
  const PtSampling usual = usual_sampling (self);
  PtSampling shown = settings->sampling;

  pt_sampling_fill (&shown, &usual);
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    gtk_spin_button_set_value (self->sampling[i], pt_sampling_get (&shown, i));
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (self->stop)),
                 settings->stop != NULL ? settings->stop : "") != 0)
    gtk_editable_set_text (GTK_EDITABLE (self->stop), settings->stop != NULL ? settings->stop : "");
}

static void
update (PterisChatSettingsButton *self)
{
  const PterisChatSettings *settings = pteris_chat_session_get_settings (self->session);
  int found = pteris_presets_find (self->presets, settings);
  gboolean own = found >= 0 && pteris_presets_get (self->presets, (guint) found)->id != 0;

  self->updating = TRUE;
  show_preset (self, found);
  show_system (self, settings->system);
  show_sampling (self, settings);
  gtk_spin_button_set_value (self->length, settings->max_new_tokens);
  gtk_spin_button_set_value (self->seed, (double) settings->seed);
  gtk_drop_down_set_selected (self->thinking, settings->thinking);
  show_thinking (self);
  gtk_widget_set_visible (self->rename, own);
  gtk_widget_set_visible (self->remove, own);
  self->updating = FALSE;
}

/* Details of the model may be known by now. Nothing changes while the popover closes. */
static void
on_active (PterisChatSettingsButton *self)
{
  gboolean active;

  g_object_get (self->button, "active", &active, NULL);
  if (active)
    update (self);
}

static void
on_presets_changed (PterisChatSettingsButton *self)
{
  list_presets (self);
  update (self);
}

/* ---- changing ---- */

static void
on_preset (PterisChatSettingsButton *self)
{
  guint selected = gtk_drop_down_get_selected (self->preset);
  g_auto (PterisChatSettings) settings = PTERIS_CHAT_SETTINGS_INIT;

  if (self->updating || selected >= pteris_presets_get_n (self->presets))
    return;
  pteris_chat_settings_assign (&settings, pteris_chat_session_get_settings (self->session));
  pteris_presets_apply (self->presets, selected, &settings);
  pteris_chat_session_set_settings (self->session, &settings);
}

static gboolean
differs (GtkSpinButton *button, double value)
{
  double shown = gtk_spin_button_get_value (button), least, most;

  /* A value from the model's files may have more decimals than the field, or be out of its range.
   */
  gtk_spin_button_get_range (button, &least, &most);
  value = CLAMP (value, least, most);
  return shown > value + 0.0051 || shown < value - 0.0051;
}

/* A default that was not changed stays unset. */
static void
take_sampling (PterisChatSettingsButton *self, PtSampling *sampling)
{
  const PtSampling usual = usual_sampling (self);

  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    if (pt_sampling_is_set (pt_sampling_get (sampling, i)) ||
        differs (self->sampling[i], pt_sampling_get (&usual, i)))
      pt_sampling_set (sampling, i, gtk_spin_button_get_value (self->sampling[i]));
}

/* An empty text is none. */
static void
take_text (char **to, char *text)
{
  g_free (*to);
  *to = text[0] != '\0' ? text : NULL;
  if (*to == NULL)
    g_free (text);
}

static void
on_changed (PterisChatSettingsButton *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->system);
  g_auto (PterisChatSettings) settings = PTERIS_CHAT_SETTINGS_INIT;
  GtkTextIter start, end;

  if (self->updating)
    return;
  pteris_chat_settings_assign (&settings, pteris_chat_session_get_settings (self->session));
  take_sampling (self, &settings.sampling);
  take_text (&settings.stop, g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->stop))));
  settings.max_new_tokens = gtk_spin_button_get_value_as_int (self->length);
  settings.thinking = (PtThinking) gtk_drop_down_get_selected (self->thinking);
  settings.seed = (guint64) gtk_spin_button_get_value (self->seed);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  take_text (&settings.system, gtk_text_buffer_get_text (buffer, &start, &end, FALSE));
  pteris_chat_session_set_settings (self->session, &settings);
}

/* ---- presets ---- */

static void
ask_for_name (PterisChatSettingsButton *self, int preset)
{
  const char *name = preset >= 0 ? pteris_presets_get (self->presets, (guint) preset)->name : "";

  self->renamed = preset;
  gtk_editable_set_text (GTK_EDITABLE (self->new_name), name);
  gtk_revealer_set_reveal_child (self->naming, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->new_name));
}

static void
on_save_as (PterisChatSettingsButton *self)
{
  ask_for_name (self, -1);
}

static void
on_rename (PterisChatSettingsButton *self)
{
  ask_for_name (self, (int) gtk_drop_down_get_selected (self->preset));
}

static void
on_remove (PterisChatSettingsButton *self)
{
  pteris_presets_remove (self->presets, gtk_drop_down_get_selected (self->preset));
}

static void
on_named (PterisChatSettingsButton *self)
{
  g_autofree char *name =
      g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->new_name))));

  if (name[0] == '\0')
    return;
  gtk_revealer_set_reveal_child (self->naming, FALSE);
  if (self->renamed >= 0)
    pteris_presets_rename (self->presets, (guint) self->renamed, name);
  else
    pteris_presets_add (self->presets, name, pteris_chat_session_get_settings (self->session));
}

/* ---- the widget ---- */

void
pteris_chat_settings_button_open (PterisChatSettingsButton *self)
{
  gtk_menu_button_popup (self->button);
}

void
pteris_chat_settings_button_bind (PterisChatSettingsButton *self, PterisChatSession *session,
                                  PterisPresets *presets)
{
  g_set_object (&self->session, session);
  g_set_object (&self->presets, presets);
  g_signal_connect_object (self->button, "notify::active", G_CALLBACK (on_active), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "settings", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "model", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (presets, "changed", G_CALLBACK (on_presets_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_text_view_get_buffer (self->system), "changed",
                           G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  on_presets_changed (self);
}

static void
pteris_chat_settings_button_dispose (GObject *object)
{
  PterisChatSettingsButton *self = PTERIS_CHAT_SETTINGS_BUTTON (object);

  self->updating = TRUE;
  g_clear_object (&self->session);
  g_clear_object (&self->presets);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CHAT_SETTINGS_BUTTON);
  G_OBJECT_CLASS (pteris_chat_settings_button_parent_class)->dispose (object);
}

#define BIND(name) \
  gtk_widget_class_bind_template_child (widget_class, PterisChatSettingsButton, name)

static void
pteris_chat_settings_button_class_init (PterisChatSettingsButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_chat_settings_button_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/chat-settings.ui");
  BIND (button);
  BIND (name);
  BIND (preset);
  BIND (names);
  BIND (rename);
  BIND (remove);
  BIND (naming);
  BIND (new_name);
  BIND (system);
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    gtk_widget_class_bind_template_child_full (
        widget_class, PT_SAMPLING_FIELDS[i].name, FALSE,
        G_STRUCT_OFFSET (PterisChatSettingsButton, sampling) + (gssize) (i * sizeof (gpointer)));
  BIND (stop);
  BIND (length);
  BIND (seed);
  BIND (thinking_row);
  BIND (thinking);
  gtk_widget_class_bind_template_callback (widget_class, on_preset);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_save_as);
  gtk_widget_class_bind_template_callback (widget_class, on_rename);
  gtk_widget_class_bind_template_callback (widget_class, on_remove);
  gtk_widget_class_bind_template_callback (widget_class, on_named);
}

static void
pteris_chat_settings_button_init (PterisChatSettingsButton *self)
{
  self->updating = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
}
