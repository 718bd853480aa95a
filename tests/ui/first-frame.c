/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Measures the start of a program: `first-frame COMMAND...` prints the milliseconds from the start
 * of the process to its first frame on the screen, and its CPU time in milliseconds; then ends it.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <glib.h>

#define PATIENCE_MS 20000

static int
ignore_error (Display *display, XErrorEvent *event)
{
  return 0; /* a window may go away while it is looked at */
}

/* Content has edges: among the pixels of a grid there are several colours. */
static gboolean
has_content (Display *display, Window window)
{
  XWindowAttributes attributes;
  unsigned long first = 0;
  guint n_other = 0;
  XImage *image;

  if (!XGetWindowAttributes (display, window, &attributes) || attributes.map_state != IsViewable ||
      attributes.width < 100)
    return FALSE;
  image = XGetImage (display, window, 0, 0, (guint) attributes.width, (guint) attributes.height,
                     AllPlanes, ZPixmap);
  if (image == NULL)
    return FALSE;
  first = XGetPixel (image, attributes.width / 2, 20);
  for (int y = 0; y < attributes.height; y += 3)
    for (int x = 0; x < attributes.width; x += 3)
      n_other += XGetPixel (image, x, y) != first;
  XDestroyImage (image);
  return n_other > 100;
}

static gboolean
shows_content (Display *display)
{
  Window root, parent, *children = NULL;
  guint n = 0;
  gboolean found = FALSE;

  if (!XQueryTree (display, DefaultRootWindow (display), &root, &parent, &children, &n))
    return FALSE;
  for (guint i = 0; i < n && !found; i++)
    found = has_content (display, children[i]);
  if (children != NULL)
    XFree (children);
  return found;
}

static double
to_ms (struct timeval time)
{
  return (double) time.tv_sec * 1000 + (double) time.tv_usec / 1000;
}

int
main (int argc, char **argv)
{
  Display *display = XOpenDisplay (NULL);
  gint64 begin = g_get_monotonic_time ();
  gboolean shown = FALSE;
  struct rusage usage;
  gint64 took;
  pid_t child;

  if (display == NULL || argc < 2)
    return 2;
  XSetErrorHandler (ignore_error);
  child = fork ();
  if (child == 0) {
    execvp (argv[1], argv + 1);
    _exit (127);
  }
  while (!shown && g_get_monotonic_time () - begin < PATIENCE_MS * G_TIME_SPAN_MILLISECOND) {
    g_usleep (2000);
    shown = shows_content (display);
  }
  took = g_get_monotonic_time () - begin;
  kill (child, SIGKILL);
  wait4 (child, NULL, 0, &usage);
  if (shown)
    printf ("%.0f %.0f\n", (double) took / G_TIME_SPAN_MILLISECOND,
            to_ms (usage.ru_utime) + to_ms (usage.ru_stime));
  XCloseDisplay (display);
  return shown ? 0 : 1;
}
