/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/chat-test.h"
#include "tests/ui/fake-engine.h"
#include "ui/chat/chat-settings.h"
#include "ui/chat/message-row.h"
#include "ui/chat/question-view.h"
#include "ui/markdown/code-block.h"
#include "ui/parts/text-width.h"

static PterisWindow *
begin (void)
{
  PterisWindow *window;

  fake_reset ();
  window = open_window ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.new-chat", NULL);
  return window;
}

static GtkWidget *
question_label (PterisWindow *window)
{
  GtkWidget *view = nth (window->chat_page, PTERIS_TYPE_QUESTION_VIEW, 0);

  return view != NULL ? find_label (view, "Write") : NULL;
}

/* A question of several lines is as wide as its longest line, at the end of its line. */
static void
test_bubble (void)
{
  PterisWindow *window = begin ();
  GtkWidget *label, *row;
  graphene_rect_t bounds;
  int line;

  say_and_wait (window,
                "Write a thorough, comprehensive and understandable description of "
                "Nephrolepisexaltatabostoniensisandallofitsnumerousrelativesinthegarden and more.");
  wait_until ((label = question_label (window)) != NULL);
  settle (200);
  pango_layout_get_pixel_size (gtk_label_get_layout (GTK_LABEL (label)), &line, NULL);
  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (label))), >, 1);
  g_assert_cmpint (gtk_widget_get_width (label) - line, <=, 2);
  row = gtk_widget_get_ancestor (label, PTERIS_TYPE_MESSAGE_ROW);
  g_assert_true (gtk_widget_compute_bounds (label, row, &bounds));
  g_assert_cmpfloat (bounds.origin.x + bounds.size.width, >=,
                     (float) gtk_widget_get_width (row) - 1);
  close_window (window);
}

/* In a wide window code is wider than text, which keeps to a column. */
static void
test_wide (void)
{
  PterisWindow *window = begin ();
  GtkWidget *text, *code;

  gtk_window_set_default_size (GTK_WINDOW (window), 1600, 700);
  fake.answer = "Look at this, which is a line of text that goes on for so long that it does not "
                "fit into one line of any column that is meant to be read by anybody at all, or "
                "so one would think:\n\n```c\nint x;\n```\n";
  say_and_wait (window, "Write code");
  wait_until ((code = nth (window->chat_page, PTERIS_TYPE_CODE_BLOCK, 0)) != NULL &&
              gtk_widget_get_width (code) > 0);
  wait_until ((text = find_label (window->chat_page, "Look at this")) != NULL);
  settle (200);
  g_assert_cmpint (gtk_widget_get_width (text), <=, pteris_text_width (text));
  g_assert_cmpint (gtk_widget_get_width (code), >, gtk_widget_get_width (text) * 6 / 5);
  close_window (window);
}

static int
height_of (GtkWidget *widget)
{
  int height;

  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  return height;
}

/* Icons grow with text. */
static void
test_icons_grow (void)
{
  PterisWindow *window = begin ();
  GtkWidget *icon = nth (composer_of (window), GTK_TYPE_IMAGE, 2);
  GtkWidget *button = gtk_widget_get_ancestor (icon, GTK_TYPE_BUTTON);
  int icon_height = height_of (icon), button_height = height_of (button);

  pteris_settings_set_int (PTERIS_SETTING_TEXT_SIZE, 200);
  wait_until (height_of (icon) >= 2 * icon_height);
  wait_until (height_of (button) >= 2 * button_height - 4);
  pteris_settings_set_int (PTERIS_SETTING_TEXT_SIZE, 100);
  wait_until (height_of (icon) == icon_height);
  close_window (window);
}

static gboolean
has_tooltip (GtkWidget *button)
{
  g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  gboolean has = FALSE;

  g_signal_emit_by_name (button, "query-tooltip", 1, 1, FALSE, tooltip, &has);
  return has;
}

/* The button of an open menu says nothing over it. */
static void
test_menu_tooltip (void)
{
  PterisWindow *window = begin ();
  GtkWidget *button =
      nth (nth (window->chat_page, PTERIS_TYPE_CHAT_SETTINGS_BUTTON, 0), GTK_TYPE_MENU_BUTTON, 0);

  g_assert_true (has_tooltip (button));
  gtk_menu_button_popup (GTK_MENU_BUTTON (button));
  g_assert_false (has_tooltip (button));
  gtk_menu_button_popdown (GTK_MENU_BUTTON (button));
  g_assert_true (has_tooltip (button));
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/looks/bubble", test_bubble);
  g_test_add_func ("/looks/wide", test_wide);
  g_test_add_func ("/looks/icons-grow", test_icons_grow);
  g_test_add_func ("/looks/menu-tooltip", test_menu_tooltip);
  return end_window_tests ();
}
