/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/method.h"

G_BEGIN_DECLS

/** How many positions a decoder has; 0: its program does not show it. */
typedef struct {
  guint table; /* rows of the smallest table that it looks positions up in */
  guint cache; /* places of its smallest KV cache */
} PtWhisperPositions;

/**
 * Follows input @input of @plan, which is the position, to the operators that use it as an index
 * (docs/formats/protocols.md, section 5.8).
 */
PtWhisperPositions pt_whisper_positions_find (const PtPlan *plan, guint input);

G_END_DECLS
