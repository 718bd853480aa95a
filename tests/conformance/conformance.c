/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <jansson.h>

#include "case-files.h"
#include "engine/init.h"
#include "tests/run-json.h"
#include "stub-backend.h"

/*
 * conformance FOLDER...: run every case.json below the folders and print TAP.
 *
 * An argument that begins with '$' names an environment variable with a folder; without it the
 * test is skipped. Set PTERIS_CASES to check a larger collection.
 */

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

  job.run.steps = path;
  text = run_to_json (&job, &error);
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
  g_autoptr (GPtrArray) cases = case_files_find (argc - 1, argv + 1);
  gboolean ok = TRUE;

  if (cases->len == 0) {
    g_print ("1..0 # SKIP no cases\n");
    return 0;
  }
  pt_init ();
  stub_backend_register ();
  g_print ("1..%u\n", cases->len);
  for (guint k = 0; k < cases->len; k++)
    ok &= run_case (g_ptr_array_index (cases, k), k + 1);
  return ok ? 0 : 1;
}
