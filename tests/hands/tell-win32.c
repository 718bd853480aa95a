/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hands/tell.h"

#include <stdlib.h>
#include <string.h>

#include <gtk/gtk.h>
#include <gdk/win32/gdkwin32.h>

/* What no widget is called. */
#define NOBODY "\001"

/* GTK's kinds under the names that AT-SPI has for them. */
static const struct {
  GtkAccessibleRole role;
  const char *kind;
} KINDS[] = {
  { GTK_ACCESSIBLE_ROLE_ALERT, "alert" },
  { GTK_ACCESSIBLE_ROLE_ALERT_DIALOG, "alert" },
  { GTK_ACCESSIBLE_ROLE_BUTTON, "push button" },
  { GTK_ACCESSIBLE_ROLE_CHECKBOX, "check box" },
  { GTK_ACCESSIBLE_ROLE_COMBO_BOX, "combo box" },
  { GTK_ACCESSIBLE_ROLE_DIALOG, "dialog" },
  { GTK_ACCESSIBLE_ROLE_LABEL, "label" },
  { GTK_ACCESSIBLE_ROLE_LINK, "link" },
  { GTK_ACCESSIBLE_ROLE_LIST_ITEM, "list item" },
  { GTK_ACCESSIBLE_ROLE_MENU_ITEM, "menu item" },
  { GTK_ACCESSIBLE_ROLE_MENU_ITEM_CHECKBOX, "check menu item" },
  { GTK_ACCESSIBLE_ROLE_MENU_ITEM_RADIO, "radio menu item" },
  { GTK_ACCESSIBLE_ROLE_RADIO, "radio button" },
  { GTK_ACCESSIBLE_ROLE_ROW, "table row" },
  { GTK_ACCESSIBLE_ROLE_SEARCH_BOX, "text" },
  { GTK_ACCESSIBLE_ROLE_SLIDER, "slider" },
  { GTK_ACCESSIBLE_ROLE_SPIN_BUTTON, "spin button" },
  { GTK_ACCESSIBLE_ROLE_SWITCH, "toggle button" },
  { GTK_ACCESSIBLE_ROLE_TAB, "page tab" },
  { GTK_ACCESSIBLE_ROLE_TEXT_BOX, "text" },
};

/* Those that only lay out get no name of their type. */
static const GtkAccessibleRole STRUCTURE[] = {
  GTK_ACCESSIBLE_ROLE_FORM,     GTK_ACCESSIBLE_ROLE_GROUP,     GTK_ACCESSIBLE_ROLE_GENERIC,
  GTK_ACCESSIBLE_ROLE_LANDMARK, GTK_ACCESSIBLE_ROLE_LIST_ITEM, GTK_ACCESSIBLE_ROLE_REGION,
  GTK_ACCESSIBLE_ROLE_SEARCH,   GTK_ACCESSIBLE_ROLE_SEPARATOR,
};

static GtkAccessibleRole
role_of (GtkWidget *widget)
{
  return gtk_accessible_get_accessible_role (GTK_ACCESSIBLE (widget));
}

/* ---- states ---- */

static gboolean
is_true (GtkWidget *widget, GtkAccessibleState state, int value)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);
  g_autofree char *other = NULL;

  if (!gtk_test_accessible_has_state (accessible, state))
    return FALSE;
  other = gtk_test_accessible_check_state (accessible, state, value);
  return other == NULL;
}

/* A field that is made of others has the keyboard when its text has it. */
static gboolean
has_focus (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus == NULL || !gtk_window_is_active (GTK_WINDOW (root)))
    return FALSE;
  if (focus == widget)
    return TRUE;
  return GTK_IS_EDITABLE (widget) &&
         (gpointer) gtk_editable_get_delegate (GTK_EDITABLE (widget)) == (gpointer) focus;
}

static gboolean
can_edit (GtkWidget *widget)
{
  if (GTK_IS_TEXT_VIEW (widget))
    return gtk_text_view_get_editable (GTK_TEXT_VIEW (widget));
  return GTK_IS_EDITABLE (widget) && gtk_editable_get_editable (GTK_EDITABLE (widget));
}

