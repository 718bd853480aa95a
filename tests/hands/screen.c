/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hands/screen.h"

#include <string.h>

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <atspi/atspi-constants.h>
#include <gdk-pixbuf/gdk-pixbuf.h>

#include "tests/hands/hands-told.h"
#include "tests/hands/hands.h"

/* Letters that an English keyboard lacks; they get keys of their own. */
#define MORE_LETTERS "äöüÄÖÜßéèçñ€…„“”–·"

#define MAX_MARGIN 12
/* Between two motions of the pointer in Wine. */
#define MOTION_US 100000

static Display *display;
static Window root;
static GArray *windows; /* of OnScreen */
static gint64 last_click_us;
static int last_click_x, last_click_y;
static int pointer_x, pointer_y;

typedef struct {
  HandsRect rect; /* without the shadow that the window draws itself, but for popovers */
  gboolean is_popup;
} OnScreen;

static int
ignore_error (Display *of, XErrorEvent *event)
{
  return 0; /* a window may go away while it is looked at */
}

/* ---- the keyboard ---- */

/* Without what X wants to remember of the last press, a letter needs a key that has none. */
static KeyCode
find_free_key (void)
{
  static int next;
  int lowest, highest, n;
  KeySym *symbols;
  KeyCode found = 0;

  XDisplayKeycodes (display, &lowest, &highest);
  symbols = XGetKeyboardMapping (display, (KeyCode) lowest, highest - lowest + 1, &n);
  for (int i = MAX (next, lowest); i <= highest && found == 0; i++) {
    gboolean used = FALSE;

    for (int j = 0; j < n; j++)
      used = used || symbols[(i - lowest) * n + j] != NoSymbol;
    if (!used)
      found = (KeyCode) i;
  }
  next = found + 1;
  XFree (symbols);
  return found;
}

static KeySym
letter_symbol (gunichar letter)
{
  return letter < 0x100 ? letter : letter | 0x01000000;
}

static void
add_letters (void)
{
  for (const char *p = MORE_LETTERS; *p != '\0'; p = g_utf8_next_char (p)) {
    KeySym symbols[2] = { letter_symbol (g_utf8_get_char (p)), NoSymbol };
    KeyCode key = find_free_key ();

    symbols[1] = symbols[0];
    g_assert_cmpint (key, !=, 0);
    XChangeKeyboardMapping (display, key, 2, symbols, 1);
  }
  XSync (display, False);
}

/* The key with this symbol; @level: 1 with Shift. */
static KeyCode
find_key (KeySym symbol, int *level)
{
  int lowest, highest;

  XDisplayKeycodes (display, &lowest, &highest);
  for (*level = 0; *level < 2; (*level)++)
    for (int i = lowest; i <= highest; i++)
      if (XkbKeycodeToKeysym (display, (KeyCode) i, 0, *level) == symbol)
        return (KeyCode) i;
  return 0;
}

static void
press (KeySym symbol, gboolean down)
{
  int level;

  XTestFakeKeyEvent (display, find_key (symbol, &level), down, CurrentTime);
}

static gboolean
press_and_release (KeySym symbol)
{
  int level;
  KeyCode key = find_key (symbol, &level);

  if (key == 0)
    return FALSE;
  if (level == 1)
    press (XK_Shift_L, TRUE);
  XTestFakeKeyEvent (display, key, True, CurrentTime);
  XTestFakeKeyEvent (display, key, False, CurrentTime);
  if (level == 1)
    press (XK_Shift_L, FALSE);
  XSync (display, False);
  return TRUE;
}

gboolean
hands_screen_key (const char *key)
{
  static const struct {
    const char *name;
    KeySym symbol;
  } HELD[] = { { "ctrl", XK_Control_L }, { "shift", XK_Shift_L }, { "alt", XK_Alt_L } };
  g_auto (GStrv) parts = g_strsplit (key, "+", -1);
  guint n = g_strv_length (parts);
  KeySym symbol = n > 0 ? XStringToKeysym (parts[n - 1]) : NoSymbol;
  gboolean done;

  for (guint i = 0; i + 1 < n; i++)
    for (guint j = 0; j < G_N_ELEMENTS (HELD); j++)
      if (g_str_equal (parts[i], HELD[j].name))
        press (HELD[j].symbol, TRUE);
  done = symbol != NoSymbol && press_and_release (symbol);
  for (guint i = n; i-- > 0;)
    for (guint j = 0; j < G_N_ELEMENTS (HELD); j++)
      if (i + 1 < n && g_str_equal (parts[i], HELD[j].name))
        press (HELD[j].symbol, FALSE);
  XSync (display, False);
  return done;
}

