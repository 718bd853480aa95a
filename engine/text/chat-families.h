/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * Templates of the families that are known (runners, section 13.4), for models that come without
 * one. @tokenizer decides: its special tokens say how the model was taught. One whose tokens say
 * nothing goes on with the text as it is, or, if it sees, was taught as LLaVA was (section 5.4).
 * @takes: PtModelInput.
 *
 * Returns the text of a template.
 */
const char *pt_chat_family_template (const PtTokenizer *tokenizer, guint takes);

G_END_DECLS
