/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * drop-files [--hover SECONDS] TITLE FILE...: drops files on the middle of the X11 window whose
 * title begins with TITLE, as a file manager would with the mouse (XDND, version 5). The exit
 * status is 0 when the window has taken them, 1 when it did not want them, 2 when it cannot be
 * asked.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <glib.h>

#define VERSION 5
#define PATIENCE_S 300
#define N_MOVES 5

enum {
  AWARE,
  SELECTION,
  ENTER,
  POSITION,
  STATUS,
  LEAVE,
  DROP,
  FINISHED,
  COPY,
  URI_LIST,
  TARGETS,
  NET_NAME,
  UTF8,
  N_ATOMS,
};

static const char *const NAMES[N_ATOMS] = {
  "XdndAware", "XdndSelection", "XdndEnter",    "XdndPosition",   "XdndStatus",
  "XdndLeave", "XdndDrop",      "XdndFinished", "XdndActionCopy", "text/uri-list",
  "TARGETS",   "_NET_WM_NAME",  "UTF8_STRING",
};

static Display *display;
static Atom atoms[N_ATOMS];
static Window source, target;
static char *uris;

/* ---- the window ---- */

static gboolean
has_title (Window window, const char *title)
{
  static const int kinds[] = { NET_NAME, -1 };
  gboolean found = FALSE;

  for (guint i = 0; !found && i < G_N_ELEMENTS (kinds); i++) {
    Atom property = kinds[i] >= 0 ? atoms[kinds[i]] : XA_WM_NAME, type;
    unsigned long n, rest;
    unsigned char *text = NULL;
    int format;

    if (XGetWindowProperty (display, window, property, 0, 1024, False, AnyPropertyType, &type,
                            &format, &n, &rest, &text) == Success &&
        text != NULL && format == 8)
      found = g_str_has_prefix ((const char *) text, title);
    if (text != NULL)
      XFree (text);
  }
  return found;
}

static gboolean
takes_drops (Window window)
{
  Atom type;
  unsigned long n, rest;
  unsigned char *version = NULL;
  int format;

  XGetWindowProperty (display, window, atoms[AWARE], 0, 1, False, XA_ATOM, &type, &format, &n,
                      &rest, &version);
  if (version != NULL)
    XFree (version);
  return type == XA_ATOM && n == 1;
}

static Window
find_window (Window window, const char *title)
{
  Window root, parent, *children = NULL, found = None;
  XWindowAttributes attributes;
  unsigned n = 0;

  if (XGetWindowAttributes (display, window, &attributes) && attributes.map_state == IsViewable &&
      takes_drops (window) && has_title (window, title))
    return window;
  if (XQueryTree (display, window, &root, &parent, &children, &n))
    for (unsigned i = n; found == None && i > 0; i--)
      found = find_window (children[i - 1], title);
  if (children != NULL)
    XFree (children);
  return found;
}

/* ---- the conversation ---- */

static void
say (int what, long l1, long l2, long l3, long l4)
{
  XEvent event = { .xclient = { .type = ClientMessage,
                                .display = display,
                                .window = target,
                                .message_type = atoms[what],
                                .format = 32 } };

  event.xclient.data.l[0] = (long) source;
  event.xclient.data.l[1] = l1;
  event.xclient.data.l[2] = l2;
  event.xclient.data.l[3] = l3;
  event.xclient.data.l[4] = l4;
  XSendEvent (display, target, False, NoEventMask, &event);
  XFlush (display);
}

/* Somebody asks what is dropped. */
static void
answer (const XSelectionRequestEvent *request)
{
  XEvent event = { .xselection = { .type = SelectionNotify,
                                   .display = display,
                                   .requestor = request->requestor,
                                   .selection = request->selection,
                                   .target = request->target,
                                   .property = request->property,
                                   .time = request->time } };

  if (request->target == atoms[URI_LIST])
    XChangeProperty (display, request->requestor, request->property, atoms[URI_LIST], 8,
                     PropModeReplace, (const unsigned char *) uris, (int) strlen (uris));
  else if (request->target == atoms[TARGETS])
    XChangeProperty (display, request->requestor, request->property, XA_ATOM, 32, PropModeReplace,
                     (const unsigned char *) &atoms[URI_LIST], 1);
  else
    event.xselection.property = None;
  XSendEvent (display, request->requestor, False, NoEventMask, &event);
  XFlush (display);
}

/* Until the window says @what, for so long. FALSE: it does not. */
static gboolean
hear (int what, double seconds, XClientMessageEvent *message)
{
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);

  while (g_get_monotonic_time () < end) {
    XEvent event;

    if (XPending (display) == 0) {
      g_usleep (5000);
      continue;
    }
    XNextEvent (display, &event);
    if (event.type == SelectionRequest)
      answer (&event.xselectionrequest);
    if (what >= 0 && event.type == ClientMessage && event.xclient.message_type == atoms[what]) {
      *message = event.xclient;
      return TRUE;
    }
  }
  return FALSE;
}

static int
drop (int x, int y, double hover)
{
  XClientMessageEvent message = { 0 };
  gboolean wanted = FALSE;

  say (ENTER, VERSION << 24, (long) atoms[URI_LIST], None, None);
  for (int i = 0; i < N_MOVES; i++) {
    say (POSITION, 0, (long) (x + i) << 16 | y, CurrentTime, (long) atoms[COPY]);
    if (!hear (STATUS, PATIENCE_S, &message)) {
      fputs ("the window does not answer\n", stderr);
      return 2;
    }
    wanted = (message.data.l[1] & 1) != 0;
    hear (-1, 0.1, &message);
  }
  hear (-1, hover, &message);
  if (!wanted) {
    say (LEAVE, 0, 0, 0, 0);
    fputs ("the window does not want it\n", stderr);
    return 1;
  }
  say (DROP, 0, CurrentTime, 0, 0);
  if (!hear (FINISHED, PATIENCE_S, &message)) {
    fputs ("the window does not finish\n", stderr);
    return 2;
  }
  return (message.data.l[1] & 1) != 0 ? 0 : 1;
}

int
main (int argc, char **argv)
{
  GString *list = g_string_new (NULL);
  XWindowAttributes attributes;
  double hover = 0;
  Window other;
  int x, y;

  if (argc > 3 && g_str_equal (argv[1], "--hover")) {
    hover = g_ascii_strtod (argv[2], NULL);
    argc -= 2;
    argv += 2;
  }
  if (argc < 3) {
    fputs ("usage: drop-files [--hover SECONDS] TITLE FILE...\n", stderr);
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    g_autofree char *path = g_canonicalize_filename (argv[i], NULL);
    g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

    g_string_append_printf (list, "%s\r\n", uri);
  }
  uris = g_string_free (list, FALSE);
  display = XOpenDisplay (NULL);
  if (display == NULL) {
    fputs ("no display\n", stderr);
    return 2;
  }
  XInternAtoms (display, (char **) NAMES, N_ATOMS, False, atoms);
  target = find_window (DefaultRootWindow (display), argv[1]);
  if (target == None) {
    fprintf (stderr, "no window “%s” takes files\n", argv[1]);
    return 2;
  }
  source = XCreateSimpleWindow (display, DefaultRootWindow (display), 0, 0, 1, 1, 0, 0, 0);
  XSetSelectionOwner (display, atoms[SELECTION], source, CurrentTime);
  XGetWindowAttributes (display, target, &attributes);
  XTranslateCoordinates (display, target, DefaultRootWindow (display), attributes.width / 2,
                         attributes.height / 2, &x, &y, &other);
  return drop (x, y, hover);
}