gboolean
hands_screen_type (const char *text)
{
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (*p == '\n') {
      if (!hands_screen_key ("shift+Return"))
        return FALSE;
    } else if (!press_and_release (letter_symbol (g_utf8_get_char (p))))
      return FALSE;
  return TRUE;
}

/* ---- the pointer ---- */

void
hands_screen_point (int x, int y)
{
  /* Moves from a position beside it, so that GTK gets an enter event. */
  XTestFakeMotionEvent (display, -1, x > 2 ? x - 2 : x + 2, y, CurrentTime);
  if (hands_is_told ()) {
    /* Wine makes one motion of several. */
    XSync (display, False);
    g_usleep (MOTION_US);
  }
  XTestFakeMotionEvent (display, -1, x, y, CurrentTime);
  XSync (display, False);
  pointer_x = x;
  pointer_y = y;
}

/* Two clicks that are meant as two must not come as fast as a double click. */
static void
wait_after_click (void)
{
  while (g_get_monotonic_time () - last_click_us < 600000)
    g_usleep (20000);
}

void
hands_screen_begin_click (int x, int y, guint button)
{
  if (ABS (x - last_click_x) < 10 && ABS (y - last_click_y) < 10 && button <= 3)
    wait_after_click ();
  hands_screen_point (x, y);
  last_click_x = x;
  last_click_y = y;
}

void
hands_screen_begin_click_again (void)
{
  wait_after_click ();
  /* Wine loses a click where a window has gone since the last motion. */
  if (hands_is_told ())
    hands_screen_point (pointer_x, pointer_y);
}

void
hands_screen_button (guint button, gboolean down)
{
  XTestFakeButtonEvent (display, button, down, CurrentTime);
  XSync (display, False);
  last_click_us = g_get_monotonic_time ();
}

/* ---- windows ---- */

static gulong
get_number (Window window, const char *property, Atom wanted, guint i)
{
  Atom type;
  int format;
  gulong n, rest, found = 0;
  guchar *data = NULL;

  if (XGetWindowProperty (display, window, XInternAtom (display, property, False), 0, 64, False,
                          wanted, &type, &format, &n, &rest, &data) == Success &&
      data != NULL && format == 32 && i < n)
    found = ((gulong *) data)[i];
  if (data != NULL)
    XFree (data);
  return found;
}

static OnScreen
look_at_window (Window window, const XWindowAttributes *attributes)
{
  OnScreen found = { .is_popup = attributes->override_redirect };
  int left = (int) get_number (window, "_GTK_FRAME_EXTENTS", XA_CARDINAL, 0);
  int right = (int) get_number (window, "_GTK_FRAME_EXTENTS", XA_CARDINAL, 1);
  int top = (int) get_number (window, "_GTK_FRAME_EXTENTS", XA_CARDINAL, 2);
  int bottom = (int) get_number (window, "_GTK_FRAME_EXTENTS", XA_CARDINAL, 3);
  Window other;

  XTranslateCoordinates (display, window, root, left, top, &found.rect.x, &found.rect.y, &other);
  found.rect.width = attributes->width - left - right;
  found.rect.height = attributes->height - top - bottom;
  return found;
}

/*
 * Popups do not tell their process, but the numbers of a program's windows begin alike. With
 * @client None: finds these; else puts what is visible of them into the list, the lowest first.
 */
static Window
search_windows (Window window, int pid, Window client)
{
  Window parent, other, *children = NULL;
  XWindowAttributes attributes;
  guint n = 0;

  if (client == None && (int) get_number (window, "_NET_WM_PID", XA_CARDINAL, 0) == pid)
    return window & ~(Window) 0x1fffff;
  if (client != None && (window & ~(Window) 0x1fffff) == client) {
    if (XGetWindowAttributes (display, window, &attributes) && attributes.map_state == IsViewable &&
        attributes.class == InputOutput) {
      OnScreen found = look_at_window (window, &attributes);

      g_array_append_val (windows, found);
    }
    return None;
  }
  other = None;
  if (XQueryTree (display, window, &other, &parent, &children, &n)) {
    other = None;
    for (guint i = 0; i < n && other == None; i++)
      other = search_windows (children[i], pid, client);
  }
  if (children != NULL)
    XFree (children);
  return other;
}

static void
look_at_windows (int pid)
{
  Window client = search_windows (root, pid, None);

  if (windows == NULL)
    windows = g_array_new (FALSE, FALSE, sizeof (OnScreen));
  g_array_set_size (windows, 0);
  if (client != None)
    search_windows (root, pid, client);
}

guint
hands_screen_count_windows (int pid)
{
  look_at_windows (pid);
  return windows->len;
}