static json_t *
states_of (GtkWidget *widget)
{
  const struct {
    const char *name;
    gboolean set;
  } states[] = {
    { "visible", TRUE },
    { "sensitive", gtk_widget_is_sensitive (widget) },
    { "focused", has_focus (widget) },
    { "active", GTK_IS_WINDOW (widget) && gtk_window_is_active (GTK_WINDOW (widget)) },
    { "editable", can_edit (widget) },
    { "checked", is_true (widget, GTK_ACCESSIBLE_STATE_CHECKED, GTK_ACCESSIBLE_TRISTATE_TRUE) },
    { "pressed", is_true (widget, GTK_ACCESSIBLE_STATE_PRESSED, GTK_ACCESSIBLE_TRISTATE_TRUE) },
    { "selected", is_true (widget, GTK_ACCESSIBLE_STATE_SELECTED, TRUE) },
    { "expanded", is_true (widget, GTK_ACCESSIBLE_STATE_EXPANDED, TRUE) },
  };
  json_t *list = json_array ();

  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    if (states[i].set)
      json_array_append_new (list, json_string (states[i].name));
  return list;
}

static const char *
kind_of (GtkWidget *widget)
{
  GtkAccessibleRole role = role_of (widget);
  const char *kind = NULL;

  if (GTK_IS_SCROLLED_WINDOW (widget))
    return "scroll pane";
  for (guint i = 0; i < G_N_ELEMENTS (KINDS) && kind == NULL; i++)
    if (KINDS[i].role == role)
      kind = KINDS[i].kind;
  /* In newer versions of GTK these have a role of their own, unless they are tabs. */
  if (GTK_IS_TOGGLE_BUTTON (widget) && (kind == NULL || role == GTK_ACCESSIBLE_ROLE_BUTTON))
    return "toggle button";
  return kind != NULL ? kind : "";
}

/* ---- names and texts ---- */

/* NULL: it has none. */
static char *
property_of (GtkWidget *widget, GtkAccessibleProperty property)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);

  if (!gtk_test_accessible_has_property (accessible, property))
    return NULL;
  return gtk_test_accessible_check_property (accessible, property, NOBODY);
}

static void
add_name (GString *names, GtkWidget *widget)
{
  g_autofree char *name = property_of (widget, GTK_ACCESSIBLE_PROPERTY_LABEL);

  /* In newer versions of GTK the text of a label is no property of it. */
  if (name == NULL && GTK_IS_LABEL (widget))
    name = g_strdup (gtk_label_get_text (GTK_LABEL (widget)));
  if (name != NULL)
    g_string_append_printf (names, "%s%s", names->len > 0 ? " " : "", name);
}

/* The labels are printed as “GtkLabel<address>, …”; only widgets that are there count. */
static void
add_labels (GString *names, GtkWidget *widget, GHashTable *there)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE (widget);
  g_autofree char *printed = NULL;

  if (!gtk_test_accessible_has_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY))
    return;
  printed = gtk_test_accessible_check_relation (accessible, GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                                accessible, NULL);
  for (const char *p = printed; p != NULL && (p = strchr (p, '<')) != NULL; p++) {
    gpointer label = (gpointer) (guintptr) g_ascii_strtoull (p + 1, NULL, 16);

    if (g_hash_table_contains (there, label))
      add_name (names, label);
  }
}

/* As GTK makes the name for AT-SPI. */
static char *
name_of (GtkWidget *widget, GHashTable *there)
{
  GString *names = g_string_new (NULL);

  add_name (names, widget);
  add_labels (names, widget, there);
  if (names->len > 0)
    return g_string_free (names, FALSE);
  /* In newer versions of GTK popovers only lay out. */
  for (guint i = 0; i < G_N_ELEMENTS (STRUCTURE) && !GTK_IS_POPOVER (widget); i++)
    if (STRUCTURE[i] == role_of (widget))
      return g_string_free (names, FALSE);
  g_string_free (names, TRUE);
  return g_strdup (G_OBJECT_TYPE_NAME (widget));
}

/* NULL: it is none that has text beside its name. */
static char *
text_of (GtkWidget *widget)
{
  GtkTextBuffer *buffer;
  GtkTextIter start, end;

  if (GTK_IS_EDITABLE (widget))
    return g_strdup (gtk_editable_get_text (GTK_EDITABLE (widget)));
  if (!GTK_IS_TEXT_VIEW (widget))
    return NULL;
  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget));
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

/* ---- places ---- */

/* Without the shadow that the window draws itself. */
static json_t *
screen_of (GtkNative *native)
{
  GdkSurface *surface = gtk_native_get_surface (native);
  int scale = gdk_surface_get_scale_factor (surface);
  POINT corner = { 0, 0 };
  double x, y;

  gtk_native_get_surface_transform (native, &x, &y);
  ClientToScreen ((HWND) gdk_win32_surface_get_handle (surface), &corner);
  return json_pack ("[i, i, i, i]", (int) corner.x + (int) x * scale,
                    (int) corner.y + (int) y * scale,
                    gtk_widget_get_width (GTK_WIDGET (native)) * scale,
                    gtk_widget_get_height (GTK_WIDGET (native)) * scale);
}

