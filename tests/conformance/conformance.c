/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <jansson.h>

#include "engine/init.h"
#include "engine/tasks/run/run.h"
#include "stub-backend.h"

/*
 * conformance FOLDER...: run every case.json below the folders and print TAP.
 *
 * An argument that begins with '$' names an environment variable with a folder; without it the
 * test is skipped. Set PTERIS_CASES to check a larger collection.
 */

static int
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
find_cases (const char *folder, GPtrArray *cases)
{
  g_autofree char *file = g_build_filename (folder, "case.json", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (g_file_test (file, G_FILE_TEST_IS_REGULAR))
    g_ptr_array_add (cases, g_steal_pointer (&file));
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      find_cases (path, cases);
  }
}

/* One line for each output that differs. */
static void
print_differences (json_t *report)
{
  json_t *step, *output;
  size_t s, i;

  json_array_foreach (json_object_get (report, "steps"), s, step) {
    json_array_foreach (json_object_get (step, "outputs"), i, output) {
      if (!json_is_true (json_object_get (output, "ok")))
        g_print ("# step %u, output %u: %s; largest difference %g\n", (guint) s, (guint) i,
                 json_string_value (json_object_get (output, "why")),
                 json_number_value (json_object_get (output, "max_abs_diff")));
    }
  }
}

static gboolean
run_case (const char *path, guint number)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (folder);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  json_t *report;
  gboolean ok = FALSE;

  job.steps = path;
  text = pt_run (&job, NULL, NULL, NULL, &error);
  report = text != NULL ? json_loads (text, 0, NULL) : NULL;
  ok = json_is_true (json_object_get (report, "ok"));
  if (error != NULL)
    g_print ("# %s\n", error->message);
  else if (!ok)
    print_differences (report);
  g_print ("%s %u - %s\n", ok ? "ok" : "not ok", number, name);
  json_decref (report);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (g_free);
  gboolean ok = TRUE;
  guint k;
  int i;

  for (i = 1; i < argc; i++) {
    const char *folder = argv[i][0] == '$' ? g_getenv (argv[i] + 1) : argv[i];

    if (folder != NULL)
      find_cases (folder, cases);
  }
  if (cases->len == 0) {
    g_print ("1..0 # SKIP no cases\n");
    return 0;
  }
  pt_init ();
  stub_backend_register ();
  g_ptr_array_sort (cases, compare_strings);
  g_print ("1..%u\n", cases->len);
  for (k = 0; k < cases->len; k++)
    ok &= run_case (g_ptr_array_index (cases, k), k + 1);
  return ok ? 0 : 1;
}
