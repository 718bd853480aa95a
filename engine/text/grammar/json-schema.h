/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/grammar/grammar.h"

G_BEGIN_DECLS

/**
 * The grammar of the JSON texts that a JSON Schema accepts
 * (docs/formats/grammar.md, section 2). It may leave out some of these texts,
 * but has no others.
 *
 * @schema: the schema as JSON text. PT_ERROR_ARGUMENT: it is faulty, or has a
 * keyword that is not supported; the message names the keyword and its place.
 * Any thread.
 */
PtGrammar *pt_json_schema_compile (const char *schema, GError **error);

G_END_DECLS
