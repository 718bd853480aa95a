/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/sampling.h>

G_BEGIN_DECLS

/* PtSampling as members of a JSON object. */

/** The members of @object that have our names. What is no number, or out of bounds, is unset. */
PtSampling pt_sampling_from_json (const json_t *object);
/** Add what is set to @object. */
void pt_sampling_to_json (const PtSampling *sampling, json_t *object);

G_END_DECLS
