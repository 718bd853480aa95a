/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hands/hands-node.h"

#include <string.h>

#include <atspi/atspi-constants.h>
#include <gio/gio.h>

#include "tests/hands/hands-told.h"
#include "tests/hands/hands.h"
#include "tests/hands/process.h"

#define ACCESSIBLE "org.a11y.atspi.Accessible"
#define ROOT_PATH "/org/a11y/atspi/accessible/root"
#define CALL_MS (HANDS_PATIENCE_S * 1000)

gboolean
hands_node_is (const HandsNode *node, guint state)
{
  return (node->states >> state & 1) != 0;
}

void
hands_node_free (HandsNode *node)
{
  if (node == NULL)
    return;
  g_free (node->bus);
  g_free (node->path);
  g_free (node->name);
  g_free (node->description);
  g_free (node->text);
  g_free (node);
}

HandsNode *
hands_node_copy (const HandsNode *node)
{
  HandsNode *copy = g_memdup2 (node, sizeof *node);

  copy->bus = g_strdup (node->bus);
  copy->path = g_strdup (node->path);
  copy->name = g_strdup (node->name);
  copy->description = g_strdup (node->description);
  copy->text = g_strdup (node->text);
  return copy;
}

/* ---- the bus ---- */

static GDBusConnection *
get_bus (void)
{
  static GDBusConnection *bus;
  g_autoptr (GDBusConnection) session = NULL;
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;
  const char *address;

  if (bus != NULL)
    return bus;
  session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, &error);
  g_assert_no_error (error);
  reply = g_dbus_connection_call_sync (session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus",
                                       "GetAddress", NULL, G_VARIANT_TYPE ("(s)"),
                                       G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL, &error);
  g_assert_no_error (error);
  g_variant_get (reply, "(&s)", &address);
  bus = g_dbus_connection_new_for_address_sync (address,
                                                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                    G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                NULL, NULL, &error);
  g_assert_no_error (error);
  return bus;
}

/* Many questions at once, since each alone costs two changes of process. */
typedef struct {
  GVariant *answer; /* NULL: none */
  guint *n_open;
} Question;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Question *question = user_data;

  question->answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);
  (*question->n_open)--;
}

static void
ask (const HandsNode *node, const char *interface, const char *method, GVariant *arguments,
     Question *question, guint *n_open)
{
  question->n_open = n_open;
  (*n_open)++;
  g_dbus_connection_call (get_bus (), node->bus, node->path, interface, method, arguments, NULL,
                          G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_MS, NULL, on_answer, question);
}

static void
wait_for_answers (guint *n_open)
{
  while (*n_open > 0)
    g_main_context_iteration (NULL, TRUE);
}

/* ---- one node ---- */

enum {
  ASK_STATE,
  ASK_ROLE,
  ASK_ALL,
  ASK_CHILDREN,
  ASK_EXTENTS,
  ASK_TEXT,
  N_ASK,
};

typedef struct {
  HandsNode *node;
  Question questions[N_ASK];
} Look;

static void
begin_look (Look *look, guint *n_open)
{
  const HandsNode *node = look->node;

  ask (node, ACCESSIBLE, "GetState", NULL, &look->questions[ASK_STATE], n_open);
  ask (node, ACCESSIBLE, "GetRole", NULL, &look->questions[ASK_ROLE], n_open);
  ask (node, "org.freedesktop.DBus.Properties", "GetAll", g_variant_new ("(s)", ACCESSIBLE),
       &look->questions[ASK_ALL], n_open);
  ask (node, ACCESSIBLE, "GetChildren", NULL, &look->questions[ASK_CHILDREN], n_open);
  ask (node, "org.a11y.atspi.Component", "GetExtents",
       g_variant_new ("(u)", ATSPI_COORD_TYPE_WINDOW), &look->questions[ASK_EXTENTS], n_open);
}

