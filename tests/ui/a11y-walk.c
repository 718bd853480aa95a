/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * `a11y-walk NAME` checks the accessibility tree of a program over AT-SPI: every widget that can be
 * focused or operated must have a role and a name. Prints the widgets without them and a summary;
 * with --tree the whole tree.
 */

#include <stdio.h>
#include <string.h>

#include <atspi/atspi.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AtspiAccessible, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AtspiStateSet, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AtspiText, g_object_unref)

#define MAX_DEPTH 80

static guint n_seen, n_operable, n_bad;
static gboolean print_tree;

static gboolean
is_operable_role (AtspiRole role)
{
  switch (role) {
  case ATSPI_ROLE_PUSH_BUTTON:
  case ATSPI_ROLE_TOGGLE_BUTTON:
  case ATSPI_ROLE_CHECK_BOX:
  case ATSPI_ROLE_RADIO_BUTTON:
  case ATSPI_ROLE_COMBO_BOX:
  case ATSPI_ROLE_ENTRY:
  case ATSPI_ROLE_TEXT:
  case ATSPI_ROLE_SLIDER:
  case ATSPI_ROLE_SPIN_BUTTON:
  case ATSPI_ROLE_LINK: return TRUE;
  default: return FALSE;
  }
}

/* GTK gives what has no name that of its type, as "GtkButton". */
static gboolean
is_name (const char *name)
{
  return name != NULL && *name != '\0' &&
         !g_regex_match_simple ("^(Gtk|Adw|Pteris)[A-Z][A-Za-z]*$", name, 0, 0);
}

/* A selectable label takes the focus; its text is its name. */
static gboolean
has_text (AtspiAccessible *node)
{
  g_autoptr (AtspiText) text = atspi_accessible_get_text_iface (node);

  return text != NULL && atspi_text_get_character_count (text, NULL) > 0;
}

/* The names of what it holds are read with a row or a list; what is empty has nothing to say. */
static gboolean
holds_names (AtspiAccessible *node, int depth)
{
  int n = atspi_accessible_get_child_count (node, NULL);

  for (int i = 0; i < n && depth < 8; i++) {
    g_autoptr (AtspiAccessible) child = atspi_accessible_get_child_at_index (node, i, NULL);
    g_autofree char *name = child != NULL ? atspi_accessible_get_name (child, NULL) : NULL;

    if (child != NULL && (is_name (name) || has_text (child) || holds_names (child, depth + 1)))
      return TRUE;
  }
  return n == 0;
}

/* Parts of GTK's and libadwaita's own widgets, which say what those are called. */
static gboolean
is_inner_part (AtspiAccessible *node, AtspiRole role, const char *path)
{
  g_autoptr (AtspiAccessible) parent = atspi_accessible_get_parent (node, NULL);
  g_autofree char *name = parent != NULL ? atspi_accessible_get_name (parent, NULL) : NULL;

  AtspiRole parent_role =
      parent != NULL ? atspi_accessible_get_role (parent, NULL) : ATSPI_ROLE_INVALID;

  if (role == ATSPI_ROLE_PUSH_BUTTON &&
      (parent_role == ATSPI_ROLE_COMBO_BOX || parent_role == ATSPI_ROLE_PUSH_BUTTON))
    return is_name (name);
  /* The search of AdwPreferencesWindow, which is off. */
  return role == ATSPI_ROLE_ENTRY && strstr (path, "frame “Preferences”") != NULL;
}

static void
look_at (AtspiAccessible *node, AtspiRole role, AtspiStateSet *states, const char *path)
{
  g_autofree char *name = atspi_accessible_get_name (node, NULL);
  g_autofree char *role_name = atspi_accessible_get_role_name (node, NULL);
  gboolean focusable = atspi_state_set_contains (states, ATSPI_STATE_FOCUSABLE);
  gboolean operable = is_operable_role (role);
  gboolean named = is_name (name);

  if (print_tree)
    printf ("%s%s%s “%s”\n", path, role_name, focusable ? " (focusable)" : "", name);
  n_seen++;
  if (!focusable && !operable)
    return;
  n_operable++;
  if (named || (role == ATSPI_ROLE_LABEL && has_text (node)) ||
      (!operable && holds_names (node, 0)) || is_inner_part (node, role, path))
    return;
  n_bad++;
  printf ("Without a name: %s%s\n", path, role_name);
}

static void
walk (AtspiAccessible *node, const char *path, int depth)
{
  g_autoptr (AtspiStateSet) states = atspi_accessible_get_state_set (node);
  AtspiRole role = atspi_accessible_get_role (node, NULL);
  g_autofree char *name = atspi_accessible_get_name (node, NULL);
  g_autofree char *role_name = atspi_accessible_get_role_name (node, NULL);
  g_autofree char *inner = g_strdup_printf ("%s%s “%s” > ", path, role_name, name);
  int n = atspi_accessible_get_child_count (node, NULL);

  /* Also hidden pages of a stack: they are visible, but not showing. */
  if (depth > 1 && !atspi_state_set_contains (states, ATSPI_STATE_VISIBLE))
    return;
  look_at (node, role, states, path);
  for (int i = 0; i < n && depth < MAX_DEPTH; i++) {
    g_autoptr (AtspiAccessible) child = atspi_accessible_get_child_at_index (node, i, NULL);

    if (child != NULL)
      walk (child, inner, depth + 1);
  }
}

static AtspiAccessible *
find_program (const char *wanted)
{
  g_autoptr (AtspiAccessible) desktop = atspi_get_desktop (0);
  int n = desktop != NULL ? atspi_accessible_get_child_count (desktop, NULL) : 0;

  for (int i = 0; i < n; i++) {
    g_autoptr (AtspiAccessible) child = atspi_accessible_get_child_at_index (desktop, i, NULL);
    g_autofree char *name = child != NULL ? atspi_accessible_get_name (child, NULL) : NULL;

    if (g_strcmp0 (name, wanted) == 0)
      return g_steal_pointer (&child);
  }
  return NULL;
}

int
main (int argc, char **argv)
{
  g_autoptr (AtspiAccessible) program = NULL;

  if (argc < 2 || atspi_init () == 2)
    return 2;
  print_tree = argc > 2 && strcmp (argv[2], "--tree") == 0;
  for (int i = 0; i < 100 && program == NULL; i++) {
    program = find_program (argv[1]);
    if (program == NULL)
      g_usleep (100000);
  }
  if (program == NULL) {
    printf ("%s is not to be seen.\n", argv[1]);
    return 77;
  }
  walk (program, "", 0);
  printf ("%u seen, %u of them to operate or to focus, %u without a name\n", n_seen, n_operable,
          n_bad);
  return n_bad > 0 || n_operable < 5;
}
