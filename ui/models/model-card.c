/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-card.h"

#include "ui/i18n.h"
#include "ui/models/model-text.h"
#include "ui/models/variant-button.h"

struct _PterisModelCard {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *facts;
  GtkLabel *state;
  GtkActionable *inspect;
  GtkButton *load;
  GtkWidget *cancel;
  GtkWidget *unload;
  GtkButton *use;
  GtkMenuButton *menu;
  GtkProgressBar *progress;
  PterisVariantButton *variants;
  GtkWidget *verdict;
  GtkImage *verdict_icon;
  GtkLabel *verdict_text;
  GtkWidget *members; /* a row for each missing part */
  GtkWidget *held;
  GtkActionable *held_retry, *held_cpu;
  GtkWidget *failure;
  GtkLabel *failure_text;
  GtkActionable *failure_retry, *failure_cpu;
  GtkWidget *license;
  GtkLabel *license_name;
  GtkActionable *license_file;

  PterisEngines *engines;
  PterisMachine *machine;
  PterisModel *model;
  PterisVerdict judged;
};

G_DEFINE_FINAL_TYPE (PterisModelCard, pteris_model_card, GTK_TYPE_WIDGET)

static GVariant *
target_of (PterisModel *model)
{
  return g_variant_new_bytestring (pteris_model_get_info (model)->path);
}

static void
set_action (gpointer actionable, const char *action, PterisModel *model)
{
  gtk_actionable_set_action_target_value (actionable, target_of (model));
  gtk_actionable_set_action_name (actionable, action);
}

/* ---- the verdict ---- */

static void
show_verdict (PterisModelCard *self)
{
  static const struct {
    const char *icon, *style;
  } LOOKS[] = {
    [PTERIS_VERDICT_UNKNOWN] = { "dialog-question-symbolic", NULL },
    [PTERIS_VERDICT_RUNS] = { "object-select-symbolic", "success" },
    [PTERIS_VERDICT_TIGHT] = { "dialog-warning-symbolic", "warning" },
    [PTERIS_VERDICT_NOT_NOW] = { "dialog-warning-symbolic", "warning" },
    [PTERIS_VERDICT_NOT] = { "action-unavailable-symbolic", "error" },
  };
  g_autofree char *text = NULL;
  g_autofree char *memory = NULL;
  PterisVerdict verdict;

  verdict = pteris_model_judge (self->model, pteris_machine_get_memory (self->machine), &text);
  self->judged = verdict;
  for (guint i = 0; i < G_N_ELEMENTS (LOOKS); i++)
    if (LOOKS[i].style != NULL)
      gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_icon), LOOKS[i].style);
  if (LOOKS[verdict].style != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self->verdict_icon), LOOKS[verdict].style);
  gtk_image_set_from_icon_name (self->verdict_icon, LOOKS[verdict].icon);
  gtk_label_set_text (self->verdict_text, text != NULL ? text : "");
  memory = pteris_model_explain_memory (self->model);
  gtk_widget_set_tooltip_text (self->verdict, memory);
}

/* ---- members ---- */

static GtkWidget *
make_member (PterisModelCard *self, PtModelPart part)
{
  const char *path = pteris_model_get_info (self->model)->path;
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (pteris_part_missing (part));
  GtkWidget *button = gtk_button_new_with_mnemonic (_ ("Choose…"));
  g_autofree char *name = g_strdup_printf (_ ("Choose %s"), pteris_part_name (part));

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.choose-member");
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button),
                                          g_variant_new ("(^ayu)", path, (guint) part));
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (row), button);
  return row;
}

static void
show_members (PterisModelCard *self)
{
  GtkWidget *child;
  guint lacks = pteris_model_get_info (self->model)->lacks;

  while ((child = gtk_widget_get_first_child (self->members)) != NULL)
    gtk_box_remove (GTK_BOX (self->members), child);
  for (guint part = PT_MODEL_DATA; part <= PT_MODEL_PREPROCESSOR; part <<= 1)
    if (lacks & part)
      gtk_box_append (GTK_BOX (self->members), make_member (self, (PtModelPart) part));
  gtk_widget_set_visible (self->members, lacks != 0);
}