static gboolean
has_type (const Question *question, const char *type)
{
  return question->answer != NULL && g_variant_is_of_type (question->answer, G_VARIANT_TYPE (type));
}

void
hands_leave_out_mnemonic (char *name)
{
  gsize n = name != NULL ? strlen (name) : 0;
  char *again = name + (n + 2) / 2;
  const char *underline = n > 0 ? strchr (name, '_') : NULL;
  gsize before = underline != NULL ? (gsize) (underline - name) : 0;

  if (underline != NULL && n % 2 == 0 && again[-1] == ' ' && strncmp (name, again, before) == 0 &&
      strncmp (underline + 1, again + before, strlen (again) - before) == 0)
    memmove (name, again, strlen (again) + 1);
}

static void
end_look (Look *look)
{
  HandsNode *node = look->node;
  const Question *questions = look->questions;

  if (has_type (&questions[ASK_STATE], "(au)")) {
    g_autoptr (GVariant) words = g_variant_get_child_value (questions[ASK_STATE].answer, 0);

    for (gsize i = 0; i < MIN (g_variant_n_children (words), 2); i++) {
      guint word;

      g_variant_get_child (words, i, "u", &word);
      node->states |= (guint64) word << (32 * i);
    }
  }
  if (has_type (&questions[ASK_ROLE], "(u)"))
    g_variant_get (questions[ASK_ROLE].answer, "(u)", &node->role);
  if (has_type (&questions[ASK_ALL], "(a{sv})")) {
    g_autoptr (GVariant) all = g_variant_get_child_value (questions[ASK_ALL].answer, 0);

    g_variant_lookup (all, "Name", "s", &node->name);
    hands_leave_out_mnemonic (node->name);
    g_variant_lookup (all, "Description", "s", &node->description);
  }
  if (has_type (&questions[ASK_EXTENTS], "((iiii))"))
    g_variant_get (questions[ASK_EXTENTS].answer, "((iiii))", &node->inside.x, &node->inside.y,
                   &node->inside.width, &node->inside.height);
}

/* GTK gives what has no name that of its type, as “GtkButton”. */
static gboolean
has_name (const HandsNode *node)
{
  return node->name != NULL && *node->name != '\0' && !g_str_has_prefix (node->name, "Gtk") &&
         !g_str_has_prefix (node->name, "Adw") && !g_str_has_prefix (node->name, "Pteris");
}

static gboolean
may_have_text (const HandsNode *node)
{
  return node->role == ATSPI_ROLE_TEXT || node->role == ATSPI_ROLE_ENTRY ||
         node->role == ATSPI_ROLE_PASSWORD_TEXT || node->role == ATSPI_ROLE_SPIN_BUTTON ||
         (node->role == ATSPI_ROLE_LABEL && !has_name (node));
}

static void
clear_look (Look *look)
{
  for (guint i = 0; i < N_ASK; i++)
    g_clear_pointer (&look->questions[i].answer, g_variant_unref);
}

/* ---- all ---- */

static HandsNode *
new_node (const char *bus, const char *path, int parent, int depth)
{
  HandsNode *node = g_new0 (HandsNode, 1);

  node->bus = g_strdup (bus);
  node->path = g_strdup (path);
  node->parent = parent;
  node->depth = depth;
  return node;
}

static void
add_children (GPtrArray *tree, const Look *look, int parent)
{
  const Question *question = &look->questions[ASK_CHILDREN];
  g_autoptr (GVariant) list = NULL;
  const char *bus, *path;
  GVariantIter iter;

  if (!has_type (question, "(a(so))"))
    return;
  list = g_variant_get_child_value (question->answer, 0);
  g_variant_iter_init (&iter, list);
  while (g_variant_iter_next (&iter, "(&s&o)", &bus, &path))
    g_ptr_array_add (tree, new_node (bus, path, parent, look->node->depth + 1));
}

/* Excludes hidden and collapsed nodes. Hidden pages of a stack remain: GTK reports them as visible.
 */
