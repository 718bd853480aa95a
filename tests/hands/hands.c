/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hands/hands.h"

#include <stdlib.h>
#include <string.h>

#include <atspi/atspi-constants.h>

#include "tests/hands/hands-told.h"
#include "tests/hands/process.h"
#include "tests/hands/screen.h"
#include "tests/hands/words.h"

/* Between two looks at the screen. */
#define LOOK_US 50000
/* A button is held for this time, which is some frames of an idle program. */
#define HOLD_US 60000
/* A pointer stands still for this time before a click, in Wine. */
#define SETTLE_US 300000
/* Turns of the wheel before a widget counts as out of reach. */
#define MAX_NOTCHES 400

static char *pictures; /* their folder */
static guint n_pictures;

/* ---- what is on the screen ---- */

static GPtrArray *
look (void)
{
  GPtrArray *tree = hands_tree_read (hands_program_pid ());

  hands_screen_place (tree, hands_program_pid ());
  return tree;
}

static gboolean
is_in (GPtrArray *tree, int inner, int outer)
{
  while (inner >= 0 && inner != outer)
    inner = ((HandsNode *) tree->pdata[inner])->parent;
  return inner >= 0;
}

static void
middle (const HandsNode *node, int *x, int *y)
{
  *x = node->clip.x + node->clip.width / 2;
  *y = node->clip.y + node->clip.height / 2;
}

/* Finds the topmost node at a position, which is given in eighths of the visible part of a node. */
static int
pick (GPtrArray *tree, const HandsNode *node, int x, int y)
{
  const HandsNode *surface = tree->pdata[node->surface];

  x = node->clip.x + node->clip.width * x / 8 - surface->rect.x + surface->inside.x;
  y = node->clip.y + node->clip.height * y / 8 - surface->rect.y + surface->inside.y;
  return hands_tree_pick (tree, surface, x, y);
}

/* Containers of these kinds may pass clicks through to their contents. */
static gboolean
takes_clicks_for_all (const HandsNode *node)
{
  return node->role == ATSPI_ROLE_PUSH_BUTTON || node->role == ATSPI_ROLE_TOGGLE_BUTTON ||
         node->role == ATSPI_ROLE_COMBO_BOX || node->role == ATSPI_ROLE_LIST_ITEM;
}

/* Whether no other node covers its middle: the node found there is a descendant. For an insensitive
 * node its container is found. Decorations are not in the tree, so positions beside them are tried
 * as well. */
static gboolean
is_foremost (GPtrArray *tree, guint i)
{
  static const int PLACES[][2] = { { 4, 4 }, { 1, 4 }, { 7, 4 }, { 4, 1 }, { 4, 7 } };
  const HandsNode *node = tree->pdata[i];
  int picked = -1;

  if (node->surface < 0 || node->clip.width <= 0 || node->clip.height <= 0)
    return FALSE;
  for (guint j = 0; j < G_N_ELEMENTS (PLACES) && picked < 0; j++)
    picked = pick (tree, node, PLACES[j][0], PLACES[j][1]);
  if (picked < 0 || is_in (tree, picked, (int) i))
    return TRUE;
  return is_in (tree, (int) i, picked) && (!hands_node_is (node, ATSPI_STATE_SENSITIVE) ||
                                           takes_clicks_for_all (tree->pdata[picked]));
}

/* “Conversation > label:Paris.”: it lies in what the first part means. */
static gboolean
matches (GPtrArray *tree, int i, const char *what)
{
  const char *inner = g_strrstr (what, " > ");
  g_autofree char *outer = inner != NULL ? g_strndup (what, (gsize) (inner - what)) : NULL;

  if (!hands_node_matches (tree->pdata[i], inner != NULL ? inner + strlen (" > ") : what))
    return FALSE;
  while (outer != NULL && (i = ((HandsNode *) tree->pdata[i])->parent) >= 0)
    if (matches (tree, i, outer))
      return TRUE;
  return outer == NULL;
}

/* The @n-th that can be seen. Windows and popovers that came later are before the others. */
static int
find (GPtrArray *tree, const char *what, guint n)
{
  for (guint surface = tree->len; surface-- > 0;) {
    if (((HandsNode *) tree->pdata[surface])->surface != (int) surface)
      continue;
    for (guint i = surface; i < tree->len; i++) {
      const HandsNode *node = tree->pdata[i];

      if (node->surface == (int) surface && matches (tree, (int) i, what) &&
          is_foremost (tree, i) && n-- == 0)
        return (int) i;
    }
  }
  return -1;
}