/* ---- the menu ---- */

static void
add_item (GMenu *menu, const char *label, const char *action, GVariant *target)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target_value (item, action, target);
  g_menu_append_item (menu, item);
}

static void
add_member (GMenu *menu, PterisModelCard *self, const char *label, PtModelPart part)
{
  const char *path = pteris_model_get_info (self->model)->path;

  add_item (menu, label, "win.choose-member", g_variant_new ("(^ayu)", path, (guint) part));
}

/* A menu of families, for a model that is recognised wrongly or not at all. */
static GMenuModel *
make_families (PterisModelCard *self)
{
  const PtModelInfo *info = pteris_model_get_info (self->model);
  GMenu *menu = g_menu_new ();
  guint n;
  const PtFamilyChoice *families = pt_library_families (&n);

  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (families[i].id, info->family) != 0)
      add_item (menu, pteris_family_name (&families[i]), "win.set-family",
                g_variant_new ("(^ays)", info->path, families[i].id));
  return G_MENU_MODEL (menu);
}

static GMenuModel *
make_menu (PterisModelCard *self)
{
  PterisModel *model = self->model;
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) look = g_menu_new ();
  g_autoptr (GMenu) members = g_menu_new ();
  g_autoptr (GMenu) end = g_menu_new ();
  g_autoptr (GMenuModel) families = make_families (self);

  if (!pteris_model_is_away (model)) {
    add_item (look, _ ("_Inspect"), "win.inspect-model", target_of (model));
    add_item (look, _ ("Show in _File Manager"), "win.show-model", target_of (model));
    add_member (members, self, _ ("Choose _Data File…"), PT_MODEL_DATA);
    add_member (members, self, _ ("Choose _Tokenizer…"), PT_MODEL_TOKENIZER);
    if (pteris_model_get_task (model) == PTERIS_TASK_TRANSCRIBE)
      add_member (members, self, _ ("Choose _Preprocessor…"), PT_MODEL_PREPROCESSOR);
    g_menu_append_submenu (members, _ ("Use _As"), families);
    if (pteris_model_get_companions (model) != NULL)
      add_item (members, _ ("_Reset to Detected Files"), "win.reset-members", target_of (model));
  }
  add_item (end, _ ("_Remove from Library"), "win.remove-model", target_of (model));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (look));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (members));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (end));
  return G_MENU_MODEL (menu);
}

/* Menus have many widgets and are rarely opened, so they are created on demand. */
static void
on_menu (GtkMenuButton *button, gpointer user_data)
{
  g_autoptr (GMenuModel) menu = make_menu (PTERIS_MODEL_CARD (user_data));

  gtk_menu_button_set_menu_model (button, menu);
}

/* ---- the state ---- */

/* The engine that loads the model. */
static PterisEngineClient *
get_client (PterisModelCard *self)
{
  return pteris_engines_get_for (self->engines, self->model);
}

static char *
describe_state (PterisModelCard *self, PterisModelState state)
{
  double progress = pteris_engine_client_get_progress (get_client (self));

  if (state == PTERIS_MODEL_READY)
    return g_strdup_printf (_ ("Loaded · %s"), pteris_engine_client_get_device (get_client (self)));
  if (state != PTERIS_MODEL_LOADING)
    return NULL;
  if (pteris_engine_client_is_waiting (get_client (self)))
    return g_strdup (_ ("Waiting for memory"));
  return progress >= 0 ? g_strdup_printf (_ ("Loading %.0f %%"), progress * 100)
                       : g_strdup (_ ("Loading…"));
}

static void
show_failure (PterisModelCard *self, PterisModelState state)
{
  const char *error = pteris_engine_client_get_error (get_client (self));
  gboolean failed = state == PTERIS_MODEL_FAILED && error != NULL;

  if (failed)
    gtk_label_set_text (self->failure_text, error);
  gtk_widget_set_visible (self->failure, failed);
  gtk_widget_set_visible (GTK_WIDGET (self->failure_cpu),
                          failed &&
                              pteris_engine_client_get_alternative (get_client (self)) != NULL);
}