static gboolean
may_be_seen (const HandsNode *node)
{
  return node->parent < 0 || (hands_node_is (node, ATSPI_STATE_VISIBLE) && node->inside.width > 0 &&
                              node->inside.height > 0);
}

/* Looks at the nodes from @begin on, and adds those in them. */
static void
look_at_level (GPtrArray *tree, guint begin)
{
  guint n = tree->len - begin, n_open = 0;
  g_autofree Look *looks = g_new0 (Look, n);

  for (guint i = 0; i < n; i++) {
    looks[i].node = tree->pdata[begin + i];
    begin_look (&looks[i], &n_open);
  }
  wait_for_answers (&n_open);
  for (guint i = 0; i < n; i++) {
    end_look (&looks[i]);
    if (may_be_seen (looks[i].node) && may_have_text (looks[i].node))
      ask (looks[i].node, "org.a11y.atspi.Text", "GetText", g_variant_new ("(ii)", 0, -1),
           &looks[i].questions[ASK_TEXT], &n_open);
  }
  wait_for_answers (&n_open);
  for (guint i = 0; i < n; i++) {
    if (has_type (&looks[i].questions[ASK_TEXT], "(s)"))
      g_variant_get (looks[i].questions[ASK_TEXT].answer, "(s)", &looks[i].node->text);
    if (may_be_seen (looks[i].node))
      add_children (tree, &looks[i], (int) (begin + i));
    clear_look (&looks[i]);
  }
}

static char *
find_program (int pid)
{
  g_autoptr (GVariant) reply = NULL, list = NULL;
  const char *bus, *path;
  GVariantIter iter;

  reply = g_dbus_connection_call_sync (get_bus (), "org.a11y.atspi.Registry", ROOT_PATH, ACCESSIBLE,
                                       "GetChildren", NULL, G_VARIANT_TYPE ("(a(so))"),
                                       G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL, NULL);
  if (reply == NULL)
    return NULL;
  list = g_variant_get_child_value (reply, 0);
  g_variant_iter_init (&iter, list);
  while (g_variant_iter_next (&iter, "(&s&o)", &bus, &path)) {
    g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
        get_bus (), "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "GetConnectionUnixProcessID", g_variant_new ("(s)", bus), G_VARIANT_TYPE ("(u)"),
        G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL, NULL);
    guint other = 0;

    if (answer != NULL)
      g_variant_get (answer, "(u)", &other);
    if ((int) other == pid)
      return g_strdup (bus);
  }
  return NULL;
}

void
hands_tree_wait (int pid)
{
  g_autofree char *bus = NULL;

  if (hands_is_told ()) {
    json_decref (hands_program_ask ("{}"));
    return;
  }
  bus = find_program (pid);
  /* The first answer may overtake an event that comes from the X server. */
  for (guint i = 0; bus != NULL && i < 2; i++) {
    g_autoptr (GVariant) answer =
        g_dbus_connection_call_sync (get_bus (), bus, ROOT_PATH, ACCESSIBLE, "GetChildren", NULL,
                                     NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_MS, NULL, NULL);
  }
}

/* Sorts nodes in reading order: descendants follow their ancestor. */
static void
add_in_order (GPtrArray *levels, guint i, int parent, GPtrArray *tree)
{
  HandsNode *node = hands_node_copy (levels->pdata[i]);
  int place = (int) tree->len;
  guint child = i + 1;

  node->parent = parent;
  g_ptr_array_add (tree, node);
  while (child < levels->len && ((HandsNode *) levels->pdata[child])->parent != (int) i)
    child++;
  for (; child < levels->len && ((HandsNode *) levels->pdata[child])->parent == (int) i; child++)
    if (may_be_seen (levels->pdata[child]))
      add_in_order (levels, child, place, tree);
}