/* A popover is the only thing of its size, but for a margin at its top that some have. */
static gboolean
find_window (const HandsNode *node, HandsRect *place)
{
  gboolean may_have_margin = g_strcmp0 (node->name, "GtkPopover") == 0;

  if (hands_is_told ()) {
    *place = node->rect;
    return node->rect.width > 0;
  }
  for (guint i = windows->len; i-- > 0;) {
    const OnScreen *window = &g_array_index (windows, OnScreen, i);
    int margin = window->rect.height - node->inside.height;

    if (window->is_popup != (node->parent >= 0) || window->rect.width != node->inside.width ||
        margin < 0 || margin > (may_have_margin ? MAX_MARGIN : 0))
      continue;
    *place = window->rect;
    place->y += margin;
    place->height -= margin;
    return TRUE;
  }
  return FALSE;
}

static HandsRect
intersect (HandsRect a, HandsRect b)
{
  int x = MAX (a.x, b.x), y = MAX (a.y, b.y);
  int right = MIN (a.x + a.width, b.x + b.width), bottom = MIN (a.y + a.height, b.y + b.height);

  return (HandsRect){ x, y, MAX (right - x, 0), MAX (bottom - y, 0) };
}

void
hands_screen_place (GPtrArray *tree, int pid)
{
  if (!hands_is_told ())
    look_at_windows (pid);
  for (guint i = 0; i < tree->len; i++) {
    HandsNode *node = tree->pdata[i];
    const HandsNode *parent = node->parent >= 0 ? tree->pdata[node->parent] : NULL;

    if (find_window (node, &node->rect)) {
      node->surface = (int) i;
      node->clip = node->rect;
      continue;
    }
    node->surface = parent != NULL ? parent->surface : -1;
    if (node->surface < 0)
      continue;
    node->rect = node->inside;
    node->rect.x += parent->rect.x - parent->inside.x;
    node->rect.y += parent->rect.y - parent->inside.y;
    node->clip = intersect (parent->clip, node->rect);
    if (node->role != ATSPI_ROLE_SCROLL_PANE)
      node->clip = parent->clip;
  }
  for (guint i = 0; i < tree->len; i++) {
    HandsNode *node = tree->pdata[i];

    node->clip = intersect (node->clip, node->rect);
  }
}

/* ---- pictures ---- */

static GdkPixbuf *
grab (void)
{
  int width = DisplayWidth (display, DefaultScreen (display));
  int height = DisplayHeight (display, DefaultScreen (display));
  XImage *image =
      XGetImage (display, root, 0, 0, (guint) width, (guint) height, AllPlanes, ZPixmap);
  GdkPixbuf *pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, width, height);
  guchar *pixels = gdk_pixbuf_get_pixels (pixbuf);
  int stride = gdk_pixbuf_get_rowstride (pixbuf);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guchar *from = (guchar *) image->data + y * image->bytes_per_line + 4 * x;
      guchar *to = pixels + y * stride + 3 * x;

      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
    }
  XDestroyImage (image);
  return pixbuf;
}

static gboolean
are_equal (GdkPixbuf *a, GdkPixbuf *b)
{
  return memcmp (gdk_pixbuf_read_pixels (a), gdk_pixbuf_read_pixels (b),
                 gdk_pixbuf_get_byte_length (a)) == 0;
}

void
hands_screen_picture (const char *path)
{
  g_autoptr (GdkPixbuf) before = grab ();
  g_autoptr (GError) error = NULL;

  /* A blinking cursor or streamed text never stands still. */
  for (guint i = 0; i < 8; i++) {
    g_autoptr (GdkPixbuf) now = NULL;
    gboolean still;

    g_usleep (100000);
    now = grab ();
    still = are_equal (before, now);
    g_set_object (&before, now);
    if (still)
      break;
  }
  gdk_pixbuf_save (before, path, "png", &error, "compression", "2", NULL);
  g_assert_no_error (error);
}

/* Windows that come before look otherwise: without shadows. */
static gboolean
has_manager (void)
{
  return XGetSelectionOwner (display, XInternAtom (display, "WM_S0", False)) != None &&
         XGetSelectionOwner (display, XInternAtom (display, "_NET_WM_CM_S0", False)) != None &&
         get_number (root, "_NET_SUPPORTED", XA_ATOM, 0) != 0;
}

void
hands_screen_open (void)
{
  gint64 end = g_get_monotonic_time () + HANDS_PATIENCE_S * G_TIME_SPAN_SECOND;

  display = XOpenDisplay (NULL);
  g_assert_nonnull (display);
  root = DefaultRootWindow (display);
  XSetErrorHandler (ignore_error);
  while (!has_manager ()) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    g_usleep (20000);
  }
  add_letters ();
}
