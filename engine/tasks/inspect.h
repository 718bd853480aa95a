/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/error.h"

G_BEGIN_DECLS

/**
 * pt_inspect: what is in a program, and what is missing to run it here.
 *
 * @model: a .pte. @data: its data files, NULL-terminated; NULL: the .ptd files beside it, if
 *   the program needs some.
 *
 * Reads tables only, never weights. Returns JSON text, to be freed with g_free():
 *
 *     { "path", "bytes", "ok": nothing is missing,
 *       "missing": [sentences],
 *       "methods": [{ "name", "planned_bytes", "instructions",
 *                     "inputs", "outputs": [{ "kind", "dtype", "shape", "dynamic", "planned",
 *                                             "device", "value" }],
 *                     "operators": [{ "name", "count", "available" }],
 *                     "delegates": [{ "backend", "available", "count", "payload_bytes",
 *                                     "nodes": { name: count } }] }],
 *       "constant_methods": { name: value or [values] },
 *       "data_files": [{ "path", "bytes", "entries" }],
 *       "external_tensors": { "count", "bytes", "found", "missing": [names] },
 *       "named_data": { "count", "bytes", "entries": [{ "key", "bytes" }] } }
 *
 * Shapes are upper bounds where "dynamic" is true. Blocking; the engine thread.
 */
char *pt_inspect (const char *model, const char *const *data, GError **error);

G_END_DECLS