static GPtrArray *
read_bus (int pid)
{
  GPtrArray *tree = g_ptr_array_new_with_free_func ((GDestroyNotify) hands_node_free);
  g_autoptr (GPtrArray) levels = g_ptr_array_new_with_free_func ((GDestroyNotify) hands_node_free);
  g_autofree char *bus = find_program (pid);
  guint begin = 0;

  if (bus != NULL) {
    HandsNode *program = new_node (bus, ROOT_PATH, -1, -1);
    Look look = { .node = program };
    guint n_open = 0;

    ask (program, ACCESSIBLE, "GetChildren", NULL, &look.questions[ASK_CHILDREN], &n_open);
    wait_for_answers (&n_open);
    add_children (levels, &look, -1);
    clear_look (&look);
    hands_node_free (program);
  }
  while (begin < levels->len) {
    guint end = levels->len;

    look_at_level (levels, begin);
    begin = end;
  }
  for (guint i = 0; i < levels->len && ((HandsNode *) levels->pdata[i])->parent < 0; i++)
    add_in_order (levels, i, -1, tree);
  return tree;
}

GPtrArray *
hands_tree_read (int pid)
{
  return hands_is_told () ? hands_told_read () : read_bus (pid);
}

/* ---- again ---- */

static GVariant *
ask_component (const HandsNode *node, const char *method, GVariant *arguments, const char *type)
{
  return g_dbus_connection_call_sync (get_bus (), node->bus, node->path, "org.a11y.atspi.Component",
                                      method, arguments, G_VARIANT_TYPE (type),
                                      G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_MS, NULL, NULL);
}

gboolean
hands_node_has_moved (const HandsNode *node)
{
  g_autoptr (GVariant) answer = NULL;
  HandsRect now;

  if (hands_is_told ())
    return hands_told_has_moved (node);
  answer = ask_component (node, "GetExtents", g_variant_new ("(u)", ATSPI_COORD_TYPE_WINDOW),
                          "((iiii))");
  if (answer == NULL)
    return TRUE;
  g_variant_get (answer, "((iiii))", &now.x, &now.y, &now.width, &now.height);
  return memcmp (&now, &node->inside, sizeof now) != 0;
}

static int
find_path (GPtrArray *tree, const char *path)
{
  for (guint i = 0; i < tree->len; i++)
    if (g_str_equal (((HandsNode *) tree->pdata[i])->path, path))
      return (int) i;
  return -1;
}

int
hands_tree_pick (GPtrArray *tree, const HandsNode *surface, int x, int y)
{
  g_autoptr (GVariant) answer = NULL;
  const char *path;

  if (hands_is_told ())
    return hands_told_pick (tree, surface, x, y);
  answer = ask_component (surface, "GetAccessibleAtPoint",
                          g_variant_new ("(iiu)", x, y, ATSPI_COORD_TYPE_WINDOW), "((so))");
  if (answer == NULL)
    return -1;
  g_variant_get (answer, "((&s&o))", NULL, &path);
  return find_path (tree, path);
}

/* ---- names ---- */

static const struct {
  const char *kind;
  guint roles[4];
} KINDS[] = {
  { "button", { ATSPI_ROLE_PUSH_BUTTON, ATSPI_ROLE_TOGGLE_BUTTON, 0 } },
  { "check", { ATSPI_ROLE_CHECK_BOX, ATSPI_ROLE_RADIO_BUTTON, ATSPI_ROLE_TOGGLE_BUTTON, 0 } },
  { "combo", { ATSPI_ROLE_COMBO_BOX, 0 } },
  { "dialog", { ATSPI_ROLE_DIALOG, ATSPI_ROLE_ALERT, 0 } },
  { "field", { ATSPI_ROLE_TEXT, ATSPI_ROLE_ENTRY, 0 } },
  { "item", { ATSPI_ROLE_LIST_ITEM, ATSPI_ROLE_TABLE_ROW, 0 } },
  { "label", { ATSPI_ROLE_LABEL, 0 } },
  { "link", { ATSPI_ROLE_LINK, 0 } },
  { "menu", { ATSPI_ROLE_MENU_ITEM, ATSPI_ROLE_CHECK_MENU_ITEM, ATSPI_ROLE_RADIO_MENU_ITEM, 0 } },
  { "number", { ATSPI_ROLE_SPIN_BUTTON, 0 } },
  { "slider", { ATSPI_ROLE_SLIDER, 0 } },
  { "tab", { ATSPI_ROLE_PAGE_TAB, 0 } },
};