static json_t *
inside_of (GtkWidget *widget)
{
  GtkWidget *native = GTK_WIDGET (gtk_widget_get_native (widget));
  graphene_rect_t bounds = GRAPHENE_RECT_INIT_ZERO;

  if (native == widget)
    graphene_rect_init (&bounds, 0, 0, (float) gtk_widget_get_width (widget),
                        (float) gtk_widget_get_height (widget));
  else if (!gtk_widget_compute_bounds (widget, native, &bounds))
    bounds = GRAPHENE_RECT_INIT_ZERO;
  return json_pack ("[i, i, i, i]", (int) bounds.origin.x, (int) bounds.origin.y,
                    (int) bounds.size.width, (int) bounds.size.height);
}

/* ---- all ---- */

typedef struct {
  json_t *nodes;
  GPtrArray *widgets; /* of the nodes, not references */
  GHashTable *there;  /* all that can be seen, also what has no node */
} Tree;

static json_t *
id_of (GtkWidget *widget)
{
  g_autofree char *id = g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) (guintptr) widget);

  return json_string (id);
}

/* Of GTK's own kinds, what is decoration has no node, nor has anything in it. */
static gboolean
has_node (GtkWidget *widget)
{
  GtkAccessibleRole role = role_of (widget);

  return gtk_widget_get_mapped (widget) && role != GTK_ACCESSIBLE_ROLE_NONE &&
         role != GTK_ACCESSIBLE_ROLE_PRESENTATION &&
         !is_true (widget, GTK_ACCESSIBLE_STATE_HIDDEN, TRUE);
}

static void
add_there (GHashTable *there, GtkWidget *widget)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  g_hash_table_add (there, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_there (there, child);
}

static void
add (Tree *tree, GtkWidget *widget, int parent, int depth)
{
  int place = (int) tree->widgets->len;
  json_t *node;

  if (!has_node (widget))
    return;
  node = json_pack ("{s:o, s:i, s:i, s:o}", "id", id_of (widget), "parent", parent, "depth", depth,
                    "inside", inside_of (widget));
  if (GTK_IS_NATIVE (widget))
    json_object_set_new (node, "screen", screen_of (GTK_NATIVE (widget)));
  json_array_append_new (tree->nodes, node);
  g_ptr_array_add (tree->widgets, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add (tree, child, place, depth + 1);
}

/* When all widgets are known. */
static void
describe (Tree *tree, guint i)
{
  GtkWidget *widget = tree->widgets->pdata[i];
  json_t *node = json_array_get (tree->nodes, i);
  g_autofree char *name = name_of (widget, tree->there);
  g_autofree char *description = property_of (widget, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
  g_autofree char *text = text_of (widget);

  json_object_set_new (node, "kind", json_string (kind_of (widget)));
  json_object_set_new (node, "states", states_of (widget));
  json_object_set_new (node, "name", json_string (name));
  if (description != NULL)
    json_object_set_new (node, "description", json_string (description));
  if (text != NULL)
    json_object_set_new (node, "text", json_string (text));
}

json_t *
tell_nodes (void)
{
  g_autoptr (GPtrArray) widgets = g_ptr_array_new ();
  g_autoptr (GHashTable) there = g_hash_table_new (NULL, NULL);
  Tree tree = { .nodes = json_array (), .widgets = widgets, .there = there };
  GListModel *windows = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
    g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

    add_there (there, window);
    add (&tree, window, -1, 0);
  }
  for (guint i = 0; i < widgets->len; i++)
    describe (&tree, i);
  return tree.nodes;
}

static GtkWidget *
find (GtkWidget *widget, guintptr id)
{
  GtkWidget *found = (guintptr) widget == id ? widget : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find (child, id);
  return found;
}

json_t *
tell_at (const char *id, int x, int y)
{
  guintptr wanted = (guintptr) g_ascii_strtoull (id, NULL, 10);
  GListModel *windows = gtk_window_get_toplevels ();
  GtkWidget *native = NULL, *picked;

  for (guint i = 0; i < g_list_model_get_n_items (windows) && native == NULL; i++) {
    g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

    native = find (window, wanted);
  }
  picked = native != NULL ? gtk_widget_pick (native, x, y, GTK_PICK_DEFAULT) : NULL;
  while (picked != NULL && !has_node (picked))
    picked = gtk_widget_get_parent (picked);
  return picked != NULL ? id_of (picked) : json_string ("");
}
