/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/sampling.h>

G_BEGIN_DECLS

/* Conversion between PtSampling and the members of a JSON object. */

/**
 * Read the members of @object that have the names of our options. Values of a wrong type or out of
 * range leave the option unset.
 */
PtSampling pt_sampling_from_json (const json_t *object);
/** Add the options that are set to @object. */
void pt_sampling_to_json (const PtSampling *sampling, json_t *object);

G_END_DECLS