/* Shows the use of the model on its main button. */
static void
show_use (PterisModelCard *self, gboolean visible, gboolean ready)
{
  const char *label = _ ("_Run…"), *action = "win.use-model";

  switch (pteris_model_get_task (self->model)) {
  case PTERIS_TASK_CHAT: label = _ ("_Chat"); break;
  case PTERIS_TASK_TRANSCRIBE: label = _ ("_Transcribe"); break;
  case PTERIS_TASK_LOOK: label = _ ("_Look at Pictures"); break;
  case PTERIS_TASK_OTHER: action = "win.run-model"; break;
  }
  gtk_button_set_label (self->use, label);
  set_action (self->use, action, self->model);
  gtk_widget_set_visible (GTK_WIDGET (self->use), visible);
  if (ready)
    gtk_widget_add_css_class (GTK_WIDGET (self->use), "suggested-action");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->use), "suggested-action");
}

/* Only buttons that can work are shown; the verdict has the reason, and Inspect the details. */
static void
show_buttons (PterisModelCard *self, PterisModelState state)
{
  const PtModelInfo *info = pteris_model_get_info (self->model);
  gboolean program = !pteris_task_loads (pteris_model_get_task (self->model));
  gboolean ready = state == PTERIS_MODEL_READY;
  gboolean idle = !ready && state != PTERIS_MODEL_LOADING;
  gboolean failed = gtk_widget_get_visible (self->failure);
  gboolean may =
      idle && !failed && !pteris_model_is_held (self->model) && self->judged != PTERIS_VERDICT_NOT;
  gboolean not_now = self->judged == PTERIS_VERDICT_NOT_NOW;

  show_use (self, ready || (may && !not_now), ready);
  gtk_button_set_label (self->load, not_now ? _ ("Load _Anyway") : _ ("_Load"));
  gtk_widget_set_visible (GTK_WIDGET (self->load), may && !program);
  gtk_widget_set_visible (GTK_WIDGET (self->inspect),
                          idle && (program || failed || self->judged == PTERIS_VERDICT_NOT) &&
                              !info->damaged && !pteris_model_is_away (self->model));
  gtk_widget_set_visible (self->cancel, state == PTERIS_MODEL_LOADING);
  gtk_widget_set_visible (self->unload, ready);
}

static void
show_state (PterisModelCard *self)
{
  PterisModelState state = PTERIS_MODEL_UNLOADED;
  g_autofree char *text = NULL;
  double progress = pteris_engine_client_get_progress (get_client (self));

  if (pteris_model_equal (pteris_engine_client_get_model (get_client (self)), self->model))
    state = pteris_engine_client_get_state (get_client (self));
  text = describe_state (self, state);
  gtk_label_set_text (self->state, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->state), text != NULL);
  /* Its verdict is not known then. */
  gtk_widget_set_visible (self->verdict,
                          text == NULL && *gtk_label_get_text (self->verdict_text) != '\0');
  show_failure (self, state);
  show_buttons (self, state);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), state == PTERIS_MODEL_LOADING);
  if (progress >= 0)
    gtk_progress_bar_set_fraction (self->progress, progress);
  gtk_widget_set_visible (self->held,
                          pteris_model_is_held (self->model) && state != PTERIS_MODEL_LOADING);
  if (state == PTERIS_MODEL_READY)
    gtk_widget_add_css_class (self->frame, "loaded");
  else
    gtk_widget_remove_css_class (self->frame, "loaded");
}

/* ---- the model ---- */

static void
show_license (PterisModelCard *self)
{
  const PtModelInfo *info = pteris_model_get_info (self->model);
  g_autofree char *text = NULL;

  if (info->license != NULL)
    text = g_strdup_printf (_ ("License: %s"), info->license);
  gtk_label_set_text (self->license_name, text != NULL ? text : _ ("License"));
  gtk_widget_set_visible (GTK_WIDGET (self->license_file), info->license_file != NULL);
  gtk_widget_set_visible (self->license, info->license != NULL || info->license_file != NULL);
}

