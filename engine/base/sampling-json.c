/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/sampling-json.h"

PtSampling
pt_sampling_from_json (const json_t *object)
{
  PtSampling sampling = PT_SAMPLING_INIT;

  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++) {
    const json_t *value = json_object_get (object, PT_SAMPLING_FIELDS[i].name);

    if (json_is_number (value) && pt_sampling_may_be (i, json_number_value (value)))
      pt_sampling_set (&sampling, i, json_number_value (value));
  }
  return sampling;
}

void
pt_sampling_to_json (const PtSampling *sampling, json_t *object)
{
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++) {
    const PtSamplingField *field = &PT_SAMPLING_FIELDS[i];
    double value = pt_sampling_get (sampling, i);

    if (pt_sampling_is_set (value))
      json_object_set_new (object, field->name,
                           field->is_whole ? json_integer ((json_int_t) value) : json_real (value));
  }
}
