/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

#include "engine/base/heap.h"

G_BEGIN_DECLS

/** An empty result with memory of its own, which its owner (a PtHeap) holds. */
PtLookResult *pt_look_result_new (void);

G_END_DECLS