HandsNode *
hands_peek (const char *what)
{
  g_autoptr (GPtrArray) tree = look ();
  int i = find (tree, what, 0);

  return i >= 0 ? hands_node_copy (tree->pdata[i]) : NULL;
}

guint
hands_count (const char *what)
{
  g_autoptr (GPtrArray) tree = look ();
  guint n = 0;

  while (find (tree, what, n) >= 0)
    n++;
  return n;
}

GPtrArray *
hands_peek_all (const char *what)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) hands_node_free);
  g_autoptr (GPtrArray) tree = look ();
  int i;

  while ((i = find (tree, what, found->len)) >= 0)
    g_ptr_array_add (found, hands_node_copy (tree->pdata[i]));
  return found;
}

/* ---- pictures ---- */

void
hands_picture (const char *name)
{
  g_autofree char *base = g_strdup_printf ("%s/%02u-%s", pictures, ++n_pictures, name);
  g_autofree char *picture = g_strconcat (base, ".png", NULL);
  g_autofree char *list = g_strconcat (base, ".txt", NULL);
  g_autoptr (GPtrArray) tree = NULL;
  g_autofree char *lines = NULL;

  tree = look ();
  lines = hands_tree_print (tree);
  hands_screen_picture (picture);
  g_file_set_contents (list, lines, -1, NULL);
}

void
hands_fail (const char *format, ...)
{
  g_autofree char *why = NULL;
  va_list arguments;

  va_start (arguments, format);
  why = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  hands_picture ("failed");
  g_printerr ("%s\nThe screen then: %s/%02u-failed.png\n", why, pictures, n_pictures);
  hands_program_kill ();
  g_test_message ("%s", why);
  g_assertion_message (NULL, __FILE__, __LINE__, G_STRFUNC, why);
  abort ();
}

/* ---- waiting ---- */

guint
hands_patience (void)
{
  const char *seconds = g_getenv ("HANDS_PATIENCE");

  return seconds != NULL ? (guint) atoi (seconds) : HANDS_PATIENCE_S;
}

void
hands_wait_for (HandsCondition condition, gpointer data, const char *why)
{
  gint64 end = g_get_monotonic_time () + hands_patience () * G_TIME_SPAN_SECOND;

  while (!condition (data)) {
    if (!hands_program_runs ()) {
      g_autofree char *end_text = hands_program_end_text ();

      hands_fail ("%s, before: %s", end_text, why);
    }
    if (g_get_monotonic_time () > end)
      hands_fail ("In vain for %u s: %s", hands_patience (), why);
    g_usleep (LOOK_US);
  }
}

typedef struct {
  const char *what;
  const char *text;
  guint number; /* a state, or how many */
  gboolean set;
  HandsNode *node;
} Wish;

static gboolean
is_seen (gpointer data)
{
  Wish *wish = data;

  g_clear_pointer (&wish->node, hands_node_free);
  wish->node = hands_peek (wish->what);
  if (wish->node == NULL)
    return FALSE;
  g_usleep (LOOK_US);
  return !hands_node_has_moved (wish->node);
}

HandsNode *
hands_see (const char *what)
{
  g_autofree char *why = g_strdup_printf ("“%s” is to be seen", what);
  Wish wish = { .what = what };

  hands_wait_for (is_seen, &wish, why);
  return wish.node;
}

void
hands_expect (const char *what)
{
  hands_node_free (hands_see (what));
}

static gboolean
is_gone (gpointer data)
{
  g_autoptr (HandsNode) node = hands_peek (((Wish *) data)->what);

  return node == NULL;
}

void
hands_expect_gone (const char *what)
{
  g_autofree char *why = g_strdup_printf ("“%s” is gone", what);

  hands_wait_for (is_gone, &(Wish){ .what = what }, why);
}

static gboolean
has_state (gpointer data)
{
  const Wish *wish = data;
  g_autoptr (HandsNode) node = hands_peek (wish->what);

  return node != NULL && hands_node_is (node, wish->number) == wish->set;
}

void
hands_expect_state (const char *what, guint state, gboolean set)
{
  g_autofree char *why =
      g_strdup_printf ("“%s” has%s AT-SPI's state %u", what, set ? "" : " not", state);

  hands_wait_for (has_state, &(Wish){ .what = what, .number = state, .set = set }, why);
}

