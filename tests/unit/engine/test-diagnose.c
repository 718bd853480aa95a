/* SPDX-License-Identifier: BSD-3-Clause */

/* What a bug report about a GPU says, and what it must not. */

#include <string.h>
#include <pteris/stats.h>

#include "engine/base/native-machine.h"
#include "engine/diagnose-private.h"

static void
test_names_are_hidden (void)
{
  static const struct {
    const char *home, *user, *text, *hidden;
  } CASES[] = {
    { "/home/olga", "olga", "at /home/olga/x and /mnt/olga/y", "at ~/x and /mnt/USER/y" },
    { "C:\\Users\\Ольга", "Ольга", "C:\\Users\\Ольга\\a D:\\Ольга\\b E:/Ольга/c",
      "~\\a D:\\USER\\b E:/USER/c" },
    { "/", "", "//a//", "//a//" },
    { "", "x", "fix/x", "fix/x" },
    { "", "x", "/x/x/", "/USER/x/" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    GString *report = g_string_new (CASES[i].text);

    pt_diagnose_hide_user (report, CASES[i].home, CASES[i].user);
    g_assert_cmpstr (report->str, ==, CASES[i].hidden);
    g_string_free (report, TRUE);
  }
}

static void
test_report (void)
{
  g_autoptr (PtDiagnosis) diagnosis = pt_diagnose ();

  g_assert_nonnull (strstr (diagnosis->report, "CPU: "));
  g_assert_nonnull (strstr (diagnosis->report, "GPU kernels in this build: "));
  g_assert_null (strstr (diagnosis->report, g_get_home_dir ()));
#ifdef G_OS_WIN32
  g_assert_nonnull (strstr (diagnosis->report, "Windows: build "));
  g_assert_nonnull (strstr (diagnosis->report, "\nDisplay adapter: "));
  g_assert_nonnull (strstr (diagnosis->report, "\nnvcuda.dll: "));
  g_assert_nonnull (strstr (diagnosis->report, "\nTime limit of the GPU (TdrDelay): "));
#endif
}

#ifdef G_OS_WIN32
static void
test_machine (void)
{
  g_assert_cmpstr (pt_native_machine_name (0x8664), ==, "x64");
  g_assert_cmpstr (pt_native_machine_name (0xaa64), ==, "ARM64");
  g_assert_cmpstr (pt_native_machine_name (0x014c), ==, "x86");
  g_assert_cmpstr (pt_native_machine_name (0), ==, "unknown");
  /* These tests run on no other. */
  g_assert_cmpstr (pt_native_machine (), ==, "x64");
  g_assert_false (pt_native_machine_is_emulated ());
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diagnose/names", test_names_are_hidden);
  g_test_add_func ("/diagnose/report", test_report);
#ifdef G_OS_WIN32
  g_test_add_func ("/diagnose/machine", test_machine);
#endif
  return g_test_run ();
}