static const char *
kind_of (guint role)
{
  for (guint i = 0; i < G_N_ELEMENTS (KINDS); i++)
    for (guint j = 0; KINDS[i].roles[j] != 0; j++)
      if (KINDS[i].roles[j] == role)
        return KINDS[i].kind;
  return NULL;
}

/* The rest of @what after a kind and a colon; @what: there is none. */
static const char *
take_kind (const char *what, const guint **roles)
{
  *roles = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (KINDS); i++) {
    gsize n = strlen (KINDS[i].kind);

    if (strncmp (what, KINDS[i].kind, n) == 0 && what[n] == ':') {
      *roles = KINDS[i].roles;
      return what + n + 1;
    }
  }
  return what;
}

gboolean
hands_node_matches (const HandsNode *node, const char *what)
{
  gboolean window = g_str_has_prefix (what, "window:");
  const guint *roles = NULL;
  const char *pattern = window ? what + strlen ("window:") : take_kind (what, &roles);
  gboolean of_kind = window ? node->parent < 0 : roles == NULL;

  for (guint i = 0; roles != NULL && !of_kind && roles[i] != 0; i++)
    of_kind = roles[i] == node->role;
  return of_kind && ((node->name != NULL && g_pattern_match_simple (pattern, node->name)) ||
                     (node->text != NULL && g_pattern_match_simple (pattern, node->text)));
}

char *
hands_tree_print (GPtrArray *tree)
{
  static const struct {
    guint state;
    const char *word;
  } STATES[] = {
    { ATSPI_STATE_ACTIVE, "active" },     { ATSPI_STATE_FOCUSED, "FOCUS" },
    { ATSPI_STATE_CHECKED, "checked" },   { ATSPI_STATE_PRESSED, "pressed" },
    { ATSPI_STATE_SELECTED, "selected" }, { ATSPI_STATE_EXPANDED, "expanded" },
    { ATSPI_STATE_EDITABLE, "editable" },
  };
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < tree->len; i++) {
    const HandsNode *node = tree->pdata[i];
    const char *kind = kind_of (node->role);

    /* Containers that only lay out are not announced. */
    if (kind == NULL && !has_name (node) && !hands_node_is (node, ATSPI_STATE_FOCUSED))
      continue;
    g_string_append_printf (lines, "%*s", node->depth, "");
    if (node->parent < 0)
      g_string_append (lines, "window");
    else if (kind != NULL)
      g_string_append (lines, kind);
    else
      g_string_append_printf (lines, "(%u)", node->role);
    g_string_append_printf (lines, ":%s", node->name != NULL ? node->name : "");
    if (node->description != NULL && *node->description != '\0')
      g_string_append_printf (lines, " (%s)", node->description);
    if (node->text != NULL)
      g_string_append_printf (lines, " “%s”", node->text);
    g_string_append_printf (lines, "  %d,%d %dx%d", node->rect.x, node->rect.y, node->rect.width,
                            node->rect.height);
    for (guint j = 0; j < G_N_ELEMENTS (STATES); j++)
      if (hands_node_is (node, STATES[j].state))
        g_string_append_printf (lines, " %s", STATES[j].word);
    if (!hands_node_is (node, ATSPI_STATE_SENSITIVE))
      g_string_append (lines, " insensitive");
    g_string_append_c (lines, '\n');
  }
  return g_string_free (lines, FALSE);
}
