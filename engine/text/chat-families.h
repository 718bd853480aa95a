/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * The template of a model that comes without one (docs/formats/tokenizers.md, section 10.5). The
 * special tokens of @tokenizer tell the family. If they tell none, the template is that of LLaVA
 * for a model that sees, and otherwise one that passes the text on as it is.
 * @takes: PtModelInput.
 *
 * Returns the text of a template.
 */
const char *pt_chat_family_template (const PtTokenizer *tokenizer, guint takes);

G_END_DECLS
