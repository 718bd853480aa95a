/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/conformance/tasks.h"

#include <string.h>

#include "engine/tasks/vision/look-method.h"

/* Detectors and models that make vectors of pictures: the input of each step, as the task gives it
 * to the method, and the outputs, as the task takes them. */

static gboolean
fill_input (TaskCase *c, PtLookMethod *method, const json_t *input)
{
  gsize want = (gsize) method->channels * method->width * method->height * sizeof (float), length;
  g_autofree char *path = task_path (c, json_object_get (input, "file"));
  g_autofree char *bytes = NULL;

  if (path == NULL || !g_file_get_contents (path, &bytes, &length, NULL) || length != want)
    return task_fail (c, "the input cannot be read");
  memcpy (method->pixels, bytes, length);
  return TRUE;
}

static gboolean
check_outputs (TaskCase *c, PtLookMethod *method, const json_t *step)
{
  const json_t *outputs = json_object_get (step, "outputs");
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < json_array_size (outputs); i++) {
    g_auto (PtLookOutput) got = { 0 };
    g_autofree char *what = g_strdup_printf ("output %u", i);

    ok = pt_look_method_output (method, i, &got, NULL) &&
         task_same_numbers (c, what, got.values, PT_DTYPE_F32, got.n, json_array_get (outputs, i));
  }
  return ok || task_fail (c, "the outputs differ");
}

static gboolean
run_step (TaskCase *c, const json_t *step)
{
  const char *name = json_string_value (json_object_get (step, "method"));
  g_autoptr (GError) error = NULL;
  PtLookMethod method = { 0 };
  gboolean ok = pt_look_method_open (&method, c->module, name, 3, &error) &&
                fill_input (c, &method, json_array_get (json_object_get (step, "inputs"), 0)) &&
                pt_look_method_call (&method, NULL, &error) && check_outputs (c, &method, step);

  pt_look_method_clear (&method);
  return ok || (error != NULL && task_fail (c, "%s", error->message));
}

gboolean
task_look (TaskCase *c)
{
  const json_t *steps = json_object_get (c->root, "steps"), *step;
  g_autoptr (GError) error = NULL;
  g_autofree char *usual = pt_look_method_find (pt_module_program (c->module), NULL, 0, 0, &error);
  gsize i;

  if (usual == NULL)
    return task_fail (c, "%s", error->message);
  json_array_foreach ((json_t *) steps, i, step)
    if (!run_step (c, step))
      return FALSE;
  return json_array_size (steps) > 0 || task_fail (c, "the case has no steps");
}