static void
on_model_changed (PterisModelCard *self)
{
  g_autofree char *facts = pteris_model_facts (self->model);

  gtk_label_set_text (self->facts, facts);
  show_verdict (self);
  show_state (self);
}

static void
on_machine_changed (PterisModelCard *self)
{
  if (self->model == NULL)
    return;
  show_verdict (self);
  show_state (self);
}

static void
on_client_changed (PterisModelCard *self)
{
  if (self->model != NULL)
    show_state (self);
}

static void
show_model (PterisModelCard *self)
{
  PterisModel *model = self->model;
  const PtModelInfo *info = pteris_model_get_info (model);
  g_autofree char *path = g_filename_display_name (info->path);
  g_autofree char *menu_label = g_strdup_printf (_ ("More about %s"), info->title);

  gtk_image_set_from_icon_name (self->icon, pteris_task_icon (pteris_model_get_task (model)));
  gtk_label_set_text (self->title, info->title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), path);
  gtk_menu_button_set_popover (self->menu, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->menu), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  menu_label, -1);
  set_action (self->inspect, "win.inspect-model", model);
  set_action (self->load, "win.load-model", model);
  set_action (self->cancel, "win.unload-model", model);
  set_action (self->unload, "win.unload-model", model);
  set_action (self->held_retry, "win.load-model", model);
  set_action (self->held_cpu, "win.load-model-cpu", model);
  set_action (self->failure_retry, "win.load-model", model);
  set_action (self->failure_cpu, "win.load-model-cpu", model);
  set_action (self->license_file, "win.show-license", model);
  if (pteris_model_is_away (model))
    gtk_widget_add_css_class (self->frame, "away");
  else
    gtk_widget_remove_css_class (self->frame, "away");
  pteris_variant_button_set_model (self->variants, model);
  show_members (self);
  show_license (self);
  on_model_changed (self);
}

void
pteris_model_card_set_model (PterisModelCard *self, PterisModel *model)
{
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_set_object (&self->model, model);
  if (model == NULL)
    return;
  g_signal_connect_object (model, "changed", G_CALLBACK (on_model_changed), self,
                           G_CONNECT_SWAPPED);
  show_model (self);
}

PterisModelCard *
pteris_model_card_new (PterisEngines *engines, PterisMachine *machine)
{
  PterisModelCard *self = g_object_new (PTERIS_TYPE_MODEL_CARD, NULL);

  self->engines = g_object_ref (engines);
  self->machine = g_object_ref (machine);
  g_signal_connect_object (engines, "changed", G_CALLBACK (on_client_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (machine, "changed", G_CALLBACK (on_machine_changed), self,
                           G_CONNECT_SWAPPED);
  return self;
}

static void
pteris_model_card_dispose (GObject *object)
{
  PterisModelCard *self = PTERIS_MODEL_CARD (object);

  pteris_model_card_set_model (self, NULL);
  g_clear_object (&self->engines);
  g_clear_object (&self->machine);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_MODEL_CARD);
  G_OBJECT_CLASS (pteris_model_card_parent_class)->dispose (object);
}

static void
pteris_model_card_class_init (PterisModelCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_model_card_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (PTERIS_TYPE_VARIANT_BUTTON);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/model-card.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisModelCard, name)
  CHILD (frame);
  CHILD (icon);
  CHILD (title);
  CHILD (facts);
  CHILD (state);
  CHILD (inspect);
  CHILD (load);
  CHILD (cancel);
  CHILD (unload);
  CHILD (use);
  CHILD (menu);
  CHILD (progress);
  CHILD (variants);
  CHILD (verdict);
  CHILD (verdict_icon);
  CHILD (verdict_text);
  CHILD (members);
  CHILD (held);
  CHILD (held_retry);
  CHILD (held_cpu);
  CHILD (failure);
  CHILD (failure_text);
  CHILD (failure_retry);
  CHILD (failure_cpu);
  CHILD (license);
  CHILD (license_name);
  CHILD (license_file);
#undef CHILD
}

static void
pteris_model_card_init (PterisModelCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->menu, on_menu, self, NULL);
}
