/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hands/hands-told.h"

#include <string.h>

#include <atspi/atspi-constants.h>
#include <jansson.h>

#include "tests/hands/process.h"

static const struct {
  const char *kind;
  guint role;
} KINDS[] = {
  { "alert", ATSPI_ROLE_ALERT },
  { "check box", ATSPI_ROLE_CHECK_BOX },
  { "check menu item", ATSPI_ROLE_CHECK_MENU_ITEM },
  { "combo box", ATSPI_ROLE_COMBO_BOX },
  { "dialog", ATSPI_ROLE_DIALOG },
  { "label", ATSPI_ROLE_LABEL },
  { "link", ATSPI_ROLE_LINK },
  { "list item", ATSPI_ROLE_LIST_ITEM },
  { "menu item", ATSPI_ROLE_MENU_ITEM },
  { "page tab", ATSPI_ROLE_PAGE_TAB },
  { "push button", ATSPI_ROLE_PUSH_BUTTON },
  { "radio button", ATSPI_ROLE_RADIO_BUTTON },
  { "radio menu item", ATSPI_ROLE_RADIO_MENU_ITEM },
  { "scroll pane", ATSPI_ROLE_SCROLL_PANE },
  { "slider", ATSPI_ROLE_SLIDER },
  { "spin button", ATSPI_ROLE_SPIN_BUTTON },
  { "table row", ATSPI_ROLE_TABLE_ROW },
  { "text", ATSPI_ROLE_TEXT },
  { "toggle button", ATSPI_ROLE_TOGGLE_BUTTON },
};

static const struct {
  const char *name;
  guint state;
} STATES[] = {
  { "active", ATSPI_STATE_ACTIVE },     { "checked", ATSPI_STATE_CHECKED },
  { "editable", ATSPI_STATE_EDITABLE }, { "expanded", ATSPI_STATE_EXPANDED },
  { "focused", ATSPI_STATE_FOCUSED },   { "pressed", ATSPI_STATE_PRESSED },
  { "selected", ATSPI_STATE_SELECTED }, { "sensitive", ATSPI_STATE_SENSITIVE },
  { "visible", ATSPI_STATE_VISIBLE },
};

gboolean
hands_is_told (void)
{
  return g_getenv ("HANDS_TOLD") != NULL;
}

static char *
text_of (const json_t *node, const char *field)
{
  return g_strdup (json_string_value (json_object_get (node, field)));
}

static HandsRect
rect_of (const json_t *node, const char *field)
{
  const json_t *list = json_object_get (node, field);
  int numbers[4];

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = (int) json_integer_value (json_array_get (list, i));
  return (HandsRect){ numbers[0], numbers[1], numbers[2], numbers[3] };
}

static guint
role_of (const json_t *node)
{
  const char *kind = json_string_value (json_object_get (node, "kind"));

  for (guint i = 0; i < G_N_ELEMENTS (KINDS); i++)
    if (g_strcmp0 (KINDS[i].kind, kind) == 0)
      return KINDS[i].role;
  return ATSPI_ROLE_PANEL;
}

static guint64
states_of (const json_t *node)
{
  const json_t *list = json_object_get (node, "states");
  guint64 states = 0;

  for (gsize i = 0; i < json_array_size (list); i++)
    for (guint j = 0; j < G_N_ELEMENTS (STATES); j++)
      if (g_str_equal (STATES[j].name, json_string_value (json_array_get (list, i))))
        states |= (guint64) 1 << STATES[j].state;
  return states;
}

static HandsNode *
take_node (const json_t *told)
{
  HandsNode *node = g_new0 (HandsNode, 1);

  node->path = text_of (told, "id");
  node->role = role_of (told);
  node->states = states_of (told);
  node->name = text_of (told, "name");
  hands_leave_out_mnemonic (node->name);
  node->description = text_of (told, "description");
  node->text = text_of (told, "text");
  node->parent = (int) json_integer_value (json_object_get (told, "parent"));
  node->depth = (int) json_integer_value (json_object_get (told, "depth"));
  node->inside = rect_of (told, "inside");
  node->rect = rect_of (told, "screen");
  return node;
}

GPtrArray *
hands_told_read (void)
{
  GPtrArray *tree = g_ptr_array_new_with_free_func ((GDestroyNotify) hands_node_free);
  json_t *answer = hands_program_ask ("{\"tell\": true}");
  const json_t *nodes = json_object_get (answer, "nodes");

  for (gsize i = 0; i < json_array_size (nodes); i++)
    g_ptr_array_add (tree, take_node (json_array_get (nodes, i)));
  json_decref (answer);
  return tree;
}

static int
find (GPtrArray *tree, const char *id)
{
  for (guint i = 0; i < tree->len; i++)
    if (g_strcmp0 (((HandsNode *) tree->pdata[i])->path, id) == 0)
      return (int) i;
  return -1;
}

int
hands_told_pick (GPtrArray *tree, const HandsNode *surface, int x, int y)
{
  g_autofree char *question = g_strdup_printf ("{\"at\": [\"%s\", %d, %d]}", surface->path, x, y);
  json_t *answer = hands_program_ask (question);
  int i = find (tree, json_string_value (json_object_get (answer, "id")));

  json_decref (answer);
  return i;
}

gboolean
hands_told_has_moved (const HandsNode *node)
{
  g_autoptr (GPtrArray) tree = hands_told_read ();
  int i = find (tree, node->path);
  const HandsNode *now = i >= 0 ? tree->pdata[i] : NULL;

  return now == NULL || memcmp (&now->inside, &node->inside, sizeof now->inside) != 0;
}
