/* SPDX-License-Identifier: BSD-3-Clause */
/* A stand-in for libcairo-script-interpreter in the portable archive. GTK is linked with that
 * library to read drawings back from the text of a render tree, which only its own tests and tools
 * do; Debian's is linked with LZO, which is under the GPL. Here nothing is interpreted, and whoever
 * asks is told so. */

enum { CAIRO_STATUS_DEVICE_ERROR = 35 };

static char nothing;

void *
cairo_script_interpreter_create (void)
{
  return &nothing;
}

void
cairo_script_interpreter_install_hooks (void *interpreter, const void *hooks)
{
  (void) interpreter;
  (void) hooks;
}

int
cairo_script_interpreter_feed_string (void *interpreter, const char *line, int length)
{
  (void) interpreter;
  (void) line;
  (void) length;
  return CAIRO_STATUS_DEVICE_ERROR;
}

int
cairo_script_interpreter_destroy (void *interpreter)
{
  (void) interpreter;
  return CAIRO_STATUS_DEVICE_ERROR;
}