/* The focused node may be a descendant or an ancestor of the requested one. */
static gboolean
has_focus (gpointer data)
{
  g_autoptr (GPtrArray) tree = look ();
  const Wish *wish = data;

  for (guint i = 0; i < tree->len; i++) {
    if (!hands_node_is (tree->pdata[i], ATSPI_STATE_FOCUSED))
      continue;
    for (int j = (int) i; j >= 0; j = ((HandsNode *) tree->pdata[j])->parent)
      if (matches (tree, j, wish->what))
        return TRUE;
  }
  return FALSE;
}

void
hands_expect_focus (const char *what)
{
  g_autofree char *why = g_strdup_printf ("“%s” has the focus", what);

  hands_wait_for (has_focus, &(Wish){ .what = what }, why);
}

static gboolean
has_count (gpointer data)
{
  const Wish *wish = data;

  return hands_count (wish->what) == wish->number;
}

void
hands_expect_count (const char *what, guint n)
{
  g_autofree char *why = g_strdup_printf ("“%s” is to be seen %u times", what, n);

  hands_wait_for (has_count, &(Wish){ .what = what, .number = n }, why);
}

static gboolean
has_text (gpointer data)
{
  const Wish *wish = data;
  g_autoptr (HandsNode) node = hands_peek (wish->what);

  return node != NULL && node->text != NULL && g_pattern_match_simple (wish->text, node->text);
}

void
hands_expect_text (const char *what, const char *text)
{
  g_autofree char *why = g_strdup_printf ("“%s” has the text “%s”", what, text);

  hands_wait_for (has_text, &(Wish){ .what = what, .text = text }, why);
}

static gboolean
has_number (gpointer data)
{
  const Wish *wish = data;

  return hands_script_int (wish->what) == (int) wish->number;
}

void
hands_expect_script_int (const char *field, int value)
{
  g_autofree char *why = g_strdup_printf ("the engine's %s is %d", field, value);

  hands_wait_for (has_number, &(Wish){ .what = field, .number = (guint) value }, why);
}

/* ---- doing ---- */

/* Wine loses a click that comes with the motion before it, and a key that comes with the end of a
 * menu. */
static void
settle (void)
{
  if (!hands_is_told ())
    return;
  g_usleep (SETTLE_US);
  hands_tree_wait (hands_program_pid ());
}

/* Holds the button until the program has drawn it pressed, like a user. If it is released before
 * the frame, GTK sees a motion without the button and drops the click. */
static void
press_and_release (guint button)
{
  hands_screen_button (button, TRUE);
  if (button <= 3) {
    hands_tree_wait (hands_program_pid ());
    g_usleep (HOLD_US);
    hands_tree_wait (hands_program_pid ());
  }
  hands_screen_button (button, FALSE);
}

static void
click_at (int x, int y, guint button, guint times)
{
  hands_screen_begin_click (x, y, button);
  settle ();
  for (guint i = 0; i < times; i++)
    press_and_release (button);
}

/* Finds a visible scrolled window that contains the node outside of its visible part: the position
 * for the wheel, and its direction. */
static gboolean
find_beyond (const char *what, int *x, int *y, gboolean *down)
{
  g_autoptr (GPtrArray) tree = look ();

  for (guint i = 0; i < tree->len; i++) {
    const HandsNode *node = tree->pdata[i];
    int pane = node->parent;

    if (!matches (tree, (int) i, what))
      continue;
    while (pane >= 0 && ((HandsNode *) tree->pdata[pane])->role != ATSPI_ROLE_SCROLL_PANE)
      pane = ((HandsNode *) tree->pdata[pane])->parent;
    if (pane < 0 || !is_foremost (tree, (guint) pane))
      continue;
    middle (tree->pdata[pane], x, y);
    *down = node->rect.y + node->rect.height / 2 > *y;
    return TRUE;
  }
  return FALSE;
}

static gboolean
scroll_nearer (gpointer data)
{
  Wish *wish = data;
  gboolean down;
  int x, y;

  if (is_seen (wish))
    return TRUE;
  if (wish->node == NULL && wish->number++ < MAX_NOTCHES && find_beyond (wish->what, &x, &y, &down))
    click_at (x, y, down ? 5 : 4, 1);
  return FALSE;
}

