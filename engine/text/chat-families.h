/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * The template for a model without one (docs/formats/tokenizers.md, section 10.5). The family is
 * recognised by the special tokens of @tokenizer. Without a match the template is LLaVA's if the
 * model takes pictures, else one that passes the text unchanged. @takes: PtModelInput. Returns a
 * static text.
 */
const char *pt_chat_family_template (const PtTokenizer *tokenizer, guint takes);

G_END_DECLS
