/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * Templates of the families that are known (runners, section 13.4), for models that come without
 * one. @tokenizer decides: its special tokens say how the model was taught. One whose tokens say
 * nothing goes on with the text as it is.
 *
 * Returns the text of a template.
 */
const char *pt_chat_family_template (const PtTokenizer *tokenizer);

G_END_DECLS