static HandsNode *
go_to (const char *what)
{
  g_autofree char *why = g_strdup_printf ("“%s” is to be seen and can be clicked", what);
  Wish wish = { .what = what };

  hands_wait_for (scroll_nearer, &wish, why);
  return wish.node;
}

static void
click_with (const char *what, guint button, guint times)
{
  g_autoptr (HandsNode) node = go_to (what);
  int x, y;

  middle (node, &x, &y);
  click_at (x, y, button, times);
}

void
hands_click (const char *what)
{
  click_with (what, 1, 1);
}

static int
distance (const HandsNode *a, const HandsNode *b)
{
  int x, y, other_x, other_y;

  middle (a, &x, &y);
  middle (b, &other_x, &other_y);
  return ABS (x - other_x) + ABS (y - other_y);
}

void
hands_click_beside (const char *what, const char *beside)
{
  g_autoptr (HandsNode) place = go_to (beside);
  g_autoptr (GPtrArray) tree = NULL;
  const HandsNode *nearest = NULL;
  int x, y;

  middle (place, &x, &y);
  hands_screen_point (x, y);
  hands_expect (what);
  tree = look ();
  for (guint n = 0;; n++) {
    int i = find (tree, what, n);

    if (i < 0)
      break;
    if (nearest == NULL || distance (tree->pdata[i], place) < distance (nearest, place))
      nearest = tree->pdata[i];
  }
  if (nearest == NULL)
    hands_fail ("“%s” has gone again.", what);
  middle (nearest, &x, &y);
  click_at (x, y, 1, 1);
}

void
hands_double_click (const char *what)
{
  click_with (what, 1, 2);
}

void
hands_right_click (const char *what)
{
  click_with (what, 3, 1);
}

void
hands_point_at (const char *what)
{
  g_autoptr (HandsNode) node = go_to (what);
  int x, y;

  middle (node, &x, &y);
  hands_screen_point (x, y);
}

void
hands_click_at (int x, int y)
{
  click_at (x, y, 1, 1);
}

void
hands_click_again (void)
{
  hands_screen_begin_click_again ();
  settle ();
  press_and_release (1);
}

void
hands_scroll (const char *what, int notches)
{
  g_autoptr (HandsNode) node = go_to (what);
  int x, y;

  middle (node, &x, &y);
  click_at (x, y, notches > 0 ? 5 : 4, (guint) ABS (notches));
}

static gboolean
scroll_down (gpointer data)
{
  Wish *wish = data;
  g_autoptr (HandsNode) node = hands_peek (wish->what);

  if (node == NULL && wish->number++ < MAX_NOTCHES)
    hands_scroll (wish->text, 1);
  return node != NULL;
}

void
hands_scroll_to (const char *pane, const char *what)
{
  g_autofree char *why = g_strdup_printf ("“%s” comes into sight", what);

  hands_wait_for (scroll_down, &(Wish){ .what = what, .text = pane }, why);
}

void
hands_key (const char *key)
{
  settle ();
  if (!hands_screen_key (key))
    hands_fail ("There is no key “%s”.", key);
}

void
hands_type (const char *text)
{
  if (!hands_screen_type (text))
    hands_fail ("The keyboard lacks a letter of “%s”.", text);
}

const char *
hands_typed (const char *text)
{
  g_autoptr (GString) typed = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (!hands_is_told () || g_utf8_get_char (p) < 0x100)
      g_string_append_unichar (typed, g_utf8_get_char (p));
  return g_intern_string (typed->str);
}

void
hands_skip_welcome (void)
{
  hands_click (GET_STARTED);
  hands_expect_gone (GET_STARTED);
}

void
hands_ask (const char *question)
{
  hands_expect_focus (COMPOSER);
  hands_type (question);
  hands_key ("Return");
}

/* ---- main() ---- */

/* Its folder is called after the test. */
static void
run (gconstpointer test)
{
  g_autofree char *name = g_strdelimit (g_strdup (g_test_get_path () + 1), "/", '-');

  pictures = g_build_filename (g_getenv ("HANDS_OUT"), name, NULL);
  n_pictures = 0;
  hands_program_begin (pictures);
  ((void (*) (void)) test) ();
  if (hands_program_runs ())
    hands_picture ("end");
  hands_program_end ();
  g_clear_pointer (&pictures, g_free);
}

void
hands_add (const char *name, void (*test) (void))
{
  g_test_add_data_func (name, (gconstpointer) test, run);
}

void
hands_init (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  hands_screen_open ();
}
