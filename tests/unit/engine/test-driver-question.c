/* SPDX-License-Identifier: BSD-3-Clause */

/* Questions to drivers in a process of their own, which is this program again. */

#include "engine/base/driver-question.h"

#include <stdlib.h>
#include <string.h>

#ifdef G_OS_UNIX
#include <signal.h>
#endif

static int n_asked; /* in this process */

static char *
answer (void)
{
  n_asked++;
  return g_strdup ("Grüße\nfrom a driver");
}

static char *
crash (void)
{
#ifdef G_OS_UNIX
  /* Sanitizers would turn it into an exit. */
  signal (SIGSEGV, SIG_DFL);
  raise (SIGSEGV);
#endif
  abort ();
}

static char *
leave (void)
{
  _Exit (7);
}

static void
test_answer (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = pt_driver_ask ("answer", &error);

  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, "Grüße\nfrom a driver");
  g_assert_cmpint (n_asked, ==, 0);
}

static void
refuse (const char *name, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_driver_ask (name, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_HOST);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in: %s", words, error->message);
}

static void
test_bad_ends (void)
{
#ifdef G_OS_UNIX
  refuse ("crash", "crashed (signal");
#else
  refuse ("crash", "with status");
#endif
  refuse ("leave", "with status 7");
}

/* A process that may crash asks by itself. */
static void
test_in_host (void)
{
  g_autofree char *text = NULL;

  g_setenv ("PTERIS_HOST", "1", TRUE);
  text = pt_driver_ask ("answer", NULL);
  g_assert_nonnull (text);
  g_assert_cmpint (n_asked, ==, 1);
  g_unsetenv ("PTERIS_HOST");
}

int
main (int argc, char **argv)
{
  int status;

  pt_driver_question_register ("answer", answer);
  pt_driver_question_register ("crash", crash);
  pt_driver_question_register ("leave", leave);
  status = pt_driver_question_main (argc, argv);
  if (status >= 0)
    return status;
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/driver-question/answer", test_answer);
  g_test_add_func ("/driver-question/bad-ends", test_bad_ends);
  g_test_add_func ("/driver-question/in-host", test_in_host);
  return g_test_run ();
}
