/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/stop-text.h"

/* @text in pieces of @size bytes: what comes of it. */
static char *
through (const char *const *stop, const char *text, gsize size, gboolean *ended)
{
  g_auto (PtStopText) self = { NULL };
  g_autoptr (GString) piece = g_string_new (NULL);
  GString *out = g_string_new (NULL);

  pt_stop_text_init (&self, stop);
  *ended = FALSE;
  for (gsize at = 0; at < strlen (text) && !*ended; at += size) {
    g_string_truncate (piece, 0);
    g_string_append_len (piece, text + at, (gssize) MIN (size, strlen (text) - at));
    *ended = pt_stop_text_push (&self, piece);
    g_string_append (out, piece->str);
  }
  if (!*ended) {
    g_string_truncate (piece, 0);
    pt_stop_text_finish (&self, piece);
    g_string_append (out, piece->str);
  }
  return g_string_free (out, FALSE);
}

static void
test_stop (void)
{
  static const char *const none[] = { NULL }, *const empty[] = { "", NULL };
  static const char *const one[] = { "END", NULL }, *const two[] = { "ababac", "b", "", NULL };
  static const char *const user[] = { "\nUser:", "###", NULL };
  static const struct {
    const char *const *stop;
    const char *text, *expected;
    gboolean ends;
  } cases[] = {
    { NULL, "all of it", "all of it", FALSE },
    { none, "all of it", "all of it", FALSE },
    { empty, "all of it", "all of it", FALSE },
    { one, "before END after", "before ", TRUE },
    { one, "END", "", TRUE },
    { one, "EN EEND", "EN E", TRUE },
    { one, "an EN", "an EN", FALSE },
    { one, "E\xc3\xa9N E\xc3\xa9", "E\xc3\xa9N E\xc3\xa9", FALSE },
    { two, "aaac", "aaac", FALSE },
    { two, "aac ab", "aac a", TRUE },
    { user, "Hello.\nUser: What?", "Hello.", TRUE },
    { user, "Hello.\nUse ## and # \n", "Hello.\nUse ## and # \n", FALSE },
    { user, "Title\n### Part\nUser:", "Title\n", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize size = 1; size < 8; size++) {
      gboolean ended;
      g_autofree char *out = through (cases[i].stop, cases[i].text, size, &ended);

      g_assert_cmpstr (out, ==, cases[i].expected);
      g_assert_cmpint (ended, ==, cases[i].ends);
    }
}

/* The longest text of all wins nothing: what comes first in the answer ends it. */
static void
test_overlap (void)
{
  static const char *const stop[] = { "aab", "aaab", NULL };
  gboolean ended;
  g_autofree char *out = through (stop, "xaaaab", 1, &ended);

  g_assert_cmpstr (out, ==, "xa");
  g_assert_true (ended);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/stop-text/stop", test_stop);
  g_test_add_func ("/text/stop-text/overlap", test_overlap);
  return g_test_run ();
}
