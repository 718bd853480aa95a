/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * pt_inspect: what is in a program, and what is missing to run it here.
 *
 * @model: a .pte or .bpte. @data: its data files, NULL-terminated; NULL: the .ptd files beside it,
 * if the program needs some.
 *
 * Reads tables only, never weights. Returns JSON text, to be freed with g_free():
 *
 *     { "path", "bytes", "ok": nothing is missing,
 *       "family": { "id", "name", "task" as in PtModelInfo, "why": it is nothing but a program, a
 *                 sentence or null },
 *       "missing": [sentences],
 *       "parts": bytes of each part of the program: { "tables", "constants", "initial_state",
 *                "delegate_payloads", "named_data", "other" }, and of all "data_files",
 *       "memory": what running it takes, see PtNeeds: { "weights_bytes", "working_bytes",
 *                 "state_bytes", "gpu_bytes", "weight_bits" },
 *       "native_code": null, or what consent is asked for: { "sha256", "trusted": consent is
 *                      remembered }, null where the program is too large to hash in passing,
 *       "methods": [{ "name", "planned_bytes", "instructions",
 *                     "buffers": planned memory: [{ "bytes", "device", "device_index" }],
 *                     "inputs", "outputs": [{ "kind", "dtype", "shape", "dynamic", "planned",
 *                                             "device", "value" }],
 *                     "operators": [{ "name", "count", "available" }],
 *                     "delegates": [{ "backend", "available", "count", "payload_bytes",
 *                                     "nodes": { name: count },
 *                                     "contents": [what else is known of each part, see
 *                                                  engine/cuda/cuda-report.h] }] }],
 *       "constant_methods": { name: value or [values] }, small tensors with their "values",
 *       "data_files": [{ "path", "bytes", "entries" }],
 *       "external_tensors": { "count", "bytes", "found", "missing": [names],
 *                             "entries": [{ "name", "dtype", "shape", "bytes",
 *                                           "use": "constant" or "initial state",
 *                                           "file": where it is, or null, "why": if missing }] },
 *       "named_data": { "count", "bytes", "entries": [{ "key", "bytes" }] },
 *       "tests": of a bundled program: [{ "method", "cases", "bytes" }] }
 *
 * Shapes are upper bounds where "dynamic" is true. Lists stop after 1000 entries. Blocking; the
 * engine thread.
 */
char *pt_inspect (const char *model, const char *const *data, GError **error);

G_END_DECLS
