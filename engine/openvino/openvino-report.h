/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"

G_BEGIN_DECLS

/** PtBackend.describe() and measure(). The library is looked for, not loaded. */
void pt_openvino_describe (const PtDelegateContext *context, PtDelegateDescription *description);
void pt_openvino_measure (const PtDelegateContext *context, PtDelegateNeeds *needs);

G_END_DECLS
