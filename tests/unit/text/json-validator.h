/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <jansson.h>

/* Validates values against JSON schemas, for tests: the keywords that the engine's grammar takes,
 * written without any of its code. */

/** Whether @value satisfies @schema, a part of @root. */
gboolean json_validator_accepts (const json_t *root, const json_t *schema, const json_t *value);
