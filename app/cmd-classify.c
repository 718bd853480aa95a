/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report.h"

static int
show_report (const json_t *report)
{
  const json_t *images = json_object_get (report, "images"), *image, *one;
  gboolean several = json_array_size (images) > 1, ok = TRUE;
  size_t i, k;

  json_array_foreach (images, i, image) {
    const char *error = pteris_report_text (image, "error");

    if (several)
      pteris_putf ("%s%s\n", i > 0 ? "\n" : "", pteris_report_text (image, "path"));
    if (*error != '\0') {
      pteris_complain ("%s", error);
      ok = FALSE;
    }
    json_array_foreach (json_object_get (image, "classes"), k, one) {
      const char *label = pteris_report_text (one, "label");

      pteris_putf (*label != '\0' ? "%5.1f %%  %s (%.0f)\n" : "%5.1f %%  class %s%.0f\n",
                   100 * pteris_report_number (one, "probability"), label,
                   pteris_report_number (one, "index"));
    }
  }
  return ok ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
}

int
pteris_classify_command (int argc, char **argv)
{
  g_autofree char *labels = NULL, *method = NULL;
  int top = 5;
  const GOptionEntry entries[] = {
    { "labels", 'l', 0, G_OPTION_ARG_FILENAME, &labels,
      "Class names, one per line; default: labels.txt beside the model", "FILE" },
    { "top", 'n', 0, G_OPTION_ARG_INT, &top, "Number of classes to show; default: 5", "N" },
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &method, "Method to run; default: forward", "NAME" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "classify MODEL IMAGE…", "Classify images.", entries,
                                     2, G_MAXUINT, argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  if (top < 1)
    return pteris_usage_error ("classify", "--top must be 1 or more.");
  job = pteris_options_job (&common, PT_JOB_CLASSIFY, common.arguments[0]);
  job.vision.images = (const char *const *) common.arguments + 1;
  job.vision.labels = labels;
  job.model.method = method;
  job.vision.top = (guint) top;
  return pteris_report_run (&common, &job, show_report);
}
