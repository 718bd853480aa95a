/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "engine/text/sampling-settings.h"
#include "engine/base/json.h"
#include "engine/base/sampling-json.h"

#define MAX_FILE (1024 * 1024)

#define FIELD(name, least, most, usual, is_whole)                   \
  {                                                                 \
#name, offsetof(PtSampling, name), least, most, usual, is_whole \
  }

const PtSamplingField PT_SAMPLING_FIELDS[PT_SAMPLING_N_FIELDS] = {
  FIELD (temperature, 0, 100, PT_USUAL_TEMPERATURE, FALSE),
  FIELD (top_k, 0, 1000000, PT_USUAL_TOP_K, TRUE),
  FIELD (top_p, 0.001, 1, PT_USUAL_TOP_P, FALSE),
  FIELD (min_p, 0, 1, PT_USUAL_MIN_P, FALSE),
  FIELD (repetition_penalty, 0.1, 10, PT_USUAL_REPETITION_PENALTY, FALSE),
  FIELD (repetition_window, -1, 1000000, PT_USUAL_REPETITION_WINDOW, TRUE),
  FIELD (presence_penalty, -2, 2, 0, FALSE),
  FIELD (frequency_penalty, -2, 2, 0, FALSE),
};

gboolean
pt_sampling_may_be (guint field, double value)
{
  const PtSamplingField *f = &PT_SAMPLING_FIELDS[field];

  return value >= f->least && value <= f->most &&
         (!f->is_whole || value >= (double) (gint64) value) &&
         (!f->is_whole || value <= (double) (gint64) value);
}

void
pt_sampling_fill (PtSampling *sampling, const PtSampling *other)
{
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    if (!pt_sampling_is_set (pt_sampling_get (sampling, i)))
      pt_sampling_set (sampling, i, pt_sampling_get (other, i));
}

PtSampling
pt_sampling_usual (void)
{
  PtSampling usual = { 0 };

  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    pt_sampling_set (&usual, i, PT_SAMPLING_FIELDS[i].usual);
  return usual;
}

gboolean
pt_sampling_load (const char *folder, PtSampling *sampling, int *max_new_tokens, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "generation_config.json", NULL);
  g_autoptr (json_t) config = NULL;
  gint64 longest;

  *sampling = (PtSampling) PT_SAMPLING_INIT;
  *max_new_tokens = 0;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  config = pt_json_load (path, MAX_FILE, error);
  if (config == NULL)
    return FALSE;
  *sampling = pt_sampling_from_json (config);
  longest = pt_json_int (config, "max_new_tokens", 0);
  if (longest > 0 && longest <= G_MAXINT)
    *max_new_tokens = (int) longest;
  if (!pt_json_bool (config, "do_sample", TRUE))
    sampling->temperature = 0;
  return TRUE;
}
