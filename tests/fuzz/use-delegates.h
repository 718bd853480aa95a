/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tests/fuzz/fuzz.h"

/**
 * Read the program in @data, make delegates of its payloads for the backend @id, and describe them.
 * The mutator changes mostly payloads.
 */
void fuzz_delegates (const char *id, const guint8 *data, gsize size);
