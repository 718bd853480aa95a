/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"

/** Open a tokenizer that holds just these bytes, then turn texts to ids and back. */
void fuzz_use_tokenizer (const guint8 *data, gsize size);
